"""Othello, on 8x8, 6x6 or 4x4: a game with passes that uses all 64 bits of a word."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from azlearn.games import othello_rules
from azlearn.games.specialize import specialize
from azlearn.games.square_board import SquareBoard


@dataclass(frozen=True)
class Othello(SquareBoard):
    """Othello. Action ``size * row + col`` places a stone; the last action passes.

    Moves are written as in game records, ``"d3"``, and ``"pass"``.

    Raises:
        ValueError: the size is not 4, 6 or 8.
    """

    size: int = 8

    name, has_owners = "othello", True

    def __post_init__(self) -> None:
        if self.size not in (4, 6, 8):
            raise ValueError(f"size must be 4, 6 or 8, not {self.size!r}.")
        self._use(specialize(othello_rules, SIZE=self.size))

    @cached_property
    def cell_bits(self) -> np.ndarray:
        """The bit number of every cell, int64 [rows, cols]."""
        return np.arange(self.size**2).reshape(self.size, self.size)

    def owner_boards(self, state) -> tuple:
        """``(mine, theirs)``: each player owns the cells with their stones."""
        return state.me, state.opp

    def action_label(self, action: int) -> str:
        """``"d3"``, the column's letter and the row's number from the top; ``"pass"``."""
        row, col = divmod(action, self.size)
        return "pass" if action == self.rules.PASS else f"{'abcdefgh'[col]}{row + 1}"

    def num_plies(self, state) -> int:
        """The number of stones beyond the first four; passes leave no trace on the board."""
        return ((state.me | state.opp) & (2**64 - 1)).bit_count() - 4
