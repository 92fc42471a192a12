"""Chapter 11, an interval by resampling openings (11.3).

The truth needs no random numbers: the sum of n scores drawn with replacement has a distribution
that n convolutions give exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, show
from azlearn.course.sections import explained_for

NUM_RESAMPLES = 4000
TOLERANCE = 0.0095  # the means lie on a grid of 1/160 or finer; two of its steps are too much

# words, how many openings scored 0, 1/4, 1/2, 3/4, 1
COUNTS = (
    ("40 openings, most of them split", (4, 6, 18, 7, 5)),
    ("40 openings, mostly won", (2, 3, 9, 8, 18)),
    ("40 openings, won or lost outright", (16, 0, 0, 0, 24)),
)


@cache
def _of_means(counts: tuple[int, ...]) -> np.ndarray:
    """[4n + 1]: how likely each mean k / 4n of n drawn scores is."""
    n, share = sum(counts), np.array(counts) / sum(counts)
    found = np.ones(1)
    for _ in range(n):
        found = np.convolve(found, share)
    return found


def _quantiles(counts: tuple[int, ...], low: float, high: float) -> tuple[float, float]:
    reached = np.cumsum(_of_means(counts))
    places = [int(np.searchsorted(reached, share)) for share in (low, high)]
    return places[0] / (4 * sum(counts)), places[1] / (4 * sum(counts))


def _scores(counts: tuple[int, ...]) -> np.ndarray:
    return np.repeat(np.arange(5) / 4, counts)


def _around(counts: tuple[int, ...], width: float) -> tuple[float, float]:
    mean = float(_scores(counts).mean())
    return mean - width, mean + width


def _cases() -> list[Case]:
    return [Case(words, (counts,), _quantiles(counts, 0.025, 0.975)) for words, counts in COUNTS]


def _fault(name: str, give: Callable[[tuple[int, ...]], Any], message: str) -> Fault:
    text = "for {case}, the interval is {right}; yours is {yours}. " + message
    return Fault(name, give, text)


def _of_single_scores(counts: tuple[int, ...]) -> tuple[float, float]:
    low, high = np.percentile(_scores(counts), [2.5, 97.5])
    return float(low), float(high)


def _of_long_resamples(counts: tuple[int, ...]) -> tuple[float, float]:
    return _around(counts, 1.96 * _scores(counts).std() / NUM_RESAMPLES**0.5)


_STATISTIC = (
    "That is how far single scores lie apart. The question is how far their *mean* does: draw "
)
_FAULTS = (
    _fault(
        "drawn without replacement",
        lambda counts: _around(counts, 0.0),
        "All n scores drawn without replacement are the same n scores, in another order. With "
        "replacement some come twice and some not at all.",
    ),
    _fault(
        "the spread of scores, not of their mean",
        _of_single_scores,
        _STATISTIC + "n scores, take their mean, and do so many times.",
    ),
    _fault(
        "the spread of scores, not of their mean",
        lambda counts: _around(counts, 1.96 * _scores(counts).std()),
        _STATISTIC + "n scores, take their mean, and do so many times.",
    ),
    _fault(
        "as many scores as resamples",
        _of_long_resamples,
        "Each resample must be as long as the match, n scores. Yours is longer, and feigns a match that "
        "was never played.",
    ),
    _fault(
        "an interval of 90 %",
        lambda counts: _quantiles(counts, 0.05, 0.95),
        "5 % at *each* end leave 90 % between them. For 95 % cut 2.5 % at each end.",
    ),
    _fault(
        "one standard error to each side",
        lambda counts: _around(counts, _scores(counts).std() / sum(counts) ** 0.5),
        "Between one standard error below and one above lie 68 %, not 95 %.",
    ),
    _fault(
        "high before low",
        lambda counts: _quantiles(counts, 0.025, 0.975)[::-1],
        "The lower end comes first.",
    ),
)


@explained_for("11.3")
def check_bootstrap(call: Call) -> str:
    given = []
    for case in _cases():
        (counts,) = case.arguments
        rng = np.random.default_rng(counts)
        before = rng.bit_generator.state
        value = call(_scores(counts), NUM_RESAMPLES, rng, shown=case.shown)
        given.append(_pair(value, case.shown))
        untouched = rng.bit_generator.state == before
    if untouched and all(low != high for low, high in given):
        raise Wrong(
            "another generator than the one given",
            "Your interval was made without a number from `rng`. Draw with `rng.choice(...)`, so that "
            "whoever sets the seed gets the same interval again.",
        )
    means = [_scores(counts).mean() for _, counts in COUNTS]
    if all(low < high < mean for (low, high), mean in zip(given, means, strict=True)):
        raise Wrong(
            "shares taken for percents",
            f"For {COUNTS[0][0]}, your interval is {_form(given[0])}, and does not hold the match's own "
            f"mean, {means[0]:.3f}. `np.percentile` wants 2.5 and 97.5; 0.025 and 0.975 are for "
            "`np.quantile`.",
        )
    compare(_cases(), given, _FAULTS, form=_form, tolerance=TOLERANCE)
    return "No formula for the spread of a pair was needed: the openings themselves said it."


def _pair(value: Any, shown: str) -> tuple[float, float]:
    pair = as_list(value)
    if pair is None or len(pair) != 2 or any(as_list(end) is not None for end in pair):
        raise Wrong(
            "not a lower and an upper end",
            f"For {shown}, give two numbers, (low, high). You gave {show(value):.80}.",
        )
    return float(pair[0]), float(pair[1])


def _form(pair: tuple[float, float]) -> str:
    return f"{pair[0]:.3f} to {pair[1]:.3f}"


EXERCISES = (
    Exercise(
        id="11.3",
        title="An interval from the openings themselves",
        minutes=12,
        difficulty=2,
        function="bootstrap_interval(scores, num_resamples, rng)",
        check=check_bootstrap,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "shares taken for percents",
            "another generator than the one given",
            "not a lower and an upper end",
        ),
        hints=(
            "Pretend that your openings are all the openings there are. Play the match again by drawing "
            "as many of them, with replacement; do that many times; see how the mean moves.",
            "`rng.choice(scores, size=(num_resamples, len(scores)))` is all matches at once; their "
            "means are `.mean(axis=1)`.",
            "In near-code:\n\n"
            "    matches = num_resamples rows of len(scores) scores, drawn with replacement\n"
            "    means = the mean of each row\n"
            "    return the 2.5th and the 97.5th percentile of means",
        ),
    ),
)
