"""The mean loss of those that were searched in full (15.6). The means were worked out by hand."""

from azlearn.course.kit import Case

CASES = [
    Case("", ([0.1, 0.8, 0.2], 0.25, [1.0, 9.0, 2.0]), 1.5),
    Case("", ([0.5, 0.9], 0.25, [1.0, 3.0]), 0.0),  # none
    Case("", ([0.5, 0.9, 0.0], 1.0, [1.0, 3.0, 5.0]), 3.0),  # all
    Case("", ([0.25, 0.1], 0.25, [4.0, 2.0]), 2.0),  # equal to the share
    Case("", ([0.0, 0.3], 0.0, [4.0, 2.0]), 0.0),
    Case("", ([0.1, 0.2], 0.25, [0.25, 0.25]), 0.25),  # a loss below 1
    Case("", ([0.7, 0.4, 0.1, 0.2], 0.5, [8.0, 1.5, 2.25, 3.0]), 2.25),
]


def draw(rng):
    """None, all, one; draws that are the share; shares of 0 and 1."""
    size, share = int(rng.integers(1, 9)), float(rng.choice([0, 0.25, 0.5, 0.75, 1]))
    draws = rng.choice([0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9], size=size)
    return Case("", (draws.tolist(), share, rng.integers(0, 40, size=size).tolist()))
