"""Priors from a policy's logits (7.1). The shares are worked out by hand."""

import math

import numpy as np

from azlearn.course.kit import CHANGED, About, Case, as_list, numbers, show
from azlearn.course.observation import cause_of
from azlearn.course.your_alphago import search_with

LN2, LN3 = math.log(2), math.log(3)
explore, remark = search_with("priors")
CASES = [
    Case(words, (np.array(logits, float), np.array(legal, bool), t), {"": About(right, 1e-5)})
    for words, logits, legal, t, right in (
        # 1 : 2 : 4; the squares 1 : 4 : 9; the square roots 2 : 1 : 3; twice 1 : 3
        ("logits [0, ln 2, 2 ln 2, 5], the last move illegal, β = 1", (0, LN2, 2 * LN2, 5), (1, 1, 1, 0), 1.0, (1 / 7, 2 / 7, 4 / 7, 0)),
        ("logits [0, ln 2, 1, ln 3], the third move illegal, β = 0.5", (0, LN2, 1, LN3), (1, 1, 0, 1), 0.5, (1 / 14, 4 / 14, 0, 9 / 14)),
        ("logits [2 ln 2, 0, -1, 2 ln 3], the third move illegal, β = 2", (2 * LN2, 0, -1, 2 * LN3), (1, 1, 0, 1), 2.0, (2 / 6, 1 / 6, 0, 3 / 6)),
        ("logits [0.5, 1, -2, 0], only the third move legal, β = 0.67", (0.5, 1, -2, 0), (0, 0, 1, 0), 0.67, (0, 0, 1, 0)),
        ("logits [1000, 1000 + ln 3, 3000], the last move illegal, β = 1", (1000, 1000 + LN3, 3000), (1, 1, 0), 1.0, (1 / 4, 3 / 4, 0)),
        ("logits [-1000, -1000 + ln 3, 0], the last move illegal, β = 1", (-1000, -1000 + LN3, 0), (1, 1, 0), 1.0, (1 / 4, 3 / 4, 0)),
        ("logits [1000, -1000], both legal, β = 2", (1000, -1000), (1, 1), 2.0, (1, 0)),
    )
]  # fmt: skip


def draw(rng):
    """Up to seven logits, exact in float32; in a third of the cases some are far from 0."""
    legal = rng.random(n := int(rng.integers(1, 8))) < rng.choice([0.3, 0.7, 1])
    legal[rng.integers(n)] = True
    logits, temperature = rng.integers(-24, 25, n) / 8, rng.choice([0.1, 0.5, 0.67, 1, 2, 10])
    if rng.random() < 0.35:
        logits += np.where(legal, *rng.choice([-20000, -1000, 0, 0, 1000, 20000], 2))
        logits[rng.integers(n)] -= rng.choice([0, 2000])
        temperature = rng.choice([0.5, 1, 2])
    words = f"logits {logits.tolist()}, legal_mask {legal.tolist()}, β = {temperature:g}"
    return Case(words, (logits, legal, float(temperature)))


def observe(priors, case):
    given, own = case.arguments[:2], [array.copy() for array in case.arguments[:2]]
    huge = abs(given[0]).max() > 300
    try:
        value = numbers(priors(*own, case.arguments[2]))
    except Exception as problem:
        if not huge or not isinstance(cause_of(problem), ArithmeticError):
            raise
        value = [math.nan] * len(own[0])
    if len(as_list(value) or []) != len(own[0]):
        prior = value and f"not {len(own[0])} numbers: {show(value):.80}"
    elif huge and not (np.isfinite(value).all() and np.any(value)):
        prior = "of no use: no number, infinite, or 0 everywhere"
    else:
        prior = About(value, 1e-5)
    return {"": prior, CHANGED: not all(map(np.array_equal, own, given))}


def form(prior):
    return show(getattr(prior, "values", prior))
