"""The exercises of the course: a folder a chapter, in it a sheet and a module for each exercise."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

from azlearn.course.checking import Exercise
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


class _Exercises(Mapping[str, Exercise]):
    """Exercise by id; its module is imported when it is asked for."""

    def __getitem__(self, exercise_id: str) -> Exercise:
        return import_module(_FOUND[exercise_id][1]).EXERCISE

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
