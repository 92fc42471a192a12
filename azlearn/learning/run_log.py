"""The figures of a run, one row an iteration: a file of JSON lines, and TensorBoard's."""

import json
from pathlib import Path
from time import time
from typing import Any

from azlearn.learning.files import run_folder
from azlearn.whole_file import write_whole

LOG_FILE = "log.jsonl"  # in a run's folder


class RunLog:
    """Appends rows to ``log.jsonl`` and to ``tensorboard/`` in a run's folder.

    Each row is in both files when ``add`` returns. TensorBoard's own writer would hold rows back
    and write from a thread, where a full disk is no error that its caller could catch.

    Args:
        out: the folder.
        iteration: of the checkpoint that the run goes on from: later rows will be played again and
            are dropped.

    Raises:
        OSError: a file cannot be written; so does ``add``.
    """

    def __init__(self, out: Path, iteration: int = 0) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # takes a second

        self._path, board = out / LOG_FILE, out / "tensorboard"
        kept = [row for row in read_log(out) if row["iteration"] <= iteration]
        write_whole(self._path, "".join(json.dumps(row) + "\n" for row in kept).encode())
        board.mkdir(exist_ok=True)
        number = len(list(board.iterdir()))
        self._events = board / f"events.out.tfevents.{time():.0f}.{number}"
        self._tell_board(Event(wall_time=time(), file_version="brain.Event:2"))
        if number == 0:  # the first rank was on another machine before
            for row in kept:
                self._show(row)
        start = SessionLog(status=SessionLog.START)  # what earlier files hold from here on is void
        self._tell_board(Event(wall_time=time(), step=iteration + 1, session_log=start))

    def add(self, row: dict[str, Any]) -> None:
        """Writes a row of numbers, which names its ``iteration``."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        self._show(row)

    def _show(self, row: dict[str, Any]) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=name, simple_value=value) for name, value in row.items()]
        step, summary = row["iteration"], Summary(value=values)
        self._tell_board(Event(wall_time=time(), step=step, summary=summary))

    def _tell_board(self, event) -> None:
        from tensorboard.summary.writer.record_writer import RecordWriter

        with self._events.open("ab") as file:
            RecordWriter(file).write(event.SerializeToString())


def read_log(out: str | Path) -> list[dict[str, Any]]:
    """The rows of a run, or of a shipped network's, oldest first; none if it has no log.

    A last line cut short is left out.
    """
    path = run_folder(out) / LOG_FILE
    if not path.is_file():
        return []
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows
