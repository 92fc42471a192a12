"""One round of sequential halving (15.2). Visits and order were worked out by hand."""

from azlearn.course.kit import Case

RANKS = [0.4, 0.9, -0.3, 0.7, 0.1, 0.8, -0.9, 0.2]

CASES = [
    Case("", ([1, 3, 5, 0], RANKS, 8, 48), (4, [1, 5])),  # the second round: 48 / (3 * 4)
    Case("", ([0, 1, 2, 3, 4, 5, 6, 7], RANKS, 8, 48), (2, [1, 5, 3, 0])),
    Case("", ([5, 1], RANKS, 8, 48), (8, [1, 5])),  # the final
    Case("", ([0, 1, 2, 3, 4, 5], RANKS, 6, 18), (1, [1, 5, 3])),  # three rounds of 6
    Case("", ([2, 4, 6], RANKS, 6, 18), (2, [4, 2])),
    Case("", ([0, 1, 2, 3, 4], RANKS, 5, 8), (1, [1, 3])),  # 8 / (3 * 5) is below 1
    Case("", ([3], RANKS, 1, 10), (10, [3])),
    Case("", ([0, 2, 3, 1], [0.5, 0.5, 0.5, 0.5], 4, 16), (2, [0, 1])),  # all equal
]


def draw(rng):
    """Ties, one move, two, many, and simulations that do not suffice."""
    size = int(rng.integers(1, 17))
    left = rng.permutation(size)[: rng.integers(1, size + 1)].tolist()
    ranking = rng.normal(size=size).round(1) if rng.random() < 0.6 else rng.integers(3, size=size)
    return Case("", (left, ranking.tolist(), size, int(rng.integers(1, 100))))
