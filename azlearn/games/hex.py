"""Hex, from 3x3 to 7x7: chains instead of lines, and no draws."""

from dataclasses import dataclass

import numpy as np

from azlearn.games import hex_rules
from azlearn.games.game import Drawing, State
from azlearn.games.rules_game import RulesGame
from azlearn.games.specialize import specialize


@dataclass(frozen=True)
class Hex(RulesGame):
    """Hex. Action ``size * row + col`` takes a cell; the first player connects top and bottom.

    Moves are written ``"c2"``, the column's letter and the row's number from the top. There is no
    swap rule, so the first player wins on every size under perfect play.

    Raises:
        ValueError: the size is not from 3 to 7.
    """

    size: int = 5

    name = "hex"
    drawing = Drawing("hexagons", fills=True)
    num_planes = 3

    def __post_init__(self) -> None:
        if self.size not in range(3, 8):
            raise ValueError(f"size must be a whole number from 3 to 7, not {self.size!r}.")
        self._use(specialize(hex_rules, SIZE=self.size))

    def plane_boards(self, state: State) -> tuple:
        """The mover's stones, the opponent's, and all cells if the mover connects top to bottom."""
        is_first = 1 - self._to_play(state)
        return state.me, state.opp, is_first * self.rules.BOARD

    def board_symmetries(self, board: np.ndarray) -> list[np.ndarray]:
        """Rotating by 180° maps each pair of sides to itself."""
        return [board, np.rot90(board, 2)]

    def action_label(self, action: int) -> str:
        """``"c2"``: the column's letter and the row's number from the top."""
        row, col = divmod(action, self.size)
        return f"{'abcdefg'[col]}{row + 1}"

    def num_plies(self, state: State) -> int:
        """The number of stones."""
        return (state.me | state.opp).bit_count()

    def highlights(self, state: State) -> list[int]:
        """The winning chain: the stones connected to both of the winner's sides."""
        if not self._outcome(state)[0]:
            return []
        start, end = self.rules.sides(1 - self._to_play(state))
        chain = self.rules.chain(state.opp, start) & self.rules.chain(state.opp, end)
        bits = self.cell_bits.ravel()
        return [cell for cell in range(self.num_actions) if chain >> int(bits[cell]) & 1]
