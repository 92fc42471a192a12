"""The rules of tic-tac-toe, written once as bit arithmetic.

A board is 12 bits. The cell in row ``r`` and column ``c`` is bit ``4r + c``; bit ``4r + 3`` is a
guard that stays 0, so that no line wraps from one row into the next::

    0 1  2 |  3
    4 5  6 |  7
    8 9 10 | 11

Actions 0 to 8 are the cells in reading order. Everything else matches ``connect_four_rules.py``:
the same functions, for an int, an array or compiled.
"""

from azlearn.games.bits import one_like, parity
from azlearn.games.game import State

ROWS = 3
COLS = 3
NUM_ACTIONS = 9
CONNECT = 3
DIRECTIONS = (1, 4, 3, 5)  # the distance in bits between neighbors: -, |, / and \
FULL = 1911  # 0b0111_0111_0111: all nine playable bits
MAX_PLIES = 9

INITIAL = State(0, 0)


def cell_bit(row, col):
    """The bit number of the cell in ``row`` (0 = top) and ``col`` (0 = left)."""
    return 4 * row + col


def stone(occ, action):
    """The bit of cell ``action``, skipping one guard bit for each row above it."""
    return one_like(occ) << (action + action // 3)


def has_won(stones):
    """True where ``stones`` contain three in a row."""
    return (
        (stones & (stones >> 1) & (stones >> 2))
        | (stones & (stones >> 4) & (stones >> 8))
        | (stones & (stones >> 3) & (stones >> 6))
        | (stones & (stones >> 5) & (stones >> 10))
    ) != 0


def is_full(occ):
    """True where all nine cells are occupied."""
    return occ == FULL


def play(state, action):
    """The position after a stone on ``action``. Roles swap: the mover becomes ``opp``."""
    return State(state.opp, state.me | stone(state.me | state.opp, action))


def options(state):
    """The board that decides which moves are legal: all stones."""
    return state.me | state.opp


def is_legal(options, action):
    """True where cell ``action`` is empty."""
    return ((options >> (action + action // 3)) & 1) == 0


def outcome(state):
    """``(is_over, value)``: over if the opponent has completed a line, or every cell is occupied.

    The value is never +1, because only the player who has just moved can have completed a line.
    """
    lost = has_won(state.opp)
    return lost | ((state.me | state.opp) == FULL), lost * -1


def to_play(state):
    """0 if the first player is to move, 1 if the second is: the parity of the stones."""
    return parity(state.me | state.opp)
