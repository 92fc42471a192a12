"""The rules of Hex, written once as bit arithmetic.

The cell in row ``r`` and column ``c`` is bit ``STRIDE * r + c``; bit ``STRIDE * r + SIZE`` is a
guard that stays 0, so that no chain wraps from one row into the next. Each row is half a cell to
the right of the row above. A cell touches six others, here for ``SIZE = 5``::

     0  1  2  3  4 |  5
       6  7  8  9 10 | 11         8 touches 7, 9, 2, 3, 13 and 14
        12 13 14 15 16 | 17
          18 19 20 21 22 | 23
            24 25 26 27 28 | 29

The first player connects the top row with the bottom row, the second player the left column with
the right one. When the board is full, exactly one of them has succeeded, so there are no draws.
"""

from azlearn.games.bits import one_like, parity
from azlearn.games.game import State

SIZE = 5
STRIDE = SIZE + 1
ROWS = COLS = SIZE
NUM_ACTIONS = SIZE * SIZE
MAX_PLIES = NUM_ACTIONS
TOP = (1 << SIZE) - 1
BOTTOM = TOP << (STRIDE * (SIZE - 1))
LEFT = sum(1 << (STRIDE * row) for row in range(SIZE))
RIGHT = LEFT << (SIZE - 1)
BOARD = LEFT * TOP
ROUNDS = SIZE * SIZE // 2 + SIZE  # the most cells that a shortest chain between sides can have

INITIAL = State(0, 0)


def cell_bit(row, col):
    """The bit number of the cell in ``row`` (0 = top) and ``col`` (0 = left)."""
    return STRIDE * row + col


def stone(board, action):
    """The bit of cell ``action``, skipping one guard bit for each row above it."""
    return one_like(board) << (action + action // SIZE)


def chain(stones, start):
    """The ``stones`` that are connected by chains to the cells of ``start``."""
    joined = stones & start
    for _ in range(ROUNDS):
        beside = (joined << 1) | (joined >> 1) | (joined << STRIDE) | (joined >> STRIDE)
        beside = beside | (joined << (STRIDE - 1)) | (joined >> (STRIDE - 1))
        joined = joined | (stones & beside)
    return joined


def sides(player):
    """``(start, end)``: the two rows or columns that the player connects."""
    return (1 - player) * TOP + player * LEFT, (1 - player) * BOTTOM + player * RIGHT


def play(state, action):
    """The position after a stone on ``action``. Roles swap: the mover becomes ``opp``."""
    return State(state.opp, state.me | stone(state.me, action))


def options(state):
    """The board that decides which moves are legal: all stones."""
    return state.me | state.opp


def is_legal(options, action):
    """True where cell ``action`` is empty."""
    return ((options >> (action + action // SIZE)) & 1) == 0


def outcome(state):
    """``(is_over, value)``: only the player who has just moved can have connected two sides."""
    start, end = sides(1 - to_play(state))
    lost = (chain(state.opp, start) & end) != 0
    return lost, lost * -1


def to_play(state):
    """0 if the first player is to move, 1 if the second is: the parity of the stones."""
    return parity(state.me | state.opp)
