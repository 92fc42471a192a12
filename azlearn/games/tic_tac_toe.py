"""Tic-tac-toe, small enough to check every answer exactly."""

from dataclasses import dataclass

import numpy as np

from azlearn.games import tic_tac_toe_rules
from azlearn.games.game import Drawing
from azlearn.games.line_game import LineGame
from azlearn.games.square_board import turned_and_mirrored


@dataclass(frozen=True)
class TicTacToe(LineGame):
    """Tic-tac-toe. Action ``a`` takes cell ``a`` in reading order, 0 at the top left."""

    name = "tic_tac_toe"
    drawing = Drawing(marks=("✕", "◯"), players=("X", "O"), fills=True)
    rules = tic_tac_toe_rules

    def board_symmetries(self, board: np.ndarray) -> list[np.ndarray]:
        """The board rotated and mirrored."""
        return turned_and_mirrored(board)
