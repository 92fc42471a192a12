"""What a baseline does (6.3): mean and variance of the gradient, without drawing.

In a game of a single move every outcome can be counted. The numbers were worked out by hand.
"""

import numpy as np

from azlearn.course.kit import Case, gives, parts


def case(p, z, b: float, *right) -> Case:
    """``right``: mean and variance."""
    arguments = np.array(p), np.array(z, dtype=float), b
    return Case("", arguments, {"": right} if right else None)


CASES = [
    # g = [0.5, -0.5] and [0, 0]; [0.25, -0.25], both times
    case([0.5, 0.5], [1, 0], 0.0, [0.25, -0.25], 0.125),
    case([0.5, 0.5], [1, 0], 0.5, [0.25, -0.25], 0.0),
    # g = 1 · [0.75, -0.75] and -1 · [-0.25, 0.25], off the mean by 0.375 and 0.125, each twice
    case([0.25, 0.75], [1, -1], 0.0, [0.375, -0.375], 0.09375),
    # g = 0.5 · [0.75, -0.75] and -1.5 · [-0.25, 0.25]: the same both times
    case([0.25, 0.75], [1, -1], 0.5, [0.375, -0.375], 0.0),
    # g = 2 · [0.75, -0.75] and 0: off the mean by 1.125 and 0.375, each twice
    case([0.25, 0.75], [1, -1], -1.0, [0.375, -0.375], 0.84375),
    # g = [0.25, -0.125, -0.125], [-0.25, 0.375, -0.125] and [0.75, 0.375, -1.125], off the mean by
    # [0, -0.25, 0.25], [-0.5, 0.25, 0.25] and [0.5, 0.25, -0.75]: 0.0625 + 0.09375 + 0.21875
    case([0.5, 0.25, 0.25], [1, 1, -1], 0.5, [0.25, 0.125, -0.375], 0.375),
]


def draw(rng):
    """One to four moves, none with p = 0: some ask for its logarithm."""
    num_actions = int(rng.integers(1, 5))
    p = (rng.multinomial(20 - num_actions, np.full(num_actions, 1 / num_actions)) + 1) / 20
    b = float(rng.choice([-1, 0, 1, round(rng.uniform(-1, 1), 2)]))
    return case(p, rng.integers(-1, 2, num_actions), b)


@gives("a pair (mean, variance)")
def observe(gradient_moments, case):
    p, z, b = case.arguments
    return {"": parts(gradient_moments(p.copy(), z.copy(), b), p.shape, ())}
