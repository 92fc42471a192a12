"""The log of a run, one row per iteration: a file of JSON lines, and TensorBoard's files."""

import json
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from azlearn.atomic_io import atomic_write, free_name
from azlearn.json_validation import CorruptFileError, read_json
from azlearn.learning.files import run_folder

LOG_FILE = "log.jsonl"  # in a run's folder
BOARD = "tensorboard"  # in a run's folder
_ROW = {"iteration": int, str: (float, bool)}


class RunLog:
    """Appends rows to ``log.jsonl`` and to ``tensorboard/`` in a run's folder.

    Each row is in both files when ``add`` returns.

    Nothing is written before the first row, so a run that fails to start leaves the log unchanged.
    With the first row, unreadable lines move to ``log.jsonl.unreadable``, and a warning says so.

    Args:
        out: the folder.
        iteration: the iteration of the checkpoint from which the run resumes. Later rows are
            dropped, because the run repeats those iterations.

    Raises:
        OSError: a file cannot be written (raised by ``add``).
    """

    def __init__(self, out: Path, iteration: int = 0) -> None:
        self._path, self._iteration = out / LOG_FILE, iteration
        self._board = None  # TensorBoard's writer, from the first row on

    def add(self, row: dict[str, Any]) -> None:
        """Writes a row of numbers, including its ``iteration``."""
        if self._board is None:
            self._begin(row)
        else:
            with self._path.open("ab") as file:
                file.write(_lines([row]))
        for name, value in row.items():
            self._board.add_scalar(name, value, row["iteration"])
        self._board.flush()

    def _begin(self, row: dict[str, Any]) -> None:
        from torch.utils.tensorboard import SummaryWriter  # takes half a second

        rows, unreadable = _read(self._path)
        if unreadable:
            aside = free_name(self._path, f"{self._path.name}.unreadable")
            atomic_write(aside, b"".join(line + b"\n" for line in unreadable))
            warnings.warn(
                f"Unreadable lines of {self._path} ({len(unreadable)}) were moved to {aside.name}.",
                stacklevel=3,
            )
        kept = [row for row in rows if row["iteration"] <= self._iteration]
        atomic_write(self._path, _lines([*kept, row]))
        self._board = SummaryWriter(self._path.parent / BOARD, purge_step=self._iteration + 1)


def read_log(out: str | Path) -> list[dict[str, Any]]:
    """Returns the log rows of a run or of a shipped network's run, oldest first; [] without a log.

    Lines that cannot be read, such as an incomplete last one, are left out.
    """
    return _read(run_folder(out) / LOG_FILE)[0]


def _read(path: Path) -> tuple[list[dict[str, Any]], list[bytes]]:
    """Returns ``(rows, unreadable lines)``."""
    rows, unreadable = [], []
    for line in path.read_bytes().split(b"\n") if path.is_file() else ():
        try:
            if line.strip():
                rows.append(read_json(line, _ROW, path))
        except CorruptFileError:
            unreadable.append(line)
    return rows, unreadable


def _lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
