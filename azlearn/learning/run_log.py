"""The figures of a run, one row an iteration: a file of JSON lines, and TensorBoard's."""

import json
import warnings
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from time import time
from typing import Any

from azlearn.foreign_json import DamagedFile, read_json
from azlearn.learning.files import run_folder
from azlearn.whole_file import append, free_name, own_folder, write_whole

LOG_FILE = "log.jsonl"  # in a run's folder
_ROW = {"iteration": int, str: (float, bool)}


class RunLog:
    """Appends rows to ``log.jsonl`` and to ``tensorboard/`` in a run's folder.

    Each row is in both files when ``add`` returns. TensorBoard's own writer would hold rows back
    and write from a thread, where a full disk is no error that its caller could catch.

    Nothing is written before the first row: a run that cannot go on leaves the log as it was. Lines
    that nobody can read are then kept in ``log.jsonl.unreadable``, and a warning says so.

    Args:
        out: the folder.
        iteration: of the checkpoint that the run goes on from: later rows will be played again and
            are dropped.

    Raises:
        OSError: by ``add``: a file cannot be written.
    """

    def __init__(self, out: Path, iteration: int = 0) -> None:
        self._path, self._iteration = out / LOG_FILE, iteration
        self._events: Path | None = None  # TensorBoard's file, from the first row on

    def add(self, row: dict[str, Any]) -> None:
        """Writes a row of numbers, which names its ``iteration``."""
        if self._events is None:
            self._begin(row)
        else:
            append(self._path, _lines([row]))
            self._tell_board(_event(row))

    def _begin(self, row: dict[str, Any]) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # takes a second

        rows, unreadable = _read(self._path)
        if unreadable:
            aside = free_name(self._path, f"{self._path.name}.unreadable")
            write_whole(aside, b"".join(line + b"\n" for line in unreadable))
            warnings.warn(
                f"{len(unreadable)} lines of {self._path} cannot be read: they are kept in"
                f" {aside.name}.",
                stacklevel=3,
            )
        kept = [row for row in rows if row["iteration"] <= self._iteration]
        write_whole(self._path, _lines([*kept, row]))
        board = own_folder(self._path.parent / "tensorboard")
        number = len(list(board.iterdir()))
        self._events = board / f"events.out.tfevents.{time():.0f}.{number}"
        # What earlier files hold from here on is void; there are none if the first rank was on
        # another machine before.
        shown = kept if number == 0 else []
        start = SessionLog(status=SessionLog.START)
        self._tell_board(
            Event(wall_time=time(), file_version="brain.Event:2"),
            *map(_event, shown),
            Event(wall_time=time(), step=self._iteration + 1, session_log=start),
            _event(row),
        )

    def _tell_board(self, *events) -> None:
        from tensorboard.summary.writer.record_writer import RecordWriter

        content = BytesIO()
        for event in events:
            RecordWriter(content).write(event.SerializeToString())
        append(self._events, content.getvalue())


def read_log(out: str | Path) -> list[dict[str, Any]]:
    """The rows of a run, or of a shipped network's, oldest first; none if it has no log.

    Lines that cannot be read, such as a last one cut short, are left out.
    """
    return _read(run_folder(out) / LOG_FILE)[0]


def _read(path: Path) -> tuple[list[dict[str, Any]], list[bytes]]:
    """``(rows, lines that are none)``."""
    rows, unreadable = [], []
    for line in path.read_bytes().split(b"\n") if path.is_file() else ():
        try:
            if line.strip():
                rows.append(read_json(line, _ROW, path))
        except DamagedFile:
            unreadable.append(line)
    return rows, unreadable


def _lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _event(row: dict[str, Any]):
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary

    values = [Summary.Value(tag=name, simple_value=value) for name, value in row.items()]
    return Event(wall_time=time(), step=row["iteration"], summary=Summary(value=values))
