"""Dots and Boxes: a player who closes a box moves again."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from azlearn.games import dots_and_boxes_rules
from azlearn.games.footprints import with_coordinates
from azlearn.games.game import Drawing
from azlearn.games.rules_game import RulesGame
from azlearn.games.specialize import specialize

LINE = 3  # in ``cells``: a dot, or a drawn line; it belongs to nobody


@dataclass(frozen=True)
class DotsAndBoxes(RulesGame):
    """Dots and Boxes with ``num_rows`` by ``num_cols`` boxes. An action draws a line.

    Planes and pictures show dots, lines and boxes as cells of one grid, 2 num_rows + 1 by
    2 num_cols + 1: dots where row and column are even, boxes where both are odd, lines between
    them. Moves are named by their cell in that grid: the column's letter and the row's number from
    the top. So ``"b1"`` is the line at the top left.

    Raises:
        ValueError: the number of rows or columns of boxes is not from 1 to 7.
    """

    num_rows: int = 2
    num_cols: int = 2

    name = "dots_and_boxes"
    drawing = Drawing("dots")
    num_planes = 3

    def __post_init__(self) -> None:
        for name, number in (("num_rows", self.num_rows), ("num_cols", self.num_cols)):
            if number not in range(1, 8):
                raise ValueError(f"{name} must be a whole number from 1 to 7, not {number!r}.")
        self._use(specialize(dots_and_boxes_rules, BOX_ROWS=self.num_rows, BOX_COLS=self.num_cols))

    def board_symmetries(self, board: np.ndarray) -> list[np.ndarray]:
        """The board mirrored both ways; a square board also transposed."""
        boards = [board, board[::-1], board[:, ::-1], board[::-1, ::-1]]
        return boards + [b.T for b in boards] if self.num_rows == self.num_cols else boards

    def moved_actions(self, moved_cells: np.ndarray) -> np.ndarray:
        """Lines move like their cells."""
        action_at = {cell: action for action, cell in enumerate(self._line_cells)}
        return np.array([action_at[cell] for cell in moved_cells[self._line_cells].tolist()])

    def action_label(self, action: int) -> str:
        """``"b1"``: the column's letter and the row's number from the top, in the grid of cells."""
        row, col = divmod(self._line_cells[action], self.cols)
        return f"{'abcdefghijklmno'[col]}{row + 1}"

    def num_plies(self, state) -> int:
        """The number of lines that have been drawn."""
        return state.across.bit_count() + state.down.bit_count()

    def cell(self, state, action: int) -> int:
        """The cell of the line."""
        return self._line_cells[action]

    def cells(self, state) -> list[int]:
        """0 empty, 1 and 2 the players' boxes, 3 a dot or a line that has been drawn."""
        lines, mine, theirs = self.encode(state).astype(int)
        mover = self.to_play(state)
        boxes = mine * (1 + mover) + theirs * (2 - mover)
        dots = np.zeros_like(lines)
        dots[::2, ::2] = 1
        return (boxes + LINE * (lines + dots)).ravel().tolist()

    def to_text(self, state) -> str:
        """The grid, with ``+`` for dots, ``-`` and ``|`` for lines, ``X`` and ``O`` for boxes."""
        marks = np.array([" ", "X", "O", "-"])[np.reshape(self.cells(state), (self.rows, -1))]
        marks[::2, ::2] = "+"
        marks[1::2, ::2] = np.where(marks[1::2, ::2] == "-", "|", " ")
        return with_coordinates(self, ["".join(row) for row in marks], joint="")

    def bit_planes(self, state, like) -> list:
        """The drawn lines, the boxes of the player to move, and the opponent's boxes."""
        bits, across, down, boxes = map(like, self._grid)
        lines = ((state.across >> bits) & across) | ((state.down >> bits) & down)
        return [lines, (state.mine >> bits) & boxes, (state.theirs >> bits) & boxes]

    @cached_property
    def _grid(self) -> tuple[np.ndarray, ...]:
        """Tables int64 [rows, cols]: bit numbers, and 1 for lines across, lines down, boxes."""
        rows, cols = np.indices((self.rows, self.cols), dtype=np.int64)
        odd_row, odd_col = rows % 2, cols % 2
        bits = (rows // 2) * self.rules.STRIDE + cols // 2
        return bits, (1 - odd_row) * odd_col, odd_row * (1 - odd_col), odd_row * odd_col

    @cached_property
    def _line_cells(self) -> list[int]:
        """The cell of every action: lines across row by row, then lines down."""
        _, across, down, _ = (table.ravel() for table in self._grid)
        return [*np.flatnonzero(across).tolist(), *np.flatnonzero(down).tolist()]
