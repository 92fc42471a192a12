"""Chapter 9, from visits to a policy (9.5). The shares were worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, same, show
from azlearn.course.sections import explained_for

# N, τ, π by hand.
_CASES = (
    ((1, 3, 6), 1.0, (0.1, 0.3, 0.6)),
    ((10, 30, 60), 0.5, (0.021739, 0.195652, 0.782609)),  # 100, 900, 3600 of 4600
    ((2, 3, 5), 2.0, (0.262751, 0.321803, 0.415446)),  # 1.41421, 1.73205, 2.23607 of 5.38233
    ((0, 5, 20), 0.5, (0.0, 0.058824, 0.941176)),  # 0, 25, 400 of 425
    ((10, 30, 60), 0.0, (0.0, 0.0, 1.0)),
    ((7, 7, 0), 0.0, (1.0, 0.0, 0.0)),  # of equals the first
)
# (1598 / 1600)**2000 = 0.081957: 1 / 1.081957 and the rest; 1600**2000 is no float, and a half
# to that power is 0.
_LARGE = ((1600, 1598, 2), 0.0005, (0.924251, 0.075749, 0.0))


def _shared(weights: Sequence[float]) -> list[float]:
    return [weight / sum(weights) for weight in weights]


def _one_hot(visits: Sequence[int]) -> list[float]:
    best = list(visits).index(max(visits))
    return [float(action == best) for action in range(len(visits))]


def _warm(give: Callable[..., list[float]]) -> Callable[..., list[float]]:
    """A fault at temperatures above 0; at 0 it is right."""
    return lambda visits, t: give(visits, t) if t else _one_hot(visits)


def _soft_max(values: Sequence[float]) -> list[float]:
    return _shared([math.exp(value - max(values)) for value in values])


_GOT = "for {case}, π is {right}; yours is {yours}. "
_FAULTS = (
    Fault(
        "not normalised",
        _warm(lambda n, t: [x ** (1 / t) for x in n]),
        _GOT + "Those are powers, not probabilities: divide by their sum.",
    ),
    Fault(
        "normalised before the power only",
        _warm(lambda n, t: [x ** (1 / t) for x in _shared(n)]),
        _GOT + "Shares raised to a power do not sum to 1 any more: normalise afterwards.",
    ),
    Fault(
        "τ instead of 1 / τ",
        _warm(lambda n, t: _shared([x**t for x in n])),
        _GOT + "The exponent is 1 / τ: a *small* τ makes the largest count stand out.",
    ),
    Fault(
        "the temperature has no effect",
        _warm(lambda n, t: _shared(n)),
        _GOT
        + "Those are the plain shares. (N / τ, normalised, is the same for every τ: it cancels.)",
    ),
    Fault(
        "always the most visited move",
        lambda n, t: _one_hot(n),
        _GOT + "Only τ = 0 puts everything on one move.",
    ),
    Fault(
        "soft-max of the visits",
        _warm(lambda n, t: _soft_max([x / t for x in n])),
        _GOT
        + "That is e^(N / τ): twenty visits more would make a move two hundred million times as "
        "likely. The rule is a power, N^(1 / τ).",
    ),
    Fault(
        "soft-max of the shares",
        _warm(lambda n, t: _soft_max([x / t for x in _shared(n)])),
        _GOT + "That is e^(share / τ), and a move without visits gets a chance too. The rule is a "
        "power, N^(1 / τ).",
    ),
    Fault(
        "1 + N instead of N",
        _warm(lambda n, t: _shared([(1 + x) ** (1 / t) for x in n])),
        _GOT + "The 1 + N belongs to PUCT's bonus. Here a move without visits gets 0.",
    ),
    Fault(
        "τ = 0 taken for τ = 1",
        lambda n, t: _shared([x ** (1 / (t or 1)) for x in n]),
        _GOT + "τ = 0 is the limit of small τ: all on the most visited move.",
    ),
    Fault(
        "equal visits share at τ = 0",
        lambda n, t: (
            _shared([x ** (1 / t) for x in n]) if t else _shared([float(x == max(n)) for x in n])
        ),
        _GOT + "Of equals take the first, so that τ = 0 always plays the same move.",
    ),
)


@explained_for("9.5")
def check_policy(call: Call) -> str:
    cases, given = [], []
    for visits, temperature, right in _CASES:
        shown = _in_words(visits, temperature)
        value, problem = call.attempt(list(visits), temperature, shown=shown)
        if not temperature and (isinstance(problem, ZeroDivisionError) or _has_nan(value)):
            raise Wrong(
                "τ = 0 divides by zero",
                f"For {shown}, your function divides by τ. At 0 the rule has a limit: 1 for the most "
                "visited move, 0 for the others.",
            )
        value = call.settle(value, problem)
        if as_list(value) is None or len(as_list(value)) != len(visits):
            raise Wrong(
                "not one share an action",
                f"For {shown}, {len(visits)} shares are asked for; you gave {show(value):.80}.",
            )
        given.append(value)
        cases.append(Case(shown, (visits, temperature), right))
    compare(cases, given, _FAULTS, tolerance=1e-5)
    _check_large(call)
    return "τ = 1 plays by the visits, a small τ sharpens them, and they always sum to 1."


def _check_large(call: Call) -> None:
    visits, temperature, right = _LARGE
    shown = _in_words(visits, temperature)
    value, problem = call.attempt(list(visits), temperature, shown=shown)
    if isinstance(problem, (OverflowError, ZeroDivisionError)) or (
        problem is None and _is_unfit(value)
    ):
        found = f"raised `{type(problem).__name__}`" if problem else f"gave {show(value)}"
        raise Wrong(
            "overflows at a small τ",
            f"For {shown}, your function {found}: 1600^2000 is too large for a number, and (a share)^"
            "2000 is too small. Divide by the largest N *before* the power: its weight is then 1.",
        )
    value = call.settle(value, problem)
    compare([Case(shown, (visits, temperature), right)], [value], _FAULTS, tolerance=1e-4)


def _has_nan(value: Any) -> bool:
    numbers = as_list(value) or []
    return any(isinstance(x, float) and x != x for x in numbers)


def _is_unfit(value: Any) -> bool:
    """Not a number somewhere, infinite, or nothing left of every weight."""
    numbers = [x for x in as_list(value) or [] if isinstance(x, (int, float))]
    return any(not math.isfinite(x) for x in numbers) or same(numbers, [0.0] * len(numbers))


def _in_words(visits: Sequence[int], temperature: float) -> str:
    return f"N = {list(visits)}, τ = {temperature:g}"


EXERCISES = (
    Exercise(
        id="9.5",
        title="From visits to a policy",
        minutes=8,
        difficulty=1,
        function="visit_policy(visit_counts, temperature)",
        check=check_policy,
        diagnoses=(
            *(fault.name for fault in _FAULTS),
            "τ = 0 divides by zero",
            "not one share an action",
            "overflows at a small τ",
        ),
        hints=(
            "A power first, then make it sum to 1. What happens to the power if τ is tiny, and what if "
            "it is 0?",
            "Divide by the largest count, raise to 1 / τ, divide by the sum. τ = 0 is a case of its "
            "own.",
            "In near-code:\n\n"
            "    if τ is 0: 1 for the first of the most visited moves, 0 for the others\n"
            "    weights = (N / largest N) ** (1 / τ)\n"
            "    return weights / sum of weights",
        ),
    ),
)
