"""The source of each solution; ``tools/build_exercises.py`` collects them from solutions/."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


def solution_source(exercise_id: str) -> str:
    """Returns the source of a solution: a function or one assignment.

    Raises:
        KeyError: there is no such exercise.
    """
    return _file()["solutions"][exercise_id]


def run_source(exercise_id: str, source: str) -> dict[str, Any]:
    """Runs ``source`` as the answer to an exercise and returns all names that are then defined.

    The source may use the imports of the chapter's notebook and the chapter's earlier solutions.
    """
    names = dict(_names_before(exercise_id))
    _run(source, names)
    return names


def all_imports() -> str:
    """Returns the imports of all chapters' notebooks, as source."""
    return "\n".join(_file()["imports"].values())


@cache
def _names_before(exercise_id: str) -> dict[str, Any]:
    chapter, number = map(int, exercise_id.split("."))
    names: dict[str, Any] = {}
    exec(_file()["imports"][str(chapter)], names)
    for earlier in range(1, number):
        _run(solution_source(f"{chapter}.{earlier}"), names)
    return names


def _run(source: str, names: dict[str, Any]) -> None:
    exec(compile("from __future__ import annotations\n" + source, "<answer>", "exec"), names)


@cache
def _file() -> dict[str, dict[str, str]]:
    text = files("azlearn.course").joinpath("solutions.json").read_text(encoding="utf-8")
    return json.loads(text)
