"""Chapter 11, from results to Elo (11.4). The right values are sums and logarithms by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, show
from azlearn.course.sections import explained_for

# wins, draws, losses; score and Elo by hand
_BY_HAND = (
    ((2, 1, 1), (0.625, 400 * (math.log10(5) - math.log10(3)))),
    ((6, 2, 2), (0.7, 400 * (math.log10(7) - math.log10(3)))),
    ((10, 0, 1), (10 / 11, 400.0)),  # odds of 10 : 1
    ((1, 0, 10), (1 / 11, -400.0)),
    ((0, 8, 0), (0.5, 0.0)),
)
_SWEEPS = (((5, 0, 0), (1.0, math.inf)), ((0, 0, 5), (0.0, -math.inf)))


def _case(counts: tuple[int, int, int], right: tuple[float, float]) -> Case:
    words = f"{counts[0]} won, {counts[1]} drawn, {counts[2]} lost"
    return Case(words, ([1] * counts[0] + [0] * counts[1] + [-1] * counts[2],), right)


def _cases() -> list[Case]:
    return [_case(*row) for row in _BY_HAND]


def _score(results: list[int], draw: float = 0.5) -> float:
    points = {1: 1.0, 0: draw, -1: 0.0}
    return sum(points[result] for result in results) / len(results)


def _decided(results: list[int]) -> float:
    decided = [result for result in results if result]
    return _score(decided) if decided else math.nan


def _elo(score: float) -> float:
    if not 0 < score < 1:
        return math.inf if score >= 1 else -math.inf
    return 400 * math.log10(score / (1 - score))


def _fault(
    name: str,
    message: str,
    score: Callable[[list[int]], float] = _score,
    elo: Callable[[float], float] = _elo,
) -> Fault:
    def give(results: list[int]) -> tuple[float, float]:
        found = score(results)
        return found, elo(found) if found == found else math.nan

    return Fault(name, give, "for {case}, score and Elo are {right}; yours are {yours}. " + message)


def _logarithm_of(log: Callable[[float], float], scale: float = 400) -> Callable[[float], float]:
    return lambda score: scale * log(score / (1 - score)) if 0 < score < 1 else _elo(score)


_FAULTS = (
    _fault("a draw counts nothing", "A draw is half a point.", lambda r: _score(r, 0.0)),
    _fault("a draw counts as a win", "A draw is half a point.", lambda r: _score(r, 1.0)),
    _fault(
        "draws left out",
        "A score is points a *game*, drawn games too. Without them two equal players with one lucky "
        "win look like a sweep.",
        _decided,
    ),
    _fault(
        "the mean of values, not of points",
        "The mean of +1, 0 and −1 lies in [−1, 1]. Points lie in [0, 1]: (mean + 1) / 2.",
        lambda r: sum(r) / len(r),
    ),
    _fault(
        "the mean of values, not of points",
        "The mean of +1, 0 and −1 lies in [−1, 1]. Points lie in [0, 1]: (mean + 1) / 2.",
        lambda r: sum(r) / len(r),
        lambda mean: _elo((mean + 1) / 2),
    ),
    _fault(
        "Elo of the other player",
        "The better score must have the larger Elo: log of s / (1 − s), not of (1 − s) / s.",
        elo=lambda s: -_elo(s),
    ),
    _fault(
        "natural logarithm",
        "Elo's logarithm is to base 10: odds of 10 : 1 are 400 Elo. `math.log` is to base e.",
        elo=_logarithm_of(math.log),
    ),
    _fault(
        "logarithm to base 2",
        "Elo's logarithm is to base 10: odds of 10 : 1 are 400 Elo.",
        elo=_logarithm_of(math.log2),
    ),
    _fault(
        "400 forgotten",
        "One unit of log₁₀ odds is 400 Elo.",
        elo=_logarithm_of(math.log10, 1),
    ),
    _fault(
        "a straight line instead of the curve",
        "Near a half, Elo grows in proportion to the score; towards 0 and 1 it grows without bound. "
        "Solve s = 1 / (1 + 10^(−d/400)) for d.",
        elo=lambda s: 800 * (s - 0.5) if 0 < s < 1 else _elo(s),
    ),
)


@explained_for("11.4")
def check_elo(call: Call) -> str:
    given = [_pair(call(*case.arguments, shown=case.shown), case.shown) for case in _cases()]
    compare(_cases(), given, _FAULTS, form=_form, tolerance=1e-6)
    for case in (_case(*row) for row in _SWEEPS):
        value, problem = call.attempt(*case.arguments, shown=case.shown)
        if isinstance(problem, (ZeroDivisionError, ValueError)):
            raise Wrong(
                "a clean sweep crashes",
                f"For {case.shown}, your function raises `{type(problem).__name__}`. The odds are "
                f"then infinite, or zero; the Elo that fits is {case.right[1]}.",
            )
        pair = _pair(call.settle(value, problem), case.shown)
        if pair[1] != case.right[1]:
            raise Wrong(
                "a clean sweep has an end",
                f"For {case.shown}, you say {show(float(pair[1]))} Elo. No finite difference fits: the "
                f"more, the better. Say {case.right[1]}, and let the interval say how little is known.",
                [(case.shown, case.right[1], pair[1])],
            )
    return "Draws are half a point each, odds of 10 : 1 are 400 Elo, and a sweep says only “more”."


def _pair(value: Any, shown: str) -> tuple[float, float]:
    pair = as_list(value)
    if pair is None or len(pair) != 2 or any(as_list(part) is not None for part in pair):
        raise Wrong(
            "not a score and an Elo",
            f"For {shown}, give two numbers, (score, elo). You gave {show(value):.80}.",
        )
    return float(pair[0]), float(pair[1])


def _form(pair: tuple[float, float]) -> str:
    return f"{pair[0]:.4g} and {pair[1]:+.4g}"


EXERCISES = (
    Exercise(
        id="11.4",
        title="From results to Elo",
        minutes=8,
        difficulty=1,
        function="score_and_elo(results)",
        check=check_elo,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "a clean sweep crashes",
            "a clean sweep has an end",
            "not a score and an Elo",
        ),
        hints=(
            "Points first: a win 1, a draw 1/2, a loss 0, divided by the games. Then solve "
            "s = 1 / (1 + 10^(−d/400)) for d.",
            "d = 400 · log₁₀(s / (1 − s)). For s = 1 and s = 0 that divides by zero, or takes the "
            "logarithm of zero: say `math.inf` and `-math.inf`.",
            "In near-code:\n\n"
            "    score = (number of +1, and half the number of 0) / number of results\n"
            "    if score is 0 or 1: elo is minus or plus infinity\n"
            "    otherwise elo = 400 * log10(score / (1 - score))",
        ),
    ),
)
