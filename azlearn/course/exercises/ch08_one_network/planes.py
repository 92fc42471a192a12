"""What the network sees (8.1): planes for the player to move. Planes are written out by hand."""

import numpy as np

from azlearn.course.exercises.ch08_one_network.tensors import kind_of_number
from azlearn.course.kit import Case, numbers, returned


def board(text: str) -> np.ndarray:
    return np.array([[int(cell) for cell in row] for row in text.split()])


CASES = [
    Case(words, (board(cells), to_play), {"": [board(mine).tolist(), board(theirs).tolist()]})
    for words, cells, to_play, mine, theirs in (
        ("a board with X on 1 and 9, O on 5, O to move", "100 020 001", 1, "000 010 000", "100 000 001"),
        ("a board with X on 1 and 2, O on 5 and 9, X to move", "110 020 002", 0, "110 000 000", "000 010 001"),
        ("the empty board", "000 000 000", 0, "000 000 000", "000 000 000"),
        ("the two bottom rows of Connect Four after 445, Yellow to move", "0002000 0001100", 1, "0001000 0000000", "0000000 0001100"),
        ("the two bottom rows of Connect Four after 4453, Red to move", "0002000 0021100", 0, "0000000 0001100", "0001000 0010000"),
    )
]  # fmt: skip


def draw(rng):
    """Any board, as in a game or not, of a row or more."""
    cells = rng.choice(3, size=rng.integers(1, 6, size=2), p=rng.dirichlet([0.5] * 3))
    return Case("", (cells.astype(rng.choice([np.int8, np.int64])), int(rng.integers(2))))


def observe(planes, case):
    seen = returned(planes, case)
    value = seen.pop("")
    if value is None:
        return seen
    shape = list(np.asarray(numbers(value), dtype=float).shape)
    return {"shape": shape, "": numbers(value), "kind of number": kind_of_number(value), **seen}
