"""Connect Four positions in which a solver has evaluated every move."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from azlearn.games import ConnectFour, State
from azlearn.json_validation import read_json

FULL = -1000  # the score of a full column in a JSON file


@dataclass(frozen=True)
class Position:
    """A position, with a solver's scores for its moves (see azlearn/data/README.md)."""

    moves: str
    ply: int
    value: int  # for the player to move: 1 win, 0 draw, -1 loss
    scores: tuple[int | None, ...]  # by action, for the player who makes the move; None = illegal
    tactic: str  # "win1", "block1" or "quiet"
    subset: str

    @classmethod
    def of_scores(
        cls, moves: str, scores: Sequence[int | None], tactic: str = "", subset: str = ""
    ) -> "Position":
        """Makes a position; ply and value follow from moves and scores.

        Raises:
            ValueError: the scores are not those of the legal moves after ``moves``.
        """
        best = max(score for score in scores if score is not None)
        position = cls(moves, len(moves), _sign(best), tuple(scores), tactic, subset)
        if ConnectFour().legal_actions(position.state) != position.legal_actions:
            raise ValueError("the scores do not match the legal moves")
        return position

    @cached_property
    def state(self) -> State:
        """The position itself."""
        return ConnectFour().from_moves(self.moves)

    @property
    def legal_actions(self) -> list[int]:
        """The legal actions, ascending."""
        return [action for action, score in enumerate(self.scores) if score is not None]

    @property
    def best_score(self) -> int:
        """The highest score of a legal action."""
        return max(self.scores[action] for action in self.legal_actions)

    def keeps_value(self, action: int) -> bool:
        """Returns whether the legal ``action`` preserves the position's value."""
        return _sign(self.scores[action]) == _sign(self.best_score)

    def is_optimal(self, action: int) -> bool:
        """Returns whether the legal ``action`` wins as soon, or loses as late, as possible."""
        return self.scores[action] == self.best_score


def load_positions(path: str | Path | None = None) -> list[Position]:
    """Loads the positions of a file, or the 1,000 that come with the package.

    Args:
        path: a CSV file in the format of azlearn/data/README.md, or a JSON file of positions (a
            list, or under ``"positions"``), each with ``"moves"`` (columns 0 to 6, as one string)
            and the seven ``"scores"`` of Pascal Pons's solver, −1000 for a full column.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: an entry has another format; the message names it.
    """
    if not (path is None or isinstance(path, (str, Path))):
        raise ValueError(f"positions must be the path of a file, not {path!r:.80}.")
    source = Path(path) if path else files("azlearn") / "data" / "connect_four_positions.csv"
    if not source.is_file():
        raise FileNotFoundError(f"There is no positions file {source}.")
    if source.suffix == ".json":
        return _of_json(source)
    content = source.read_bytes()
    try:
        text = content.decode("utf-8-sig")  # as spreadsheets write it
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"Line {number} of {source} is not valid UTF-8.") from None
    rows = csv.DictReader(io.StringIO(text, newline=""))
    try:
        positions = [_position(row) for row in rows]
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        raise ValueError(
            f"Line {rows.reader.line_num} of {source} is not a labeled position"
            f" ({type(error).__name__}: {error})."
        ) from None
    if not positions:
        raise ValueError(f"{source} contains no positions.")
    return positions


def _position(row: dict[str, str]) -> Position:
    scores = [int(row[f"s{c}"]) if row[f"s{c}"] else None for c in range(1, 8)]
    return Position.of_scores(row["moves"], scores, row["tactic"], row["subset"])


def _of_json(source: Path) -> list[Position]:
    content = read_json(source)
    rows = content.get("positions") if isinstance(content, dict) else content
    if not isinstance(rows, list) or not rows:
        raise ValueError(f"{source} contains no positions.")
    positions = []
    for number, row in enumerate(rows, 1):
        try:
            moves = "".join(str(int(column) + 1) for column in row["moves"])
            scores = [None if score <= FULL else int(score) for score in row["scores"]]
            positions.append(Position.of_scores(moves, scores))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"Entry {number} of {source} is not a position with seven scores"
                f" ({type(error).__name__}: {error})."
            ) from None
    return positions


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
