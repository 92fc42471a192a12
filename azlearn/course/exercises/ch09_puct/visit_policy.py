"""From visits to a policy (9.5). The shares were worked out by hand."""

import math
from typing import Any

import numpy as np

from azlearn.course.comparing import About, as_list, show
from azlearn.course.marking import CHANGED, Case, Seen, exercise

SMALL = 0.1  # below this temperature a power may overflow, and single precision tells


def at(visits: list[int], temperature: float, right: Any = None) -> Case:
    words = f"N = {visits}, τ = {temperature:g}"
    return Case(words, (visits, temperature), right and shares(right, temperature))


def shares(values: list[float], temperature: float) -> Any:
    return About(values, within=0.003) if 0 < temperature < SMALL else values


CASES = [
    at([1, 3, 6], 1.0, [0.1, 0.3, 0.6]),
    at([10, 30, 60], 0.5, [0.021739, 0.195652, 0.782609]),  # 100, 900, 3600 of 4600
    at([2, 3, 5], 2.0, [0.262751, 0.321803, 0.415446]),  # 1.41421, 1.73205, 2.23607 of 5.38233
    at([0, 5, 20], 0.5, [0.0, 0.058824, 0.941176]),  # 0, 25, 400 of 425
    at([10, 30, 60], 0.0, [0.0, 0.0, 1.0]),
    at([7, 7, 0], 0.0, [1.0, 0.0, 0.0]),  # of equals the first
    at([1600, 1598, 2], 0.0005, [0.924251, 0.075749, 0.0]),  # 1598^2000 is 0.081957 · 1600^2000
]


def draw(rng: np.random.Generator) -> Case:
    """Moves without visits, equal ones, a single one, near ones, huge ones; every temperature."""
    visits = rng.integers(
        rng.choice([1, 2, 5, 1000, 10**9]), size=rng.integers(1, 8), endpoint=True
    )
    visits[rng.integers(len(visits))] += 1 + visits.max() * rng.integers(2)
    return at(visits.tolist(), rng.choice([0, 0, 0.0005, 0.002, 0.01, 0.05, 0.25, 1, 1.5, 10, 100]))


def observe(visit_policy: Any, case: Case) -> Seen:
    visits, temperature = case.arguments
    given = list(visits)
    try:
        found = as_list(value := visit_policy(given, float(temperature)))
    except Exception as problem:
        arithmetic = isinstance(getattr(problem, "cause", problem), ArithmeticError)
        if temperature >= SMALL or not arithmetic:
            raise
        found = [math.nan] * len(visits)
    if found is None or len(found) != len(visits):
        return {"π": f"{show(value):.80}, not a list of {len(visits)}"}
    found = [float(share) for share in found]
    has_sum = 0 < sum(found) < math.inf
    return {"π": shares(found, temperature) if has_sum else "no policy", CHANGED: given != visits}


EXERCISE = exercise(__file__, CASES, observe, draw=draw)
