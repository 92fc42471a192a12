"""The exercises of the course: a folder a chapter, in it a sheet and a module for each exercise.

A module defines ``CASES``, and what else it needs: ``draw(rng)``, ``observe(answer, case)``,
``form(value)``, ``explore(call, diagnosis)`` and ``remark(found)``, or ``check(call, sheet)`` instead
of all cases; ``NUM_DRAWN``, ``NOTICE``, ``TAKES_VALUE``. ``Marking`` and ``Exercise`` say what each is.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from azlearn.course.checking import Exercise
from azlearn.course.marking import exercise
from azlearn.course.sheets import Sheet, load_sheet

_HERE = Path(__file__).parent


def _discovered() -> dict[str, tuple[Sheet, str]]:
    """Exercise id to its sheet and the name of its module, in the order of the course.

    Raises:
        ValueError: a sheet with something missing or misspelt, or two of one exercise.
    """
    found: dict[str, tuple[Sheet, str]] = {}
    for path in _HERE.glob("ch*/*.md"):
        sheet = load_sheet(path)
        if sheet.id in found:
            raise ValueError(f"{path.name}: there is another sheet of exercise {sheet.id}.")
        found[sheet.id] = sheet, f"{__name__}.{path.parent.name}.{path.stem}"
    return dict(sorted(found.items(), key=lambda item: item[1][0].number))


def module_of(exercise_id: str) -> ModuleType:
    """The module of an exercise."""
    return import_module(_FOUND[exercise_id][1])


_PARTS = "observe", "draw", "form", "check", "explore", "remark"
_SETTINGS = "NUM_DRAWN", "NOTICE", "TAKES_VALUE"


@cache
def _made(module_name: str) -> Exercise:
    module = import_module(module_name)
    given = {name: getattr(module, name) for name in _PARTS if hasattr(module, name)}
    given |= {name.lower(): getattr(module, name) for name in _SETTINGS if hasattr(module, name)}
    return exercise(module.__file__, getattr(module, "CASES", ()), **given)


class _Exercises(Mapping[str, Exercise]):
    """Exercise by id; its module is imported when it is asked for."""

    def __getitem__(self, exercise_id: str) -> Exercise:
        return _made(_FOUND[exercise_id][1])

    def __iter__(self) -> Iterator[str]:
        return iter(_FOUND)

    def __len__(self) -> int:
        return len(_FOUND)


_FOUND = _discovered()
# Chapter number: "09 puct".
CHAPTERS = {
    int(path.name[2:4]): path.name[2:].replace("_", " ") for path in sorted(_HERE.glob("ch*/"))
}
SHEETS: dict[str, Sheet] = {i: sheet for i, (sheet, _) in _FOUND.items()}
EXERCISES: Mapping[str, Exercise] = _Exercises()
