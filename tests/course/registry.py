"""Answers to the exercises, wrong and right, as readers would write them.

Functions under a decorator, in ``answers_chNN.py``; wrong ones that are the solution with some text
replaced also in ``wrong_chNN.md``: ``## 3.1``, then as on a sheet, with no sentence for the reader.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from azlearn.course.exercises import EXERCISES
from azlearn.course.sheets import read_fault


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


def collect() -> None:
    """Register all that stands in this folder."""
    folder = Path(__file__).parent
    for path in sorted(folder.glob("answers_ch*.py")):
        import_module(f"tests.course.{path.stem}")
    for path in sorted(folder.glob("wrong_ch*.md")):
        for part in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
            exercise_id, *answers = re.split(r"\s*^### ", part, flags=re.M)
            marking = EXERCISES[exercise_id].marking
            for fault in (read_fault(answer, is_told=False) for answer in answers):
                mutant(exercise_id, fault.name)(marking.function(fault.source(marking.solution)))
