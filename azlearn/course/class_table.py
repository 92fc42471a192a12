"""The progress of a class as one table: where students get stuck, and which mistakes they make."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from azlearn.atomic_io import in_words
from azlearn.course.exercises import SHEETS
from azlearn.course.progress_file import FAULT, entries_of


@dataclass(frozen=True)
class Row:
    """One exercise, summarized over all students whose files contain it.

    Attributes:
        tried: number of students with at least one try.
        solved: number of these students who have given a right answer.
        tries: mean number of tries per student who tried.
        hints: number of students who read a hint.
        solution_seen: number of students who looked at the solution.
        faults: (name, number of students who made it), the most common first.
    """

    id: str
    title: str
    tried: int
    solved: int
    tries: float
    hints: int
    solution_seen: int
    faults: tuple[tuple[str, int], ...]

    @property
    def stalled(self) -> int:
        """Number of students who tried the exercise and have not solved it."""
        return self.tried - self.solved


def read_class(folder: Path) -> tuple[list[Row], int, list[str]]:
    """Returns a row for each exercise that any student tried, in the order of the course.

    Args:
        folder: contains a progress file ``NAME.json`` for each student; the files are never
            modified.

    Returns:
        ``(rows, number of students, one message for each file that was skipped)``.

    Raises:
        OSError: there is no such folder.
        ValueError: the folder contains no progress file.
    """
    students, skipped = [], []
    for path in sorted(p for p in folder.iterdir() if p.suffix == ".json" and p.is_file()):
        try:
            students.append(entries_of(path))
        except (OSError, ValueError) as problem:
            skipped.append(in_words(problem))
    if not students:
        why = f" {skipped[0]}" if skipped else ""
        raise ValueError(
            f"{folder} contains no progress files. It needs one NAME.json per student.{why}"
        )
    rows = (_row(exercise_id, students) for exercise_id in SHEETS)
    return [row for row in rows if row.tried], len(students), skipped


def _row(exercise_id: str, students: list[dict]) -> Row:
    entries = [entry for student in students if (entry := student.get(exercise_id))]
    tried = [entry for entry in entries if entry.get("attempts", 0) > 0]
    keys = [key for entry in tried for key in entry if key.startswith(FAULT)]
    names = Counter(key.removeprefix(FAULT) for key in keys if key.isprintable())
    return Row(
        exercise_id,
        SHEETS[exercise_id].title,
        tried=len(tried),
        solved=sum(bool(entry.get("solved")) for entry in tried),
        tries=sum(entry["attempts"] for entry in tried) / max(1, len(tried)),
        hints=sum(entry.get("hints", 0) > 0 for entry in entries),
        solution_seen=sum(bool(entry.get("solution_seen")) for entry in entries),
        faults=tuple(sorted(names.items(), key=lambda item: (-item[1], item[0]))),
    )
