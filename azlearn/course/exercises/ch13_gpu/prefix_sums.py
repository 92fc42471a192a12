"""Prefix sums by doubling (13.5). Sums are worked out by hand; what torch is asked for is counted."""

import numpy as np

from azlearn.course.exercises.ch13_gpu.watched import WAITS, watched
from azlearn.course.kit import CHANGED, Case, numbers, show

READY = {
    "cumsum", "cumsum_", "logcumsumexp", "cumulative_trapezoid", "tril", "triu", "matmul", "mv",
    "einsum",
}  # fmt: skip
NUM, MOST = 512, 150  # of so many games, so many calls: nine rounds with sixteen each


def at(counts: list[int], right: list[int] | None = None) -> Case:
    hand = right and {"how many sums": len(right), "": show(right)}
    words = f"counts {show(counts)}" if len(counts) < 13 else f"{len(counts)} counts"
    return Case(words, (np.array(counts),), hand)


CASES = [
    at([3, 0, 2, 4], [3, 3, 5, 9]),
    at([7], [7]),
    at([0, 21, 0, 0, 9], [0, 21, 21, 21, 30]),
    at([1] * 8, [1, 2, 3, 4, 5, 6, 7, 8]),
    at([1] * NUM),
]


def draw(rng):
    """One game or twelve; most have ended, or few."""
    counts = rng.integers(40, size=rng.integers(1, 13))
    return at((counts * (rng.random(len(counts)) < rng.choice([0.3, 1.0]))).tolist())


def observe(prefix_sums, case):
    import torch

    (counts,) = case.arguments
    given = torch.from_numpy(counts.copy())
    value, waits, names = watched(prefix_sums, given)
    found = numbers(value)
    seen = {"how many sums": len(found) if isinstance(found, list) else show(found)}
    seen |= {"": show(found), "a ready-made sum": next((n for n in names if n in READY), "none")}
    if names.count("sum") == 1 and len(counts) == NUM:  # all at once, over a mask: no loop
        seen["a ready-made sum"] = "sum"
    if len(counts) == NUM:
        seen["operations for 512 games"] = f"{len(names)}" if len(names) > MOST else "few"
    return seen | {WAITS: waits, CHANGED: numbers(given) != counts.tolist()}
