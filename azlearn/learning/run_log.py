"""The figures of a run, one row an iteration: a file of JSON lines, and TensorBoard's."""

import json
from pathlib import Path
from typing import Any

from azlearn.learning.files import write_whole


class RunLog:
    """Appends rows to ``log.jsonl`` and to ``tensorboard/`` in a run's folder.

    Args:
        out: the folder.
        iteration: of the checkpoint that the run goes on from: later rows will be played again and
            are dropped.
    """

    def __init__(self, out: Path, iteration: int = 0) -> None:
        from torch.utils.tensorboard import SummaryWriter  # takes a second

        path = out / "log.jsonl"
        kept = [row for row in read_log(out) if row["iteration"] <= iteration]
        write_whole(path, "".join(json.dumps(row) + "\n" for row in kept).encode())
        self._file = path.open("a", encoding="utf-8")
        self._board = SummaryWriter(str(out / "tensorboard"), purge_step=iteration + 1)

    def add(self, row: dict[str, Any]) -> None:
        """Writes a row, which names its ``iteration``."""
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        for name, value in row.items():
            self._board.add_scalar(name, value, row["iteration"])

    def close(self) -> None:
        self._file.close()
        self._board.close()


def read_log(out: str | Path) -> list[dict[str, Any]]:
    """The rows of a run, oldest first; none if it has no log. A last line cut short is left out."""
    path = Path(out) / "log.jsonl"
    if not path.is_file():
        return []
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows
