"""Chapter 8, the policy's part of the loss (8.3): -π · log p over the legal moves.

The right values are sums of logarithms, worked out by hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, same, show
from azlearn.course.numbers import has_gradient, numbers, tensor
from azlearn.course.sections import explained_for

_LN2, _LN3, _LN4 = math.log(2), math.log(3), math.log(4)
_FAR = 2  # the case whose probabilities are too small for float32

# words, logits, legal_mask, π, right
_CASES = (
    (
        # legal: e^0 : e^ln3 = 1 : 3, so p = 1/4, 3/4
        "logits [0, 2, ln 3] with the second move illegal, π = [0.5, 0, 0.5]",
        [[0.0, 2.0, _LN3]],
        [[True, False, True]],
        [[0.5, 0.0, 0.5]],
        0.5 * _LN4 + 0.5 * (_LN4 - _LN3),
    ),
    (
        # row 1: p = 1/4, 1/2, 1/4; row 2: 2 : 4 among the first two, p = 1/3, 2/3
        "two samples, all moves legal in the first, the third illegal in the second",
        [[0.0, _LN2, 0.0], [_LN2, _LN4, 3.0]],
        [[True, True, True], [True, True, False]],
        [[0.25, 0.75, 0.0], [1.0, 0.0, 0.0]],
        (0.25 * _LN4 + 0.75 * _LN2 + _LN3) / 2,
    ),
    (
        # log p = -200 and 0: e^-200 is 0 in float32, its logarithm is not
        "logits [0, 200], π = [0.5, 0.5]",
        [[0.0, 200.0]],
        [[True, True]],
        [[0.5, 0.5]],
        100.0,
    ),
)


def cases() -> list[Case]:
    """Arguments: logits, legal_mask, π, as arrays."""
    return [Case(words, tuple(map(np.array, inputs)), right) for words, *inputs, right in _CASES]


def _log_softmax(logits: np.ndarray, axis: int = 1) -> np.ndarray:
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def _masked(logits: np.ndarray, keep: np.ndarray) -> np.ndarray:
    return np.where(keep, logits, -np.inf)


def _by_move(logits, legal, pi) -> np.ndarray:
    """-π log p of each move, [B, A]."""
    return -pi * np.where(legal, _log_softmax(_masked(logits, legal)), 0)


def _each(logits, legal, pi) -> np.ndarray:
    return _by_move(logits, legal, pi).sum(1)


def _onto_best(logits, legal, pi) -> float:
    log_p = _log_softmax(_masked(logits, legal))
    return float(-log_p[range(len(pi)), pi.argmax(1)].mean())


def _entropy(pi: np.ndarray) -> float:
    return float(-(pi * np.log(np.where(pi > 0, pi, 1))).sum(1).mean())


def _down_the_batch(logits, legal, pi) -> float:
    log_p = np.where(legal, _log_softmax(_masked(logits, legal), axis=0), 0)
    return float(-(pi * log_p).sum(1).mean())


def _probabilities(logits, legal, pi) -> float:
    return float(-(pi * np.exp(_log_softmax(_masked(logits, legal)))).sum(1).mean())


def _fault(name: str, give: Callable[..., Any], message: str) -> Fault:
    def quiet(*case):
        with np.errstate(all="ignore"):
            return give(*case)

    return Fault(name, quiet, "with {case}, the loss is {right}; yours is {yours}. " + message)


_FAULTS = (
    _fault(
        "0 times minus infinity",
        lambda logits, legal, pi: -(pi * _log_softmax(_masked(logits, legal))).sum(1).mean(),
        "On an illegal move π is 0 and log p is −∞, and 0 · (−∞) is “not a number”, which swallows "
        "the whole batch. Put 0 in the place of log p there, before you multiply.",
    ),
    _fault(
        "masked after the soft-max, or not at all",
        lambda logits, legal, pi: -(pi * _log_softmax(logits)).sum(1).mean(),
        "Your soft-max shares the probability among *all* moves, so the legal ones do not sum to 1 "
        "whatever becomes of the others afterwards. Mask the logits, then take the soft-max.",
    ),
    _fault(
        "illegal logits set to 0",
        lambda logits, legal, pi: -(pi * _log_softmax(logits * legal)).sum(1).mean(),
        "A logit of 0 is not “no chance”: e⁰ = 1, and the illegal move takes its share of the sum. "
        "Only −∞ gives the probability 0.",
    ),
    _fault(
        "mask upside down",
        lambda logits, legal, pi: (
            -(pi * np.where(legal, 0, _log_softmax(_masked(logits, ~legal)))).sum(1).mean()
        ),
        "You keep the illegal moves: `legal_mask` is True where a move is *legal*, and "
        "`masked_fill` fills where its mask is True.",
    ),
    _fault(
        "mask upside down",
        lambda logits, legal, pi: -(pi * _log_softmax(_masked(logits, ~legal))).sum(1).mean(),
        "You keep the illegal moves: `legal_mask` is True where a move is *legal*, and "
        "`masked_fill` fills where its mask is True.",
    ),
    _fault(
        "mean over the moves",
        lambda logits, legal, pi: _by_move(logits, legal, pi).mean(),
        "Sum over the moves, mean over the batch. A mean over both makes the policy's part of the "
        "loss as many times too small as there are moves, and the value's part drowns it.",
    ),
    _fault(
        "mean over the legal moves",
        lambda logits, legal, pi: (_each(logits, legal, pi) / legal.sum(1)).mean(),
        "Sum over the moves, however many are legal; the mean is over the batch.",
    ),
    _fault(
        "summed over the batch",
        lambda logits, legal, pi: _each(logits, legal, pi).sum(),
        "Take the mean over the batch, or twice the batch is twice the learning rate.",
    ),
    _fault(
        "one loss a sample",
        lambda logits, legal, pi: _each(logits, legal, pi).tolist(),
        "One number is asked for, the mean over the batch.",
    ),
    _fault(
        "the sign lost",
        lambda logits, legal, pi: -_each(logits, legal, pi).mean(),
        "Logarithms of probabilities are negative, the loss is positive: minus.",
    ),
    _fault(
        "probabilities instead of logarithms",
        _probabilities,
        "That is −π · p. The loss is −π · log p.",
    ),
    _fault(
        "probabilities instead of logarithms",
        lambda *case: -_probabilities(*case),
        "That is π · p. The loss is −π · log p.",
    ),
    _fault(
        "soft-max down the batch",
        _down_the_batch,
        "Your soft-max compares the samples of a batch with each other (`dim=0`). It belongs along "
        "the moves, `dim=1`.",
    ),
    _fault(
        "only π's favourite counts",
        _onto_best,
        "You took the move with the largest π for the right class. π is a distribution: every move "
        "counts with its share.",
    ),
    _fault(
        "the entropy taken off",
        lambda logits, legal, pi: _each(logits, legal, pi).mean() - _entropy(pi),
        "That is the distance of p from π, 0 at best. The loss asked for is −π · log p, which is "
        "larger by the entropy of π.",
    ),
)


@explained_for("8.3")
def check_policy_loss(call: Call) -> str:
    given, with_gradient = [], True
    for case in cases():
        logits, legal, pi = case.arguments
        own = tensor(logits, requires_grad=True)
        value = call(own, tensor(legal), tensor(pi), shown=case.shown)
        with_gradient &= has_gradient(value)
        given.append(numbers(value))
    right = [same(case.right, value, 1e-5) for case, value in zip(cases(), given, strict=True)]
    if right == [i != _FAR for i in range(len(right))]:
        far = cases()[_FAR]
        raise Wrong(
            "the logarithm of a rounded 0",
            f"With {far.shown}, the loss is 100; yours is {show(given[_FAR])}. p = e⁻²⁰⁰ is 0 in "
            "float32, and its logarithm is lost, with a small number added to it too. "
            "`log_softmax` takes both steps at once and loses nothing.",
            [(far.shown, far.right, given[_FAR])],
        )
    compare(cases(), given, _FAULTS, tolerance=1e-5)
    if not with_gradient:
        raise Wrong(
            "no gradient",
            "The number is right, but no gradient leads back from it to the logits (`.item()`, "
            "`.detach()`, NumPy or `torch.no_grad()`?), so nothing would be learnt. Stay with "
            "tensors to the end.",
        )
    return "Masked first, normalised over what is legal, and as large as π's entropy at best."


EXERCISES = (
    Exercise(
        id="8.3",
        title="The policy's loss",
        minutes=15,
        difficulty=3,
        function="policy_loss(logits, legal_mask, policy_target)",
        check=check_policy_loss,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "the logarithm of a rounded 0",
            "no gradient",
        ),
        hints=(
            "Which logit gives a move the probability 0? And what is 0 times its logarithm?",
            "`logits.masked_fill(~legal_mask, -math.inf)`, then `log_softmax(1)`. On illegal moves "
            "put 0 in the place of the −∞ before you multiply with π.",
            "In near-code:\n\n"
            "    log_p = log_softmax of the masked logits, along the moves\n"
            "    log_p = 0 on illegal moves\n"
            "    minus (π * log_p), summed over the moves, mean over the batch",
        ),
    ),
)
