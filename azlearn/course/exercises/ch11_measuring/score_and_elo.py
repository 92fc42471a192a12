"""From results to Elo (11.4). The right values are sums and logarithms by hand."""

import math

from azlearn.course.kit import CHANGED, Case, Raised, attempt, gives, parts

PAIR, SWEEP = "score and Elo", "Elo of a clean sweep"


def case(wins: int, draws: int, losses: int, right=None) -> Case:
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


def draw(rng):
    """One game or more, in any order; often without wins, draws or losses."""
    counts = rng.integers(7, size=3) * (rng.random(3) < 0.6)
    counts[rng.integers(3)] += 1
    drawn = case(*map(int, counts))
    rng.shuffle(drawn.arguments[0])
    return drawn


@gives("two numbers")
def observe(score_and_elo, case):
    (results,), given = case.arguments, list(case.arguments[0])
    is_sweep = set(results) in ({1}, {-1})
    pair = attempt(score_and_elo, given) if is_sweep else score_and_elo(given)
    if isinstance(pair, Raised):
        return {SWEEP: f"an error, {pair}", CHANGED: given != results}
    score, elo = parts(pair, (), ())
    if not is_sweep:
        return {PAIR: (score, elo), CHANGED: given != results}
    elo = f"an end, {elo:+.4g}" if math.isfinite(elo) else elo
    return {SWEEP: elo, "its score": score, CHANGED: given != results}
