"""Comparing an answer with the truth, and naming the fault behind the difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from azlearn.course.results import Row

UNRECOGNISED = "no named fault"


class Wrong(Exception):
    """A named fault in the answer.

    Args:
        diagnosis: the fault's name.
        message: what was expected, what was found, where to read on.
        rows: (label, right, yours) to put side by side; values are formatted with `show`.
    """

    def __init__(
        self, diagnosis: str, message: str, rows: Sequence[tuple[str, Any, Any]] = ()
    ) -> None:
        super().__init__(f"{diagnosis}: {message}")
        self.diagnosis = diagnosis
        self.message = message
        self.rows = tuple(Row(label, show(right), show(yours)) for label, right, yours in rows)


def show(value: Any) -> str:
    """A value as a reader would write it: no NumPy wrappers, short floats, signed where useful."""
    if isinstance(value, str):
        return value
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return "(" + ", ".join(show(item) for item in value) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(show(item) for item in value) + "]"
    return repr(value)


def signed(values: Sequence[float]) -> str:
    """[+1, -1, 0]: numbers whose sign is the point."""
    return "[" + ", ".join(f"{value:+g}" if value else "0" for value in values) + "]"


def form_statistics(pair: Any) -> str:
    """A pair (visit_counts, value_sum) as "N [1, 3], W [-1, 0]"."""
    visits, values = (as_list(entry) or [] for entry in pair)
    return f"N {show(visits)}, W {show([round(float(w), 3) for w in values])}"


def as_list(value: Any) -> list[Any] | None:
    """A list, tuple, array or iterator as a plain list of Python values; None if it is none."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__"):
        return None
    return [item.item() if isinstance(item, np.generic) else item for item in value]


def same(left: Any, right: Any, tolerance: float = 1e-6) -> bool:
    """Equal up to types and rounding: 1 == 1.0 == np.int64(1), (1, 2) == [1, 2] == array([1, 2]).

    None equals only None; a bool equals 0 or 1.
    """
    if left is None or right is None:
        return left is right
    left_list, right_list = as_list(left), as_list(right)
    if left_list is not None or right_list is not None:
        if left_list is None or right_list is None or len(left_list) != len(right_list):
            return False
        return all(same(a, b, tolerance) for a, b in zip(left_list, right_list, strict=True))
    try:
        a, b = float(left), float(right)
    except (TypeError, ValueError):
        return False
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b)) or (a != a and b != b)


@dataclass(frozen=True)
class Fault:
    """A known wrong answer: its name, what it would give on each case, and what to tell.

    `give` takes a case's input and returns the faulty value. `message` may use {right} and
    {yours} for the first case that tells the two apart, and {case} for its words.
    """

    name: str
    give: Callable[..., Any]
    message: str


@dataclass(frozen=True)
class Case:
    """One input, in words too, and the value worked out outside the reader's code."""

    shown: str
    arguments: tuple[Any, ...]
    right: Any


def compare(
    cases: Sequence[Case],
    given: Sequence[Any],
    faults: Sequence[Fault],
    *,
    form: Callable[[Any], str] = show,
    tolerance: float = 1e-6,
) -> None:
    """Raise Wrong unless every given value is right.

    A fault is named if its values agree with the given ones on *every* case; so one fault of
    the reader's is told apart from another, and two at once from both.
    """
    wrong = [i for i, case in enumerate(cases) if not same(case.right, given[i], tolerance)]
    if not wrong:
        return
    for fault in faults:
        fits = (
            same(fault.give(*case.arguments), value, tolerance)
            for case, value in zip(cases, given, strict=True)
        )
        if all(fits):
            _raise(fault.name, fault.message, cases, given, wrong, form)
    text = "On {case}, the right value is {right}; yours is {yours}."
    _raise(UNRECOGNISED, text, cases, given, wrong, form)


def _raise(name, message, cases, given, wrong, form) -> None:
    first = wrong[0]
    text = message.format(
        case=cases[first].shown,
        right=_form(cases[first].right, form),
        yours=_form(given[first], form),
    )
    if name != UNRECOGNISED:
        text = f"Your numbers match “{name}”: {text}"
    rows = [(cases[i].shown, _form(cases[i].right, form), _form(given[i], form)) for i in wrong[:4]]
    raise Wrong(name, text, rows)


def _form(value: Any, form: Callable[[Any], str]) -> str:
    """Show a value that may not have the shape `form` wants."""
    try:
        return form(value)
    except (TypeError, ValueError):
        return show(value)
