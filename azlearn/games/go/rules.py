"""The rules of Go, up to 9x9, written once as bit arithmetic.

The point in row ``r`` (0 = top) and column ``c`` is bit ``STRIDE * r + c``; bit
``STRIDE * r + SIZE`` is a guard that stays 0, so that no neighbor wraps from one row into the
next. Here for ``SIZE = 5``::

     0  1  2  3  4 |  5
     6  7  8  9 10 | 11         8 touches 7, 9, 2 and 14
    12 13 14 15 16 | 17
    18 19 20 21 22 | 23
    24 25 26 27 28 | 29

Up to 7x7 a board is one int64 word. On 8x8 and 9x9 it is a pair of words: ``TOP`` rows in the first
word, the rest in the second. Each basic operation on boards is a small function below, with one
version for one word and another for two; the rules use only these functions. In the ``State`` of
the larger sizes, a name that ends in ``_low`` is the second word of its board.

Liberties, captures and territory all use one operation, a *flood fill*: everything that is
connected to some points within an area. Each round extends it by one step in all four directions.
The number of rounds that always suffices is known (see ``FLOOD``), so nothing branches.

These are the Tromp–Taylor rules with two changes that searches need: no suicide (unless
``SUICIDE``), and a simple ko rule instead of superko, since a state contains only the last boards.
Scoring counts area, and dead stones are not removed. The game ends after two passes, or after
``MAX_PLIES``.
"""

from typing import NamedTuple

from azlearn.games.bits import one_like, popcount, sign

SIZE = 7
KOMI2 = 17  # twice the komi; if it is odd, there are no draws
HISTORY = 8  # the number of boards that the planes show
SUICIDE = 0  # 1: a move may leave its own group without a liberty; then the group is removed
ROWS = COLS = SIZE
WORDS = 1 if SIZE <= 7 else 2
TOP = SIZE if WORDS == 1 else (SIZE + 1) // 2  # rows in the first word
STRIDE = SIZE + 1
PASS = SIZE * SIZE  # its bit is outside the board, so a pass places no stone
NUM_ACTIONS = PASS + 1
MAX_PLIES = 2 * SIZE * SIZE  # as long as AlphaGo Zero's games

# The greatest possible distance between two connected points, over all areas: the longest snake on
# the board (OEIS A331968). For sizes up to 7x7 we confirmed it by exhaustive search.
FLOOD = (0, 0, 2, 6, 10, 16, 23, 32, 41, 52)[SIZE]


class State(NamedTuple):
    """A position: ints, or int64 arrays [B].

    A change is a board with the stone that a move placed and the stones that it captured. Since the
    placed stone is the mover's and the captured stones are not, this is enough to undo the move.
    For a suicide it is the complement of the group's other stones, and therefore negative.
    """

    me: int  # stones of the player to move
    opp: int  # stones of the other player
    ko: int  # the point that the ko rule forbids now, or 0; with superko there may be several
    passes: int  # the number of consecutive passes just before this position
    ply: int  # moves and passes so far; Black is to move if it is even
    change_1: int  # the change of the last move; 0 after a pass, or beyond HISTORY
    change_2: int  # the change of the move before
    change_3: int
    change_4: int
    change_5: int
    change_6: int
    change_7: int


class WideState(NamedTuple):
    """A position on 8x8 and 9x9; see ``State``."""

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


if WORDS == 2:
    State = WideState
INITIAL = State(*[0] * len(State._fields))


def cell_bit(row, col):
    """The bit number, within its word, of the point in ``row`` (0 = top) and ``col`` (0 = left)."""
    return STRIDE * (row % TOP) + col


def board_of(points):
    """The board with these points, given as (row, column)."""
    words = [
        sum(1 << cell_bit(row, col) for row, col in points if row // TOP == word)
        for word in range(WORDS)
    ]
    return words[0] if WORDS == 1 else tuple(words)


_POINTS = [(row, col) for row in range(SIZE) for col in range(SIZE)]
BOARD = board_of(_POINTS)

# Every point is assigned four of eight or nine colors, and no two points the same four. So a group
# whose liberties have four colors has one liberty; with five or more, it has at least two.
NUM_COLORS = 7 + WORDS
_FOUR = [four for four in range(1 << NUM_COLORS) if four.bit_count() == 4][: len(_POINTS)]
COLORS = tuple(
    board_of([p for p, four in zip(_POINTS, _FOUR, strict=True) if four >> color & 1])
    for color in range(NUM_COLORS)
)

if WORDS == 1:

    def bit(word, action):
        """The board with only the point ``action``, as the same kind of number as ``word``."""
        return one_like(word) << (action + action // SIZE)

    def words(board):
        """The words of a board, as ``State`` stores them."""
        return (board,)

    def both(a, b):
        """The points that are in ``a`` and in ``b``."""
        return a & b

    def either(a, b):
        """The points that are in ``a`` or in ``b``."""
        return a | b

    def without(a, b):
        """The points of ``a`` that are not in ``b``."""
        return a & ~b

    def times(board, condition):
        """The board if the condition is 1, an empty board if it is 0."""
        return board * condition

    def is_none(board):
        """True where the board is empty."""
        return board == 0

    def meet(a, b):
        """True where the boards share a point."""
        return (a & b) != 0

    def is_single(board):
        """True where the board has at most one point."""
        return (board & (board - 1)) == 0

    def size_of(board):
        """The number of points on the board."""
        return popcount(board)

    def is_done(before, after):
        """True if a flood fill may stop early; never with arrays, where nothing may branch."""
        return isinstance(after, int) and before == after

    def around(points):
        """The points next to ``points``, including guards and bits outside the board."""
        return (points << 1) | (points >> 1) | (points << STRIDE) | (points >> STRIDE)

    def links(stones):
        """The stones with another stone to their right, and those with another stone below."""
        return stones & (stones >> 1), stones & (stones >> STRIDE)

    def linked(stones, right, below):
        """``stones``, and the stones that links connect to them."""
        across = ((stones & right) << 1) | ((stones >> 1) & right)
        return stones | across | ((stones & below) << STRIDE) | ((stones >> STRIDE) & below)

    def change_of(new, captured, lost):
        """The change that a move makes; see ``State``."""
        return ((new ^ lost) | captured) ^ ((lost != 0) * -1)

    def sides(state):
        """The boards of the player to move and of the opponent."""
        return state.me, state.opp

    def ko_of(state):
        """The board with the points that ko forbids."""
        return state.ko

    def forbid(state, action):
        """The same position, with ``action`` forbidden for this move."""
        return state._replace(ko=state.ko | bit(state.ko, action))

    def older(state):
        """The words of the earlier changes that are still remembered."""
        return (
            state.change_1 * (HISTORY > 2),
            state.change_2 * (HISTORY > 3),
            state.change_3 * (HISTORY > 4),
            state.change_4 * (HISTORY > 5),
            state.change_5 * (HISTORY > 6),
            state.change_6 * (HISTORY > 7),
        )

else:
    ROW = (1 << SIZE) - 1
    LAST = STRIDE * (TOP - 1)  # where the last row of the first word starts
    FIRST_LOW = TOP * SIZE  # the first point of the second word

    def bit(word, action):
        one, is_top, is_low = one_like(word), action < FIRST_LOW, action >= FIRST_LOW
        low = action - FIRST_LOW
        return (
            is_top * (one << (is_top * (action + action // SIZE))),
            is_low * (one << (is_low * (low + low // SIZE))),
        )

    def words(board):
        return board

    def both(a, b):
        return a[0] & b[0], a[1] & b[1]

    def either(a, b):
        return a[0] | b[0], a[1] | b[1]

    def without(a, b):
        return a[0] & ~b[0], a[1] & ~b[1]

    def times(board, condition):
        return board[0] * condition, board[1] * condition

    def is_none(board):
        return (board[0] | board[1]) == 0

    def meet(a, b):
        return ((a[0] & b[0]) | (a[1] & b[1])) != 0

    def is_single(board):
        return size_of(board) <= 1

    def size_of(board):
        return popcount(board[0]) + popcount(board[1])

    def is_done(before, after):
        return isinstance(after[0], int) and before[0] == after[0] and before[1] == after[1]

    def up(board):
        """Every point moved to the row above."""
        return (board[0] >> STRIDE) | ((board[1] & ROW) << LAST), board[1] >> STRIDE

    def down(board):
        """Every point moved to the row below."""
        return board[0] << STRIDE, (board[1] << STRIDE) | (board[0] >> LAST)

    def around(points):
        above, below = up(points), down(points)
        return (
            (points[0] << 1) | (points[0] >> 1) | above[0] | below[0],
            (points[1] << 1) | (points[1] >> 1) | above[1] | below[1],
        )

    def links(stones):
        return both(stones, (stones[0] >> 1, stones[1] >> 1)), both(stones, up(stones))

    def linked(stones, right, below):
        across = (
            ((stones[0] & right[0]) << 1) | ((stones[0] >> 1) & right[0]),
            ((stones[1] & right[1]) << 1) | ((stones[1] >> 1) & right[1]),
        )
        along = either(down(both(stones, below)), both(up(stones), below))
        return either(stones, either(across, along))

    def change_of(new, captured, lost):
        flipped = ((lost[0] | lost[1]) != 0) * -1
        return (
            ((new[0] ^ lost[0]) | captured[0]) ^ flipped,
            ((new[1] ^ lost[1]) | captured[1]) ^ flipped,
        )

    def sides(state):
        return (state.me, state.me_low), (state.opp, state.opp_low)

    def ko_of(state):
        return state.ko, state.ko_low

    def forbid(state, action):
        top, low = bit(state.ko, action)
        return state._replace(ko=state.ko | top, ko_low=state.ko_low | low)

    def older(state):
        return (
            state.change_1 * (HISTORY > 2), state.change_1_low * (HISTORY > 2),
            state.change_2 * (HISTORY > 3), state.change_2_low * (HISTORY > 3),
            state.change_3 * (HISTORY > 4), state.change_3_low * (HISTORY > 4),
            state.change_4 * (HISTORY > 5), state.change_4_low * (HISTORY > 5),
            state.change_5 * (HISTORY > 6), state.change_5_low * (HISTORY > 6),
            state.change_6 * (HISTORY > 7), state.change_6_low * (HISTORY > 7),
        )  # fmt: skip


def flood(start, area):
    """The points of ``area`` that are connected to ``start`` within ``area``."""
    reached = both(start, area)
    for _ in range(FLOOD):
        before = reached
        reached = both(either(before, around(before)), area)
        if is_done(before, reached):
            break
    return reached


def dead(stones, others):
    """The ``stones`` whose groups have no liberty."""
    empty = without(BOARD, either(stones, others))
    return without(stones, flood(around(empty), stones))


def play(state, action):
    """The position after a stone on ``action``, or a pass. The players' roles swap."""
    me, opp = sides(state)
    new = both(bit(state.me, action), BOARD)  # none for a pass
    mine = either(me, new)
    captured = dead(opp, mine)
    theirs = without(opp, captured)
    lost = dead(mine, theirs) if SUICIDE else times(mine, 0)
    # If a stone has captured one stone and has only opposing stones around it, it could be
    # recaptured immediately.
    is_alone = is_none(without(both(around(new), BOARD), opp))
    return State(
        *words(theirs),
        *words(without(mine, lost)),
        *words(times(captured, is_single(captured) & is_alone)),
        (state.passes + 1) * is_none(new),
        state.ply + 1,
        *words(times(change_of(new, captured, lost), HISTORY > 1)),
        *older(state),
    )


def two_liberties(me, opp):
    """The stones of both players whose groups have two liberties or more."""
    stones = either(me, opp)
    empty = without(BOARD, stones)
    my_right, my_below = links(me)
    their_right, their_below = links(opp)
    right, below = either(my_right, their_right), either(my_below, their_below)
    # The stones whose liberties have at least this number of colors.
    one = two = three = four = five = times(me, 0)
    for color in COLORS:
        shown = both(around(both(empty, color)), stones)
        for _ in range(FLOOD):  # in all groups of both players in parallel
            before = shown
            shown = linked(before, right, below)
            if is_done(before, shown):
                break
        five = either(five, both(four, shown))
        four = either(four, both(three, shown))
        three = either(three, both(two, shown))
        two = either(two, both(one, shown))
        one = either(one, shown)
    return five


def points(state):
    """The points where a stone would have a liberty, and which ko does not forbid."""
    me, opp = sides(state)
    empty, safe = without(BOARD, either(me, opp)), two_liberties(me, opp)
    # The point is next to an empty point, to a group of mine with another liberty, or to a group of
    # theirs without another liberty.
    fine = either(empty, either(both(me, safe), without(opp, safe)))
    return without(both(empty, around(fine)), ko_of(state))


def options(state):
    """The board of all legal moves, including the pass, which is always legal."""
    taken = either(either(*sides(state)), ko_of(state))
    free = without(BOARD, taken) if SUICIDE else points(state)
    return either(free, bit(state.me, PASS))


def rollout_options(state):
    """The moves for random games: never fill an eye, and pass only if no other move is left.

    An eye is a point with only the mover's stones next to it. Without this rule both players would
    keep killing their own groups until the game is cut off.
    """
    me, _ = sides(state)
    free = both(points(state), around(without(BOARD, me)))
    return either(free, times(bit(state.me, PASS), is_none(free)))


def is_legal(options, action):
    """True where ``action`` is one of the options."""
    return meet(options, bit(words(options)[0], action))


def areas(state):
    """``(mine, theirs)``: each player's stones, and empty points not connected to the opponent's.

    Empty points that are connected to neither player's stones belong to nobody.
    """
    me, opp = sides(state)
    empty = without(BOARD, either(me, opp))
    mine, theirs = flood(around(me), empty), flood(around(opp), empty)
    return either(me, without(mine, theirs)), either(opp, without(theirs, mine))


def area_lead(state):
    """The lead of the player to move in points, without komi."""
    mine, theirs = areas(state)
    return size_of(mine) - size_of(theirs)


def is_over(state):
    """True after two consecutive passes, or after ``MAX_PLIES``."""
    return (state.passes >= 2) | (state.ply >= MAX_PLIES)


def outcome(state):
    """``(is_over, value)``: the larger area wins; White gets komi."""
    over, komi2 = is_over(state), KOMI2 * (2 * to_play(state) - 1)
    return over, over * sign(2 * area_lead(state) + komi2)


def to_play(state):
    """0 for Black, 1 for White."""
    return state.ply & 1
