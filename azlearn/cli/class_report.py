"""`azlearn class`: a table of the students' progress files, for the teacher."""

import csv as csv_format
import json as json_format
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from azlearn.cli.output import CommandError, Flag, command_errors, show_table

_COLUMNS = ("id", "title", "tried", "solved", "stalled", "tries", "hints", "solution_seen")


def class_report(
    folder: Annotated[Positional[Path], arg(metavar="FOLDER")],
    json: Flag = False,
    csv: Flag = False,
) -> int:
    """Summarize many progress files in one table: where students are stuck, and common mistakes.

    Args:
        folder: folder with a progress file for each student, such as student-01.json. The files
            are never modified.
        json: print only the rows, as JSON.
        csv: print only the rows, as CSV.
    """
    from azlearn.course.class_table import read_class

    if json and csv:
        raise CommandError("Choose --json or --csv, not both.")
    with command_errors():
        rows, num_students, skipped = read_class(folder)
    for sentence in skipped:
        print(f"azlearn: skipped a file: {sentence}", file=sys.stderr)
    if json:
        print(json_format.dumps([asdict(row) | {"stalled": row.stalled} for row in rows], indent=1))
    elif csv:
        writer = csv_format.writer(sys.stdout, lineterminator="\n")
        writer.writerow([*_COLUMNS, "faults"])
        for row in rows:
            faults = "; ".join(f"{name} ({count})" for name, count in row.faults)
            writer.writerow([*(getattr(row, column) for column in _COLUMNS), faults])
    else:
        columns = ("exercise", *_COLUMNS[2:7], "solution seen", "common faults (students)")
        title = f"{num_students} student{'s' * (num_students != 1)}"
        show_table(title, columns, map(_cells, rows), words=columns[-1:])
    return 0


def _cells(row) -> tuple:
    counts = (row.tried, row.solved, row.stalled, f"{row.tries:.1f}", row.hints, row.solution_seen)
    faults = "\n".join(f"{name} ({count})" for name, count in row.faults[:3])
    return (f"{row.id} {row.title}", *counts, faults)
