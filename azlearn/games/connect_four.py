"""Connect Four, 6 rows of 7 columns."""

from dataclasses import dataclass

import numpy as np

from azlearn.games import connect_four_rules
from azlearn.games.game import Drawing, State
from azlearn.games.line_game import LineGame


@dataclass(frozen=True)
class ConnectFour(LineGame):
    """Connect Four. Action ``a`` drops a stone into column ``a``, 0 on the left.

    A move string such as ``"4453"`` counts columns from 1, as Connect Four solvers do.
    """

    name = "connect_four"
    drawing = Drawing("holes", falls=True, fills=True)
    rules = connect_four_rules

    def to_text(self, state: State) -> str:
        """The board, with the column numbers of move strings below it."""
        numbers = " ".join(self.action_label(action) for action in range(self.num_actions))
        return f"{super().to_text(state)}\n{numbers}"

    def board_symmetries(self, board: np.ndarray) -> list[np.ndarray]:
        """The board and its mirror image."""
        return [board, board[:, ::-1]]

    def moved_actions(self, moved_cells: np.ndarray) -> np.ndarray:
        """Columns move like the cells of the top row."""
        return moved_cells[: self.cols]
