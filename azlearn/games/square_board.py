"""What games on a square board have in common, where a move is a stone on a cell, or a pass."""

import numpy as np

from azlearn.games.rules_game import RulesGame, turned_and_mirrored


class SquareBoard(RulesGame):
    """Action ``size * row + col`` places a stone; the rules' ``PASS``, the last one, passes."""

    def board_symmetries(self, board: np.ndarray) -> list[np.ndarray]:
        """Turned and mirrored."""
        return turned_and_mirrored(board)

    def moved_actions(self, moved_cells: np.ndarray) -> np.ndarray:
        """The cells move, the pass stays."""
        return np.append(moved_cells, self.rules.PASS)

    def cell(self, state, action: int) -> int | None:
        """The cell on which the stone is placed; None for a pass."""
        return None if action == self.rules.PASS else action
