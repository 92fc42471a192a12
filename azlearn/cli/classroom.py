"""`azlearn class`: what a teacher sees of the students' progress files."""

import csv as csv_format
import json as json_format
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional, arg

from azlearn.cli.output import CommandError, refused, show

_COLUMNS = ("id", "title", "tried", "solved", "stalled", "tries", "hints", "solution_seen")


def classroom(
    folder: Annotated[Positional[Path], arg(metavar="FOLDER")],
    json: Annotated[bool, FlagCreatePairsOff] = False,
    csv: Annotated[bool, FlagCreatePairsOff] = False,
) -> int:
    """One table of many progress files: where a class stalls, and which mistakes are common.

    Args:
        folder: with a progress file for each student, such as student-01.json; they are only read.
        json: print the rows as JSON, and nothing else.
        csv: print them as CSV, and nothing else.
    """
    from azlearn.course.class_table import read_class

    if json and csv:
        raise CommandError("Take --json or --csv, not both.")
    with refused():
        rows, num_students, skipped = read_class(folder)
    for sentence in skipped:
        print(f"azlearn: skipped: {sentence}", file=sys.stderr)
    if json:
        print(json_format.dumps([asdict(row) | {"stalled": row.stalled} for row in rows], indent=1))
    elif csv:
        writer = csv_format.writer(sys.stdout, lineterminator="\n")
        writer.writerow([*_COLUMNS, "faults"])
        for row in rows:
            faults = "; ".join(f"{name} ({count})" for name, count in row.faults)
            writer.writerow([*(getattr(row, column) for column in _COLUMNS), faults])
    else:
        show(_table(rows, num_students))
    return 0


def _table(rows: list, num_students: int):
    from rich.table import Table
    from rich.text import Text

    table = Table(title=f"{num_students} student{'s' * (num_students != 1)}")
    for name in ("exercise", "tried", "solved", "stalled", "tries", "hints", "solution seen"):
        table.add_column(name, justify="left" if name == "exercise" else "right")
    table.add_column("common faults (students)")
    for row in rows:
        counts = (row.tried, row.solved, row.stalled, f"{row.tries:.1f}", row.hints)
        faults = "\n".join(f"{name} ({count})" for name, count in row.faults[:3])
        cells = (f"{row.id} {row.title}", *counts, row.solution_seen, faults)
        table.add_row(*(Text(str(cell)) for cell in cells))
    return table
