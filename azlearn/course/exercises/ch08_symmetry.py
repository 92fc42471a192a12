"""Chapter 8, symmetric positions (8.5): the board turns, and π turns with it.

Boards and policies before and after are written out by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, same, show
from azlearn.course.numbers import numbers
from azlearn.course.sections import explained_for

_BOARD, _POLICY = "x.. .o. o..", (0, 0.1, 0.5, 0.2, 0, 0, 0, 0, 0.2)

# turns, mirror, the board afterwards, π afterwards. x: plane 0, o: plane 1.
_CASES = (
    (0, False, _BOARD, _POLICY),
    (1, False, "... .o. x.o", (0.5, 0, 0.2, 0.1, 0, 0, 0, 0.2, 0)),
    (2, False, "..o .o. ..x", (0.2, 0, 0, 0, 0, 0.2, 0.5, 0.1, 0)),
    (3, False, "o.x .o. ...", (0, 0.2, 0, 0, 0, 0.1, 0.2, 0, 0.5)),
    (0, True, "..x .o. ..o", (0.5, 0.1, 0, 0, 0, 0.2, 0.2, 0, 0)),
    (1, True, "... .o. o.x", (0.2, 0, 0.5, 0, 0, 0.1, 0, 0.2, 0)),
)


def _planes(board: str) -> np.ndarray:
    cells = [list(row) for row in board.split()]
    return np.array([[[cell == side for cell in row] for row in cells] for side in "xo"], float)


def cases() -> list[Case]:
    """Arguments: planes [2, 3, 3], policy [9], turns, mirror."""
    return [
        Case(
            f"turns = {turns}, mirror = {mirror}",
            (_planes(_BOARD), np.array(_POLICY), turns, mirror),
            [_planes(board).tolist(), list(policy)],
        )
        for turns, mirror, board, policy in _CASES
    ]


def _moved(planes, policy, turns, mirror, *, flip=-1, first=False) -> tuple:
    """Both moved alike; `flip`: the axis of the mirror; `first`: mirror, then turn."""
    both = np.concatenate([planes, policy.reshape(1, 3, 3)])
    if mirror and first:
        both = np.flip(both, flip)
    both = np.rot90(both, turns, axes=(1, 2))
    if mirror and not first:
        both = np.flip(both, flip)
    return both[:2], both[2].ravel()


def _reversed_row(planes, policy, turns, mirror) -> tuple:
    turned = _moved(planes, policy, turns, False)[1]
    return _moved(planes, policy, turns, mirror)[0], turned[::-1] if mirror else turned


def _fault(name: str, give: Callable[..., tuple], message: str) -> Fault:
    def lists(*case):
        planes, policy = give(*case)
        return [planes.tolist(), policy.tolist()]

    return Fault(name, lists, "with {case}, compare the two below. " + message)


_FAULTS = (
    _fault(
        "π stays behind",
        lambda planes, policy, *how: (_moved(planes, policy, *how)[0], policy),
        "The board has moved and π has not: it now recommends the wrong cells, occupied ones too. "
        "This is the classic: it raises no error, and the loss still falls, to the wrong place.",
    ),
    _fault(
        "the board stays behind",
        lambda planes, policy, *how: (planes, _moved(planes, policy, *how)[1]),
        "π has moved and the board has not. They belong together.",
    ),
    _fault(
        "π turned the other way",
        lambda planes, policy, turns, mirror: (
            _moved(planes, policy, turns, mirror)[0],
            _moved(planes, policy, -turns, mirror)[1],
        ),
        "The board turns one way and π the other.",
    ),
    _fault(
        "turned clockwise",
        lambda planes, policy, turns, mirror: _moved(planes, policy, -turns, mirror),
        "Board and π agree, but they are to turn counter-clockwise, as `np.rot90` does.",
    ),
    _fault(
        "mirrored top to bottom",
        lambda *case: _moved(*case, flip=-2),
        "Board and π agree, but left and right are to change places, not top and bottom.",
    ),
    _fault(
        "mirrored before it is turned",
        lambda *case: _moved(*case, first=True),
        "Board and π agree, but turn first, then mirror: the other order is another symmetry.",
    ),
    _fault(
        "π reversed as a row",
        _reversed_row,
        "Nine numbers backwards are the board turned by half. In Connect Four a mirrored π is a "
        "reversed row; here π has rows and columns: `policy.reshape(3, 3)`.",
    ),
    _fault(
        "only the mover's stones are moved",
        lambda planes, policy, *how: (
            np.stack([_moved(planes, policy, *how)[0][0], planes[1]]),
            _moved(planes, policy, *how)[1],
        ),
        "Plane 0 has moved, plane 1 has not.",
    ),
)


def _drawn(value: Any) -> str:
    """x.. .o. o..; π .5 on 3, .2 on 4"""
    planes, policy = value
    mine, theirs = np.asarray(planes, dtype=float)
    marks = {(0, 0): ".", (1, 0): "x", (0, 1): "o"}
    pairs = zip(mine.ravel().tolist(), theirs.ravel().tolist(), strict=True)
    cells = "".join(marks.get(pair, "?") for pair in pairs)
    shares = [f"{share:g} on {cell}" for cell, share in enumerate(policy, 1) if share]
    return f"{cells[:3]} {cells[3:6]} {cells[6:]}; π {', '.join(shares)}"


@explained_for("8.5")
def check_symmetric(call: Call) -> str:
    given = []
    for case in cases():
        planes, policy, turns, mirror = case.arguments
        value, problem = call.attempt(planes.copy(), policy.copy(), turns, mirror, shown=case.shown)
        if isinstance(problem, ValueError) and turns % 2:
            raise Wrong(
                "turned in the wrong axes",
                f"With {case.shown}, your function raised `ValueError`: {problem}. "
                "`np.rot90` turns the first two axes unless you name others: for planes [2, 3, 3] "
                "that mixes planes with rows. Say `axes=(1, 2)`.",
            )
        given.append(_pair(call.settle(value, problem), case.shown))
    compare(cases(), given, _FAULTS, form=_drawn)
    return "The board and the advice move together: eight samples for the price of one."


def _pair(value: Any, shown: str) -> list:
    pair = list(value) if isinstance(value, (tuple, list)) else []
    if len(pair) != 2:
        raise Wrong(
            "not a pair",
            f"With {shown}, a pair is asked for: (planes, policy). You gave {show(value):.80}.",
        )
    planes, policy = map(numbers, pair)
    seen, moved = (np.asarray(part, dtype=float) for part in (planes, policy))
    if seen.shape == (3, 2, 3) or (seen.shape == (2, 3, 3) and not _stones_kept(seen)):
        raise Wrong(
            "turned in the wrong axes",
            f"With {shown}, your planes have the shape {list(seen.shape)} and their stones "
            "are mixed up: `np.rot90` turns the first two axes unless you name others. Say "
            "`axes=(1, 2)`.",
        )
    if moved.shape == (3, 3):
        raise Wrong(
            "π is not a row of nine",
            f"With {shown}, your π has the shape [3, 3]. Flatten it again, `.ravel()`: the network "
            "has nine logits.",
        )
    return [planes, policy]


def _stones_kept(planes: np.ndarray) -> bool:
    """One stone of the mover and two of the other, wherever they lie."""
    return same(planes.sum(axis=(1, 2)), [1, 2])


EXERCISES = (
    Exercise(
        id="8.5",
        title="Symmetric positions",
        minutes=12,
        difficulty=2,
        function="symmetric(planes, policy, turns, mirror)",
        check=check_symmetric,
        diagnoses=(
            *(fault.name for fault in _FAULTS),
            "turned in the wrong axes",
            "π is not a row of nine",
            "not a pair",
        ),
        hints=(
            "π belongs to cells. Bring it into the shape of the board, and do to it what you do to "
            "the planes.",
            "`np.rot90(planes, turns, axes=(1, 2))` and `np.rot90(policy.reshape(3, 3), turns)`. A "
            "mirror is `[..., ::-1]`.",
            "In near-code:\n\n"
            "    board = planes turned in its last two axes\n"
            "    pi = policy as 3 x 3, turned as often\n"
            "    if mirror: both with their last axis reversed\n"
            "    board, pi as nine numbers",
        ),
    ),
)
