"""Chapter 7, priors from a policy's logits (7.1). The shares were worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, same, show
from azlearn.course.numbers import numbers
from azlearn.course.sections import explained_for
from azlearn.course.your_apv import record_apv, right_apv
from azlearn.course.your_puct import puct_consequence

_LN2, _LN3 = math.log(2), math.log(3)

# words, logits, legal_mask, β, the prior by hand
_CASES = (
    # 1 : 2 : 4
    ("logits [0, ln 2, 2 ln 2, 5], the last move illegal, β = 1",
     (0.0, _LN2, 2 * _LN2, 5.0), (True, True, True, False), 1.0, (1 / 7, 2 / 7, 4 / 7, 0.0)),
    # squares: 1 : 4 : 9
    ("logits [0, ln 2, 1, ln 3], the third move illegal, β = 0.5",
     (0.0, _LN2, 1.0, _LN3), (True, True, False, True), 0.5, (1 / 14, 4 / 14, 0.0, 9 / 14)),
    # square roots of 4, 1, 9: 2 : 1 : 3
    ("logits [2 ln 2, 0, -1, 2 ln 3], the third move illegal, β = 2",
     (2 * _LN2, 0.0, -1.0, 2 * _LN3), (True, True, False, True), 2.0, (2 / 6, 1 / 6, 0.0, 3 / 6)),
    ("logits [0.5, 1, -2, 0], only the third move legal, β = 0.67",
     (0.5, 1.0, -2.0, 0.0), (False, False, True, False), 0.67, (0.0, 0.0, 1.0, 0.0)),
)  # fmt: skip
# Only differences count: 1 : 3 in both.
_LARGE = (
    ("logits [1000, 1000 + ln 3, 3000], the last move illegal, β = 1",
     (1000.0, 1000.0 + _LN3, 3000.0), (True, True, False), 1.0, (0.25, 0.75, 0.0)),
    ("logits [-1000, -1000 + ln 3, 0], the last move illegal, β = 1",
     (-1000.0, -1000.0 + _LN3, 0.0), (True, True, False), 1.0, (0.25, 0.75, 0.0)),
)  # fmt: skip


def cases(rows: tuple = _CASES) -> list[Case]:
    """Arguments: logits and legal_mask as arrays, β."""
    return [
        Case(words, (np.array(logits), np.array(legal), temperature), list(right))
        for words, logits, legal, temperature, right in rows
    ]


# --- wrong ways ----------------------------------------------------------------------------------


def _exp(x: np.ndarray) -> np.ndarray:
    return np.exp(x - x.max())


def _shared(weights: np.ndarray) -> np.ndarray:
    return weights / weights.sum()


def _best(x: np.ndarray, legal: np.ndarray) -> np.ndarray:
    return np.eye(len(x))[np.where(legal, x, -np.inf).argmax()]


def _evened_out(x: np.ndarray, legal: np.ndarray, t: float) -> np.ndarray:
    """What the illegal moves had goes to the legal ones in equal parts."""
    p = _shared(_exp(x / t)) * legal
    return p + legal * (1 - p.sum()) / legal.sum()


def _fault(name: str, give: Callable[..., Any], message: str) -> Fault:
    def quiet(*case: Any) -> list[float]:
        with np.errstate(all="ignore"):
            return give(*case).tolist()

    return Fault(name, quiet, "for {case}, the prior is {right}; yours is {yours}. " + message)


_FAULTS = (
    _fault("not renormalised over the legal moves", lambda x, legal, t: _shared(_exp(x / t)) * legal,
           "The soft-max gave the illegal moves a part, and you took it away: what is left does not "
           "sum to 1. A prior that is too small makes the search explore too little, and in every "
           "node by another factor."),
    _fault("illegal moves keep their part", lambda x, legal, t: _shared(_exp(x / t)),
           "The network does not know the rules: it gives illegal moves a chance too. They get 0, "
           "and the legal moves share the 1."),
    _fault("illegal logits set to 0", lambda x, legal, t: _shared(_exp(x * legal / t)),
           "A logit of 0 is not “no chance”: e⁰ = 1. Only −∞ gives the prior 0."),
    _fault("illegal logits set to 0", lambda x, legal, t: _shared(_exp(x * legal / t)) * legal,
           "A logit of 0 is not “no chance”: e⁰ = 1, and the illegal move takes its part of the sum. "
           "Only −∞ gives the prior 0."),
    _fault("mask upside down", lambda x, legal, t: _shared(np.exp(x / t) * ~legal),
           "You keep the illegal moves. `legal_mask` is True where a move is *legal*."),
    _fault("what is missing is shared out evenly", _evened_out,
           "The sum is 1 again, but an unlikely move got as much on top as a likely one. Divide by "
           "the sum: then the ratios among the legal moves stay."),
    _fault("β upside down", lambda x, legal, t: _shared(np.exp(x * t) * legal),
           "You multiplied by β, which is p^β: that is how the paper writes it. Here the logits are "
           "*divided* by the temperature, so that a β below 1 makes the policy surer."),
    _fault("the temperature has no effect", lambda x, legal, t: _shared(np.exp(x) * legal),
           "That is the prior for β = 1. (p / β, normalised, is p again: β cancels. It belongs to the "
           "logits, before the exponential.)"),
    _fault("not normalised", lambda x, legal, t: np.exp(x / t) * legal,
           "Those are e^(logit / β). Divide by their sum."),
    _fault("normalised before the temperature only",
           lambda x, legal, t: _shared(np.exp(x) * legal) ** (1 / t),
           "Probabilities raised to a power do not sum to 1 any more: normalise afterwards."),
    _fault("no exponential", lambda x, legal, t: _shared(x / t * legal),
           "Those are shares of the logits. A logit may be negative: e^(logit / β) has the shares."),
    _fault("only the best move", lambda x, legal, t: _best(x, legal),
           "Everything on the move with the largest logit: the search would never try another."),
)  # fmt: skip


# --- the check -----------------------------------------------------------------------------------


@explained_for("7.1")
def check_priors(call: Call) -> str:
    given = []
    for case in cases():
        value, changed = _asked(call, case)
        given.append(_settled(call, *value, case))
        if changed:
            raise Wrong(
                "the logits are changed",
                f"For {case.shown}, your function wrote into what it was given. The array is the "
                "network's answer, and who gave it may still need it: `logits /= …` and "
                "`logits[~legal_mask] = …` change it in place; work on a copy.",
            )
    compare(cases(), given, _FAULTS, tolerance=1e-5)
    for case in cases(_LARGE):
        _check_large(call, case)
    return (
        "Illegal moves have 0, the legal ones share the 1, and a β below 1 makes the policy surer."
    )


def _asked(call: Call, case: Case) -> tuple[tuple[Any, BaseException | None], bool]:
    """((value, problem), whether the answer has written into its arguments)."""
    logits, legal, temperature = case.arguments
    own_logits, own_legal = logits.copy(), legal.copy()
    found = call.attempt(own_logits, own_legal, temperature, shown=case.shown)
    return found, not (np.array_equal(own_logits, logits) and np.array_equal(own_legal, legal))


def _settled(call: Call, value: Any, problem: BaseException | None, case: Case) -> list[Any]:
    prior = as_list(numbers(call.settle(value, problem)))
    if prior is None or len(prior) != len(case.right):
        raise Wrong(
            "not one prior an action",
            f"For {case.shown}, {len(case.right)} priors are asked for, one an action, legal or "
            f"not; you gave {show(numbers(value)):.80}.",
        )
    return prior


def _check_large(call: Call, case: Case) -> None:
    (value, problem), _ = _asked(call, case)
    if isinstance(problem, (OverflowError, ZeroDivisionError)) or (
        problem is None and _is_unfit(value)
    ):
        found = f"raised `{type(problem).__name__}`" if problem else f"gave {show(numbers(value))}"
        raise Wrong(
            "overflows",
            f"For {case.shown}, your function {found}. e^1000 is too large for a number, and e^-1000 "
            "too small. Subtract the largest logit first, *the largest of the legal ones*: the ratios "
            "stay, and its weight is 1.",
        )
    compare([case], [_settled(call, value, problem, case)], _FAULTS, tolerance=1e-5)


def _is_unfit(value: Any) -> bool:
    """Not a number somewhere, infinite, or nothing left of every weight."""
    prior = [float(x) for x in as_list(numbers(value)) or []]
    return any(not math.isfinite(x) for x in prior) or (
        bool(prior) and same(prior, [0.0] * len(prior))
    )


EXERCISES = (
    Exercise(
        id="7.1",
        title="Priors with a temperature",
        minutes=10,
        difficulty=2,
        function="priors(logits, legal_mask, temperature)",
        check=check_priors,
        explore=lambda call, diagnosis: record_apv(priors=call.quietly),
        remark=lambda found: puct_consequence(found, right_apv()),
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "the logits are changed",
            "not one prior an action",
            "overflows",
        ),
        hints=(
            "The network does not know the rules, and its soft-max sums to 1 over *all* moves. When "
            "should the mask come, so that the legal ones do?",
            "Divide by β, put −∞ in the place of illegal logits, subtract the largest that is left, "
            "then `np.exp`, then divide by the sum.",
            "In near-code:\n\n"
            "    x = logits / β where legal, else −∞\n"
            "    weights = exp(x − the largest x)\n"
            "    return weights / their sum",
        ),
    ),
)
