"""Runs a student's notebook in processes with limits, and collects the verdicts."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from azlearn.course.cards import OUTCOMES
from azlearn.course.exercises import SHEETS
from azlearn.course.grading.submissions import Submission
from azlearn.course.results import Compared, Result
from azlearn.json_validation import CorruptFileError, read_json
from azlearn.sandbox import Limits, Sandbox, Stopped

_MOST_STEPS_LOST = 10  # after this many hanging or crashing steps, grading stops
_MOST_LINES = 5_000  # of one process
_MOST_ROWS, _LONGEST_CELL = 20, 1_000  # of a verdict's table, which the page aligns in memory
# The lines of ``one_submission``, by the first key.
_SHAPES = {
    "step": {"step": int, "cell": int, "exercise": str},
    "result": {
        "result": str, "outcome": str, "diagnosis": str, "message": str, "code": str,
        "rows": [[str]],
    },
    "remark": {"remark": str},
    "done": {},
}  # fmt: skip


def grade(
    submissions: Sequence[Submission],
    seed: int = 1,
    limits: Limits | None = None,
    done: Callable[[Submission], None] = lambda submission: None,
) -> None:
    """Checks all answers, on all CPUs, and adds the verdicts to the submissions.

    Args:
        seed: determines the hidden cases, which differ from those of the students' own checks.
        limits: None for the default limits.
        done: called with each finished submission.
    """
    limits = limits or Limits()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(_grade_one, one, seed, limits) for one in submissions]
        for job in jobs:
            done(job.result())


def _grade_one(submission: Submission, seed: int, limits: Limits) -> Submission:
    """Runs a submission's steps; after a step that hangs or crashes, starts again without it."""
    skip: set[int] = set()
    for _ in range(_MOST_STEPS_LOST):
        at: dict[str, Any] = {}
        try:
            for line in _lines(submission.cells, seed, skip, limits):
                if "done" in line:
                    return submission
                if "step" in line:
                    at = line
                elif "remark" in line and line["remark"] not in submission.remarks:
                    submission.remarks.append(line["remark"])
                elif line.get("result") in SHEETS and line["result"] == at.get("exercise"):
                    skip.add(at["step"])
                    submission.results.append(_result(**line))
        except Stopped as stopped:
            problem = str(stopped)
        if not at or at["step"] in skip:
            break
        skip.add(at["step"])
        if at["exercise"] in SHEETS:
            said = f"The check was stopped: your function {problem}."
            submission.results.append(_result(at["exercise"], "error", problem, said))
        else:
            submission.remarks.append(f"Part of code cell {at['cell']} was skipped: it {problem}.")
    submission.remarks.append(f"Grading of this notebook stopped: it {problem}.")
    return submission


def _lines(cells: list[str], seed: int, skip: set[int], limits: Limits) -> Iterator[dict[str, Any]]:
    """Runs ``one_submission`` and yields its lines.

    Raises:
        Stopped: there was no next line in time, it cannot be read, or there were too many lines.
    """
    with Sandbox("azlearn.course.grading.one_submission", limits) as process:
        process.send(json.dumps({"cells": cells, "seed": seed, "skip": sorted(skip)}))
        for _ in range(_MOST_LINES):
            yield _read_line(process.receive())
    raise Stopped("wrote too many lines")


def _read_line(line: bytes) -> dict[str, Any]:
    try:
        kind = next(iter(read_json(line, {})), "")
        found = read_json(line, _SHAPES[kind])
        return {name: found[name] for name in (*_SHAPES[kind], kind)}  # no others
    except (CorruptFileError, KeyError):
        raise Stopped("returned a verdict that cannot be read") from None


def _result(result, outcome, diagnosis="", message="", code="", rows=()) -> Result:
    rows = [[text[:_LONGEST_CELL] for text in row] for row in rows[:_MOST_ROWS] if len(row) == 3]
    compared = tuple(Compared(*row) for row in rows)
    outcome = outcome if outcome in OUTCOMES else "error"
    title = SHEETS[result].title
    return Result(result, title, outcome, diagnosis, message, compared, code)
