"""Answers to the exercises, wrong and right, as readers would write them.

Functions under a decorator, in ``answers_chNN.py``; wrong ones that are the solution with some text
replaced stand in ``wrong_answers.md``: ``## 3.1 name``, then as on a sheet, without the sentence.
What a patch of the sheet makes is tried already: here are the names that none makes, and wrong
answers without a name.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from azlearn.course.exercises import EXERCISES
from azlearn.course.sheets import Fault, read_fault

_FOLDER = Path(__file__).parent


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


def wrong_answer(exercise_id: str, name: str) -> Callable[..., Any]:
    """The first patch of that name, of the sheet or of the file, put into the solution."""
    marking = EXERCISES[exercise_id].marking
    faults = (*marking.sheet.faults, *_patches()[exercise_id])
    fault = next(fault for fault in faults if fault.name == name and fault.can_be_made)
    return marking.function(fault.source(marking.solution))


def collect() -> None:
    """Register all that stands in this folder."""
    for path in sorted(_FOLDER.glob("answers_ch*.py")):
        import_module(f"tests.course.{path.stem}")
    for exercise_id, faults in _patches().items():
        marking = EXERCISES[exercise_id].marking
        for fault in faults:
            mutant(exercise_id, fault.name)(marking.function(fault.source(marking.solution)))


@cache
def _patches() -> dict[str, list[Fault]]:
    found = defaultdict(list)
    text = (_FOLDER / "wrong_answers.md").read_text(encoding="utf-8")
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        exercise_id, fault = part.split(" ", 1)
        found[exercise_id].append(read_fault(fault, is_told=False))
    return found
