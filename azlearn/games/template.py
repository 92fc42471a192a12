"""Snort on 5x5: a whole game to copy, and to make your own part by part.

Both players place stones on empty cells in turn. A cell beside a stone of the other player, above,
below, left or right, is closed to you. Whoever cannot move loses.

    python my_game.py                                      says what does not fit together
    azlearn train --game my_game.py:MyGame --minutes 10    trains it
    azlearn play runs/MyGame                               plays against you

A position is a few whole numbers of 64 bits, and the rules are arithmetic on them: no `if`, `and`,
`or` or `not` that asks about a position, and no loop that is longer in one position than in
another. So the same lines run on one position, on arrays of thousands, and compiled. Write
`(a != 0) | (b == 0)` instead of `a or not b`, and `value * condition` instead of `if condition`.
"""

import numpy as np

from azlearn.games import Drawing, RulesGame, State, assert_conforms
from azlearn.games.bits import one_like, parity

# 1. The numbers. Rows and columns are those of the planes that a network sees, and of the picture.

ROWS = COLS = 5
NUM_ACTIONS = ROWS * COLS  # a move is a number from 0 to NUM_ACTIONS - 1; here a cell, row by row
MAX_PLIES = ROWS * COLS  # no game may be longer: count moves in the position if it could be
STRIDE = COLS + 1  # bits a row: the last is a guard and stays 0, so that no shift wraps
BOARD = sum(((1 << COLS) - 1) << (STRIDE * row) for row in range(ROWS))

# 2. The position: what the rules have to know of the past, and no more. `State` has the stones of
# the player to move, `me`, and the other's, `opp`. If a player can move twice or pass, or if more
# is to be remembered, write a class State(NamedTuple) here, with `me: int`, `opp: int` and, say,
# `mover: int`, 0 or 1.

INITIAL = State(0, 0)


def cell_bit(row, col):
    """The bit of a cell; row 0 is at the top."""
    return STRIDE * row + col


def stone(board, action):
    """The bit of the cell `action`, as the same kind of number as `board`."""
    return one_like(board) << (action + action // COLS)


# 3. The moves. What two questions share is a function of its own.


def around(cells):
    """The cells beside some cells: four shifts, and what falls off the board is cut off."""
    return ((cells << 1) | (cells >> 1) | (cells << STRIDE) | (cells >> STRIDE)) & BOARD


def free(state):
    """The cells on which the player to move may place a stone."""
    return BOARD & ~(state.me | state.opp | around(state.opp))


def play(state, action):
    """The position after a legal move, seen by the player who moves next: me and opp swap."""
    return State(state.opp, state.me | stone(state.me, action))


def options(state):
    """What decides which moves are legal, worked out once for all of them."""
    return free(state)


def is_legal(options, action):
    """True where `action` is legal. When the game is over, nobody asks."""
    return (options & stone(options, action)) != 0


# 4. The end.


def outcome(state):
    """`(is_over, value)`: +1 a win, 0 a draw, -1 a loss, for the player to move. 0 if it goes on.

    Whoever cannot move has lost, and it is the player to move who cannot.
    """
    is_over = free(state) == 0
    return is_over, is_over * -1


def to_play(state):
    """0 if the first player is to move, 1 if the second is: the number of stones tells."""
    return parity(state.me | state.opp)


# 5. What the network sees, what is drawn, and how moves are written.


class MyGame(RulesGame):
    """Snort. Moves are written `"c2"`, the column's letter and the row's number from the top."""

    name = "snort"
    num_planes = 2
    drawing = Drawing(fills=True)  # every move fills one cell, by turns; else leave this out

    # Where a piece goes from one cell to another, tables and pictures compare the boards, and ask
    # for nothing more. Where another move is not the cell that it fills, write
    # `cell(self, state, action)`, which gives that cell, or None: help(RulesGame.cell).

    def plane_boards(self, state):
        """A plane each: the mover's stones first, then the other's, then what else decides."""
        return state.me, state.opp

    def board_symmetries(self, board: np.ndarray):
        """The board in every way in which the rules are the same; here turned and mirrored."""
        turned = [np.rot90(board, turns) for turns in range(4)]
        return [*turned, *(np.fliplr(one) for one in turned)]

    # Where actions are not the cells in order, `moved_actions(self, moved_cells)` says which action
    # takes the place of each: help(RulesGame.moved_actions).

    def action_label(self, action: int) -> str:
        """The name of a move; the coordinates beside the board follow it, as those of `"b2-b3"`."""
        row, col = divmod(action, COLS)
        return f"{'abcdefgh'[col]}{row + 1}"

    def num_plies(self, state) -> int:
        """How many moves the board shows."""
        return (state.me | state.opp).bit_count()


if __name__ == "__main__":
    try:
        assert_conforms(MyGame())
    except AssertionError as fault:
        raise SystemExit(str(fault)) from None
    print(f"{MyGame.name}: rules, planes and pictures fit together.")
