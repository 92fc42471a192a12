"""A game so far: its moves, its positions, its text, and the opponent's reports on its own."""

from collections.abc import Sequence

from azlearn.games import Game, State
from azlearn.games.notation import is_record, labels, read_moves, separator
from azlearn.viz.play_opponent import MoveReport

KEPT_SEARCHES = 3  # of the last answers; a compiled search may take hundreds of megabytes


class Line:
    """The moves played so far and what they led to, in a game that may go on from here.

    Attributes:
        record: the actions of the whole game.
        at: how many of them are played; those that follow wait until another move is.
    """

    def __init__(self, game: Game, moves: str | bytes | Sequence[int] = "") -> None:
        """The game that ``moves`` says. ValueError as ``read_moves``."""
        self.game = game
        self.record, self._states = read_moves(game, moves)
        self._reports: list[MoveReport | None] = [None] * len(self.record)
        self.at = len(self.record)
        self._remark = _remark(moves)

    def __len__(self) -> int:
        return self.at

    @property
    def actions(self) -> list[int]:
        """n actions."""
        return self.record[: self.at]

    @property
    def states(self) -> list[State]:
        """n + 1 positions, from the start of the game."""
        return self._states[: self.at + 1]

    @property
    def reports(self) -> list[MoveReport | None]:
        """n answers of the opponent; None where a move was yours, or loaded."""
        return self._reports[: self.at]

    @property
    def text(self) -> str:
        """The moves as one string: "4453", or with blanks where a label has several characters."""
        written = labels(self.game)
        return separator(written).join(written[action] for action in self.actions)

    @property
    def last_report(self) -> MoveReport | None:
        """Of the opponent's last answer."""
        return next((t for t in reversed(self.reports) if t is not None), None)

    @property
    def remark(self) -> str:
        """At the end of a game from an SGF record, what that says otherwise than this package."""
        return self._remark if self.at == len(self.record) else ""

    def push(self, action: int, report: MoveReport | None = None) -> None:
        """One more move. Errors as ``game.play``; the line is then as before."""
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
        """Looks at the position after ``at`` moves, or the nearest that there is."""
        self.at = max(0, min(at, len(self.record)))

    def cut(self, keep: int) -> None:
        """Keeps the first moves only."""
        self._remark = ""
        self.record, self._reports = self.record[:keep], self._reports[:keep]
        self._states, self.at = self._states[: keep + 1], keep


def _remark(moves: str | bytes | Sequence[int]) -> str:
    if not is_record(moves):
        return ""
    from azlearn.games.go.records import read_record  # sgfmill, which few tables need

    return read_record(moves).remark
