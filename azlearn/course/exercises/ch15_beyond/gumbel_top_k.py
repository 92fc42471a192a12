"""Draws without repetition (15.1). The sums were worked out by hand."""

from typing import Any

import numpy as np

from azlearn.course.comparing import as_list, show
from azlearn.course.marking import CHANGED, Case, Seen, exercise

CASES = [
    Case("", ([0.7, 0.2, 0.1], [0.0, 2.0, 1.0], 2), [1, 0]),  # -0.357, 0.391, -1.303
    Case("", ([0.5, 0.0, 0.5], [0.1, 9.0, 0.2], 3), [2, 0]),
    Case("", ([0.25, 0.25, 0.25, 0.25], [0.0, 0.0, 1.0, 0.0], 3), [2, 0, 1]),
    Case("", ([0.6, 0.3, 0.1], [-0.5, -0.4, 1.5], 1), [2]),  # -1.011, -1.604, -0.803
    Case("", ([0.9, 0.1], [-0.4, 0.4], 2), [0, 1]),  # -0.505, -1.903
]


def draw(rng: np.random.Generator) -> Case:
    """One move or several, priors of 0, more wanted than there are, equal noise."""
    size = int(rng.integers(1, 8))
    weights = rng.integers(0, 4, size=size)
    weights[rng.integers(size)] += 1
    prior = (weights / weights.sum()).round(3).tolist()
    noise = rng.gumbel(size=size).round(2) * rng.integers(2)
    return Case("", (prior, noise.tolist(), int(rng.integers(1, size + 2))))


def observe(gumbel_top_k: Any, case: Case) -> Seen:
    prior, noise, k = case.arguments
    given = list(prior), list(noise)
    found = as_list(value := gumbel_top_k(*given, k))
    if found is None:
        return {"": f"{show(value):.80}, not a list"}
    return {"": found, CHANGED: given != (prior, noise)}


EXERCISE = exercise(__file__, CASES, observe, draw=draw)
