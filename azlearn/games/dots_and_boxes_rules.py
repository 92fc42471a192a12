"""The rules of Dots and Boxes, written once as bit arithmetic.

Four boards use the same numbering: the box in row ``r`` and column ``c`` is bit ``STRIDE * r + c``,
and so are the line above it (``across``) and the line to its left (``down``). The line below it is
``STRIDE`` bits further (it is above the next row's box); the line to its right is 1 bit further::

    o-0-o-1-o                        o   o   o
    |   |   |        across           0   1   2      down
    o-3-o-4-o        (R + 1) x C   3   4   5   R x (C + 1)
    |   |   |
    o-6-o-7-o        bits 2, 5 and 8 are guards that stay 0

Actions number the lines across, row by row, then the lines down. Up to 7x7 boxes fit.
"""

from typing import NamedTuple

from azlearn.games.bits import one_like, popcount, sign

BOX_ROWS = 2
BOX_COLS = 2
ROWS = 2 * BOX_ROWS + 1  # of the grid in which dots, lines and boxes are cells
COLS = 2 * BOX_COLS + 1
STRIDE = BOX_COLS + 1
NUM_ACROSS = (BOX_ROWS + 1) * BOX_COLS
NUM_ACTIONS = NUM_ACROSS + BOX_ROWS * STRIDE
MAX_PLIES = NUM_ACTIONS
ALL_BOXES = sum(((1 << BOX_COLS) - 1) << (STRIDE * row) for row in range(BOX_ROWS))


class State(NamedTuple):
    """A position: ints, or int64 arrays [B]."""

    across: int  # lines across, drawn by either player
    down: int  # lines down, drawn by either player
    mine: int  # boxes of the player to move
    theirs: int  # boxes of the other player
    mover: int  # 0 if the first player is to move, 1 if the second is


INITIAL = State(0, 0, 0, 0, 0)


def line(board, action):
    """The line ``action`` as ``(across, down)``: one bit in one of them, 0 in the other."""
    one, flat, upright = one_like(board), action < NUM_ACROSS, action >= NUM_ACROSS
    across = flat * (one << (flat * (action + action // BOX_COLS)))
    return across, upright * (one << (upright * (action - NUM_ACROSS)))


def play(state, action):
    """The position after a line. Roles swap unless the player closes a box and moves again."""
    new_across, new_down = line(state.across, action)
    across, down = state.across | new_across, state.down | new_down
    complete = across & (across >> STRIDE) & down & (down >> 1)
    closed = complete & ~(state.mine | state.theirs)
    swap = closed == 0
    changed = swap * (state.mine ^ state.theirs)
    return State(
        across, down, (state.mine ^ changed) | closed, state.theirs ^ changed, state.mover ^ swap
    )


def options(state):
    """The boards that decide which moves are legal: all lines."""
    return state.across, state.down


def is_legal(options, action):
    """True where the line has not been drawn."""
    across, down = line(options[0], action)
    return ((options[0] & across) | (options[1] & down)) == 0


def outcome(state):
    """``(is_over, value)``: over when every box is taken; the player with more boxes wins."""
    is_over = (state.mine | state.theirs) == ALL_BOXES
    return is_over, is_over * sign(popcount(state.mine) - popcount(state.theirs))


def to_play(state):
    """0 or 1."""
    return state.mover
