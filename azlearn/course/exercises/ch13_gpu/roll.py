"""A draw by hash (13.6). The right draws are made with Python's whole numbers, modulo 2**64."""

import numpy as np

from azlearn.course.exercises.ch13_gpu.watched import seen_of_tensors
from azlearn.course.kit import Case, numbers, show

INSIDE = "whether every draw is above 0 and below 1"
MASK, GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15
# Plies of game 0, seed 0, whose bits after the shift are all 0, or all 1.
SMALLEST, LARGEST = 1879951846992544786, 2631733240689136


def splitmix64(state: int) -> int:
    """The output of splitmix64 for a state; tests hold it to the published first outputs."""
    z = (state + GOLDEN) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def by_hand(seed: int, game: int, ply: int) -> float:
    bits = splitmix64(ply ^ splitmix64(game ^ seed))
    return ((bits >> 12) + 0.5) / 2**52


def at(seed: int, game: list[int], ply: list[int]) -> Case:
    right = [by_hand(seed, *pair) for pair in zip(game, ply, strict=True)]
    words = f"seed {seed}, games {show(game)}, plies {show(ply)}"
    hand = {"how many draws": len(game), INSIDE: True, "": right}
    arguments = (seed, np.array(game, dtype=np.int64), np.array(ply, dtype=np.int64))
    return Case(words, arguments, hand)


CASES = [
    at(0, [0, 1, 2], [0, 0, 0]),
    at(0, [0, 0, 0], [0, 1, 2]),
    at(7, [3, 4], [4, 3]),
    at(7, [4, 3, 4], [3, 4, 3]),
    at(123456789, [10**9], [41]),
    at(0, [0], [SMALLEST]),
    at(0, [0], [LARGEST]),
]


def draw(rng):
    """One game or five, small numbers and large ones; the same game twice."""
    num = int(rng.integers(1, 6))
    games = rng.integers(rng.choice([2, 100, 10**12]), size=num).tolist()
    seed = int(rng.integers(rng.choice([3, 2**62])))
    return at(seed, games, rng.integers(50, size=num).tolist())


def observe(roll, case):
    value, seen = seen_of_tensors(roll, *case.arguments)
    again, _ = seen_of_tensors(roll, *case.arguments)
    found = numbers(value)
    return {
        "how many draws": len(found) if isinstance(found, list) else show(found),
        "whether the same draw comes twice": found == numbers(again),
        INSIDE: isinstance(found, list) and all(isinstance(x, float) and 0 < x < 1 for x in found),
        "": found,
        "dtype": str(getattr(value, "dtype", "float64")).removeprefix("torch."),
        **seen,
    }
