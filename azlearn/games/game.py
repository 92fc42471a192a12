"""What every game offers: the interface that searches, networks and pictures stand on."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np


class State(NamedTuple):
    """A position, seen by the player to move.

    In single form both fields are Python ints (bitboards); in batch form both are int64 arrays [B].
    """

    me: int  # stones of the player to move
    opp: int  # stones of the other player


@runtime_checkable
class Game(Protocol):
    """The rules of a two-player, zero-sum game without chance or hidden information.

    Every value is **for the player to move in that state**: +1 a win, 0 a draw, -1 a loss. A player
    who has just completed a line hands over a position worth -1.
    """

    name: str
    rows: int
    cols: int
    num_actions: int

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
        """float32 [C, rows, cols], for the player to move."""

    def symmetries(self, planes, policy) -> list[tuple]:
        """Every symmetric (planes, policy) pair, the identity first."""
