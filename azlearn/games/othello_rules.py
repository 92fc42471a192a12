"""The rules of Othello, written once as bit arithmetic.

The cell in row ``r`` and column ``c`` is bit ``SIZE * r + c``. An 8x8 board uses all 64 bits of a
word, including the sign bit for the last cell. The masks below make the sign bit harmless. A run of
flipped stones never includes a cell on the edge it runs toward, so every run is within
``INNER_...``. Within these masks no shift wraps into the next row, and the bits that an arithmetic
right shift fills in at the top are cut off.
"""

from typing import NamedTuple

from azlearn.games.bits import one_like, popcount, sign

SIZE = 8
ROWS = COLS = SIZE
PASS = SIZE * SIZE  # legal if the player to move cannot place a stone but the opponent can
NUM_ACTIONS = PASS + 1
MAX_PLIES = 2 * PASS
INNER_COLS = sum(((1 << (SIZE - 2)) - 1) << (SIZE * row + 1) for row in range(SIZE))
INNER_ROWS = ((1 << (SIZE * (SIZE - 2))) - 1) << SIZE
CENTER = (SIZE + 1) * (SIZE // 2 - 1)  # the upper left of the four center cells


class State(NamedTuple):
    """A position: ints, or int64 arrays [B]."""

    me: int  # stones of the player to move
    opp: int  # stones of the other player
    mover: int  # 0 if the first player is to move, 1 if the second is


INITIAL = State((2 << CENTER) | (1 << (CENTER + SIZE)), (1 << CENTER) | (2 << (CENTER + SIZE)), 0)


def up(stones, through, step):
    """The unbroken runs of ``through`` that start next to ``stones``, toward higher bits."""
    run = through & (stones << step)
    run = run | (through & (run << step))
    pairs = through & (through << step)
    run = run | (pairs & (run << (2 * step)))
    return run | (pairs & (run << (2 * step)))  # up to 6 cells, the longest run on 8x8


def down(stones, through, step):
    """The same runs, but toward lower bits."""
    run = through & (stones >> step)
    run = run | (through & (run >> step))
    pairs = through & (through >> step)
    run = run | (pairs & (run >> (2 * step)))
    return run | (pairs & (run >> (2 * step)))


def ends(me, through, step):
    """The cells just past the runs that start next to ``me``, both ways along an axis."""
    return (up(me, through, step) << step) | (down(me, through, step) >> step)


def between(stone, me, through, step):
    """The runs between ``stone`` and ``me``, both ways along an axis."""
    return (up(stone, through, step) & down(me, through, step)) | (
        down(stone, through, step) & up(me, through, step)
    )


def moves(me, opp):
    """Every empty cell on which a stone of ``me`` would flip some stones of ``opp``."""
    cols, rows, inner = opp & INNER_COLS, opp & INNER_ROWS, opp & INNER_COLS & INNER_ROWS
    straight = ends(me, cols, 1) | ends(me, rows, SIZE)
    return (straight | ends(me, inner, SIZE - 1) | ends(me, inner, SIZE + 1)) & ~(me | opp)


def turned(stone, me, opp):
    """The stones of ``opp`` that ``stone`` flips."""
    cols, rows, inner = opp & INNER_COLS, opp & INNER_ROWS, opp & INNER_COLS & INNER_ROWS
    straight = between(stone, me, cols, 1) | between(stone, me, rows, SIZE)
    return straight | between(stone, me, inner, SIZE - 1) | between(stone, me, inner, SIZE + 1)


def placed(board, action):
    """The bit of cell ``action``; 0 for a pass. Bit 63 is -2**63 on a Python int, as in int64."""
    bit = (action != PASS) * (one_like(board) << (action & 63))
    return bit - (bit >> 63 << 63 << 1)


def play(state, action):
    """The position after a stone on ``action``, or a pass. The players' roles swap."""
    stone = placed(state.me, action)
    flips = turned(stone, state.me, state.opp)
    return State(state.opp ^ flips, state.me | stone | flips, 1 - state.mover)


def options(state):
    """The board that decides which moves are legal: the cells on which a stone flips another."""
    return moves(state.me, state.opp)


def is_legal(options, action):
    """True for a stone on one of the options, and for a pass if there are no options."""
    stone = placed(options, action)
    return ((options & stone) != 0) | ((options | stone) == 0)


def outcome(state):
    """``(is_over, value)``: over when nobody can move; the player with more stones wins."""
    is_over = (moves(state.me, state.opp) | moves(state.opp, state.me)) == 0
    return is_over, is_over * sign(popcount(state.me) - popcount(state.opp))


def to_play(state):
    """0 or 1. ``mover`` stores it because passes make the number of stones ambiguous."""
    return state.mover
