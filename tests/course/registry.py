"""Answers to the exercises, wrong and right, as readers would write them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    exercise_id: str
    function: Callable[..., Any]
    diagnosis: str  # "" for a right one


MUTANTS: list[Answer] = []
RIGHT: list[Answer] = []


def mutant(exercise_id: str, diagnosis: str):
    """The decorated function is wrong, and the check must give exactly this diagnosis."""

    def register(function):
        MUTANTS.append(Answer(exercise_id, function, diagnosis))
        return function

    return register


def right(exercise_id: str):
    """The decorated function is right, though written in another way than the solution."""

    def register(function):
        RIGHT.append(Answer(exercise_id, function, ""))
        return function

    return register
