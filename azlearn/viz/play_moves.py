"""The game so far: its moves, positions and text, and the opponent's reports on its own moves."""

from collections.abc import Sequence

from azlearn.games import Game, State
from azlearn.games.notation import is_record, labels, read_moves, separator
from azlearn.viz.play_opponent import MoveReport

KEPT_SEARCHES = 3  # for the last moves only: a compiled search may take hundreds of megabytes


class Line:
    """The moves played so far and their positions, in a game that may have further moves.

    Attributes:
        record: the actions of the whole game.
        at: the number of actions played; the later ones are kept until a different move is played.
    """

    def __init__(self, game: Game, moves: str | bytes | Sequence[int] = "") -> None:
        """Sets up the game given by ``moves``. Raises ValueError as ``read_moves``."""
        self.game = game
        self.record, self._states = read_moves(game, moves)
        self._reports: list[MoveReport | None] = [None] * len(self.record)
        self.at = len(self.record)
        self._remark = _remark(moves)

    def __len__(self) -> int:
        return self.at

    @property
    def actions(self) -> list[int]:
        """The n actions played so far."""
        return self.record[: self.at]

    @property
    def states(self) -> list[State]:
        """The n + 1 positions so far, from the start of the game."""
        return self._states[: self.at + 1]

    @property
    def reports(self) -> list[MoveReport | None]:
        """The opponent's report on each of the n moves; None if you made the move or loaded it."""
        return self._reports[: self.at]

    @property
    def text(self) -> str:
        """The moves as one string: "4453", or separated by spaces if labels are longer."""
        written = labels(self.game)
        return separator(written).join(written[action] for action in self.actions)

    @property
    def last_report(self) -> MoveReport | None:
        """The report on the opponent's last move, or None."""
        return next((t for t in reversed(self.reports) if t is not None), None)

    @property
    def remark(self) -> str:
        """How an SGF record disagrees with this package; "" before the end of the game."""
        return self._remark if self.at == len(self.record) else ""

    def push(self, action: int, report: MoveReport | None = None) -> None:
        """Plays one more move. Raises the errors of ``game.play``; the line is then unchanged."""
        state = self.game.play(self._states[self.at], action)
        if self.record[self.at : self.at + 1] != [action]:
            self.cut(self.at)
            self.record.append(int(action))
            self._states.append(state)
            self._reports.append(None)
        self._reports[self.at] = report
        self.at += 1
        for old in [t for t in self._reports if t is not None][:-KEPT_SEARCHES]:
            old.search = None

    def go(self, at: int) -> None:
        """Goes to the position after ``at`` moves, or to the nearest one."""
        self.at = max(0, min(at, len(self.record)))

    def cut(self, keep: int) -> None:
        """Keeps only the first ``keep`` moves."""
        self._remark = ""
        self.record, self._reports = self.record[:keep], self._reports[:keep]
        self._states, self.at = self._states[: keep + 1], keep


def _remark(moves: str | bytes | Sequence[int]) -> str:
    if not is_record(moves):
        return ""
    from azlearn.games.go.records import read_record  # imports sgfmill, which few tables need

    return read_record(moves).remark
