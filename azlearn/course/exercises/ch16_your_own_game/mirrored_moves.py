"""Moves in a mirror (16.6): the actions of Breakthrough, by hand for boards of a few cells."""

from azlearn.course.kit import Case, gives, row, whole

CASES = [
    Case("", (1, 1), [2, 1, 0]),
    Case("", (1, 2), [5, 4, 3, 2, 1, 0]),
    Case("", (2, 1), [2, 1, 0, 5, 4, 3]),
    Case("", (2, 2), [5, 4, 3, 2, 1, 0, 11, 10, 9, 8, 7, 6]),
    Case("", (1, 3), [8, 7, 6, 5, 4, 3, 2, 1, 0]),
]


def draw(rng):
    return Case("", tuple(rng.integers(1, 7, 2).tolist()))


@gives("a list of numbers")
def observe(mirrored_moves, case):
    return {"": list(map(whole, row(mirrored_moves(*case.arguments))))}
