"""A ring's write (13.7): full, round the end, nothing to write. Rings are worked out by hand."""

import numpy as np

from azlearn.course.exercises.ch13_gpu.watched import WAITS, watched
from azlearn.course.kit import CHANGED, Case, numbers, show

RING, ADDED = "the ring afterwards", "added afterwards"


def at(size: int, added: int, is_new: list[int], right: list[int] | None = None) -> Case:
    """Samples are numbered as they came, from 1; the new ones are 101, 102, …, also where not new."""
    ring = [0] * (size + 1)
    for number in range(added):
        ring[number % size] = number + 1
    samples = [101 + number for number in range(len(is_new))]
    words = f"ring {show(ring[:-1])}, {added} added, samples {show(samples)}, is_new {show(is_new)}"
    hand = right and {RING: show(right), ADDED: added + sum(is_new)}
    arguments = (np.array(ring), added, np.array(samples), np.array(is_new, bool))
    return Case(words, arguments, hand)


CASES = [
    at(5, 0, [1, 1], [101, 102, 0, 0, 0]),
    at(5, 2, [0, 1, 0, 1], [1, 2, 102, 104, 0]),
    at(5, 4, [1, 0, 1], [103, 2, 3, 4, 101]),  # round the end
    at(5, 7, [0, 0, 0], [6, 7, 3, 4, 5]),  # nothing to write
    at(4, 8, [1, 1, 1, 1], [101, 102, 103, 104]),  # all are replaced
    at(3, 10, [0, 0, 1], [10, 103, 9]),  # 10 % 3 is 1
]


def draw(rng):
    """Room for one or seven; empty, filling, full many times over; none new, some, as many as fit."""
    size, num = int(rng.integers(1, 8)), int(rng.integers(1, 9))
    is_new = (rng.random(num) < rng.choice([0.0, 0.5, 1.0])).astype(int)
    is_new[np.flatnonzero(is_new)[size:]] = 0
    return at(size, int(rng.integers(rng.choice([1, size + 1, 60]))), is_new.tolist())


def observe(write_ring, case):
    import torch

    ring, added, samples, is_new = case.arguments
    given = [torch.from_numpy(ring.copy()), torch.tensor(added)]
    read = [torch.from_numpy(part.copy()) for part in (samples, is_new)]
    _, waits, _ = watched(write_ring, *given, *read)
    unchanged = all(np.array_equal(a.numpy(), b) for a, b in zip(read, (samples, is_new), strict=True))  # fmt: skip
    return {
        RING: show(numbers(given[0])[:-1]),
        ADDED: int(given[1]),
        WAITS: waits,
        CHANGED: not unchanged,
    }
