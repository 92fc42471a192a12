"""Othello, on 8x8 or 6x6: passes, and all 64 bits of a word."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from azlearn.games import othello_rules
from azlearn.games.specialize import specialize
from azlearn.games.square_board import SquareBoard


@dataclass(frozen=True)
class Othello(SquareBoard):
    """Othello. Action ``size * row + col`` places a stone, the last one passes.

    Moves are written as in game records, ``"d3"``, and ``"pass"``.

    Raises:
        ValueError: a size other than 4, 6 or 8.
    """

    size: int = 8

    name, has_owners = "othello", True

    def __post_init__(self) -> None:
        if self.size not in (4, 6, 8):
            raise ValueError(f"size must be 4, 6 or 8, not {self.size!r}.")
        self._use(specialize(othello_rules, SIZE=self.size))

    @cached_property
    def cell_bits(self) -> np.ndarray:
        """int64 [rows, cols], the bit of every cell."""
        return np.arange(self.size**2).reshape(self.size, self.size)

    def owner_boards(self, state) -> tuple:
        """The stones."""
        return state.me, state.opp

    def action_label(self, action: int) -> str:
        """``"d3"``, the column's letter and the row's number from the top; ``"pass"``."""
        row, col = divmod(action, self.size)
        return "pass" if action == self.rules.PASS else f"{'abcdefgh'[col]}{row + 1}"

    def num_plies(self, state) -> int:
        """The stones beyond the first four: passes leave no trace on the board."""
        return ((state.me | state.opp) & (2**64 - 1)).bit_count() - 4
