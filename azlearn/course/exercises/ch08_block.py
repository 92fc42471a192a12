"""Chapter 8, the residual block (8.2). The convolutions are stand-ins to be worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, show
from azlearn.course.numbers import numbers, shape, tensor
from azlearn.course.sections import explained_for

_BOTH = [1, 0]  # the two channels swapped: what a convolution may do, and a plain sum cannot

# words, x [B, C, rows, cols], first, second, right
_CASES = (
    (
        "x = [1, -2, 0.5, 3], first(t) = 2t - 1, second(t) = 1 - t",
        [[[[1.0, -2.0, 0.5, 3.0]]]],
        lambda t: 2 * t - 1,
        lambda t: 1 - t,
        # first: 1 -5 0 5; ReLU: 1 0 0 5; second: 0 1 1 -4; with x: 1 -1 1.5 -1
        [[[[1.0, 0.0, 1.5, 0.0]]]],
    ),
    (
        "two channels; both functions swap them, first then takes t - 1, second 3t - 1",
        [[[[0.5, -1.0]], [[2.0, 0.0]]]],
        lambda t: t[:, _BOTH] - 1,
        lambda t: 3 * t[:, _BOTH] - 1,
        # first: (1 -1) (-0.5 -2); ReLU: (1 0) (0 0); second: (-1 -1) (2 -1);
        # with x: (-0.5 -2) (4 -1)
        [[[[0.0, 0.0]], [[4.0, 0.0]]]],
    ),
)


def cases() -> list[Case]:
    """Arguments: x as an array, first, second."""
    return [
        Case(words, (np.array(x), first, second), right)
        for words, x, first, second, right in _CASES
    ]


def _relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


def _fault(name: str, give, message: str) -> Fault:
    text = "with {case}, the right values are {right}; yours are {yours}. "
    return Fault(name, lambda *case: give(*case).tolist(), text + message)


_FAULTS = (
    _fault(
        "no skip",
        lambda x, first, second: _relu(second(_relu(first(x)))),
        "x itself is missing in the sum. Without it a deep tower hardly learns: the gradient has "
        "no short way back.",
    ),
    _fault(
        "ReLU before the addition",
        lambda x, first, second: x + _relu(second(_relu(first(x)))),
        "Add first, then cut off: with the ReLU inside, a block can only add, never take away.",
    ),
    _fault(
        "no ReLU at the end",
        lambda x, first, second: x + second(_relu(first(x))),
        "The sum goes through a last ReLU.",
    ),
    _fault(
        "no ReLU in the middle",
        lambda x, first, second: _relu(x + second(first(x))),
        "Two convolutions with nothing in between are one convolution: a ReLU belongs there.",
    ),
    _fault(
        "the skip starts too late",
        lambda x, first, second: _relu(first(x) + second(_relu(first(x)))),
        "What is added is the block's input x, not what the first convolution made of it.",
    ),
    _fault(
        "the skip starts too late",
        lambda x, first, second: _relu(_relu(first(x)) + second(_relu(first(x)))),
        "What is added is the block's input x, not what the first convolution made of it.",
    ),
    _fault(
        "x is cut off as well",
        lambda x, first, second: _relu(_relu(x) + second(_relu(first(x)))),
        "x is added as it came, negative numbers too.",
    ),
    _fault(
        "one convolution twice",
        lambda x, first, second: _relu(x + first(_relu(first(x)))),
        "`second` is never called: a block has two sets of weights.",
    ),
    _fault(
        "the convolutions swapped",
        lambda x, first, second: _relu(x + first(_relu(second(x)))),
        "`first` comes first.",
    ),
    _fault(
        "x put beside, not added",
        lambda x, first, second: _relu(np.concatenate([x, second(_relu(first(x)))], axis=1)),
        "Side by side there are twice the channels, and the next block does not fit. A residual "
        "block adds.",
    ),
)


def _flat(value: Any) -> str:
    values = np.asarray(value, dtype=float)
    text = show(values.ravel())
    return text if values.ndim == 4 else f"{text} of shape {list(values.shape)}"


@explained_for("8.2")
def check_residual(call: Call) -> str:
    given, changed = [], None
    for case in cases():
        x, first, second = case.arguments
        own = tensor(x)
        given.append(numbers(call(own, first, second, shown=case.shown)))
        shape(given[-1])
        if numbers(own) != x.tolist():
            changed = changed or (case.shown, x, own)
    if changed:
        shown, before, after = changed
        raise Wrong(
            "x is changed in place",
            f"With {shown}, x is not what it was after your call (`+=`, or a function that ends in "
            "`_`?). The gradient needs it as it came in.",
            [("x", _flat(before), _flat(numbers(after)))],
        )
    compare(cases(), given, _FAULTS, form=_flat)
    return "What the block learns is what to *add* to its input."


EXERCISES = (
    Exercise(
        id="8.2",
        title="A residual block",
        minutes=8,
        difficulty=1,
        function="residual(x, first, second)",
        check=check_residual,
        diagnoses=(*dict.fromkeys(fault.name for fault in _FAULTS), "x is changed in place"),
        hints=(
            "Two ways lead from x to the sum. One is empty.",
            "`torch.relu` twice: after `first`, and after the sum.",
            "In near-code:\n\n    y = second(relu(first(x)))\n    relu(x + y)",
        ),
    ),
)
