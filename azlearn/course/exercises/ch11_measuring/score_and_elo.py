"""From results to Elo (11.4). The right values are sums and logarithms by hand."""

import math
from typing import Any

import numpy as np

from azlearn.course.comparing import show
from azlearn.course.marking import CHANGED, Case, Raised, Seen, attempt, exercise
from azlearn.course.numbers import numbers

GIVEN, PAIR, SWEEP = "what is given back", "score and Elo", "Elo of a clean sweep"


def case(wins: int, draws: int, losses: int, right: Any = None) -> Case:
    results = [1] * wins + [0] * draws + [-1] * losses
    return Case(f"{wins} won, {draws} drawn, {losses} lost", (results,), right)


CASES = [
    case(2, 1, 1, {PAIR: (0.625, 400 * (math.log10(5) - math.log10(3)))}),
    case(6, 2, 2, {PAIR: (0.7, 400 * (math.log10(7) - math.log10(3)))}),
    case(10, 0, 1, {PAIR: (10 / 11, 400)}),  # odds of 10 : 1
    case(1, 0, 10, {PAIR: (1 / 11, -400)}),
    case(0, 8, 0, {PAIR: (0.5, 0)}),
    case(99, 1, 0, {PAIR: (0.995, 400 * math.log10(199))}),
    case(5, 0, 0, {SWEEP: math.inf, "its score": 1}),
    case(0, 0, 5, {SWEEP: -math.inf, "its score": 0}),
]


def draw(rng: np.random.Generator) -> Case:
    """One game or more, in any order; often without wins, draws or losses."""
    counts = rng.integers(7, size=3) * (rng.random(3) < 0.6)
    counts[rng.integers(3)] += 1
    drawn = case(*map(int, counts))
    rng.shuffle(drawn.arguments[0])
    return drawn


def observe(score_and_elo: Any, case: Case) -> Seen:
    (results,), given = case.arguments, list(case.arguments[0])
    is_sweep = set(results) in ({1}, {-1})
    pair = attempt(score_and_elo, given) if is_sweep else score_and_elo(given)
    if isinstance(pair, Raised):
        return {GIVEN: "two numbers", SWEEP: f"an error, {pair}", CHANGED: given != results}
    pair = numbers(pair)
    if not isinstance(pair, list) or list(map(np.ndim, pair)) != [0, 0]:
        return {GIVEN: f"{show(pair):.80}"}
    elif is_sweep:
        elo = f"an end, {pair[1]:+.4g}" if math.isfinite(pair[1]) else pair[1]
        seen = {SWEEP: elo, "its score": pair[0]}
    else:
        seen = {PAIR: pair}
    return {GIVEN: "two numbers", **seen, CHANGED: given != results}


EXERCISE = exercise(__file__, CASES, observe, draw=draw)
