"""Values as a reader would write them, whether two are the same, and the verdict on a wrong one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from azlearn.course.results import Compared

_PLAIN = (int, float, str, bool)


class Wrong(Exception):
    """A named fault in the answer.

    Args:
        diagnosis: the fault's name.
        message: what was expected, what was found, where to read on.
        rows: (label, right, yours) to put side by side; values are formatted with ``show``.
        place: what stands in the solution, and what gives the reader's results in its place.
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
    """A value as a reader would write it: no NumPy wrappers, short floats, signed where useful."""
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
    """A long text without its middle."""
    return text if len(text) <= length else f"{text[: length - 40]} … {text[-35:]}"


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

    None equals only None, a text only the same text; a bool equals 0 or 1. Two ``About`` are equal
    if they are as near as the first says.
    """
    if type(left) is type(right) and type(left) in _PLAIN and left == right:
        return True  # most are
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
    """A measured value or a list of them: the same as another within a distance, ``within``."""

    values: Any
    within: float

    def __repr__(self) -> str:
        return show(np.round(np.asarray(self.values, dtype=float), 3) + 0.0)  # -0.0 becomes 0.0
