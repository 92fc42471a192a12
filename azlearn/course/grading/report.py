"""What grading found: a CSV file, a page for each student, and a page for the class."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from azlearn.atomic_io import atomic_write, write_user_path
from azlearn.course.cards import OUTCOMES
from azlearn.course.exercises import SHEETS
from azlearn.course.grading.submissions import Submission, in_utf8
from azlearn.course.results import UNRECOGNISED, Result
from azlearn.viz.report import render

COLUMNS = ("student", "exercise", "outcome", "fault", "minutes", "notebook")


class Grade(NamedTuple):
    """The verdict on one student's answer to one exercise; ``minutes`` is None if unknown."""

    student: str
    result: Result
    minutes: float | None
    notebook: Path

    @property
    def fault(self) -> str:
        """The name of the mistake, or ""."""
        return "" if self.result.diagnosis == UNRECOGNISED else self.result.diagnosis


def grades_of(submissions: Iterable[Submission]) -> list[Grade]:
    """Returns all verdicts by student and exercise.

    If a student hands in an exercise twice, the later file counts, and a remark says so.
    """
    found: dict[tuple[str, str], Grade] = {}
    for one in sorted(submissions, key=lambda one: (one.modified, str(one.path))):
        for result in one.results:
            key = one.student, result.exercise_id
            if key in found:
                older = found[key].notebook
                words = f"{key[1]} was handed in twice; {older.name} is older and does not count."
                one.remarks.append(in_utf8(words))
            minutes = one.minutes.get(result.exercise_id)
            found[key] = Grade(one.student, result, minutes, one.path)
    return sorted(found.values(), key=lambda g: (g.student, SHEETS[g.result.exercise_id].number))


def write_csv(grades: Sequence[Grade], path: Path) -> None:
    """Writes one row per student and exercise.

    Raises:
        OSError: the file cannot be written.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for grade in grades:
        minutes = "" if grade.minutes is None else f"{grade.minutes:.0f}"
        row = (grade.student, grade.result.exercise_id, grade.result.outcome, grade.fault)
        writer.writerow([*map(_cell, row), minutes, _cell(in_utf8(grade.notebook))])
    write_user_path(path, text.getvalue())


def _cell(text: str) -> str:
    """A text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def write_pages(
    submissions: Sequence[Submission], grades: Sequence[Grade], skipped: Sequence[str], folder: Path
) -> None:
    """Writes ``class.html``, and in ``students`` a page for each student to hand back.

    Raises:
        OSError: a file cannot be written.
    """
    template = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    students = list(dict.fromkeys(one.student for one in submissions))
    names = {student: f"{number:03}-{_safe(student)}" for number, student in enumerate(students, 1)}
    (folder / "students").mkdir(parents=True, exist_ok=True)
    remarks = {
        student: [text for one in submissions if one.student == student for text in one.remarks]
        for student in students
    }
    mine = {student: [g for g in grades if g.student == student] for student in students}
    for student, name in names.items():
        shown = render(
            template,
            title=f"Exercises of {student}",
            cards=[grade.result._repr_html_() for grade in mine[student]],
            right=sum(grade.result.is_right for grade in mine[student]),
            remarks=remarks[student],
        )
        atomic_write(folder / "students" / f"{name}.html", shown)
    exercises = [id for id in SHEETS if any(g.result.exercise_id == id for g in grades)]
    table = [
        (student, f"students/{names[student]}.html", _symbols(mine[student], exercises))
        for student in students
    ]
    shown = render(
        template,
        title="The class",
        exercises=[(id, SHEETS[id].title, *_counts(grades, id)) for id in exercises],
        table=table,
        looks=OUTCOMES,
        remarks=[f"{student}: {text}" for student in students for text in remarks[student]],
        skipped=skipped,
    )
    atomic_write(folder / "class.html", shown)


def _safe(name: str) -> str:
    """A part of a file name."""
    return re.sub(r"[^\w-]+", "_", name)[:40]


def _symbols(grades: Sequence[Grade], exercises: Sequence[str]) -> list[tuple[str, str]]:
    """By exercise, the outcome and the fault; "" if nothing was handed in."""
    given = {grade.result.exercise_id: grade for grade in grades}
    return [
        (given[id].result.outcome, given[id].fault) if id in given else ("", "") for id in exercises
    ]


def _counts(grades: Sequence[Grade], exercise: str) -> tuple[int, int, str]:
    """How many students tried an exercise, how many solved it, and the most common faults."""
    tried = [
        grade
        for grade in grades
        if grade.result.exercise_id == exercise and grade.result.outcome != "not attempted"
    ]
    faults = Counter(grade.fault for grade in tried if grade.fault)
    common = ", ".join(f"{name} ({count})" for name, count in faults.most_common(3))
    return len(tried), sum(grade.result.is_right for grade in tried), common
