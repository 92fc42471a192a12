"""Chapter 8, the whole loss (8.4): (z - v)² - π · log p + c‖θ‖², worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare
from azlearn.course.numbers import has_gradient, numbers, tensor
from azlearn.course.sections import explained_for

_LN2, _LN3, _LN4 = math.log(2), math.log(3), math.log(4)

# words, z, v, π, log p, parameters, c, right
_CASES = (
    (
        "z = [1, -1], v = [0.5, -0.5], c = 0.01",
        [1.0, -1.0],
        [[0.5], [-0.5]],
        [[0.5, 0.5], [1.0, 0.0]],
        [[-_LN2, -_LN2], [-_LN4, _LN3 - _LN4]],
        ([[1.0, 2.0], [0.0, -1.0]], [3.0]),
        0.01,
        # (0.25 + 0.25) / 2; (ln 2 + ln 4) / 2; 1 + 4 + 0 + 1 + 9 = 15
        0.25 + 0.75 * _LN4 + 0.15,
    ),
    (
        "z = [0, 1, 1], v = [0.2, 0.4, -0.4], c = 0.001",
        [0.0, 1.0, 1.0],
        [[0.2], [0.4], [-0.4]],
        [[1.0, 0.0], [0.25, 0.75], [1.0, 0.0]],
        [[-_LN2, -_LN2], [-_LN2, -_LN2], [-_LN4, _LN3 - _LN4]],
        ([2.0], [[-4.0]], [0.0, 6.0]),
        0.001,
        # (0.04 + 0.36 + 1.96) / 3; (ln 2 + ln 2 + ln 4) / 3; 4 + 16 + 36 = 56
        2.36 / 3 + 2 * _LN4 / 3 + 0.056,
    ),
    (
        "one sample, z = -1, v = 0.5, c = 0",
        [-1.0],
        [[0.5]],
        [[0.0, 1.0]],
        [[-_LN2, -_LN2]],
        ([5.0],),
        0.0,
        2.25 + _LN2,
    ),
)


def cases() -> list[Case]:
    """Arguments: z [B], v [B, 1], π [B, A], log p [B, A], parameters, c, as arrays."""
    made = []
    for words, z, v, pi, log_p, parameters, c, right in _CASES:
        arrays = tuple(map(np.array, (z, v, pi, log_p)))
        made.append(Case(words, (*arrays, [np.array(p) for p in parameters], c), right))
    return made


def _value(z, v) -> float:
    return ((z - v[:, 0]) ** 2).mean()


def _policy(pi, log_p) -> float:
    return -(pi * log_p).sum(1).mean()


def _l2(parameters) -> float:
    return sum((p**2).sum() for p in parameters)


def _with(*, value=_value, policy=_policy, l2=_l2) -> Callable[..., float]:
    """The loss with one part replaced."""
    return lambda z, v, pi, log_p, parameters, c: (
        value(z, v) + policy(pi, log_p) + c * l2(parameters)
    )


_LOSS = "with {case}, the loss is {right}; yours is {yours}. "


def _fault(name: str, give: Callable[..., Any], message: str) -> Fault:
    return Fault(name, lambda *case: float(give(*case)), _LOSS + message)


_FAULTS = (
    _fault(
        "z and v make a table",
        _with(value=lambda z, v: ((z - v) ** 2).mean()),
        "z is [B] and v is [B, 1]: their difference is a *table* [B, B], every z against every v. "
        "No error, no warning, and the best the network can do is one value for all positions. "
        "Bring v to [B] first, with `v.squeeze(1)`.",
    ),
    _fault(
        "summed over the batch",
        lambda z, v, pi, log_p, parameters, c: (
            len(z) * (_value(z, v) + _policy(pi, log_p)) + c * _l2(parameters)
        ),
        "Both parts are means over the batch.",
    ),
    _fault(
        "summed over the batch",
        _with(value=lambda z, v: ((z - v[:, 0]) ** 2).sum()),
        "The value's part is a mean over the batch, too.",
    ),
    _fault(
        "summed over the batch",
        _with(policy=lambda pi, log_p: -(pi * log_p).sum()),
        "The policy's part is a mean over the batch, too.",
    ),
    _fault(
        "mean over the moves",
        _with(policy=lambda pi, log_p: -(pi * log_p).mean()),
        "In the policy's part sum over the moves, then take the mean over the batch.",
    ),
    _fault(
        "the policy's part with the wrong sign",
        _with(policy=lambda pi, log_p: (pi * log_p).sum(1).mean()),
        "It is minus π · log p. With a plus the network is paid for avoiding the good moves.",
    ),
    _fault(
        "the value's sign turned",
        _with(value=lambda z, v: ((z + v[:, 0]) ** 2).mean()),
        "z and v both speak for the player to move: (z − v)², with no sign to turn.",
    ),
    _fault(
        "the distance, not its square",
        _with(value=lambda z, v: abs(z - v[:, 0]).mean()),
        "The value's part is the *squared* distance, so that the best v is the mean of z.",
    ),
    _fault(
        "half of the square",
        _with(value=lambda z, v: _value(z, v) / 2),
        "There is no ½ in this loss. AlphaGo Zero weighs both parts equally.",
    ),
    _fault(
        "the norm, not its square",
        _with(l2=lambda parameters: np.sqrt(_l2(parameters))),
        "‖θ‖² is the sum of the squares, without a root.",
    ),
    _fault(
        "the norm, not its square",
        _with(l2=lambda parameters: sum(np.sqrt((p**2).sum()) for p in parameters)),
        "‖θ‖² is the sum of the squares, without a root.",
    ),
    _fault(
        "mean of the weights' squares",
        _with(l2=lambda parameters: sum((p**2).mean() for p in parameters)),
        "‖θ‖² sums the squares of *all* weights, whatever the size of their tensor.",
    ),
    _fault(
        "c is missing",
        lambda z, v, pi, log_p, parameters, c: _value(z, v) + _policy(pi, log_p) + _l2(parameters),
        "c, small, stands before ‖θ‖².",
    ),
    _fault(
        "the weights are missing",
        _with(l2=lambda parameters: 0.0),
        "The third part, c‖θ‖², is not in it.",
    ),
)


@explained_for("8.4")
def check_total_loss(call: Call) -> str:
    given, with_gradient = [], True
    for case in cases():
        z, v, pi, log_p, parameters, c = case.arguments
        own = [tensor(p, requires_grad=True) for p in parameters]
        v, log_p = tensor(v, requires_grad=True), tensor(log_p, requires_grad=True)
        value = call(tensor(z), v, tensor(pi), log_p, own, c, shown=case.shown)
        with_gradient &= has_gradient(value)
        given.append(numbers(value))
    for case, value in zip(cases(), given, strict=True):
        if isinstance(value, list):
            raise Wrong(
                "not one number",
                f"With {case.shown}, one number is asked for: your loss has more entries. Every "
                "part is a single number, the first two as means over the batch.",
            )
    compare(cases(), given, _FAULTS, tolerance=1e-5)
    if not with_gradient:
        raise Wrong(
            "no gradient",
            "The number is right, but no gradient leads back from it (`.item()`, `.detach()` or "
            "`torch.no_grad()`?), so nothing would be learnt.",
        )
    return "Three parts, one number, and the shapes agree before they are subtracted."


EXERCISES = (
    Exercise(
        id="8.4",
        title="The whole loss",
        minutes=10,
        difficulty=2,
        function="total_loss(z, v, policy_target, log_p, parameters, c)",
        check=check_total_loss,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "not one number",
            "no gradient",
        ),
        hints=(
            "Three parts. Look at the shape of each before you add them.",
            "`z - v` of [B] and [B, 1] is [B, B]: use `v.squeeze(1)`. ‖θ‖² is a sum over tensors "
            "of sums of squares.",
            "In near-code:\n\n"
            "    mean of (z - v.squeeze(1)) squared\n"
            "    + mean over the batch of minus the sum over the moves of π * log p\n"
            "    + c * the sum of (p * p).sum() for every p in parameters",
        ),
    ),
)
