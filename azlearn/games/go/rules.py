"""Go, up to 9x9: the rules written once, as arithmetic on bits.

The point in row ``r`` (0 = top) and column ``c`` is bit ``STRIDE * r + c``; bit
``STRIDE * r + SIZE`` is a guard that stays 0, so that no neighbor wraps from one row into the
next. Here for ``SIZE = 5``::

     0  1  2  3  4 |  5
     6  7  8  9 10 | 11         8 touches 7, 9, 2 and 14
    12 13 14 15 16 | 17
    18 19 20 21 22 | 23
    24 25 26 27 28 | 29

Up to 7x7 a board is such a word. On 8x8 and 9x9 it is a pair of them: ``TOP`` rows in the first
word, the rest in the second. What is one operation on a word is a small function here, in two
forms; the rules below them know of boards alone. In the ``State`` of the larger sizes a name that
ends in ``_low`` is the second word of its board.

Liberties, captures and territory are one operation: a *flood*, all that is connected to some points
within an area. It takes one step to all four sides a round. The number of rounds that is always
enough is known (see ``FLOOD``), so nothing branches.

The rules are those of Tromp and Taylor with two changes, which searches need: no suicide (unless
``SUICIDE``), and a simple ko in place of superko, since a state knows no more than the last boards.
The score is area, and nobody removes dead stones. Two passes end the game, or ``MAX_PLIES``.
"""

from typing import NamedTuple

from azlearn.games.bits import one_like, popcount, sign

SIZE = 7
KOMI2 = 17  # twice the komi: where it is odd there are no draws
HISTORY = 8  # boards that planes show
SUICIDE = 0  # 1: a move may leave its own group without a liberty; then the group is taken off
ROWS = COLS = SIZE
WORDS = 1 if SIZE <= 7 else 2
TOP = SIZE if WORDS == 1 else (SIZE + 1) // 2  # rows in the first word
STRIDE = SIZE + 1
PASS = SIZE * SIZE  # its bit lies beyond the board: to pass is to place no stone
NUM_ACTIONS = PASS + 1
MAX_PLIES = 2 * SIZE * SIZE  # as long as AlphaGo Zero's games

# The longest of all shortest ways from one point to another, through whatever area: the longest
# snake of the board (OEIS A331968), found again up to 7x7 by walking every one of them.
FLOOD = (0, 0, 2, 6, 10, 16, 23, 32, 41, 52)[SIZE]


class State(NamedTuple):
    """A position: ints, or int64 arrays [B].

    A change is the stone that a move placed and those that it captured, as one board: since the
    stone is the mover's and the captured are not, it is all it takes to undo the move. Of a suicide
    it is the complement of what lay there before, and so negative.
    """

    me: int  # stones of the player to move
    opp: int  # stones of the other player
    ko: int  # the point that the ko rule forbids now, or 0; with superko there may be several
    passes: int  # how many of the last moves were passes, one after the other
    ply: int  # moves and passes so far: Black is to move where it is even
    change_1: int  # what the last move changed; 0 after a pass, or beyond HISTORY
    change_2: int  # the one before
    change_3: int
    change_4: int
    change_5: int
    change_6: int
    change_7: int


class WideState(NamedTuple):
    """The same on 8x8 and 9x9."""

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
    """The bit number, in its word, of the point in ``row`` (0 = top) and ``col`` (0 = left)."""
    return STRIDE * (row % TOP) + col


def board_of(points):
    """The board of some (row, column)."""
    words = [
        sum(1 << cell_bit(row, col) for row, col in points if row // TOP == word)
        for word in range(WORDS)
    ]
    return words[0] if WORDS == 1 else tuple(words)


_POINTS = [(row, col) for row in range(SIZE) for col in range(SIZE)]
BOARD = board_of(_POINTS)

# Every point has four of eight or nine colors, no two points the same four. So a group whose
# liberties show four colors has one liberty, and a group that shows five has two or more.
NUM_COLORS = 7 + WORDS
_FOUR = [four for four in range(1 << NUM_COLORS) if four.bit_count() == 4][: len(_POINTS)]
COLORS = tuple(
    board_of([p for p, four in zip(_POINTS, _FOUR, strict=True) if four >> color & 1])
    for color in range(NUM_COLORS)
)

if WORDS == 1:

    def bit(word, action):
        """The board of ``action`` alone, in the kind of ``word``: a guard to skip for each row."""
        return one_like(word) << (action + action // SIZE)

    def words(board):
        """The words of a board, as ``State`` holds them."""
        return (board,)

    def both(a, b):
        """Points of ``a`` and of ``b``."""
        return a & b

    def either(a, b):
        """Points of ``a`` or of ``b``."""
        return a | b

    def without(a, b):
        """Points of ``a`` that are not of ``b``."""
        return a & ~b

    def times(board, condition):
        """The board, or none of it."""
        return board * condition

    def is_none(board):
        """True where the board holds no point."""
        return board == 0

    def meet(a, b):
        """True where the boards share a point."""
        return (a & b) != 0

    def is_single(board):
        """True where the board holds one point, or none."""
        return (board & (board - 1)) == 0

    def size_of(board):
        """How many points it holds."""
        return popcount(board)

    def is_done(before, after):
        """True where a flood may stop early: on numbers. Arrays must not branch on what they
        hold."""
        return isinstance(after, int) and before == after

    def around(points):
        """The points beside ``points``, guards and what lies beyond the board included."""
        return (points << 1) | (points >> 1) | (points << STRIDE) | (points >> STRIDE)

    def links(stones):
        """The stones that have another on their right, and those that have one below."""
        return stones & (stones >> 1), stones & (stones >> STRIDE)

    def linked(stones, right, below):
        """``stones``, and those beside them over the links."""
        across = ((stones & right) << 1) | ((stones >> 1) & right)
        return stones | across | ((stones & below) << STRIDE) | ((stones >> STRIDE) & below)

    def change_of(new, captured, lost):
        """What a move has changed, see ``State``."""
        return ((new ^ lost) | captured) ^ ((lost != 0) * -1)

    def sides(state):
        """The boards of the player to move and of the other."""
        return state.me, state.opp

    def ko_of(state):
        """The board of the points that are forbidden for ko."""
        return state.ko

    def forbid(state, action):
        """The position, where nothing may be placed on ``action`` now."""
        return state._replace(ko=state.ko | bit(state.ko, action))

    def older(state):
        """The words of the changes before the last that are still remembered."""
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
    LAST = STRIDE * (TOP - 1)  # where the last row of the first word begins
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
    """All of ``area`` that is connected to ``start`` within ``area``."""
    reached = both(start, area)
    for _ in range(FLOOD):
        before = reached
        reached = both(either(before, around(before)), area)
        if is_done(before, reached):
            break
    return reached


def dead(stones, others):
    """Those of ``stones`` whose group has no liberty."""
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
    # One stone that has taken one, between stones of the other alone, could be taken back at once.
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
    """The stones of both players whose group has two liberties or more."""
    stones = either(me, opp)
    empty = without(BOARD, stones)
    my_right, my_below = links(me)
    their_right, their_below = links(opp)
    right, below = either(my_right, their_right), either(my_below, their_below)
    one = two = three = four = five = times(me, 0)  # whose liberties show so many colors
    for color in COLORS:
        shown = both(around(both(empty, color)), stones)
        for _ in range(FLOOD):  # in all groups of both players at once
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
    """The points on which a stone has a liberty after its move, and no ko forbids it."""
    me, opp = sides(state)
    empty, safe = without(BOARD, either(me, opp)), two_liberties(me, opp)
    # Beside the point is an empty one, a group of mine with another liberty, or a group of theirs
    # that has no other.
    fine = either(empty, either(both(me, safe), without(opp, safe)))
    return without(both(empty, around(fine)), ko_of(state))


def options(state):
    """What decides which moves are legal: the board of all that are. To pass always is."""
    taken = either(either(*sides(state)), ko_of(state))
    free = without(BOARD, taken) if SUICIDE else points(state)
    return either(free, bit(state.me, PASS))


def rollout_options(state):
    """The moves of a random game that comes to an end: no eye is filled, none passes before time.

    An eye is a point between stones of the mover alone. Without this rule both players would kill
    their own groups until the game is cut.
    """
    me, _ = sides(state)
    free = both(points(state), around(without(BOARD, me)))
    return either(free, times(bit(state.me, PASS), is_none(free)))


def is_legal(options, action):
    """True where ``action`` is one of the options."""
    return meet(options, bit(words(options)[0], action))


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
