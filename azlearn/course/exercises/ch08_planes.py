"""Chapter 8, what the network sees (8.1): planes for the player to move.

Boards and planes are written out by hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare
from azlearn.course.numbers import numbers, shape
from azlearn.course.sections import explained_for

# words, board (0 empty, 1 first player, 2 second), to_play, plane 0, plane 1; rows from the top
_BOARDS = (
    (
        "a board with X on 1 and 9, O on 5, O to move",
        "100 020 001",
        1,
        "000 010 000",
        "100 000 001",
    ),
    (
        "a board with X on 1 and 2, O on 5 and 9, X to move",
        "110 020 002",
        0,
        "110 000 000",
        "000 010 001",
    ),
    ("the empty board", "000 000 000", 0, "000 000 000", "000 000 000"),
    (
        "Connect Four after 445, Yellow to move",
        "0000000 0000000 0000000 0000000 0002000 0001100",
        1,
        "0000000 0000000 0000000 0000000 0001000 0000000",
        "0000000 0000000 0000000 0000000 0000000 0001100",
    ),
    (
        "Connect Four after 4453, Red to move",
        "0000000 0000000 0000000 0000000 0002000 0021100",
        0,
        "0000000 0000000 0000000 0000000 0000000 0001100",
        "0000000 0000000 0000000 0000000 0001000 0010000",
    ),
)


def _board(text: str) -> np.ndarray:
    return np.array([[int(cell) for cell in row] for row in text.split()])


def cases() -> list[Case]:
    """Arguments: board, to_play."""
    return [
        Case(words, (_board(board), to_play), [_board(mine).tolist(), _board(theirs).tolist()])
        for words, board, to_play, mine, theirs in _BOARDS
    ]


def _sides(board: np.ndarray, to_play: int) -> tuple[np.ndarray, np.ndarray]:
    return board == 1 + to_play, board == 2 - to_play


def _stack(*planes: np.ndarray) -> list:
    return np.stack(planes).astype(float).tolist()


def _signed(board: np.ndarray, to_play: int) -> np.ndarray:
    mine, theirs = _sides(board, to_play)
    return mine.astype(float) - theirs


_FOR = "for {case}, look at the planes below. "
_SIGNS = (
    _FOR
    + "One plane with +1 and −1 says the same, but the exercise asks for two planes of 0 and 1, "
    "as AlphaGo Zero has them."
)
_FAULTS = (
    Fault(
        "planes of the colours, not of the mover",
        lambda board, to_play: _stack(board == 1, board == 2),
        _FOR + "Plane 0 always holds the first player's stones. Then the network must find out who "
        "is to move before it can say anything, and learns everything twice, once for each colour.",
    ),
    Fault(
        "the planes swapped",
        lambda board, to_play: _stack(*_sides(board, to_play)[::-1]),
        _FOR + "Plane 0 is for the stones of the player to move; yours holds the opponent's.",
    ),
    Fault("one plane with signs", lambda *case: _signed(*case).tolist(), _SIGNS),
    Fault("one plane with signs", lambda *case: [_signed(*case).tolist()], _SIGNS),
    Fault(
        "the planes last",
        lambda *case: np.stack(_sides(*case), axis=-1).astype(float).tolist(),
        "for {case}, your shape ends with 2. PyTorch wants the planes first: [2, rows, cols].",
    ),
    Fault(
        "upside down",
        lambda *case: _stack(*(side[::-1] for side in _sides(*case))),
        _FOR + "Row 0 is the top row, in the board as in the planes.",
    ),
    Fault(
        "2 where 1 is wanted",
        lambda board, to_play: _stack(*(board * side for side in _sides(board, to_play))),
        _FOR + "A plane says whether there is a stone: 1. The 2 is only the name of a player.",
    ),
    Fault(
        "a third plane",
        lambda board, to_play: _stack(*_sides(board, to_play), board == 0),
        _FOR + "The empty cells are those without a 1 in either plane: two planes are enough.",
    ),
    Fault(
        "a third plane",
        lambda board, to_play: _stack(*_sides(board, to_play), np.full_like(board, to_play)),
        _FOR + "AlphaGo Zero has a plane for the colour to move, because komi makes the colours "
        "unequal. Here they are equal: two planes.",
    ),
)


def _drawn(value: Any) -> str:
    """100 000 001 | 000 010 000; of a high board the two rows at the bottom."""
    planes = np.asarray(value, dtype=float)
    if planes.ndim != 3:
        return f"shape {list(planes.shape)}"
    gap = "" if np.isin(planes, range(10)).all() else " "
    rows = [[gap.join(f"{cell:g}" for cell in row) for row in plane] for plane in planes]
    short = [plane if len(plane) < 4 else ["…", *plane[-2:]] for plane in rows]
    return " | ".join(" ".join(plane) for plane in short)


@explained_for("8.1")
def check_planes(call: Call) -> str:
    given, kinds = [], []
    for case in cases():
        board, to_play = case.arguments
        value = call(board.copy(), to_play, shown=case.shown)
        kinds.append(str(getattr(value, "dtype", type(value).__name__)).removeprefix("torch."))
        given.append(numbers(value))
        shape(given[-1])
    compare(cases(), given, _FAULTS, form=_drawn)
    if {*kinds} != {"float32"}:
        raise Wrong(
            "not float32",
            f"The numbers are right, but of the kind {kinds[0]}. The network's weights are "
            "float32, and a convolution refuses to mix kinds: give back a float32 array.",
        )
    return "The mover's stones first, then the other's: who is to move needs no plane of its own."


EXERCISES = (
    Exercise(
        id="8.1",
        title="Planes for the player to move",
        minutes=8,
        difficulty=1,
        function="planes(board, to_play)",
        check=check_planes,
        diagnoses=(*dict.fromkeys(fault.name for fault in _FAULTS), "not float32"),
        hints=(
            "On the board the players have the numbers 1 and 2. Which of them is “me” when "
            "`to_play` is 0, and which when it is 1?",
            "`board == mine` is an array of True and False, one a cell. Two of them, one upon the "
            "other, as float32.",
            "In near-code:\n\n"
            "    mine, theirs = 1, 2 if to_play is 0, else 2, 1\n"
            "    stack (board == mine) and (board == theirs), the mover's first\n"
            "    as float32",
        ),
    ),
)
