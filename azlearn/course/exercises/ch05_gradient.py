"""Chapter 5, the gradient of a linear soft-max (5.4): what was shown, less what was expected.

The right values are fractions, worked out by hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, same, show
from azlearn.course.numbers import numbers
from azlearn.course.sections import explained_for

_LN2, _LN3 = math.log(2), math.log(3)
_FAR = 2  # the case in which e to the logits is no number
_APART = 3  # the case in which each position needs a shift of its own
_NEXT = math.e / (1 + math.e)  # p of a logit that is larger by 1 than the only other one

# words, weights, features, legal_mask, action, right
_CASES = (
    (
        # legal: 3 : 1, p = 3/4, 1/4; [0, 1] - [3/4, 1/4]
        "one position, w = [ln 3, 0], the features [1, 0], [0, 1] and, illegal, [1, 1], action 1",
        [_LN3, 0.0],
        [[[1, 0], [0, 1], [1, 1]]],
        [[True, True, False]],
        [1],
        (-0.75, 0.75),
    ),
    (
        # 1: weights 1 : 2 : 1/2, p = 2/7, 4/7, 1/7; [1, 0, 1] - [6, 4, 3]/7 = [1, -4, 4]/7
        # 2: weights 1 : 4, p = 1/5, 4/5; [2, 0, 0] - [8/5, 1/5, 0] = [2, -1, 0]/5
        "two positions with three features each, w = [ln 2, 0, -ln 2], the last move of the second "
        "illegal, action [0, 1]",
        [_LN2, 0.0, -_LN2],
        [[[1, 0, 1], [1, 1, 0], [0, 0, 1]], [[0, 1, 0], [2, 0, 0], [1, 1, 1]]],
        [[True, True, True], [True, True, False]],
        [0, 1],
        (19 / 70, -27 / 70, 20 / 70),
    ),
    (
        "one position, w = [1000, 1001], the features [1, 0] and [0, 1], action 0",
        [1000.0, 1001.0],
        [[[1, 0], [0, 1]]],
        [[True, True]],
        [0],
        (_NEXT, -_NEXT),
    ),
    (
        # 1: [1, 0] - [1 - n, n] = [n, -n]; 2: [-1, 1] - n · [-1, 1] = [n - 1, 1 - n]
        "two positions, w = [1000, 1001], the legal logits 1000 and 1001 in the first, 0 and 1 in the "
        "second, each with an illegal third move, of the logits 0 and 3000, action [0, 1]",
        [1000.0, 1001.0],
        [[[1, 0], [0, 1], [0, 0]], [[0, 0], [-1, 1], [3, 0]]],
        [[True, True, False], [True, True, False]],
        [0, 1],
        (_NEXT - 0.5, 0.5 - _NEXT),
    ),
)


def cases() -> list[Case]:
    """Arguments: weights, features, legal_mask, action, as arrays."""
    return [Case(words, _arrays(*inputs), list(right)) for words, *inputs, right in _CASES]


def _arrays(weights, features, legal, action) -> tuple[np.ndarray, ...]:
    return np.array(weights), np.array(features, float), np.array(legal), np.array(action)


# --- wrong ways ----------------------------------------------------------------------------------


def _soft_max(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - logits.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


def _p(weights, features, legal) -> np.ndarray:
    """p over the legal moves, [B, A]."""
    return _soft_max(np.where(legal, features @ weights, -np.inf))


def _of(features, action) -> np.ndarray:
    """The features of each position's own move, [B, F]."""
    return features[np.arange(len(action)), action]


def _mean(features, p) -> np.ndarray:
    """The features with the weights p, [B, F]."""
    return (p[..., None] * features).sum(1)


def _each(weights, features, legal, action) -> np.ndarray:
    return _of(features, action) - _mean(features, _p(weights, features, legal))


def _favourite(weights, features, legal) -> np.ndarray:
    return _p(weights, features, legal).argmax(1)


def _expecting(p: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """What comes out where the policy's p(weights, features, legal) is another."""

    def give(weights, features, legal, action):
        return (_of(features, action) - _mean(features, p(weights, features, legal))).mean(0)

    return give


def _fault(name: str, give: Callable[..., Any], message: str) -> Fault:
    return Fault(name, give, "with {case}, the gradient is {right}; yours is {yours}. " + message)


_FAULTS = (
    _fault(
        "illegal moves are expected, too",
        _expecting(lambda w, features, legal: _soft_max(features @ w)),
        "Your soft-max runs over all moves. What an illegal move would show is nothing that the "
        "policy can expect: mask the logits with −∞ first.",
    ),
    _fault(
        "masked after the soft-max",
        _expecting(lambda w, features, legal: _soft_max(features @ w) * legal),
        "The share of the illegal moves is lost, so p does not sum to 1 over the legal ones. Mask "
        "the logits with −∞ before the soft-max.",
    ),
    _fault(
        "masked with 0",
        _expecting(lambda w, features, legal: _soft_max(features @ w * legal)),
        "A logit of 0 is no mask: it stands for e⁰ = 1. Only −∞ has the probability 0.",
    ),
    _fault(
        "downhill",
        lambda *case: -_each(*case).mean(0),
        "That is expected less shown, the gradient of the *loss*. The likelihood is climbed: shown "
        "less expected.",
    ),
    _fault(
        "summed over the positions",
        lambda *case: _each(*case).sum(0),
        "Take the mean over the positions, or twice the batch is twice the step.",
    ),
    _fault(
        "mean over the moves, too",
        lambda w, features, legal, action: (
            _each(w, features, legal, action).mean(0) / features.shape[1]
        ),
        "Divide by the number of positions only. Over the moves of a position one *sums*.",
    ),
    _fault(
        "one gradient a position",
        lambda *case: _each(*case),
        "One gradient is asked for, the mean over the positions.",
    ),
    _fault(
        "only what the expert shows",
        lambda w, features, legal, action: _of(features, action).mean(0),
        "Without what the policy expects, every weight grows for ever, and most for features that "
        "all moves share. Subtract the expected features.",
    ),
    _fault(
        "only what the policy expects",
        lambda w, features, legal, action: _mean(features, _p(w, features, legal)).mean(0),
        "The features of the expert's own move are missing.",
    ),
    _fault(
        "only what the policy expects",
        lambda w, features, legal, action: -_mean(features, _p(w, features, legal)).mean(0),
        "The features of the expert's own move are missing.",
    ),
    _fault(
        "the favourite instead of the expectation",
        lambda w, features, legal, action: (
            _of(features, action) - _of(features, _favourite(w, features, legal))
        ).mean(0),
        "You subtract the features of the likeliest move alone. That is the perceptron's rule, and "
        "it stops learning where the favourite is right, however narrowly. Weigh all moves with p.",
    ),
    _fault(
        "the favourite instead of the expert's move",
        lambda w, features, legal, action: _each(
            w, features, legal, _favourite(w, features, legal)
        ).mean(0),
        "You start from the move that the policy likes best: it would only grow surer of itself. The "
        "expert's stands in `action`.",
    ),
    _fault(
        "all legal moves alike",
        _expecting(lambda w, features, legal: legal / legal.sum(1, keepdims=True)),
        "You subtract the plain mean of the legal moves' features. That is what the policy expects "
        "only while all weights are 0: weigh with p.",
    ),
    _fault(
        "logits instead of probabilities",
        _expecting(lambda w, features, legal: np.where(legal, features @ w, 0)),
        "You weigh the features with the logits. The soft-max is still to come.",
    ),
    _fault(
        "the gradient of p, not of log p",
        lambda w, features, legal, action: (
            _of(_p(w, features, legal)[..., None], action) * _each(w, features, legal, action)
        ).mean(0),
        "A factor p(a) stands in front. With it the policy learns least where it is most surprised.",
    ),
    _fault(
        "the step is taken already",
        lambda w, *case: w + _each(w, *case).mean(0),
        "Those are the weights after a step. The gradient alone is asked for.",
    ),
)


# --- the check -----------------------------------------------------------------------------------


@explained_for("5.4")
def check_gradient(call: Call) -> str:
    given = []
    for number, case in enumerate(cases()):
        copies = [array.copy() for array in case.arguments]
        with np.errstate(all="ignore"):  # a reader's overflow has a diagnosis of its own
            value, problem = call.attempt(*copies, shown=case.shown)
        if isinstance(problem, (OverflowError, ZeroDivisionError)) and number in _TOLD:
            raise _TOLD[number](f"your function raised `{type(problem).__name__}`")
        value = call.settle(value, problem)
        if not all(map(np.array_equal, copies, case.arguments)):
            raise Wrong(
                "changes what it was given",
                f"With {case.shown}, an array that you were given is another afterwards (`-=`, `+=`, "
                "or an entry that was set). Work on a new one.",
            )
        given.append(numbers(value))
    right = [same(case.right, value, 1e-5) for case, value in zip(cases(), given, strict=True)]
    if all(right[:_FAR]) and not right[_FAR]:
        raise _overflow(f"yours is {show(given[_FAR])}")
    if all(right[:_APART]) and not right[_APART] and _is_no_number(given[_APART]):
        raise _other_shift(f"yours is {show(given[_APART])}")
    if all(right[:_APART]) and not right[_APART]:
        apart = cases()[_APART]
        raise Wrong(
            "a finite number is no mask",
            f"With {apart.shown}, the gradient is {show(apart.right)}; yours is "
            f"{show(given[_APART])}. With smaller logits it is right: is your mask a number such as "
            "−20, added to the logits of illegal moves? A large one stays large. Only −∞ has the "
            "probability 0.",
        )
    compare(cases(), given, _FAULTS, tolerance=1e-5)
    return "What the expert shows, less what the policy expects: no difference, nothing to learn."


def _is_no_number(gradient: Any) -> bool:
    return isinstance(gradient, list) and any(x != x for x in gradient)


def _overflow(found: str) -> Wrong:
    far = cases()[_FAR]
    return Wrong(
        "e to a large logit overflows",
        f"With {far.shown}, the logits are 1000 and 1001, and the gradient is {show(far.right)}; "
        f"{found}. e¹⁰⁰⁰ is too large for a number. Take the largest logit of the position off all "
        "of them first: p stays the same.",
    )


def _other_shift(found: str) -> Wrong:
    apart = cases()[_APART]
    return Wrong(
        "shifted by another logit than the position's largest legal one",
        f"With {apart.shown}, the gradient is {show(apart.right)}; {found}. What you take off the "
        "second position's logits is larger than both legal ones by far, and every e to the rest is "
        "rounded to 0. Each position has a shift of its own, the largest of its *legal* logits: mask "
        "with −∞ first, then `logits.max(axis=1, keepdims=True)`.",
    )


_TOLD = {_FAR: _overflow, _APART: _other_shift}


EXERCISES = (
    Exercise(
        id="5.4",
        title="Shown less expected",
        minutes=15,
        difficulty=3,
        function="log_likelihood_gradient(weights, features, legal_mask, action)",
        check=check_gradient,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "changes what it was given",
            "e to a large logit overflows",
            "shifted by another logit than the position's largest legal one",
            "a finite number is no mask",
        ),
        hints=(
            "Two averages of features: one over what was played, one over what the policy would have "
            "played. In which of the two do illegal moves occur?",
            "`logits = np.where(legal_mask, features @ weights, -np.inf)`, less their maximum; p by "
            "exp and sum; `(p[..., None] * features).sum(1)` is what is expected.",
            "In near-code:\n\n"
            "    logits = features @ weights, -inf where illegal, less the largest of each row\n"
            "    p = exp(logits), divided by its sum along the moves\n"
            "    shown = features of the expert's move, [B, F]\n"
            "    expected = sum over the moves of p times features, [B, F]\n"
            "    the mean over the positions of shown - expected",
        ),
    ),
)
