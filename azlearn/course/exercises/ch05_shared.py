"""Chapter 5, boards that training has seen (5.5): as they are, or mirrored.

The boards come from a few moves each; which of them training has seen was decided by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, show
from azlearn.course.numbers import numbers
from azlearn.course.sections import explained_for
from azlearn.games import ConnectFour

GAME = ConnectFour()

# moves of training's games so far; of the held-out ones, and which of these training has seen
_CASES = (
    (
        ("4", "12", "1234", "112", "5544", "3", "6", "45"),
        (
            ("4", True),  # its own mirror image
            ("76", True),  # 12, mirrored
            ("21", False),  # 12 with the stones' colours exchanged
            ("1324", False),  # the same cells as 1234, other colours
            ("112", True),  # as it is
            ("3344", True),  # 5544, mirrored
            ("77", False),
            ("77", False),  # twice on this side, never in training
        ),
    ),
    (("1", "2"), (("45", False), ("4", False))),
    (("77",), (("11", True),)),
)


def board_of(moves: str) -> np.ndarray:
    """int8 [6, 7], row 0 at the top: 0 empty, 1 a stone of the player to move, 2 of the other."""
    mine, theirs = GAME.encode(GAME.from_moves(moves))
    return (mine + 2 * theirs).astype(np.int8)


def cases() -> list[Case]:
    """Arguments: train, held_out: int8 [n, 6, 7]; right: a bool for each held-out board."""
    return [
        Case(
            f"training's boards after {', '.join(train)}, held-out boards after "
            f"{', '.join(moves for moves, _ in held)}",
            (np.stack([*map(board_of, train)]), np.stack([board_of(moves) for moves, _ in held])),
            [seen for _, seen in held],
        )
        for train, held in _CASES
    ]


# --- wrong ways ----------------------------------------------------------------------------------


def _mirrored(boards: np.ndarray) -> np.ndarray:
    return boards[:, :, ::-1]


def _among(boards: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Which of the boards occur among the others, as they are."""
    return (boards[:, None] == others).all((2, 3)).any(1)


def _seen(train: np.ndarray, held_out: np.ndarray) -> np.ndarray:
    return _among(held_out, train) | _among(_mirrored(held_out), train)


def _exchanged(boards: np.ndarray) -> np.ndarray:
    return np.array([0, 2, 1], dtype=np.int8)[boards]


def _twice(train: np.ndarray, held_out: np.ndarray) -> np.ndarray:
    """Seen in training, or on the held-out side before."""
    earlier = [_seen(held_out[:i], held_out[i : i + 1])[0] for i in range(len(held_out))]
    return _seen(train, held_out) | np.array(earlier)


def _more_than_once(train: np.ndarray, held_out: np.ndarray) -> np.ndarray:
    both = np.concatenate([train, held_out])
    others = [np.delete(both, i, axis=0) for i in range(len(train), len(both))]
    return np.array([_seen(*pair)[0] for pair in zip(others, held_out[:, None], strict=True)])


def _fault(name: str, give: Callable[[np.ndarray, np.ndarray], Any], message: str) -> Fault:
    return Fault(
        name,
        lambda train, held_out: give(train, held_out).tolist(),
        "with {case}, the answer is {right}; yours is {yours}. " + message,
    )


_DUPLICATE = (
    "You mark what occurs twice on the held-out side. That is no leak: training has not seen it, and "
    "it stays a fair question, however often it is asked."
)
_FAULTS = (
    _fault(
        "mirror images are missed",
        lambda train, held_out: _among(held_out, train),
        "A network that is trained on mirror images, too, has seen these boards as well. Left and "
        "right change places: `board[:, ::-1]`. (Upside down is another game.)",
    ),
    _fault(
        "only mirror images are looked for",
        lambda train, held_out: _among(_mirrored(held_out), train),
        "A board that occurs in training *as it is* has been seen, too.",
    ),
    _fault(
        "the answer upside down",
        lambda train, held_out: ~_seen(train, held_out),
        "True says that training *has* seen the board.",
    ),
    _fault(
        "whose stones they are is forgotten",
        lambda train, held_out: _seen(train > 0, held_out > 0),
        "You compare which cells are taken. The same cells with other colours are another position, "
        "with another best move.",
    ),
    _fault(
        "the colours exchanged count as the same",
        lambda train, held_out: _seen(train, held_out) | _seen(train, _exchanged(held_out)),
        "1 is the player to move everywhere already. Whoever exchanges 1 and 2 gets the position in "
        "which the other player is to move.",
    ),
    _fault(
        "duplicates on the held-out side count as seen",
        _twice,
        _DUPLICATE,
    ),
    _fault(
        "duplicates on the held-out side count as seen",
        _more_than_once,
        _DUPLICATE,
    ),
    _fault(
        "the mask is training's",
        lambda train, held_out: _seen(held_out, train),
        "You say which of *training's* boards occur on the held-out side. It is the held-out ones "
        "that have to go: training keeps what it has.",
    ),
    _fault(
        "compared in pairs",
        lambda train, held_out: (
            (train == held_out).all((1, 2)) | (train == _mirrored(held_out)).all((1, 2))
        ),
        "You compare the first with the first, the second with the second. A held-out board may "
        "stand anywhere among training's.",
    ),
    _fault(
        "cells are compared, not boards",
        lambda train, held_out: np.isin(held_out, train).all((1, 2)),
        "`np.isin` looks for single numbers, and 0, 1 and 2 occur everywhere. A whole board has to "
        "be found: `board.tobytes()` stands for one.",
    ),
)


# --- the check -----------------------------------------------------------------------------------


@explained_for("5.5")
def check_seen(call: Call) -> str:
    given = []
    for case in cases():
        train, held_out = case.arguments
        value = numbers(call(train.copy(), held_out.copy(), shown=case.shown))
        answers = as_list(value)
        if answers is None or len(answers) != len(held_out) or not _all_bits(answers):
            raise Wrong(
                "not one answer for each held-out board",
                f"With {case.shown}, {len(held_out)} answers are asked for, True or False; you gave "
                f"{show(value):.80}.",
            )
        given.append([bool(answer) for answer in answers])
    compare(cases(), given, _FAULTS)
    return "What training has seen, as it is or mirrored, says nothing about what was understood."


def _all_bits(answers: list[Any]) -> bool:
    return all(isinstance(answer, (bool, int, float)) and answer in (0, 1) for answer in answers)


EXERCISES = (
    Exercise(
        id="5.5",
        title="Boards that training has seen",
        minutes=10,
        difficulty=2,
        function="seen_in_training(train, held_out)",
        check=check_seen,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "not one answer for each held-out board",
        ),
        hints=(
            "Which boards does the network know? How can you ask for one among a hundred thousand "
            "without comparing it with each?",
            "`known = {board.tobytes() for board in train}` is a set of whole boards; "
            "`board[:, ::-1]` is the mirror image.",
            "In near-code:\n\n"
            "    known = the bytes of every board in train\n"
            "    for every held-out board:\n"
            "        True if its bytes, or those of its mirror image, are in known\n"
            "    all answers as an array",
        ),
    ),
)
