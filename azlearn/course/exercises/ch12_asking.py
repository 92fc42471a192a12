"""Chapter 12, one call for all (12.1): positions of many games in, everybody's own answer out.

The network of the check is a table of answers, and notes how it was asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, show
from azlearn.course.numbers import numbers, shape
from azlearn.course.sections import explained_for
from azlearn.games import State, TicTacToe

_GAME = TicTacToe()
# Positions, and an answer that tells each from the others.
_ANSWERS = {
    _GAME.from_moves("19"): ([0, 0.1, 0.5, 0.1, 0.1, 0.1, 0.05, 0.05, 0], 0.1),
    _GAME.from_moves("91"): ([0, 0.1, 0.1, 0.1, 0.4, 0.1, 0.1, 0.1, 0], -0.2),
    _GAME.from_moves("51"): ([0, 0.3, 0.1, 0.3, 0, 0.1, 0.1, 0.05, 0.05], 0.3),
    _GAME.from_moves("5162"): ([0, 0, 0.5, 0.1, 0, 0, 0.1, 0.1, 0.2], -0.4),
    _GAME.from_moves("5"): ([0.25, 0, 0.25, 0, 0, 0, 0.25, 0, 0.25], 0.5),
}
_A, _B, _C, _D, _E = _ANSWERS

_CASES = (
    ("three slots that wait", (_A, _C, _B)),
    ("six slots, of which 1, 3 and 4 have nothing to ask", (None, _D, None, None, _A, _E)),
    ("one slot that waits, between two that do not", (None, _B, None)),
    ("the same position in two slots", (_E, _C, _E)),
    ("three slots that have nothing to ask", (None, None, None)),
)  # fmt: skip


def cases() -> list[Case]:
    """Arguments: the slots; right: for each, [prior, value] or None."""
    return [
        Case(words, (slots,), [slot and [*_ANSWERS[slot]] for slot in slots])
        for words, slots in _CASES
    ]


class Network:
    """A batch evaluator, ``State`` of int64 [n] -> (float [n, 9], float [n]), with a diary.

    Attributes:
        calls: what it was asked, (me, opp) in lists, call by call.
        problem: why it could not read a question, or "".
    """

    def __init__(self) -> None:
        self.calls: list[list[tuple[int, int]]] = []
        self.problem = ""

    def __call__(self, states: Any) -> tuple[np.ndarray, np.ndarray]:
        self._read(states)
        asked = list(zip(*(np.asarray(stones).tolist() for stones in states), strict=True))
        self.calls.append(asked)
        answers = [_ANSWERS.get(key, ([1 / 9] * 9, 0.0)) for key in asked]
        prior = np.array([answer[0] for answer in answers]).reshape(len(asked), 9)
        return prior, np.array([answer[1] for answer in answers])

    def _read(self, states: Any) -> None:
        if not isinstance(states, State):
            self.problem = f"it got a {type(states).__name__}"
        elif not all(
            isinstance(stones, np.ndarray) and stones.dtype == np.int64 and stones.ndim == 1
            for stones in states
        ):
            kinds = [
                f"{stones.dtype} {list(stones.shape)}"
                if isinstance(stones, np.ndarray)
                else type(stones).__name__
                for stones in states
            ]
            self.problem = f"its me is {kinds[0]}, its opp {kinds[1]}"
        if self.problem:
            raise TypeError(self.problem)


def _fault(name: str, give, message: str) -> Fault:
    def answer(slots: tuple) -> list:
        right = [slot and [*_ANSWERS[slot]] for slot in slots]
        return give(right)

    return Fault(name, answer, "for {case}: {right} is right; yours is {yours}. " + message)


def _packed(right: list) -> list:
    return [entry for entry in right if entry is not None]


def _in_order(right: list) -> list:
    answers = _packed(right)
    return answers + [None] * (len(right) - len(answers))


def _backwards(right: list) -> list:
    answers = _packed(right)
    return [entry and answers.pop() for entry in right]


_FAULTS = (
    _fault(
        "answers handed to the wrong game",
        _in_order,
        "Row i of the answer belongs to the i-th slot that *waits*, not to slot i. Keep the "
        "numbers of the slots that you asked for.",
    ),
    _fault(
        "answers handed to the wrong game",
        _backwards,
        "Row i of the answer belongs to row i of the question.",
    ),
    _fault(
        "the slots without a question are left out",
        _packed,
        "The list has an entry for every slot, `None` for those that asked nothing: the caller "
        "finds its answer by the slot's number.",
    ),
    _fault(
        "values turned to the other player",
        lambda right: [entry and [entry[0], -entry[1]] for entry in right],
        "The network speaks for the player to move, and so does the answer that you hand on: "
        "backup turns the sign, later.",
    ),
)


def _said(slots: Any) -> str:
    """Of every answer the value, and the prior's favourite, counted from 1 as the cells are."""
    parts = [
        "None" if slot is None else f"v {slot[1]:+.1f} and P highest at {1 + np.argmax(slot[0])}"
        for slot in slots
    ]
    return f"[{', '.join(parts)}]"


@explained_for("12.1")
def check_ask_all(call: Call) -> str:
    given = []
    for case in cases():
        slots, network = case.arguments[0], Network()
        value, problem = call.attempt(list(slots), network, shown=case.shown)
        _check_asked(network, slots, case.shown)
        given.append(_plain(call.settle(value, problem), case.shown))
    compare(cases(), given, _FAULTS, form=_said)
    return "One question, one call, and every game has its own answer."


def _check_asked(network: Network, slots: tuple, shown: str) -> None:
    """How the network was asked, whatever was made of its answers."""
    waiting = [tuple(slot) for slot in slots if slot is not None]
    if network.problem:
        raise Wrong(
            "not a State of int64 arrays",
            f"For {shown}, the network could not read the question: {network.problem}. It takes a "
            "`State` whose me and opp are NumPy arrays of int64, one number a position.",
        )
    if not waiting and network.calls:
        raise Wrong(
            "asked although nobody waits",
            f"For {shown}, you called the network, about {len(network.calls[0])} positions. A call "
            "costs its time even when nothing is asked: look first.",
        )
    asked = [key for keys in network.calls for key in keys]
    if any(key in ((0, 0), (-1, -1)) for key in asked):
        raise Wrong(
            "an empty slot is asked about",
            f"For {shown}, the network was shown a position that no slot holds. A slot with `None` "
            "waits for nothing: leave it out of the batch.",
        )
    if len(network.calls) > 1:
        raise Wrong(
            "a batch of one",
            f"For {shown}, you called the network {len(network.calls)} times. Nearly all of a "
            "small call is overhead: collect the positions first, then ask once.",
        )
    if waiting and asked and asked != waiting and asked == [key[::-1] for key in waiting]:
        raise Wrong(
            "me and opp exchanged",
            f"For {shown}, the network saw each position with the two players exchanged. A `State` "
            "is `(me, opp)`; keep that order when you stack.",
        )


def _plain(value: Any, shown: str) -> list:
    """The answer in lists; Wrong where it is no list of pairs."""
    entries = as_list(value) if not isinstance(value, State) else None
    plain = [_pair(entry) for entry in entries] if entries is not None else [False]
    if False in plain:
        raise Wrong(
            "not a list of pairs",
            f"For {shown}, a list is asked for: (prior, value) for a slot that waits, `None` for "
            f"another. You gave {show(value):.80}.",
        )
    return plain


def _pair(entry: Any) -> list | bool | None:
    """[prior, value] in lists; None for None; False for something else."""
    if entry is None:
        return None
    parts = list(entry) if isinstance(entry, (tuple, list)) and len(entry) == 2 else []
    parts = [numbers(part) for part in parts]
    return parts if parts and (shape(parts[0]), shape(parts[1])) == ((9,), ()) else False


EXERCISES = (
    Exercise(
        id="12.1",
        title="One call for all",
        minutes=10,
        difficulty=1,
        function="ask_all(waiting, evaluate)",
        check=check_ask_all,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "not a State of int64 arrays",
            "asked although nobody waits",
            "an empty slot is asked about",
            "a batch of one",
            "me and opp exchanged",
            "not a list of pairs",
        ),
        hints=(
            "Three steps: who waits? Ask about all of them together. Who gets which row?",
            "`rows = [i for i, state in enumerate(waiting) if state is not None]`; then two "
            "arrays, `np.array([waiting[i].me for i in rows], dtype=np.int64)` and the same "
            "for `opp`.",
            "In near-code:\n\n"
            "    answers = a list of None, one for each slot\n"
            "    rows = the numbers of the slots that wait\n"
            "    if there are any:\n"
            "        prior, value = evaluate(State(the me's, the opp's))\n"
            "        for row i of the answer and rows[i]: answers[rows[i]] = (prior[i], value[i])\n"
            "    return answers",
        ),
    ),
)
