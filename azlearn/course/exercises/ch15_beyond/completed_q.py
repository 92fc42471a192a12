"""Completed Q (15.3). The mixed values were worked out by hand."""

import numpy as np

from azlearn.course.kit import Case

CASES = [
    # (0.25 - 0.125) / 0.75 is 1/6; (0.2 + 4/6) / 5 = 0.173333
    Case("", ([3, 1, 0], [1.5, -0.5, 0.0], [0.5, 0.25, 0.25], 0.2), [0.5, -0.5, 0.1733333]),
    Case("", ([0, 0, 0], [0.0, 0.0, 0.0], [0.2, 0.3, 0.5], -0.4), [-0.4, -0.4, -0.4]),
    Case("", ([2, 2], [1.0, -2.0], [0.9, 0.1], 0.3), [0.5, -1.0]),  # all tried
    Case("", ([4, 0], [0.0, 0.0], [0.5, 0.5], 0.5), [0.0, 0.1]),  # an even mean: 0.5 / 5
    Case("", ([1, 0, 0], [1.0, 0.0, 0.0], [0.25, 0.75, 0.0], 0.0), [1.0, 0.5, 0.5]),
    Case("", ([1], [-1.0], [1.0], 0.5), [-1.0]),
]


def draw(rng):
    """No visits, all moves visited, one move, means of 0, priors of 0 where nothing was tried."""
    size = int(rng.integers(1, 8))
    visits = rng.multinomial(rng.integers(0, 17), rng.dirichlet([0.5] * size))
    values = np.array([rng.integers(-n, n + 1) / 2 for n in visits])
    weights = rng.integers(0, 4, size=size) + (visits > 0)
    weights[0] += not weights.any()
    prior = weights / weights.sum()
    raw_value = float(rng.integers(-10, 11) / 10)
    return Case("", (visits.tolist(), values.tolist(), prior.round(4).tolist(), raw_value))
