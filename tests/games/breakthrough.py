"""Breakthrough, as a reader would write it: stones move, and are on the board from the start.

A stone moves one step forward, straight or diagonally, and captures only diagonally. Whoever
reaches the far row, or captures the last stone, wins. Action ``3 * cell + d``: d = 0, 1, 2 goes
left, straight, right. The first player starts at the bottom.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from azlearn.games import RulesGame
from azlearn.games.bits import one_like
from azlearn.games.specialize import specialize

ROWS = 5
COLS = 5
CELLS = ROWS * COLS
NUM_ACTIONS = 3 * CELLS
MAX_PLIES = 4 * CELLS
TOP = (1 << COLS) - 1
BOTTOM = TOP << (CELLS - COLS)
BOARD = (1 << CELLS) - 1


class State(NamedTuple):
    me: int
    opp: int
    mover: int
    left: int  # plies before the game would be cut off (never happens); no plane shows them


INITIAL = State(BOTTOM | BOTTOM >> COLS, TOP | TOP << COLS, 0, 0)


def cell_bit(row, col):
    return COLS * row + col


def ways(state, action):
    """The bits of a move's origin and target, and whether it stays on the board."""
    cell, side = action // 3, action % 3 - 1
    col, to = cell % COLS + side, cell + side + COLS * (2 * state.mover - 1)
    fits = (col >= 0) & (col < COLS) & (to >= 0) & (to < CELLS)
    return one_like(state.me) << cell, one_like(state.me) << (to * fits), fits


def play(state, action):
    start, end, _ = ways(state, action)
    return State(state.opp & ~end, state.me & ~start | end, 1 - state.mover, state.left - 1)


def options(state):
    return state


def is_legal(options, action):
    start, end, fits = ways(options, action)
    taken = options.me | options.opp * (action % 3 == 1)
    return fits & ((options.me & start) != 0) & ((taken & end) == 0)


def outcome(state):
    goal = TOP * state.mover + BOTTOM * (1 - state.mover)  # of the player who has just moved
    is_over = ((state.opp & goal) != 0) | (state.me == 0)
    return is_over, is_over * -1


def to_play(state):
    return state.mover


PLANES = {  # what a reader's planes may show: everything that matters, too little, too much
    "stones and mover": lambda s, r: (s.me, s.opp, s.mover * r.BOARD),
    "stones": lambda s, r: (s.me, s.opp),
    "and the goal": lambda s, r: (s.me, s.opp, r.TOP * (1 - s.mover) + r.BOTTOM * s.mover),
    "and who is in touch": lambda s, r: (s.me, s.opp, s.me & (s.opp << r.COLS | s.opp >> r.COLS)),
}


@dataclass(frozen=True)
class Breakthrough(RulesGame):
    """``ways`` are the symmetries, from a board to a list of boards."""

    num_rows: int = 5
    num_cols: int = 5
    planes: str = "stones and mover"
    left: int = 0
    ways: Callable = lambda board: [board, board[:, ::-1]]
    turns_sides: bool = True  # False: left stays left in a mirror, which is wrong

    name = "breakthrough"

    def __post_init__(self):
        module = specialize(sys.modules[__name__], ROWS=self.num_rows, COLS=self.num_cols)
        module.INITIAL = module.INITIAL._replace(left=self.left)
        self._use(module)
        object.__setattr__(self, "num_planes", len(self.plane_boards(module.INITIAL)))

    def plane_boards(self, state):
        return PLANES[self.planes](state, self.rules)

    def board_symmetries(self, board):
        return self.ways(board)

    def moved_actions(self, moved_cells):
        actions = np.repeat(3 * moved_cells, 3).reshape(-1, 3) + np.arange(3)
        is_mirrored = moved_cells[0] > moved_cells[1]
        return (actions[:, ::-1] if is_mirrored and self.turns_sides else actions).ravel()

    def cell(self, state, action):
        _, end, _ = self.rules.ways(state, action)
        cell = int(end).bit_length() - 1
        return None if state.opp & end else cell

    def action_label(self, action):
        """The stone's origin and a direction, because the label does not depend on the mover."""
        row, col = divmod(action // 3, self.cols)
        return f"{'abcdefgh'[col]}{self.rows - row}{'<^>'[action % 3]}"

    def num_plies(self, state):
        return 0
