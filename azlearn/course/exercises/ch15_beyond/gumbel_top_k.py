"""Draws without repetition (15.1). The sums were worked out by hand."""

from azlearn.course.drawing import drawn_prior
from azlearn.course.kit import Case, gives, returned, row

CASES = [
    Case("", ([0.7, 0.2, 0.1], [0.0, 2.0, 1.0], 2), [1, 0]),  # -0.357, 0.391, -1.303
    Case("", ([0.5, 0.0, 0.5], [0.1, 9.0, 0.2], 3), [2, 0]),
    Case("", ([0.25, 0.25, 0.25, 0.25], [0.0, 0.0, 1.0, 0.0], 3), [2, 0, 1]),
    Case("", ([0.6, 0.3, 0.1], [-0.5, -0.4, 1.5], 1), [2]),  # -1.011, -1.604, -0.803
    Case("", ([0.9, 0.1], [-0.4, 0.4], 2), [0, 1]),  # -0.505, -1.903
]


def draw(rng):
    """One move or several, priors of 0, more wanted than there are, equal noise."""
    size = int(rng.integers(1, 8))
    noise = rng.gumbel(size=size).round(2) * rng.integers(2)
    return Case("", (drawn_prior(rng, size), noise.tolist(), int(rng.integers(1, size + 2))))


@gives("a list")
def observe(gumbel_top_k, case):
    seen = returned(gumbel_top_k, case)
    return seen | {"": row(seen[""])}
