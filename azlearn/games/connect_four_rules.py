"""The rules of Connect Four, written once as bit arithmetic.

A board is 49 bits. Column ``c`` has bits ``7c`` (bottom) to ``7c + 5`` (top); bit ``7c + 6`` is a
guard that stays 0, so that no line of four wraps from one column into the next::

     6 13 20 27 34 41 48    guard
     5 12 19 26 33 40 47    top row
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42    bottom row

A position is two boards, ``me`` (stones of the player to move) and ``opp`` (stones of the other);
``occ = me | opp`` is all stones. The functions use only ``+ - * & | ~ << >> == !=`` and never
branch, so the same source runs on a Python int, on a NumPy or torch int64 array of any shape, and
compiled (see ``specialize``). J. Tromp's and P. Pons's solvers use the same layout.
"""

from azlearn.games.bits import one_like, parity
from azlearn.games.game import State

ROWS = 6
COLS = 7
NUM_ACTIONS = 7
CONNECT = 4
DIRECTIONS = (1, 7, 6, 8)  # the distance in bits between neighbors: |, -, \ and /
FULL = 279258638311359  # all 42 playable bits: (2**6 - 1) * (1 + 2**7 + ... + 2**42)
TOP_ROW = 141845657554976  # bits 5, 12, 19, 26, 33, 40 and 47
MAX_PLIES = 42

INITIAL = State(0, 0)


def cell_bit(row, col):
    """The bit number of the cell in ``row`` (0 = top) and ``col`` (0 = left)."""
    return 7 * col + 5 - row


def stone(occ, action):
    """The bit on which a stone dropped into column ``action`` lands.

    Adding 1 at the bottom of a column carries past its stones into the first empty cell. In a full
    column that is the guard bit.
    """
    return (occ + (one_like(occ) << (action * 7))) & ~occ


def has_won(stones):
    """True where ``stones`` contain four in a row: shifts find pairs, then pairs of pairs."""
    vertical = stones & (stones >> 1)
    horizontal = stones & (stones >> 7)
    falling = stones & (stones >> 6)
    rising = stones & (stones >> 8)
    return (
        (vertical & (vertical >> 2))
        | (horizontal & (horizontal >> 14))
        | (falling & (falling >> 12))
        | (rising & (rising >> 16))
    ) != 0


def is_full(occ):
    """True where all 42 cells are occupied."""
    return occ == FULL


def play(state, action):
    """The position after a stone in ``action``. Roles swap: the mover becomes ``opp``."""
    return State(state.opp, state.me | stone(state.me | state.opp, action))


def options(state):
    """The board that decides which moves are legal: the stones in the top row."""
    return (state.me | state.opp) & TOP_ROW


def is_legal(options, action):
    """True where column ``action`` still has room."""
    return ((options >> (action * 7 + 5)) & 1) == 0


def outcome(state):
    """``(is_over, value)``: over if the opponent has completed a line, or every cell is occupied.

    The value is never +1, because only the player who has just moved can have completed a line.
    """
    lost = has_won(state.opp)
    return lost | ((state.me | state.opp) == FULL), lost * -1


def to_play(state):
    """0 if the first player is to move, 1 if the second is: the parity of the stones."""
    return parity(state.me | state.opp)
