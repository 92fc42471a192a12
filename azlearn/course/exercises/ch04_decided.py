"""Chapter 4, stop when decided (4.6): when the simulations that are left cannot change the move.

The counts and answers are worked out by hand. Then the rule stops real searches, whose moves must be
those of the full budget.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from azlearn.arena import load_positions
from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, as_list, compare, show
from azlearn.course.sections import explained_for
from azlearn.course.three_moves import TIC_TAC_TOE, node_with, statistics
from azlearn.games import ConnectFour
from azlearn.search import MCTS, Node, Tree, random_rollout, uct

GAME = ConnectFour()
NUM_SIMULATIONS = 200

# N and W on the actions 2, 6, 8, simulations left, decided?
_COUNTS = (
    ((60, 20, 10), (6, 2, 1), 39, True),  # 20 + 39 < 60
    ((60, 20, 10), (6, 2, 1), 40, False),  # 20 + 40 = 60: equal visits, and Q decides
    ((60, 20, 10), (6, 2, 1), 41, False),
    ((10, 60, 20), (1, 6, 2), 39, True),  # the runner-up stands behind
    ((10, 60, 20), (1, 6, 2), 45, False),
    ((20, 60, 10), (2, 6, 1), 39, True),  # and before
    ((60, 30, 30), (6, 3, 3), 29, True),  # one of the others can win them all, not both
    ((60, 30, 30), (6, 3, 3), 31, False),
    ((50, 49, 1), (-5, 9, 0), 0, True),  # nothing is left
    ((50, 50, 0), (5, 9, 0), 0, True),  # not even where the visits are equal
    ((40, 0, 0), (4, 0, 0), 39, True),
    ((30, 30, 5), (6, -3, 1), 10, False),  # two lead: one of them is the runner-up
    ((30, 25, 20), (15, -9, -9), 10, False),  # a much better mean changes nothing
    ((55, 25, 20), (9, 1, 1), 100, False),  # more than half so far is not enough
)
# Seven of eight squares taken or lost: action 8 alone is legal.
_ONLY = "74591368"


def _cases() -> list[Case]:
    return [
        Case(f"{statistics(n, w)}, {left} simulations left", (n, w, left), decided)
        for n, w, left, decided in _COUNTS
    ]


def _top(visits) -> tuple[int, int]:
    second, first = sorted(visits)[-2:]
    return first, second


def _rule(decide: Callable[[tuple, int], bool]) -> Callable[..., bool]:
    return lambda n, w, left: bool(decide(n, left))


_STOP = "at {case}, the answer is {right}; yours is {yours}. "
_FAULTS = (
    Fault(
        "equal visits count as decided",
        _rule(lambda n, left: _top(n)[1] + left <= _top(n)[0]),
        _STOP + "With equal visits the higher Q is played, and Q can still change: the runner-up "
        "must stay behind.",
    ),
    Fault(
        "equal visits count as decided",
        _rule(lambda n, left: not left or _top(n)[1] + left <= _top(n)[0]),
        _STOP + "With equal visits the higher Q is played, and Q can still change: the runner-up "
        "must stay behind.",
    ),
    Fault(
        "undecided with nothing left",
        _rule(lambda n, left: _top(n)[1] + left < _top(n)[0]),
        _STOP + "No simulation is left, so nothing can change any more, equal or not.",
    ),
    Fault(
        "the leader is enough",
        _rule(lambda n, left: _top(n)[0] > _top(n)[1]),
        _STOP + "A lead now says nothing about the simulations that are still to come.",
    ),
    Fault(
        "all others together",
        _rule(lambda n, left: not left or sum(n) - max(n) + left < max(n)),
        _STOP
        + "That asks for more than half of the whole budget, which is safe but late. The others "
        "share what is left: only the runner-up has to be held off.",
    ),
    Fault(
        "half of the visits so far",
        _rule(lambda n, left: max(n) > sum(n) / 2),
        _STOP + "More than half of the visits *so far* can still be overtaken.",
    ),
    Fault(
        "the last move for the runner-up",
        _rule(lambda n, left: not left or n[-1] + left < max(n)),
        _STOP + "Look for the second largest N, wherever it stands.",
    ),
    Fault(
        "the least visited for the runner-up",
        _rule(lambda n, left: not left or min(n) + left < max(n)),
        _STOP + "The runner-up has the second largest N, not the smallest.",
    ),
    Fault(
        "equal N counted once",
        _rule(lambda n, left: not left or len({*n}) < 2 or _top({*n})[1] + left < _top({*n})[0]),
        _STOP
        + "Where two moves share the largest N, the second of them is the runner-up: as a set, "
        "the counts lose it.",
    ),
    Fault(
        "the answer turned round",
        _rule(lambda n, left: left and _top(n)[1] + left >= _top(n)[0]),
        _STOP + "True means: stop, the move is certain.",
    ),
)


@explained_for("4.6")
def check_decided(call: Call) -> str:
    cases, given = _cases(), []
    for case in cases:
        visits, sums, left = case.arguments
        value = call(node_with(visits, sums), left, shown=case.shown)
        if as_list(value) is not None:
            raise Wrong(
                "not True or False",
                f"At {case.shown}, True or False is asked for; you gave {show(value):.60}.",
            )
        given.append(bool(value))
    _check_only_move(call, cases, given)
    compare(cases, given, _FAULTS)
    return _saved(call)


def _check_only_move(call: Call, cases: list[Case], given: list[bool]) -> None:
    """One legal move is decided at once; a rule that is otherwise right may trip over it."""
    node = Node(TIC_TAC_TOE, TIC_TAC_TOE.from_moves(_ONLY))
    (only,) = node.legal_actions
    node.visit_counts[only] = 5
    shown = "one legal move, N = 5, 100 simulations left"
    value, problem = call.attempt(node, 100, shown=shown)
    if any(case.right != answer for case, answer in zip(cases, given, strict=True)):
        return
    if isinstance(problem, (IndexError, ValueError)):
        raise Wrong(
            "no runner-up",
            f"At {shown}, your function raised `{type(problem).__name__}`: {problem}. There is no "
            "second move: it is decided from the start.",
        )
    if not call.settle(value, problem):
        raise Wrong(
            "one legal move is not decided",
            f"At {shown}, the answer is True: there is nothing else to play. (Where the eight "
            "illegal moves count as runners-up, 0 + 100 is more than 5.)",
        )


@cache
def _full_searches() -> tuple[tuple[Any, int], ...]:
    """Positions, and the move of the full budget."""
    positions = [position.state for position in load_positions()[10::50]]
    search = MCTS(GAME, uct(1.0), random_rollout())
    return tuple(
        (state, search.run(state, NUM_SIMULATIONS, 0).best_action()) for state in positions
    )


def _saved(call: Call) -> str:
    """Stops real searches with the reader's rule; the move must never change."""
    call.about(f"a search of {NUM_SIMULATIONS} simulations in Connect Four")
    search = MCTS(GAME, uct(1.0), random_rollout())
    run = 0
    for state, best in _full_searches():
        stop: Callable[[Tree, int], bool] = lambda tree, left: call.quietly(tree.root, left)  # noqa: E731
        tree = search.run(state, NUM_SIMULATIONS, 0, stop=stop)
        run += tree.root.num_visits
        if tree.best_action() != best:
            raise Wrong(UNRECOGNISED, _too_early(tree, best))
    n = len(_full_searches())
    share = 100 * (1 - run / (n * NUM_SIMULATIONS))
    return (
        f"On {n} positions of Connect Four, {NUM_SIMULATIONS} simulations each, your rule saved "
        f"{share:.0f} % of the simulations, and no move changed."
    )


def _too_early(tree: Tree, best: int) -> str:
    """Why the move could still change where the rule stopped."""
    visits, label = tree.root.visit_counts, GAME.action_label
    played, done = tree.best_action(), tree.root.num_visits
    return (
        f"In a search of {NUM_SIMULATIONS} simulations in Connect Four, your rule stopped after {done}, "
        f"with {NUM_SIMULATIONS - done} left. Column {label(played)} had {visits[played]} visits then, "
        f"column {label(best)} had {visits[best]}: with what was left it could come out ahead, and did. "
        f"The full budget plays {label(best)}."
    )


EXERCISES = (
    Exercise(
        id="4.6",
        title="Stop when decided",
        minutes=12,
        difficulty=2,
        function="decided(root, num_left)",
        check=check_decided,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "no runner-up",
            "one legal move is not decided",
            "not True or False",
        ),
        hints=(
            "Suppose that every simulation that is left goes to the runner-up. Is that enough?",
            "Compare the largest N with the second largest plus `num_left`, over "
            "`root.legal_actions`. Equal is not decided: then Q chooses. Unless nothing is left.",
            "In near-code:\n\n"
            "    counts = the N of the legal moves, sorted, the largest last\n"
            "    if num_left is 0, or there is one move only: True\n"
            "    otherwise: second largest + num_left < largest",
        ),
    ),
)
