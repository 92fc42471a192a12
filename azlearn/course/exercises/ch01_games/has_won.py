"""Four in a row by shifting (1.2). Bits as in its figure: column c holds bits 7c (bottom) to 7c + 5."""

import numpy as np

from azlearn.course.drawing import drawn_moves
from azlearn.course.kit import AT_ONCE, FOUR, Case, numbers, vectorised_result

CELLS = np.arange(49) % 7 < 6  # all but the guard row


def board(words: str, *bits: int, right: bool = False) -> Case:
    stones = sum(1 << bit for bit in bits)
    return Case(f"{words} (stones = {stones:#x})", (stones,), right)


CASES = [
    board("four up column 0", 0, 1, 2, 3, right=True),
    board("four at the top of column 6", 44, 45, 46, 47, right=True),
    board("four along the bottom row", 0, 7, 14, 21, right=True),
    board("four along the top row, right side", 26, 33, 40, 47, right=True),
    board("four rising to the right, /", 0, 8, 16, 24, right=True),
    board("four rising to the top right corner, /", 23, 31, 39, 47, right=True),
    board("four falling to the right, \\", 3, 9, 15, 21, right=True),
    board("four falling to the bottom right corner, \\", 24, 30, 36, 42, right=True),
    board("no stones"),
    board("three up a column", 0, 1, 2),
    board("three along the bottom row", 0, 7, 14),
    board("three rising", 0, 8, 16),
    board("three falling", 3, 9, 15),
    board("two and two with a gap, up a column", 0, 1, 3, 4),
    board("two and two with a gap, along a row", 0, 7, 21, 28),
    board("a square of four", 0, 1, 7, 8),
    board("the top of column 0 and the bottom of column 1", 3, 4, 5, 7),
    board("four stones 5 bits apart", 0, 5, 10, 15),
    board("a pair up, then a pair to the right", 0, 1, 14, 21),
    board("four falling that wrap round the edge", 2, 8, 14, 27),
    board("two lines from one stone, up and to the right", 0, 1, 2, 3, 7, 14, 21, right=True),
    board("two lines from one stone, \\ and to the right", 3, 9, 10, 15, 17, 21, 24, right=True),
    board("two lines from one stone, / and to the right", 0, 7, 8, 14, 16, 21, 24, right=True),
    board("three up column 0, and three falling from above them", 0, 1, 2, 9, 15, 21),
    board("two pairs falling, and the bottom of column 0", 0, 1, 7, 12, 18),
]


def draw(rng):
    """One player's stones after random moves, or any stones, few or many."""
    if rng.random() < 0.5:
        return board("random stones", *np.flatnonzero(CELLS & (rng.random(49) < rng.random())))
    moves = drawn_moves(rng, FOUR)
    stones = FOUR.from_moves(moves)[rng.integers(2)]
    return Case(f'one player\'s stones after "{moves}" (stones = {stones:#x})', (int(stones),))


def observe(has_won, case):
    value = has_won(*case.arguments)
    kind = "True or False" if isinstance(numbers(value), bool) else "a number"
    together = vectorised_result(has_won, case.arguments, (0b1111,))  # with a won board
    return {"": bool(value), "the kind of answer": kind, AT_ONCE: together}
