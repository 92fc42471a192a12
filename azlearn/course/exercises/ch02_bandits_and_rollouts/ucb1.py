"""UCB1 (2.3); the scores by hand are from a pocket calculator."""

import math

from azlearn.course.kit import Case

CASES = [
    Case("", ([1, 3], [1.0, 0.0], 1.0), [2.177410023, 0.679777993]),
    Case("", ([10, 5, 1], [4.0, -1.0, 0.0], 1.0), [0.926553770, 0.544659482, 1.665109222]),
    Case("", ([10, 5, 1], [4.0, -1.0, 0.0], 0.5), [0.663276885, 0.172329741, 0.832554611]),
    Case("", ([2, 2], [1.0, -2.0], 0.0), [0.5, -1.0]),
    Case("", ([2, 4], [0.5, -3.0], 0.0), [0.25, -0.75]),
    Case("", ([4, 0, 4], [2.0, 0.0, 1.0], 2.0), [1.942026887, math.inf, 1.692026887]),
]


def draw(rng):
    """Up to six moves, some of them without visits, some with very many; all results alike too."""
    n = rng.choice([0, 1, 2, 7, 100, 10**6], int(rng.integers(1, 7)))
    n[rng.integers(len(n))] += 1
    w = rng.integers(-n, n + 1) if rng.random() < 0.8 else n * rng.integers(-1, 2)
    c = float(rng.choice([0, 0.5, 1, 2**0.5, 3]))
    return Case("", (n.tolist(), w.astype(float).tolist(), c))
