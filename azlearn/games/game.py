"""The interface that every game offers to searches, networks and pictures."""

from dataclasses import fields, is_dataclass
from numbers import Integral
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np


class State(NamedTuple):
    """A position of a game of stones: two bitboards, from the point of view of the player to move.

    In single form both fields are Python ints; in batch form both are int64 arrays [B]. A game that
    needs more defines its own ``State``: a NamedTuple of as many 64-bit words as it needs.
    """

    me: int  # stones of the player to move
    opp: int  # stones of the other player


class Drawing(NamedTuple):
    """How pictures show a game.

    Attributes:
        field: the kind of cells: ``"holes"`` in a board; ``"squares"`` between lines;
            ``"hexagons"``, each row half a cell further to the right; ``"crossings"`` of lines, for
            black and white stones; or ``"dots"``: dots where row and column are even, boxes where
            both are odd, lines between them.
        marks: the marks of the first and the second player; ``("✕", "◯")`` draws crosses and rings.
        players: the names of the first and the second player.
        falls: action ``a`` drops a stone into column ``a``.
        fills: players alternate, and every move fills one cell with the mover's stone and changes
            nothing else. A recorded search then needs to store only the first board.
    """

    field: str = "squares"
    marks: tuple[str, str] = ("●", "■")
    players: tuple[str, str] = ("Red", "Yellow")
    falls: bool = False
    fills: bool = False


def drawing_of(game) -> Drawing:
    """The game's ``drawing``; without one, a guess from its rows, columns and actions."""
    falls = game.num_actions == getattr(game, "cols", 0) and getattr(game, "rows", 0) > 1
    return getattr(game, "drawing", Drawing("holes", falls=falls))


@runtime_checkable
class Game(Protocol):
    """The rules of a two-player, zero-sum game without chance or hidden information.

    Every value is **for the player to move in that state**: +1 a win, 0 a draw, -1 a loss. A player
    who has just completed a line hands over a position worth -1. Players need not alternate:
    ``to_play`` returns the player to move. A game may use its own type instead of ``State``.

    A game with a board also has the methods that pictures use: ``cells(state)``,
    ``cell(state, action)``, ``highlights(state)``, ``action_label(action)`` and ``drawing``; see
    ``RulesGame``.
    """

    name: str
    rows: int
    cols: int
    num_actions: int
    num_planes: int
    max_plies: int  # the length of the longest game

    def initial_state(self) -> State:
        """The position before the first move."""

    def play(self, state: State, action: int) -> State:
        """The position after ``action``. Raises ValueError if it is illegal or the game is over."""

    def next_state(self, state: State, action: int) -> State:
        """``play`` without its checks, for searches that follow legal moves only."""

    def legal_mask(self, state: State) -> np.ndarray:
        """bool [num_actions], True = legal; all False when the game is over."""

    def legal_actions(self, state: State) -> list[int]:
        """The legal actions in ascending order; empty when the game is over."""

    def outcome(self, state: State) -> int | None:
        """None while the game goes on, else +1, 0 or -1 for the player to move."""

    def to_play(self, state: State) -> int:
        """0 if the first player is to move, 1 if the second is."""

    def encode(self, state: State) -> np.ndarray:
        """The input planes, float32 [num_planes, rows, cols], for the player to move."""

    def symmetries(self, planes, policy) -> list[tuple]:
        """Every symmetric (planes, policy) pair, the identity first."""


class Forfeit(Exception):
    """A player loses because it resigned or its move is illegal.

    The message is a sentence; for a resignation it ends with "resigns.".
    """

    def __init__(self, said: str = "It resigns.") -> None:
        super().__init__(said)


class Fault(Forfeit):
    """A player cannot move because its program failed.

    Asking again may work. A match counts it as a loss.
    """


class OtherRules(Fault):
    """A player cannot move because its program forbids a move that these rules allow.

    Nobody has lost.
    """


def check_state(game: Game, state) -> None:
    """Checks a position before a search starts from it, or before it enters a batch.

    Raises:
        ValueError: ``state`` is not a position of this game: it is not a ``State`` of integers, or
            it has stones outside the board or two on one cell. Whether a game can reach the
            position is not checked.
    """
    kind = getattr(game, "State", None)
    if kind is None:  # a game with its own type of positions: nothing can be checked
        return
    fits = isinstance(state, kind) and all(
        isinstance(word, Integral) and -(2**63) <= word < 2**63 for word in state
    )
    if fits and isinstance(state, State):
        beside = (state.me | state.opp) & ~game.all_cells
        fits = not (beside or state.me & state.opp)
    if not fits:
        raise ValueError(
            f"Expected a position of {game.name}, such as initial_state() or from_moves(…) returns,"
            f" not {' '.join(repr(state).split()):.80}."
        )


def describe_difference(one: Any, other: Any) -> tuple[str, str]:
    """Returns the names of two games, plus the settings that differ if their class is the same."""
    differ = []
    if type(one) is type(other) and is_dataclass(one):
        names = (field.name for field in fields(one))
        differ = [name for name in names if getattr(one, name) != getattr(other, name)]

    def description(game: Any) -> str:
        values = (getattr(game, name) for name in differ)
        texts = (f"{value:g}" if isinstance(value, float) else str(value) for value in values)
        settings = ", ".join(map(" ".join, zip(differ, texts, strict=True)))
        return f"{game.name} with {settings}" if settings else game.name

    return description(one), description(other)
