"""How wrong results relate to the right ones, when no fault or slip explains them.

These are facts, not guesses: the opposite sign, another order, a constant factor, one fewer. Each
must hold on every case where the answer is wrong, so it helps even if the cause is unknown.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from azlearn.course.comparing import About, as_list, same

_FEWEST = 3  # on fewer wrong cases a relation may be chance


class Relation(NamedTuple):
    """A relation: its name, a sentence about it, and a question that leads on."""

    name: str
    says: str
    asks: str


def relation(pairs: Sequence[tuple[Any, Any]]) -> Relation | None:
    """The plainest relation between the right values and wrong ones that holds for all pairs.

    Args:
        pairs: (right, yours), where yours differs from right.
    """
    if len(pairs) < _FEWEST or any(isinstance(value, About) for pair in pairs for value in pair):
        return None
    rights, yours = zip(*pairs, strict=True)
    if all(same(yours[0], value) for value in yours) and not _all_same(rights):
        return Relation(
            "always the same",
            "Wherever your result is wrong, it is the same, whatever the input.",
            "On which of the arguments should the result depend?",
        )
    for found, holds in _OF_LISTS:
        lists = [(as_list(right), as_list(value)) for right, value in pairs]
        if all(a and b is not None and holds(a, b) for a, b in lists):
            return found
    numbers = [(_numbers(right), _numbers(value)) for right, value in pairs]
    if any(a is None or b is None or a.shape != b.shape for a, b in numbers):
        return None
    one, other = (np.concatenate(column) for column in zip(*numbers, strict=True))
    return _of_numbers(one, other)


def _all_same(values: Sequence[Any]) -> bool:
    return all(same(values[0], value) for value in values)


def _numbers(value: Any) -> np.ndarray | None:
    """All numbers in a value, as a flat array; None if it contains something else."""
    entries = as_list(value)
    try:
        if entries is None:
            return None if isinstance(value, str | bytes) else np.array([float(value)])
        parts = [_numbers(entry) for entry in entries]
    except (TypeError, ValueError):
        return None
    if any(part is None for part in parts):
        return None
    return np.concatenate([np.zeros(0), *parts])


def _of_numbers(right: np.ndarray, yours: np.ndarray) -> Relation | None:
    """``right`` and ``yours``: the numbers of all wrong cases."""
    if not (np.isfinite(right).all() and np.isfinite(yours).all()):
        return None
    wrong = ~np.isclose(right, yours, rtol=1e-6, atol=1e-9)
    a, b = right[wrong], yours[wrong]
    if len({*np.round(a, 6)}) < 2:  # one value is related to any other
        return None
    if np.allclose(b, -a, rtol=1e-5, atol=1e-9):
        whole = "Wherever your result is wrong, it has the opposite sign."
        return Relation(
            "the opposite sign",
            whole,
            "Which sign belongs here? For a value: from whose point of view?",
        )
    if not b.any():
        text = "Wherever one of your numbers is wrong, it is 0."
        return Relation("0 instead of a value", text, "Which cases are left out?")
    if np.all(a) and np.allclose(b / a, b[0] / a[0], rtol=1e-5):
        text = (
            f"Wherever one of your numbers is wrong, it is {b[0] / a[0]:.4g} times the right one."
        )
        return Relation("a constant factor", text, "By what is this number multiplied or divided?")
    if np.allclose(b - a, b[0] - a[0], rtol=1e-5, atol=1e-9):
        size, way = abs(b[0] - a[0]), "large" if b[0] > a[0] else "small"
        text = f"Wherever one of your numbers is wrong, it is too {way} by {size:.4g}."
        return Relation("a constant difference", text, "What is counted too often or too rarely?")
    return None


def _begins(longer: list, shorter: list) -> bool:
    return len(longer) > len(shorter) and same(longer[: len(shorter)], shorter)


def _ends(longer: list, shorter: list) -> bool:
    return len(longer) > len(shorter) and same(longer[len(longer) - len(shorter) :], shorter)


def _is_reordered(right: list, yours: list) -> bool:
    if len(right) != len(yours):
        return False
    left = list(yours)
    for entry in right:
        place = next((i for i, other in enumerate(left) if same(entry, other)), None)
        if place is None:
            return False
        del left[place]
    return True


_OF_LISTS: tuple[tuple[Relation, Callable[[list, list], bool]], ...] = (
    (
        Relation(
            "in the opposite order",
            "Wherever your list is wrong, it is the right one in the opposite order.",
            "With which entry should it start?",
        ),
        lambda right, yours: len(right) == len(yours) and same(right, yours[::-1]),
    ),
    (
        Relation(
            "in another order",
            "Wherever your list is wrong, it has the right entries in another order.",
            "Where does each entry belong?",
        ),
        _is_reordered,
    ),
    (
        Relation(
            "the end is missing",
            "Wherever your list is wrong, it is the right one without its end.",
            "When does it stop?",
        ),
        _begins,
    ),
    (
        Relation(
            "the start is missing",
            "Wherever your list is wrong, it is the right one without its start.",
            "Where does it start?",
        ),
        _ends,
    ),
    (
        Relation(
            "too much at the end",
            "Wherever your list is wrong, it is the right one with something more at its end.",
            "When should it stop?",
        ),
        lambda right, yours: _begins(yours, right),
    ),
)
