"""The base class of games with passes on a square board."""

import numpy as np

from azlearn.games.footprints import Footprint
from azlearn.games.rules_game import RulesGame


def turned_and_mirrored(board: np.ndarray) -> list[np.ndarray]:
    """The eight symmetric images of a square board, the board itself first."""
    rotated = [np.rot90(board, turns) for turns in range(4)]
    return [*rotated, *(np.fliplr(one) for one in rotated)]


class SquareBoard(RulesGame):
    """Action ``size * row + col`` places a stone; the last action, the rules' ``PASS``, passes."""

    def board_symmetries(self, board: np.ndarray) -> list[np.ndarray]:
        """The board rotated and mirrored."""
        return turned_and_mirrored(board)

    def moved_actions(self, moved_cells: np.ndarray) -> np.ndarray:
        """Placing actions move with the cells; the pass stays."""
        return np.append(moved_cells, self.rules.PASS)

    def cell(self, state, action: int) -> int | None:
        """The cell on which the stone is placed; None for a pass."""
        return None if action == self.rules.PASS else action

    def footprint(self, state, action: int) -> Footprint:
        """The footprint, from the action alone; comparing boards would be slow."""
        cell = self.cell(state, action)
        return Footprint(target=-1 if cell is None else cell, is_seen=action != self.rules.PASS)
