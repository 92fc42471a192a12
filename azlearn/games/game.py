"""What every game offers: the interface that searches, networks and pictures stand on."""

from dataclasses import fields, is_dataclass
from numbers import Integral
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np


class State(NamedTuple):
    """A position of a game of stones, seen by the player to move: two boards of bits.

    In single form both fields are Python ints; in batch form both are int64 arrays [B]. A game with
    more to remember has a ``State`` of its own: a NamedTuple of as many 64-bit words as it needs.
    """

    me: int  # stones of the player to move
    opp: int  # stones of the other player


class Drawing(NamedTuple):
    """How pictures show a game. They know nothing else of it but ``Game.cells``.

    Attributes:
        field: ``"holes"`` in a board, ``"squares"`` between lines, ``"hexagons"`` of which each row
            is half a cell further to the right, ``"crossings"`` of lines, for black and white
            stones, or ``"dots"``: dots where row and column are even, boxes where both are odd,
            lines between.
        marks: of the first and the second player; ``("✕", "◯")`` draws crosses and rings.
        players: what the two are called.
        falls: action ``a`` is column ``a``, into which a stone falls.
        fills: players alternate and every move fills one cell with a stone of its mover, no more.
            Then a recorded search needs no boards but the first.
    """

    field: str = "squares"
    marks: tuple[str, str] = ("●", "■")
    players: tuple[str, str] = ("Red", "Yellow")
    falls: bool = False
    fills: bool = False


def drawing_of(game) -> Drawing:
    """What a game declares; of one that declares nothing, what its numbers suggest."""
    falls = game.num_actions == getattr(game, "cols", 0) and getattr(game, "rows", 0) > 1
    return getattr(game, "drawing", Drawing("holes", falls=falls))


@runtime_checkable
class Game(Protocol):
    """The rules of a two-player, zero-sum game without chance or hidden information.

    Every value is **for the player to move in that state**: +1 a win, 0 a draw, -1 a loss. A player
    who has just completed a line hands over a position worth -1. Players need not alternate:
    ``to_play`` says whose turn it is. Wherever ``State`` stands, a game may have its own.

    A game with a board has more, which pictures ask for: ``cells(state)``, ``cell(state, action)``,
    ``highlights(state)``, ``action_label(action)`` and ``drawing``; see ``RulesGame``.
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
        """The position after ``action``. ValueError if it is illegal or the game is over."""

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
        """float32 [num_planes, rows, cols], for the player to move."""

    def symmetries(self, planes, policy) -> list[tuple]:
        """Every symmetric (planes, policy) pair, the identity first."""


class Forfeit(Exception):
    """A player gives the game up, which it has lost: it resigns, or its move is illegal.

    The message is a sentence. That of a resignation ends with "resigns.".
    """

    def __init__(self, said: str = "It resigns.") -> None:
        super().__init__(said)


class Fault(Forfeit):
    """A player cannot move: its program failed. Asked again, it may. In a match it has lost."""


class OtherRules(Fault):
    """A player cannot move: its program forbids what these rules allow. Nobody has lost."""


def check_state(game: Game, state) -> None:
    """Searches ask this of the position that they begin with, batches of every one.

    Raises:
        ValueError: it is no position of this game: not a ``State`` of integers, or with stones
            beside the board or two on one cell. Whether play leads there is not asked.
    """
    kind = getattr(game, "State", None)
    if kind is None:  # a game of its own making, of which nothing is known
        return
    fits = isinstance(state, kind) and all(
        isinstance(word, Integral) and -(2**63) <= word < 2**63 for word in state
    )
    if fits and isinstance(state, State):
        beside = (state.me | state.opp) & ~game.all_cells
        fits = not (beside or state.me & state.opp)
    if not fits:
        raise ValueError(
            f"A position of {game.name} is wanted, as initial_state() or from_moves(…) gives it,"
            f" not {' '.join(repr(state).split()):.80}."
        )


def describe_difference(one: Any, other: Any) -> tuple[str, str]:
    """Two games in words: their names, and what each is told beside, where the names are alike."""
    differ = []
    if type(one) is type(other) and is_dataclass(one):
        names = (field.name for field in fields(one))
        differ = [name for name in names if getattr(one, name) != getattr(other, name)]

    def words(game: Any) -> str:
        told = (getattr(game, name) for name in differ)
        told = (f"{value:g}" if isinstance(value, float) else str(value) for value in told)
        told = ", ".join(map(" ".join, zip(differ, told, strict=True)))
        return f"{game.name} with {told}" if told else game.name

    return words(one), words(other)
