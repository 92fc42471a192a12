"""Moves in a mirror (16.6): the actions of Breakthrough, by hand for boards of a few cells."""

from typing import Any

import numpy as np

from azlearn.course.comparing import as_list, show
from azlearn.course.marking import Case, Seen, exercise

MOVES = "the actions"


def board(rows: int, cols: int, *right: int) -> Case:
    seen = right and {MOVES: [*right]}
    return Case(f"{rows} rows and {cols} columns", (rows, cols), seen)


CASES = [
    board(1, 1, 2, 1, 0),
    board(1, 2, 5, 4, 3, 2, 1, 0),
    board(2, 1, 2, 1, 0, 5, 4, 3),
    board(2, 2, 5, 4, 3, 2, 1, 0, 11, 10, 9, 8, 7, 6),
    board(1, 3, 8, 7, 6, 5, 4, 3, 2, 1, 0),
]


def draw(rng: np.random.Generator) -> Case:
    return board(*rng.integers(1, 7, 2).tolist())


def observe(mirrored_moves: Any, case: Case) -> Seen:
    found = as_list(mirrored_moves(*case.arguments))
    if found is None or not all(isinstance(one, int) for one in found):
        return {"what comes back": f"{show(found):.80}, not a list of numbers"}
    return {"what comes back": "a list of numbers", MOVES: found}


EXERCISE = exercise(__file__, CASES, observe, draw=draw)
