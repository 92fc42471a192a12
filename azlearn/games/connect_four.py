"""Connect Four, 6 rows of 7 columns."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from azlearn.games import connect_four_rules
from azlearn.games.bitboard import BitboardGame
from azlearn.games.game import State


@dataclass(frozen=True)
class ConnectFour(BitboardGame):
    """Connect Four. Action ``a`` drops a stone into column ``a``, 0 on the left.

    A move string such as ``"4453"`` counts columns from 1, as the solvers' records do.
    """

    name = "connect_four"
    rules = connect_four_rules

    def to_text(self, state: State) -> str:
        """The board, with the columns' numbers, as move strings write them, below it."""
        numbers = " ".join(self.action_label(action) for action in range(self.num_actions))
        return f"{super().to_text(state)}\n{numbers}"

    @cached_property
    def _symmetries(self) -> list[tuple[np.ndarray, np.ndarray]]:
        cells = np.arange(self.rows * self.cols).reshape(self.rows, self.cols)
        actions = np.arange(self.num_actions)
        return [(cells.ravel(), actions), (cells[:, ::-1].ravel(), actions[::-1].copy())]
