"""Snort on 5x5: a complete game to copy and change, part by part, into your own.

Players take turns placing a stone on an empty cell. You may not use a cell that is directly above,
below, left or right of an opponent's stone. A player who cannot move loses.

    python my_game.py                                      checks the rules
    azlearn train --game my_game.py:MyGame --minutes 10    trains a network
    azlearn play runs/MyGame                               lets you play against it

A position is a few 64-bit integers, and the rules are arithmetic on them. Do not use `if`, `and`,
`or` or `not` on values of a position, and give every loop a fixed length. Then the same code runs
on one position, on arrays of thousands of positions, and compiled. Write `(a != 0) | (b == 0)`
instead of `a or not b`, and `value * condition` instead of `if condition`.
"""

import numpy as np

from azlearn.games import Drawing, RulesGame, State, assert_conforms
from azlearn.games.bits import one_like, parity

# 1. The numbers. ROWS and COLS give the shape of the network's input planes and of pictures.

ROWS = COLS = 5
NUM_ACTIONS = ROWS * COLS  # moves are numbered from 0 to NUM_ACTIONS - 1; here cells, row by row
MAX_PLIES = ROWS * COLS  # the longest game; if yours might never end, count moves in the position
STRIDE = COLS + 1  # bits per row; the last bit is a guard that stays 0, so that no shift wraps
BOARD = sum(((1 << COLS) - 1) << (STRIDE * row) for row in range(ROWS))

# 2. The position: everything the rules need to know, and nothing else. `State` has two fields:
# `me`, the stones of the player to move, and `opp`, the opponent's stones. If a player can move
# twice or pass, or if the rules need more, write a class State(NamedTuple) here, with `me: int`,
# `opp: int` and, for example, `mover: int` (0 or 1).

INITIAL = State(0, 0)


def cell_bit(row, col):
    """The bit of a cell; row 0 is at the top."""
    return STRIDE * row + col


def stone(board, action):
    """The board with only the cell `action`; the same kind of number as `board`."""
    return one_like(board) << (action + action // COLS)


# 3. The moves.


def around(cells):
    """The cells next to `cells`: shifts in four directions, cut off at the edge of the board."""
    return ((cells << 1) | (cells >> 1) | (cells << STRIDE) | (cells >> STRIDE)) & BOARD


def free(state):
    """The cells on which the player to move may place a stone."""
    return BOARD & ~(state.me | state.opp | around(state.opp))


def play(state, action):
    """The position after a legal move, for the player who moves next: me and opp swap."""
    return State(state.opp, state.me | stone(state.me, action))


def options(state):
    """Everything needed to test which moves are legal, computed once per position."""
    return free(state)


def is_legal(options, action):
    """True where `action` is legal. It is never called when the game is over."""
    return (options & stone(options, action)) != 0


# 4. The end.


def outcome(state):
    """`(is_over, value)`: for the player to move, +1 a win, 0 a draw, -1 a loss; 0 if not over.

    Here the value is never +1: the game ends when the player to move cannot move, and so loses.
    """
    is_over = free(state) == 0
    return is_over, is_over * -1


def to_play(state):
    """0 if the first player is to move, 1 if the second is; here the parity of the stones."""
    return parity(state.me | state.opp)


# 5. The network's input, the pictures, and the names of moves.


class MyGame(RulesGame):
    """Snort. Moves are written `"c2"`, the column's letter and the row's number from the top."""

    name = "snort"
    num_planes = 2
    drawing = Drawing(fills=True)  # delete unless players alternate and each move fills one cell

    # If a move takes a piece from one cell to another, pictures find both cells automatically. If
    # any other action's number is not the cell it fills, write `cell(self, state, action)`, which
    # returns that cell or None; see help(RulesGame.cell).

    def plane_boards(self, state):
        """One board per plane: the mover's stones, the opponent's, then anything else needed."""
        return state.me, state.opp

    def board_symmetries(self, board: np.ndarray):
        """All symmetric images of the board, itself first; here rotated and mirrored."""
        rotated = [np.rot90(board, turns) for turns in range(4)]
        return [*rotated, *(np.fliplr(one) for one in rotated)]

    # If actions are not simply the cells in order, write `moved_actions(self, moved_cells)`, which
    # defines how a symmetry moves the actions; see help(RulesGame.moved_actions).

    def action_label(self, action: int) -> str:
        """The name of a move, such as `"b2"` or `"b2-b3"`; it also names the rows and columns."""
        row, col = divmod(action, COLS)
        return f"{'abcdefgh'[col]}{row + 1}"

    def num_plies(self, state) -> int:
        """The number of moves so far that the board shows."""
        return (state.me | state.opp).bit_count()


if __name__ == "__main__":
    try:
        assert_conforms(MyGame())
    except AssertionError as fault:
        raise SystemExit(str(fault)) from None
    print(f"{MyGame.name}: rules, planes and pictures are consistent.")
