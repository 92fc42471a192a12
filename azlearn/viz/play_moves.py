"""A game so far: its moves, its positions, its text, and what the opponent thought of them."""

from collections.abc import Iterator, Sequence

from azlearn.games import Game, Go, State
from azlearn.viz.boards import label
from azlearn.viz.play_opponent import Thought

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
        self._thoughts: list[Thought | None] = [None] * len(self.record)
        self.at = len(self.record)

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
    def thoughts(self) -> list[Thought | None]:
        """n answers of the opponent; None where a move was yours, or loaded."""
        return self._thoughts[: self.at]

    @property
    def text(self) -> str:
        """The moves as one string: "4453", or with blanks where a label has several characters."""
        written = labels(self.game)
        return _joint(written).join(written[action] for action in self.actions)

    @property
    def last_thought(self) -> Thought | None:
        """The opponent's last answer, with its reasons."""
        return next((t for t in reversed(self.thoughts) if t is not None), None)

    def push(self, action: int, thought: Thought | None = None) -> None:
        """One more move. Errors as ``game.play``; the line is then as before."""
        state = self.game.play(self._states[self.at], action)
        if self.record[self.at : self.at + 1] != [action]:
            self.cut(self.at)
            self.record.append(int(action))
            self._states.append(state)
            self._thoughts.append(None)
        self._thoughts[self.at] = thought
        self.at += 1
        for old in [t for t in self._thoughts if t is not None][:-KEPT_SEARCHES]:
            old.search = None

    def go(self, at: int) -> None:
        """Looks at the position after ``at`` moves, or the nearest that there is."""
        self.at = max(0, min(at, len(self.record)))

    def cut(self, keep: int) -> None:
        """Keeps the first moves only."""
        self.record, self._thoughts = self.record[:keep], self._thoughts[:keep]
        self._states, self.at = self._states[: keep + 1], keep


def labels(game: Game) -> list[str]:
    """[num_actions]: every action as its game writes it."""
    return [label(game, action) for action in range(game.num_actions)]


def read_moves(game: Game, moves: str | bytes | Sequence[int]) -> tuple[list[int], list[State]]:
    """The actions of a game, and the positions from the start to after the last.

    Args:
        moves: text, in which blanks, commas and line breaks between moves do not matter; the text
            of an SGF record, of Go; or a list of actions.

    Returns:
        n actions and n + 1 positions.

    Raises:
        ValueError: moves names no move, or an impossible one; says which.
    """
    written = labels(game)
    if is_record(moves):
        given = _of_record(game, moves)
    else:
        given = _of_text(written, moves) if isinstance(moves, str) else enumerate(moves, 1)
    actions, states = [], [game.initial_state()]
    for number, action in given:
        legal = game.legal_actions(states[-1])
        if action not in legal:
            word = written[action] if action in range(len(written)) else repr(action)
            why = "is not possible there" if legal else "comes after the end of the game"
            raise ValueError(f"Move {number}, {word}, {why}.")
        actions.append(int(action))
        states.append(game.play(states[-1], actions[-1]))
    return actions, states


def is_record(moves: str | bytes | Sequence[int]) -> bool:
    """Whether this is, or should be, the text of an SGF record."""
    return isinstance(moves, bytes) or (isinstance(moves, str) and moves.lstrip().startswith("("))


def _of_text(written: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    words = text.replace(",", " ").split()
    if not _joint(written):
        words = list("".join(words))
    for number, word in enumerate(words, 1):
        if word not in written:
            known = f"{written[0]} to {written[-1]}" if len(written) > 2 else " or ".join(written)
            raise ValueError(f"Move {number} is {word!r}; moves are written {known}.")
        yield number, written.index(word)


def _of_record(game: Game, text: str | bytes) -> Iterator[tuple[int, int]]:
    from azlearn.games.go.records import from_sgf  # sgfmill, which few tables need

    recorded, actions = from_sgf(text)
    if not isinstance(game, Go) or (game.size, game.komi) != (recorded.size, recorded.komi):
        size, komi = recorded.size, recorded.komi
        raise ValueError(f"This record is of Go on {size}x{size} with komi {komi:g}, another game.")
    return enumerate(actions, 1)


def _joint(written: Sequence[str]) -> str:
    return "" if all(len(word) == 1 for word in written) else " "
