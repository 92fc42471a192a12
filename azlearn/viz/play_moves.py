"""A game so far: its moves, its positions, its text, and what the opponent thought of them."""

from collections.abc import Sequence

from azlearn.games import Game, State
from azlearn.viz.boards import label
from azlearn.viz.play_opponent import Thought

KEPT_SEARCHES = 3  # of the last answers; a compiled search may take hundreds of megabytes


class Line:
    """The moves played so far and what they led to.

    Attributes:
        actions: n actions.
        states: n + 1 positions, from the start of the game.
        thoughts: n answers of the opponent; None where a move was yours, or loaded.
    """

    def __init__(self, game: Game, text: str = "") -> None:
        """The game that ``text`` writes. ValueError as ``read_moves``."""
        self.game = game
        self.actions, self.states = read_moves(game, text)
        self.thoughts: list[Thought | None] = [None] * len(self.actions)

    def __len__(self) -> int:
        return len(self.actions)

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
        self.states.append(self.game.play(self.states[-1], action))
        self.actions.append(int(action))
        self.thoughts.append(thought)
        for old in [t for t in self.thoughts if t is not None][:-KEPT_SEARCHES]:
            old.search = None

    def cut(self, keep: int) -> None:
        """Keeps the first moves only."""
        self.actions, self.thoughts = self.actions[:keep], self.thoughts[:keep]
        self.states = self.states[: keep + 1]


def labels(game: Game) -> list[str]:
    """[num_actions]: every action as its game writes it."""
    return [label(game, action) for action in range(game.num_actions)]


def read_moves(game: Game, text: str) -> tuple[list[int], list[State]]:
    """The actions that ``text`` writes, and the positions from the start to after the last.

    Blanks, commas and line breaks between moves do not matter.

    Returns:
        n actions and n + 1 positions.

    Raises:
        ValueError: text names no move, or an impossible one; says which.
    """
    written = labels(game)
    words = text.replace(",", " ").split()
    if not _joint(written):
        words = list("".join(words))
    actions, states = [], [game.initial_state()]
    for number, word in enumerate(words, 1):
        if word not in written:
            known = f"{written[0]} to {written[-1]}" if len(written) > 2 else " or ".join(written)
            raise ValueError(f"Move {number} is {word!r}; moves are written {known}.")
        action, legal = written.index(word), game.legal_actions(states[-1])
        if action not in legal:
            why = "is not possible there" if legal else "comes after the end of the game"
            raise ValueError(f"Move {number}, {word}, {why}.")
        actions.append(action)
        states.append(game.play(states[-1], action))
    return actions, states


def _joint(written: Sequence[str]) -> str:
    return "" if all(len(word) == 1 for word in written) else " "
