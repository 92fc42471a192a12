"""Everything that the exercise modules need, in one import.

It re-exports names of ``marking``, ``comparing``, ``numbers`` and other modules, and the two games
that most cases use. It also defines observations of answers that must have a certain form. The
decorator ``@gives("two boards")`` puts a description of that form before the other observations of
``observe``. If ``row``, ``parts``, ``truths`` or ``whole`` finds another form, only that is seen.
"""

import copy
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from azlearn.course.checking import Call
from azlearn.course.comparing import About, as_list, same, show, signed
from azlearn.course.marking import CHANGED, Case, Observation, Raised, attempt, returned
from azlearn.course.numbers import has_gradient, numbers, single, tensor
from azlearn.course.observation import AT_ONCE, KIND, vectorised_result
from azlearn.course.small_trees import CONNECT_FOUR as FOUR
from azlearn.course.small_trees import TIC_TAC_TOE as THREE
from azlearn.course.your_search import in_words

__all__ = [
    "AT_ONCE",
    "CHANGED",
    "FOUR",
    "KIND",
    "THREE",
    "About",
    "Answer",
    "Call",
    "Case",
    "Observation",
    "Raised",
    "Rng",
    "Unfit",
    "as_list",
    "attempt",
    "gives",
    "has_gradient",
    "in_words",
    "named",
    "numbers",
    "parts",
    "returned",
    "row",
    "same",
    "show",
    "signed",
    "single",
    "tensor",
    "truths",
    "vectorised_result",
    "whole",
]  # fmt: skip

Answer = Callable[..., Any]  # the student's function
Rng = np.random.Generator


class Unfit(Exception):
    """Raised when an answer returns a value of the wrong form."""


def gives(kind: str) -> Callable[[Callable[..., Observation]], Callable[..., Observation]]:
    """Decorates ``observe(answer, case)``: puts ``KIND``, the form of the value, first."""

    def decorate(observe: Callable[..., Observation]) -> Callable[..., Observation]:
        @wraps(observe)
        def observed(answer: Answer, case: Any, **options: Any) -> Observation:
            try:
                return {KIND: kind, **observe(answer, case, **options)}
            except Unfit as unfit:
                (value,) = unfit.args
                return {KIND: None if value is None else f"{show(value):.80}, not {kind}"}

        return observed

    return decorate


def row(value: Any, size: int | None = None) -> list:
    """Returns ``value`` as a list, which must have ``size`` entries if a size is given.

    Raises:
        Unfit: ``value`` is not such a list.
    """
    found = as_list(value)
    if found is None or (size is not None and len(found) != size):
        raise Unfit(value)
    return found


def parts(value: Any, *shapes: tuple[int, ...] | None) -> list:
    """Returns the parts of a pair, a triple and so on as ``numbers``, checked against ``shapes``.

    A shape of None allows any shape.

    Raises:
        Unfit: the number of parts or one of their shapes is wrong.
    """
    found = list(map(numbers, row(value, len(shapes))))
    try:
        fits = all(s is None or np.shape(p) == s for p, s in zip(found, shapes, strict=True))
    except ValueError:  # rows of different lengths
        fits = False
    if not fits:
        raise Unfit(value)
    return found


def truths(value: Any, size: int) -> list[bool]:
    """Returns ``value`` as a list of ``size`` truth values.

    Raises:
        Unfit: ``value`` is not such a list.
    """
    found = row(numbers(value), size)
    if any(entry not in (0, 1) for entry in found):
        raise Unfit(value)
    return list(map(bool, found))


def whole(value: Any) -> int:
    """Returns ``value`` as a whole number, such as a bitboard.

    Raises:
        Unfit: ``value`` is not a whole number.
    """
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise Unfit(value)
    return int(value)


def named(kind: str, *names: str) -> Callable[[Answer, Case], Observation]:
    """Returns an ``observe`` for answers that return one number per name, in this order."""

    @gives(kind)
    def observe(answer: Answer, case: Case) -> Observation:
        found = parts(answer(*copy.deepcopy(case.arguments)), *[None] * len(names))
        return dict(zip(names, map(single, found), strict=True))

    return observe
