"""What the modules of exercises are written with, in one import.

Beside what marking, comparing and numbers define: the two games that most cases are played in, and
observations for answers that must have a certain form. ``@gives("two boards")`` stands above an
``observe`` and adds what came back, in words, before all else; where ``row``, ``parts``, ``truths``
or ``whole`` find another form, that is all that is seen.
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

Answer = Callable[..., Any]  # what the reader has written
Rng = np.random.Generator


class Unfit(Exception):
    """An answer gave back a value of another form than asked for."""


def gives(kind: str) -> Callable[[Callable[..., Observation]], Callable[..., Observation]]:
    """A decorator of ``observe(answer, case)``: first comes ``KIND``, which should be ``kind``."""

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
    """A list of so many entries, or of any number.

    Raises:
        Unfit: it is none.
    """
    found = as_list(value)
    if found is None or (size is not None and len(found) != size):
        raise Unfit(value)
    return found


def parts(value: Any, *shapes: tuple[int, ...] | None) -> list:
    """The parts of a pair, a triple, … as ``numbers``, each of its shape; None for any.

    Raises:
        Unfit: there are more or fewer, or one has another shape.
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
    """So many that are True or False.

    Raises:
        Unfit: they are not.
    """
    found = row(numbers(value), size)
    if any(entry not in (0, 1) for entry in found):
        raise Unfit(value)
    return list(map(bool, found))


def whole(value: Any) -> int:
    """A whole number, such as a board of bits.

    Raises:
        Unfit: it is none.
    """
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise Unfit(value)
    return int(value)


def named(kind: str, *names: str) -> Callable[[Answer, Case], Observation]:
    """The observation of an answer that gives so many single numbers: each by its name."""

    @gives(kind)
    def observe(answer: Answer, case: Case) -> Observation:
        found = parts(answer(*copy.deepcopy(case.arguments)), *[None] * len(names))
        return dict(zip(names, map(single, found), strict=True))

    return observe
