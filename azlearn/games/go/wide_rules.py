"""Go on 8x8 and 9x9: the rules of ``rules.py`` on boards of two words.

A board is a pair: ``TOP`` rows in the first word, the rest in the second, each with its guards as
in ``rules.py``. Only ``around`` knows that a step may cross from one word to the other; what is a
single operation there is a small function here. A word of ``State`` that ends in ``_low`` is the
second of its board.
"""

from typing import NamedTuple

from azlearn.games.bits import one_like, popcount, sign
from azlearn.games.go.rules import is_done

SIZE = 9
KOMI2 = 15  # twice the komi: where it is odd there are no draws
HISTORY = 8  # boards that planes show
SUICIDE = 0  # 1: see ``rules.py``
ROWS = COLS = SIZE
TOP = (SIZE + 1) // 2  # rows in the first word
STRIDE = SIZE + 1
FIRST_LOW = TOP * SIZE  # the first point of the second word
LAST = STRIDE * (TOP - 1)  # where the last row of the first word begins
PASS = SIZE * SIZE
NUM_ACTIONS = PASS + 1
MAX_PLIES = 2 * SIZE * SIZE
ROW = (1 << SIZE) - 1
BOARD = (
    sum(ROW << (STRIDE * row) for row in range(TOP)),
    sum(ROW << (STRIDE * row) for row in range(SIZE - TOP)),
)
FLOOD = {8: 41, 9: 52}[SIZE]  # the longest snakes have 42 and 53 points

# As in ``rules.py``, four of nine colours a point: 126 sets for 81 points.
_FOUR = [four for four in range(512) if four.bit_count() == 4]
_POINTS = [(row >= TOP, STRIDE * (row % TOP) + col) for row in range(SIZE) for col in range(SIZE)]
COLOURS = tuple(
    tuple(
        sum(1 << place for (part, place), four in zip(_POINTS, _FOUR, strict=False)
            if part == half and four >> colour & 1)
        for half in range(2)
    )
    for colour in range(9)
)  # fmt: skip


class State(NamedTuple):
    """A position: ints, or int64 arrays [B]. See the ``State`` of ``rules.py``."""

    me: int
    me_low: int
    opp: int
    opp_low: int
    ko: int
    ko_low: int
    passes: int
    ply: int
    change_1: int
    change_1_low: int
    change_2: int
    change_2_low: int
    change_3: int
    change_3_low: int
    change_4: int
    change_4_low: int
    change_5: int
    change_5_low: int
    change_6: int
    change_6_low: int
    change_7: int
    change_7_low: int


INITIAL = State(*[0] * 22)


def both(a, b):
    """Points of ``a`` and of ``b``."""
    return a[0] & b[0], a[1] & b[1]


def either(a, b):
    """Points of ``a`` or of ``b``."""
    return a[0] | b[0], a[1] | b[1]


def without(a, b):
    """Points of ``a`` that are not of ``b``."""
    return a[0] & ~b[0], a[1] & ~b[1]


def times(board, condition):
    """The board, or none of it."""
    return board[0] * condition, board[1] * condition


def is_none(board):
    """True where the board holds no point."""
    return (board[0] | board[1]) == 0


def size_of(board):
    """How many points it holds."""
    return popcount(board[0]) + popcount(board[1])


def bit(word, action):
    """The bit of ``action`` in one of the two words; that of a pass lies beyond the board."""
    one, is_top, is_low = one_like(word), action < FIRST_LOW, action >= FIRST_LOW
    low = action - FIRST_LOW
    return (
        is_top * (one << (is_top * (action + action // SIZE))),
        is_low * (one << (is_low * (low + low // SIZE))),
    )


def up(board):
    """Every point moved to the row above."""
    return (board[0] >> STRIDE) | ((board[1] & ROW) << LAST), board[1] >> STRIDE


def down(board):
    """Every point moved to the row below."""
    return board[0] << STRIDE, (board[1] << STRIDE) | (board[0] >> LAST)


def around(points):
    """The points beside ``points``, guards and what lies beyond the board included."""
    above, below = up(points), down(points)
    return (
        (points[0] << 1) | (points[0] >> 1) | above[0] | below[0],
        (points[1] << 1) | (points[1] >> 1) | above[1] | below[1],
    )


def across(stones, right):
    """The neighbours of ``stones`` in their rows, over the links ``right``."""
    return (
        ((stones[0] & right[0]) << 1) | ((stones[0] >> 1) & right[0]),
        ((stones[1] & right[1]) << 1) | ((stones[1] >> 1) & right[1]),
    )


def along(stones, below):
    """The neighbours of ``stones`` in their columns, over the links ``below``."""
    return either(down(both(stones, below)), both(up(stones), below))


def flood(start, area):
    """All of ``area`` that is connected to ``start`` within ``area``."""
    reached = both(start, area)
    for _ in range(FLOOD):
        before = reached
        reached = both(either(before, around(before)), area)
        if is_done(before[0], reached[0]) and is_done(before[1], reached[1]):
            break
    return reached


def dead(stones, others):
    """Those of ``stones`` whose group has no liberty."""
    empty = without(BOARD, either(stones, others))
    return without(stones, flood(around(empty), stones))


def sides(state):
    """The boards of the player to move and of the other."""
    return (state.me, state.me_low), (state.opp, state.opp_low)


def play(state, action):
    """The position after a stone on ``action``, or a pass. The players' roles swap."""
    me, opp = sides(state)
    new = both(bit(state.me, action), BOARD)
    mine = either(me, new)
    captured = dead(opp, mine)
    theirs = without(opp, captured)
    lost = dead(mine, theirs) if SUICIDE else times(mine, 0)
    is_alone = is_none(without(both(around(new), BOARD), opp))
    ko = times(captured, is_alone & (size_of(captured) == 1))
    flipped = ((lost[0] | lost[1]) != 0) * -1
    change = (
        (((new[0] ^ lost[0]) | captured[0]) ^ flipped) * (HISTORY > 1),
        (((new[1] ^ lost[1]) | captured[1]) ^ flipped) * (HISTORY > 1),
    )
    passes = (state.passes + 1) * is_none(new)
    return State(
        *theirs, *without(mine, lost), *ko, passes, state.ply + 1, *change,
        state.change_1 * (HISTORY > 2), state.change_1_low * (HISTORY > 2),
        state.change_2 * (HISTORY > 3), state.change_2_low * (HISTORY > 3),
        state.change_3 * (HISTORY > 4), state.change_3_low * (HISTORY > 4),
        state.change_4 * (HISTORY > 5), state.change_4_low * (HISTORY > 5),
        state.change_5 * (HISTORY > 6), state.change_5_low * (HISTORY > 6),
        state.change_6 * (HISTORY > 7), state.change_6_low * (HISTORY > 7),
    )  # fmt: skip


def two_liberties(me, opp):
    """The stones of both players whose group has two liberties or more."""
    stones = either(me, opp)
    empty = without(BOARD, stones)
    # Stones of one owner with the one on their right, below them.
    right = either(both(me, (me[0] >> 1, me[1] >> 1)), both(opp, (opp[0] >> 1, opp[1] >> 1)))
    below = either(both(me, up(me)), both(opp, up(opp)))
    none = me[0] & 0, me[0] & 0
    one = two = three = four = five = none  # stones whose liberties show so many colours
    for colour in COLOURS:
        shown = both(around(both(empty, colour)), stones)
        for _ in range(FLOOD):  # in all groups of both players at once
            before = shown
            shown = either(either(before, across(before, right)), along(before, below))
            if is_done(before[0], shown[0]) and is_done(before[1], shown[1]):
                break
        five = either(five, both(four, shown))
        four = either(four, both(three, shown))
        three = either(three, both(two, shown))
        two = either(two, both(one, shown))
        one = either(one, shown)
    return five


def forbid(state, action):
    """The position, where nothing may be placed on ``action`` now."""
    top, low = bit(state.ko, action)
    return state._replace(ko=state.ko | top, ko_low=state.ko_low | low)


def points(state):
    """The points on which a stone has a liberty after its move, and no ko forbids it."""
    me, opp = sides(state)
    empty, safe = without(BOARD, either(me, opp)), two_liberties(me, opp)
    # Beside the point is an empty one, a group of mine with another liberty, or a group of theirs
    # that has no other.
    fine = either(empty, either(both(me, safe), without(opp, safe)))
    return without(both(empty, around(fine)), (state.ko, state.ko_low))


def options(state):
    """What decides which moves are legal: the bits of all that are. To pass always is."""
    taken = either(either(*sides(state)), (state.ko, state.ko_low))
    free = without(BOARD, taken) if SUICIDE else points(state)
    return either(free, bit(state.me, PASS))


def rollout_options(state):
    """The moves of a random game that comes to an end; see ``rules.py``."""
    me, _ = sides(state)
    free = both(points(state), around(without(BOARD, me)))
    return either(free, times(bit(state.me, PASS), is_none(free)))


def is_legal(options, action):
    """True where ``action`` is one of the options."""
    place = bit(options[0], action)
    return ((options[0] & place[0]) | (options[1] & place[1])) != 0


def areas(state):
    """``(mine, theirs)``: stones, and empty points that reach no stone of the other."""
    me, opp = sides(state)
    empty = without(BOARD, either(me, opp))
    mine, theirs = flood(around(me), empty), flood(around(opp), empty)
    return either(me, without(mine, theirs)), either(opp, without(theirs, mine))


def area_lead(state):
    """By how many points the player to move leads; komi is not counted."""
    mine, theirs = areas(state)
    return size_of(mine) - size_of(theirs)


def is_over(state):
    """True after two passes in a row, or ``MAX_PLIES``."""
    return (state.passes >= 2) | (state.ply >= MAX_PLIES)


def outcome(state):
    """``(is_over, value)``: more area wins, and komi is White's."""
    over, komi2 = is_over(state), KOMI2 * (2 * to_play(state) - 1)
    return over, over * sign(2 * area_lead(state) + komi2)


def to_play(state):
    """0 for Black, 1 for White."""
    return state.ply & 1
