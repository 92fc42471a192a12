"""Formats values, compares them, and defines the exception for a wrong answer."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from azlearn.course.results import Compared

_PLAIN = (int, float, str, bool)


class Wrong(Exception):
    """Raised when an answer is wrong; names the fault.

    Args:
        diagnosis: the fault's name.
        message: the expected result, the student's result, and where to read more.
        rows: (label, right, yours) to show side by side; values are formatted with ``show``.
        place: a piece of the solution, and the replacement that reproduces the student's results.
    """

    def __init__(
        self,
        diagnosis: str,
        message: str,
        rows: Sequence[tuple[str, Any, Any]] = (),
        place: tuple[str, str] | None = None,
    ) -> None:
        super().__init__(f"{diagnosis}: {message}")
        self.diagnosis = diagnosis
        self.message = message
        self.place = place
        self.rows = tuple(Compared(label, show(right), show(yours)) for label, right, yours in rows)


def show(value: Any) -> str:
    """Formats a value as a reader would write it: no NumPy wrappers, short floats."""
    if isinstance(value, str):
        return value
    if isinstance(value, np.ndarray) or hasattr(value, "detach"):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return "0" if abs(value) < 1e-12 else f"{value:.4g}"
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return "(" + ", ".join(show(item) for item in value) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(show(item) for item in value) + "]"
    return repr(value)


def shortened(text: str, length: int = 160) -> str:
    """Shortens a long text by removing its middle."""
    return text if len(text) <= length else f"{text[: length - 40]} … {text[-35:]}"


def signed(values: Sequence[float]) -> str:
    """Formats numbers whose sign matters: [+1, -1, 0]."""
    return "[" + ", ".join(f"{value:+g}" if value else "0" for value in values) + "]"


def form_statistics(pair: Any) -> str:
    """Formats a pair (visit_counts, value_sum) as "N [1, 3], W [-1, 0]"."""
    visits, values = (as_list(entry) or [] for entry in pair)
    return f"N {show(visits)}, W {show([round(float(w), 3) for w in values])}"


def as_list(value: Any) -> list[Any] | None:
    """Converts a list, tuple, array or iterator to a plain list; None for anything else."""
    if isinstance(value, np.ndarray) or hasattr(value, "detach"):  # or a tensor
        return value.tolist() if value.ndim else None
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__"):
        return None
    return [item.item() if isinstance(item, np.generic) else item for item in value]


def same(left: Any, right: Any, tolerance: float = 1e-6) -> bool:
    """Compares up to types and rounding: 1 == 1.0 == np.int64(1), (1, 2) == [1, 2].

    None equals only None, a string only the same string, and a bool equals 0 or 1. Two ``About``
    objects are equal if they differ by at most the first one's ``within``.
    """
    if type(left) is type(right) and type(left) in _PLAIN and left == right:
        return True  # the common case, first
    if isinstance(left, About) and isinstance(right, About):
        one, other = (np.asarray(about.values, dtype=float) for about in (left, right))
        if one.shape != other.shape:
            return False
        return bool(np.isclose(one, other, rtol=0, atol=left.within, equal_nan=True).all())
    if left is None or right is None:
        return left is right
    if isinstance(left, str) or isinstance(right, str):
        return isinstance(left, str) and isinstance(right, str) and left == right
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
class About:
    """A measured value or a list of them, which equals another up to a difference of ``within``."""

    values: Any
    within: float

    def __repr__(self) -> str:
        return show(np.round(np.asarray(self.values, dtype=float), 3) + 0.0)  # -0.0 becomes 0.0
