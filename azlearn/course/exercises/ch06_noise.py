"""Chapter 6, what a baseline does (6.3): mean and variance of the gradient, without drawing.

In a game of a single move every outcome can be counted. The numbers were worked out by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, show
from azlearn.course.numbers import numbers
from azlearn.course.sections import explained_for

# p, z, b; mean, variance by hand
_CASES = (
    # g = [0.5, -0.5] and [0, 0]
    ((0.5, 0.5), (1, 0), 0.0, (0.25, -0.25), 0.125),
    # g = [0.25, -0.25], both times
    ((0.5, 0.5), (1, 0), 0.5, (0.25, -0.25), 0.0),
    # g = 1 · [0.75, -0.75] and -1 · [-0.25, 0.25]; off the mean by 0.375 and 0.125, each twice
    ((0.25, 0.75), (1, -1), 0.0, (0.375, -0.375), 0.09375),
    # g = 0.5 · [0.75, -0.75] and -1.5 · [-0.25, 0.25]: the same both times
    ((0.25, 0.75), (1, -1), 0.5, (0.375, -0.375), 0.0),
    # g = 2 · [0.75, -0.75] and 0: off the mean by 1.125 and 0.375, each twice
    ((0.25, 0.75), (1, -1), -1.0, (0.375, -0.375), 0.84375),
    # g = [0.25, -0.125, -0.125], [-0.25, 0.375, -0.125] and [0.75, 0.375, -1.125], off the mean by
    # [0, -0.25, 0.25], [-0.5, 0.25, 0.25] and [0.5, 0.25, -0.75]: 0.0625 + 0.09375 + 0.21875
    ((0.5, 0.25, 0.25), (1, 1, -1), 0.5, (0.25, 0.125, -0.375), 0.375),
)


def cases() -> list[Case]:
    """Arguments: p, z, b; right: [mean, variance]."""
    return [
        Case(_in_words(p, z, b), (np.array(p), np.array(z, dtype=float), b), [list(mean), variance])
        for p, z, b, mean, variance in _CASES
    ]


def _in_words(p: Any, z: Any, b: float) -> str:
    return f"p = {show(list(p))}, z = {show(list(z))}, b = {b:g}"


def _moments(p, z, b, *, away=None, weight=None, shares=None, squares=None) -> list:
    """The right ones, or with another gradient of each move, other shares, another spread.

    Args:
        away: [A, A], row a instead of the gradient of log p(a).
        weight: [A], instead of z - b.
        shares: [A], instead of p.
        squares: takes (shares, gradients, mean); gives the variance.
    """
    away = np.eye(len(p)) - p if away is None else away
    gradients = (z - b if weight is None else weight)[:, None] * away
    shares = p if shares is None else shares
    mean = shares @ gradients
    squares = squares or (lambda shares, g, mean: shares @ ((g - mean) ** 2).sum(axis=1))
    return [mean.tolist(), float(squares(shares, gradients, mean))]


def _fault(name: str, change: Callable[..., dict], message: str) -> Fault:
    """`change` takes p, z, b and names the parts of `_moments` that are others."""

    def give(p, z, b):
        return _moments(p, z, b, **change(p, z, b))

    return Fault(name, give, "with {case}, mean and variance are {right}; yours are {yours}. " + message)  # fmt: skip


_FAULTS = (
    _fault(
        "every move counts the same",
        lambda p, z, b: {"shares": np.full(len(p), 1 / len(p))},
        "Moves are drawn with the probabilities p: weigh each with its p, not with 1 / A.",
    ),
    _fault(
        "nothing taken from the other moves",
        lambda p, z, b: {"away": np.eye(len(p))},
        "The gradient of log p(a) is e_a − p: what a move wins in probability the others lose.",
    ),
    _fault(
        "e_a − p the wrong way round",
        lambda p, z, b: {"away": p - np.eye(len(p))},
        "The gradient of log p(a) is e_a − p. Yours makes the moves that won rarer.",
    ),
    _fault(
        "the gradient of p instead of log p",
        lambda p, z, b: {"away": p[:, None] * (np.eye(len(p)) - p)},
        "p · (e_a − p) is the gradient of p(a). Drawing already makes likely moves frequent; "
        "with log p that is counted once, here it is counted twice.",
    ),
    _fault(
        "z − b weighs the logits instead of the moves",
        lambda p, z, b: {"weight": np.ones(len(p)), "away": (z - b) * (np.eye(len(p)) - p)},
        "`(z - b) * (np.eye(len(p)) - p)` multiplies *columns*: logit k gets z_k − b, whichever move "
        "was drawn. Row a is the sample of move a and gets z_a − b: `(z - b)[:, None] * …`.",
    ),
    _fault(
        "the baseline is not used",
        lambda p, z, b: {"weight": z},
        "One sample is (z − b) times the gradient of log p.",
    ),
    _fault(
        "the baseline added",
        lambda p, z, b: {"weight": z + b},
        "One sample is (z − b) times the gradient of log p.",
    ),
    _fault(
        "the square is not taken around the mean",
        lambda p, z, b: {"squares": lambda shares, g, mean: shares @ (g**2).sum(axis=1)},
        "That is the mean square. The variance is the mean square of the distance from the mean.",
    ),
    _fault(
        "the mean of the logits' variances",
        lambda p, z, b: {
            "squares": lambda shares, g, mean: shares @ ((g - mean) ** 2).mean(axis=1)
        },
        "Sum over the logits: the variance asked for is that of the whole vector.",
    ),
    _fault(
        "the standard deviation",
        lambda p, z, b: {
            "squares": lambda shares, g, mean: np.sqrt(shares @ ((g - mean) ** 2).sum(axis=1))
        },
        "The variance is the square of it.",
    ),
    _fault(
        "the variance does not know p",
        lambda p, z, b: {"squares": lambda shares, g, mean: ((g - mean) ** 2).sum(axis=1).mean()},
        "The mean is right. In the variance too each move counts with its p.",
    ),
)


@explained_for("6.3")
def check_moments(call: Call) -> str:
    given = []
    for case in cases():
        p, z, b = case.arguments
        value = numbers(as_list(call(p.copy(), z.copy(), b, shown=case.shown)))
        if not _is_pair(value, len(p)):
            raise Wrong(
                "not a pair (mean, variance)",
                f"With {case.shown}, (mean, variance) is asked for: {len(p)} numbers, and one. You "
                f"gave {show(value):.80}.",
            )
        given.append(value)
    compare(cases(), given, _FAULTS)
    return "The baseline leaves the mean where it is, and a good one takes noise away."


def _is_pair(value: Any, num_actions: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], list)
        and len(value[0]) == num_actions
        and as_list(value[1]) is None
    )


EXERCISES = (
    Exercise(
        id="6.3",
        title="What a baseline does",
        minutes=12,
        difficulty=2,
        function="gradient_moments(p, z, b)",
        check=check_moments,
        diagnoses=(
            *(fault.name for fault in _FAULTS),
            "not a pair (mean, variance)",
        ),
        hints=(
            "There are only A games that can happen. Write down the gradient that each would give, "
            "and how likely it is.",
            "`gradients = (z - b)[:, None] * (np.eye(len(p)) - p)`: row a is the sample if move a "
            "is drawn. The mean is `p @ gradients`.",
            "In near-code:\n\n"
            "    for each move a: g_a = (z_a - b) * (e_a - p)\n"
            "    mean = sum of p_a * g_a\n"
            "    variance = sum of p_a * (squared length of g_a - mean)",
        ),
    ),
)
