"""Wrong and right answers to the exercises, as readers would write them.

They are decorated functions in ``answers_chNN.py``. Wrong answers that are the solution with some
text replaced are in ``wrong_answers.md``: ``## 3.1 name``, then as on a sheet, but without the
explanation. Answers that a patch of the sheet makes are tested elsewhere. Here are the faults that
no patch makes, and wrong answers without a name.
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
    """Registers the decorated wrong function; the check must return exactly this diagnosis."""

    def register(function):
        MUTANTS.append(Answer(exercise_id, function, diagnosis))
        return function

    return register


def right(exercise_id: str):
    """Registers the decorated function, which is right but differs from the solution."""

    def register(function):
        RIGHT.append(Answer(exercise_id, function, ""))
        return function

    return register


def wrong_answer(exercise_id: str, name: str) -> Callable[..., Any]:
    """The solution with the first patch of that name, from the sheet or from the file."""
    marking = EXERCISES[exercise_id].marking
    faults = (*marking.sheet.faults, *_patches()[exercise_id])
    fault = next(fault for fault in faults if fault.name == name and fault.can_be_made)
    return marking.function(fault.source(marking.solution))


def collect() -> None:
    """Registers all answers in this folder."""
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
