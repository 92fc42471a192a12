"""The functions that notebooks call: check, hint, solution and progress."""

from dataclasses import replace
from functools import partial
from typing import Any

from azlearn.course import progress_file
from azlearn.course.checking import Exercise, run_check
from azlearn.course.exercises import CHAPTERS, EXERCISES, SHEETS
from azlearn.course.results import UNRECOGNISED, Hint, Result, Solution
from azlearn.course.solutions import solution_source

TRIES_BEFORE_A_HINT = 3

# Titles and letters of the bug clinics; importing the modules of their cases would load torch.
CLINICS = (
    ("Bug clinic I, chapter 04", tuple("ABCDEFG")),
    ("Bug clinic II, chapter 10", tuple("HIJKLMN")),
)


def check(id: str, answer: Any, *, record: bool = True) -> Result:
    """Checks your function and records the outcome in your progress.

    Args:
        id: the exercise, for example "3.3".
        answer: your function itself, not what it returns.
        record: record the outcome in your progress.

    Returns:
        A Result: ``outcome`` is "not attempted", "error", "wrong" or "right". For exercises about
        searches, ``explore()`` shows a search that uses your function.

    Raises:
        ValueError: there is no such exercise. An error in your function is not raised; it is
            reported in the result.
    """
    exercise = _exercise(id)
    result = run_check(exercise, answer)
    problem = ""
    if record:
        problem = progress_file.record_outcome(exercise.id, result.outcome, result.diagnosis)
    if problem:
        result = replace(result, note=" ".join(filter(None, [result.note, problem])))
    return _with_help(result, record) if result.outcome in ("wrong", "error") else result


def _with_help(result: Result, record: bool) -> Result:
    """Offers a hint for an error or an unrecognized fault; prominently after several failures."""
    entry = progress_file.load().entries.get(result.exercise_id, {}) if record else {}
    is_stuck = entry.get("attempts", 1) >= TRIES_BEFORE_A_HINT
    if is_stuck or result.outcome == "error" or result.diagnosis == UNRECOGNISED:
        level = min(entry.get("hints", 0) + 1, 3)
        return replace(result, offer=partial(hint, result.exercise_id, level), is_stuck=is_stuck)
    return result


def hint(id: str, level: int = 1) -> Hint:
    """Returns a hint: level 1 gives the idea, 2 the line, 3 pseudocode.

    Raises:
        ValueError: there is no such exercise, or no such level.
    """
    exercise = _exercise(id)
    if type(level) is not int or level not in (1, 2, 3):
        raise ValueError(f"The level of a hint must be 1, 2 or 3, not {level!r}.")
    problem = progress_file.record_help(exercise.id, hint=level)
    return Hint(exercise.id, level, exercise.hints[level - 1], problem)


def solution(id: str) -> Solution:
    """Returns the solution's source, shown after one click; two if you have not tried yet.

    Raises:
        ValueError: there is no such exercise.
    """
    exercise = _exercise(id)
    problem = progress_file.record_help(exercise.id, solution=True)
    tried = bool(progress_file.load().entries.get(exercise.id, {}).get("attempts"))
    return Solution(exercise.id, exercise.title, solution_source(exercise.id), tried, problem)


def progress() -> progress_file.ProgressGrid:
    """Returns your progress: the exercises by chapter and the cases of the bug clinics."""
    chapters = []
    for number, title in CHAPTERS.items():
        items = [(s.id, s.title, s.minutes) for s in SHEETS.values() if s.number[0] == number]
        chapters.append((title, tuple(items)))
    return progress_file.ProgressGrid(tuple(chapters), progress_file.load(), CLINICS)


def progress_text() -> str:
    """Returns your progress as plain text, for ``azlearn progress``."""
    return str(progress())


def _exercise(id: str) -> Exercise:
    exercise = EXERCISES.get(str(id))
    if exercise is None:
        raise ValueError(f"There is no exercise {id!r}. The exercises are {', '.join(EXERCISES)}.")
    return exercise
