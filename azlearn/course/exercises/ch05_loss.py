"""Chapter 5, the loss of imitation (5.1): -log p of the expert's move, over the legal moves.

The right values are logarithms, worked out by hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, same, show
from azlearn.course.numbers import has_gradient, single, tensor, unchanged
from azlearn.course.sections import explained_for

_LN2, _LN3, _LN4 = math.log(2), math.log(3), math.log(4)
_FAR = 2  # the case whose probability is too small for float32
_CLOSE = 1e-4  # float32 has no more places left at a logit of 1000

# words, logits, legal_mask, action, right
_CASES = (
    (
        # legal: 1 : 3 : 4, so the expert's move has p = 3/8
        "logits [0, 2, ln 3, ln 4] with the second move illegal, action 2",
        [[0.0, 2.0, _LN3, _LN4]],
        [[True, False, True, True]],
        [2],
        math.log(8 / 3),
    ),
    (
        # row 1: 1 : 2 : 1, p = 1/4; row 2: 2 : 4 among the first two, p = 2/3; ln 4 + ln 1.5 = ln 6
        "two positions, all moves legal in the first, the third illegal in the second, action [2, 1]",
        [[0.0, _LN2, 0.0], [_LN2, _LN4, 3.0]],
        [[True, True, True], [True, True, False]],
        [2, 1],
        math.log(6) / 2,
    ),
    (
        # log p = -200 and 0: e^-200 is 0 in float32, its logarithm is not
        "logits [0, 200], both legal, action 0",
        [[0.0, 200.0]],
        [[True, True]],
        [0],
        200.0,
    ),
    (
        # 1 : 3 among the legal moves, p = 3/4
        "logits [0, ln 3, 1000] with the last move illegal, action 1",
        [[0.0, _LN3, 1000.0]],
        [[True, True, False]],
        [1],
        math.log(4 / 3),
    ),
    (
        # p = 1/2
        "logits [-1000, -1000, 0] with the last move illegal, action 0",
        [[-1000.0, -1000.0, 0.0]],
        [[True, True, False]],
        [0],
        _LN2,
    ),
)


def cases() -> list[Case]:
    """Arguments: logits, legal_mask, action, as arrays."""
    return [Case(words, tuple(map(np.array, inputs)), right) for words, *inputs, right in _CASES]


# --- wrong ways ----------------------------------------------------------------------------------


def _log_softmax(logits: np.ndarray, axis: int = 1) -> np.ndarray:
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def _log_p(logits: np.ndarray, keep: np.ndarray, axis: int = 1) -> np.ndarray:
    return _log_softmax(np.where(keep, logits, -np.inf), axis)


def _of(values: np.ndarray, action: np.ndarray) -> np.ndarray:
    """The value of each position's own move, [B]."""
    return values[np.arange(len(action)), action]


def _each(logits, legal, action) -> np.ndarray:
    return -_of(_log_p(logits, legal), action)


def _one_hot(logits, action) -> np.ndarray:
    return np.eye(logits.shape[1])[action]


def _p_of_move(logits, legal, action) -> np.ndarray:
    """p of the expert's move as float32 has it."""
    return _of(np.exp(_log_p(logits, legal)), action).astype(np.float32)


def _fault(name: str, give: Callable[..., Any], message: str) -> Fault:
    def quiet(*case):
        with np.errstate(all="ignore"):
            return single(give(*case))

    return Fault(name, quiet, "with {case}, the loss is {right}; yours is {yours}. " + message)


_MULTIPLIED = (
    "You multiply log p with a vector that is 1 at the expert's move and 0 elsewhere. On an illegal "
    "move that is 0 · (−∞), “not a number”. Pick the entry instead: `log_p.gather(1, "
    "action[:, None])`, or put 0 in the place of log p on illegal moves."
)
_FAULTS = (
    _fault(
        "masked after the soft-max, or not at all",
        lambda logits, legal, action: -_of(_log_softmax(logits), action).mean(),
        "Your soft-max shares the probability among *all* moves. The network then spends its "
        "learning on full columns, which the rules forbid anyway. Mask the logits with −∞ first.",
    ),
    _fault(
        "masked with 0",
        lambda logits, legal, action: -_of(_log_softmax(logits * legal), action).mean(),
        "A logit of 0 is no mask: it stands for e⁰ = 1. Only −∞ has the probability 0.",
    ),
    _fault(
        "mask upside down",
        lambda logits, legal, action: -_of(_log_p(logits, ~legal), action).mean(),
        "You keep the illegal moves: `legal_mask` is True where a move is *legal*, and "
        "`masked_fill` fills where its mask is True.",
    ),
    _fault(
        "0 times minus infinity",
        lambda logits, legal, action: (
            -(_one_hot(logits, action) * _log_p(logits, legal)).sum(1).mean()
        ),
        _MULTIPLIED,
    ),
    _fault(
        "0 times minus infinity",
        lambda logits, legal, action: -(_one_hot(logits, action) * _log_p(logits, legal)).mean(),
        _MULTIPLIED,
    ),
    _fault(
        "summed over the batch",
        lambda *case: _each(*case).sum(),
        "Take the mean over the batch, or twice the batch is twice the learning rate.",
    ),
    _fault(
        "mean over the moves, too",
        lambda logits, legal, action: _each(logits, legal, action).mean() / logits.shape[1],
        "A position has one expert's move. Divide by the number of positions, not of entries.",
    ),
    _fault(
        "one loss a position",
        lambda *case: _each(*case).tolist(),
        "One number is asked for, the mean over the batch.",
    ),
    _fault(
        "the sign lost",
        lambda *case: -_each(*case).mean(),
        "Logarithms of probabilities are negative, the loss is positive: minus. Else the optimiser, "
        "which goes *down*, teaches the network to avoid the expert's moves.",
    ),
    _fault(
        "probabilities instead of logarithms",
        lambda *case: -_p_of_move(*case).mean(),
        "That is −p. With it, a move that the network deems impossible has hardly any gradient, just "
        "where there is most to learn. The loss is −log p.",
    ),
    _fault(
        "probabilities instead of logarithms",
        lambda *case: 1 - _p_of_move(*case).mean(),
        "That is 1 − p. With it, a move that the network deems impossible has hardly any gradient, "
        "just where there is most to learn. The loss is −log p.",
    ),
    _fault(
        "the logarithm of the mean",
        lambda *case: -np.log(_p_of_move(*case).mean()),
        "First the logarithm of every position's p, then the mean. The other way round, one position "
        "well predicted makes up for any other.",
    ),
    _fault(
        "soft-max twice",
        lambda logits, legal, action: (
            -_of(_log_softmax(np.exp(_log_p(logits, legal))), action).mean()
        ),
        "`F.cross_entropy` and `log_softmax` want logits; you gave them probabilities, and they took "
        "a soft-max of the soft-max. The loss can then never come near 0.",
    ),
    _fault(
        "soft-max twice",
        lambda logits, legal, action: (
            -_of(_log_p(np.exp(_log_softmax(logits)), legal), action).mean()
        ),
        "A soft-max of the soft-max: mask the *logits*, and take it once.",
    ),
    _fault(
        "logits without a soft-max",
        lambda logits, legal, action: -_of(logits, action).mean(),
        "That is the expert's logit alone. It can grow without end; only the soft-max makes it "
        "compete with the other moves.",
    ),
    _fault(
        "soft-max down the batch",
        lambda logits, legal, action: -_of(_log_p(logits, legal, axis=0), action).mean(),
        "Your soft-max compares the positions of a batch with each other (`dim=0`). It belongs along "
        "the moves, `dim=1`.",
    ),
    _fault(
        "the network's favourite, not the expert's move",
        lambda logits, legal, action: -_log_p(logits, legal).max(1).mean(),
        "You took the move with the largest p. The one to be learnt stands in `action`.",
    ),
    _fault(
        "every position is asked for every move of the batch",
        lambda logits, legal, action: -_log_p(logits, legal)[:, action].mean(),
        "`log_p[:, action]` is [B, B]: each row at the moves of all positions. One entry a row is "
        "`log_p.gather(1, action[:, None])`, or `log_p[torch.arange(len(action)), action]`.",
    ),
)


# --- the check -----------------------------------------------------------------------------------


@explained_for("5.1")
def check_loss(call: Call) -> str:
    given, with_gradient = [], True
    for case in cases():
        logits, legal, action = case.arguments
        # No leaf: who writes into it is told so by the check, not by an error of torch.
        own = tensor(logits, requires_grad=True).clone(), tensor(legal), tensor(action)
        copies = [part.detach().clone() for part in own]
        value = call(*own, shown=case.shown)
        if not unchanged(own, copies):
            raise Wrong(
                "changes what it was given",
                f"With {case.shown}, you wrote into a tensor that you were given, and its owner still "
                "needs it. `logits[~legal_mask] = …` does, and every function whose name ends in `_`, "
                "such as `masked_fill_`. `logits.masked_fill(…)` makes a new one.",
            )
        with_gradient &= has_gradient(value)
        given.append(single(value))
    _check_large(given)
    compare(cases(), given, _FAULTS, tolerance=_CLOSE)
    if not with_gradient:
        raise Wrong(
            "no gradient",
            "The number is right, but no gradient leads back from it to the logits (`.item()`, "
            "`.detach()`, NumPy or `torch.no_grad()`?), so nothing would be learnt. Stay with "
            "tensors to the end.",
        )
    return "Masked first, then −log p of the one move that the expert chose."


def _check_large(given: list[Any]) -> None:
    """What is wrong only where logits are far apart."""
    wrong = [
        i
        for i, (case, value) in enumerate(zip(cases(), given, strict=True))
        if not same(case.right, value, _CLOSE)
    ]
    if not wrong or wrong[0] < _FAR:
        return
    case, value = cases()[wrong[0]], given[wrong[0]]
    seen = f"With {case.shown}, the loss is {show(case.right)}; yours is {show(value)}. "
    rows = [(cases()[i].shown, cases()[i].right, given[i]) for i in wrong]
    if wrong[0] == _FAR:
        raise Wrong(
            "rounded to 0 or ∞ on the way",
            seen + "Your logarithm comes after the exponentials, and float32 has room neither for "
            "e²⁰⁰, which becomes ∞, nor for e⁻²⁰⁰, which becomes 0. What is done afterwards, a small "
            "number added or the logit subtracted, does not bring back what was lost. `log_softmax` "
            "and `logsumexp` take both steps at once, and lose nothing.",
            rows,
        )
    if _is_finite(value):
        raise Wrong(
            "a finite number is no mask",
            seen + "Your mask makes the logits of illegal moves small, but the legal ones may be "
            "smaller still: then the illegal one takes their probability. Only −∞ is below "
            "every logit: `masked_fill(~legal_mask, -math.inf)`.",
            rows,
        )
    raise Wrong(
        "shifted by an illegal move's logit",
        seen + "Taking off the largest logit keeps the exponentials small, but here the largest is "
        "an illegal move's: e to all the legal ones is rounded to 0. Mask with −∞ first: then "
        "`log_softmax` and `logsumexp` take off the largest legal one.",
        rows,
    )


def _is_finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


EXERCISES = (
    Exercise(
        id="5.1",
        title="The loss of imitation",
        minutes=10,
        difficulty=2,
        function="imitation_loss(logits, legal_mask, action)",
        check=check_loss,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "rounded to 0 or ∞ on the way",
            "a finite number is no mask",
            "shifted by an illegal move's logit",
            "changes what it was given",
            "no gradient",
        ),
        hints=(
            "Which logit gives a move the probability 0? And which one entry of each row counts?",
            "`log_softmax(1)` of `logits.masked_fill(~legal_mask, -math.inf)`; the expert's entry of "
            "each row with `gather(1, action[:, None])`.",
            "In near-code:\n\n"
            "    log_p = log_softmax of the masked logits, along the moves\n"
            "    pick from each row the entry of the expert's move\n"
            "    minus their mean",
        ),
    ),
)
