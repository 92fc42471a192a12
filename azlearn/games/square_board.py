"""What games on a square board have in common."""

import numpy as np

from azlearn.games.footprints import Footprint
from azlearn.games.rules_game import RulesGame


def turned_and_mirrored(board: np.ndarray) -> list[np.ndarray]:
    """The eight symmetries of a square board, the identity first."""
    turned = [np.rot90(board, turns) for turns in range(4)]
    return [*turned, *(np.fliplr(seen) for seen in turned)]


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

    def footprint(self, state, action: int) -> Footprint:
        """Known from the action alone, for boards with their history are slow to compare."""
        cell = self.cell(state, action)
        return Footprint(target=-1 if cell is None else cell, is_seen=action != self.rules.PASS)
