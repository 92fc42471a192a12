"""A baseline that has not seen the games (6.4). The numbers were worked out by hand."""

import numpy as np

from azlearn.course.kit import Case, gives, parts

X, O = True, False  # noqa: E741  (the learner moves first, or not)


def case(baseline, z, first, memory: float, *right) -> Case:
    """``right``: advantage and new baseline."""
    arguments = np.array(baseline), np.array(z, dtype=float), np.array(first), memory
    return Case("", arguments, {"": right} if right else None)


CASES = [
    # the means of the two sides are 0 and 1; 0.5 and 0; 2/3 and -1; none and 0
    case([0.0, 0.0], [1, -1, 1, 1], [X, X, O, O], 0.9, [1, -1, 1, 1], [0.0, 0.1]),
    case([0.5, -0.25], [1, -1, 0, 1], [X, O, X, O], 0.8, [0.5, -0.75, -0.5, 1.25], [0.5, -0.2]),
    case([0.2, 0.4], [1, 0, 1, -1], [X, X, X, O], 0.5, [0.8, -0.2, 0.8, -1.4], [0.433333, -0.3]),
    case([0.3, -0.1], [1, -1], [O, O], 0.9, [1.1, -0.9], [0.3, -0.09]),
]


def draw(rng):
    """One game or several, often all of one side, often all with one result; any memory."""
    n = rng.integers(1, 7)
    first = rng.random(n) < rng.choice([0, 0.5, 1])
    z = rng.choice(rng.choice([-1, 0, 1], rng.integers(1, 4)), n)
    return case(rng.uniform(-1, 1, 2).round(2), z, first, float(rng.choice([0, 0.5, 0.9, 1])))


@gives("a pair (advantage, baseline)")
def observe(subtract_baseline, case):
    """Its z it may change: nobody needs them any more."""
    baseline, z, first, memory = map(np.copy, case.arguments)
    value = subtract_baseline(baseline, z, first, float(memory))
    seen = {"": parts(value, first.shape, (2,))}
    return seen | {"the baseline given to you, afterwards": baseline.tolist()}
