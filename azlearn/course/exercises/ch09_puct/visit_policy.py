"""From visits to a policy (9.5). The shares were worked out by hand."""

import math

from azlearn.course.drawing import drawn_visits
from azlearn.course.kit import CHANGED, About, Case, gives, row
from azlearn.course.observation import cause_of

SMALL = 0.1  # below this temperature a power may overflow, and single precision tells


def shares(values: list[float], temperature: float):
    return About(values, within=0.003) if 0 < temperature < SMALL else values


CASES = [
    Case("", ([1, 3, 6], 1.0), [0.1, 0.3, 0.6]),
    Case("", ([10, 30, 60], 0.5), [0.021739, 0.195652, 0.782609]),  # 100, 900, 3600 of 4600
    # 1.41421, 1.73205, 2.23607 of 5.38233
    Case("", ([2, 3, 5], 2.0), [0.262751, 0.321803, 0.415446]),
    Case("", ([0, 5, 20], 0.5), [0.0, 0.058824, 0.941176]),  # 0, 25, 400 of 425
    Case("", ([10, 30, 60], 0.0), [0.0, 0.0, 1.0]),
    Case("", ([7, 7, 0], 0.0), [1.0, 0.0, 0.0]),  # ties go to the first
    # 1598^2000 is 0.081957 · 1600^2000
    Case("", ([1600, 1598, 2], 0.0005), [0.924251, 0.075749, 0.0]),
]


def draw(rng):
    """Every temperature; moves without visits, near ones, huge ones."""
    visits = drawn_visits(rng, [1, 2, 5, 1000, 10**9])
    temperature = rng.choice([0, 0, 0.0005, 0.002, 0.01, 0.05, 0.25, 1, 1.5, 10, 100])
    return Case("", (visits, float(temperature)))


@gives("a list with one probability per action")
def observe(visit_policy, case):
    visits, temperature = case.arguments
    given = list(visits)
    try:
        value = visit_policy(given, temperature)
    except Exception as problem:
        if temperature >= SMALL or not isinstance(cause_of(problem), ArithmeticError):
            raise
        value = [math.nan] * len(visits)
    found = list(map(float, row(value, len(visits))))
    has_sum = 0 < sum(found) < math.inf
    return {"π": shares(found, temperature) if has_sum else "no policy", CHANGED: given != visits}
