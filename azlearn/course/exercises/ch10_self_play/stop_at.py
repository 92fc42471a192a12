"""When to stop (10.6): one proof is not enough. The answers are counted by hand."""

import numpy as np

from azlearn.course.kit import Case, numbers, returned, show

T, F = True, False
CASES = [
    Case(f"unbeaten = {unbeaten}, patience = {patience}", (unbeaten, patience), {"": str(right)})
    for unbeaten, patience, right in (
        ([F, F, T, T, T, F, T], 3, 5),
        ([T, F, T, T], 2, 4),
        ([F, T, F, T, F, T], 2, None),
        ([T, T], 2, 2),
        ([F, T, F], 1, 2),
        ([T, T, F, T, T, T, T], 3, 6),
        ([T, T, T, F, T, T, F], 2, 2),
        ([F, F], 1, None),
        ([], 1, None),
    )
]


def draw(rng):
    unbeaten = (rng.random(rng.integers(10)) < rng.choice([0, 0.5, 0.8, 1])).tolist()
    return Case("", (unbeaten, int(rng.integers(1, 6))))


def observe(stop_at, case):
    """The answer as a text: None is one here, not a forgotten `return`."""
    seen = returned(stop_at, case)
    value = numbers(seen[""])
    is_one = isinstance(value, bool | int | float | np.generic | None)
    return seen | {"": show(value) if is_one else f"no number: {show(value)}"[:80]}
