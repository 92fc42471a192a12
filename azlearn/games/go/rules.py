"""Go, up to 7x7: the rules written once, as arithmetic on bits.

The point in row ``r`` (0 = top) and column ``c`` is bit ``STRIDE * r + c``; bit
``STRIDE * r + SIZE`` is a guard that stays 0, so that no neighbour wraps from one row into the
next. Here for ``SIZE = 5``::

     0  1  2  3  4 |  5
     6  7  8  9 10 | 11         8 touches 7, 9, 2 and 14
    12 13 14 15 16 | 17
    18 19 20 21 22 | 23
    24 25 26 27 28 | 29

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
STRIDE = SIZE + 1
PASS = SIZE * SIZE  # its bit lies beyond the board: to pass is to place no stone
NUM_ACTIONS = PASS + 1
MAX_PLIES = 2 * SIZE * SIZE  # as long as AlphaGo Zero's games
BOARD = sum(((1 << SIZE) - 1) << (STRIDE * row) for row in range(SIZE))

# The longest of all shortest ways from one point to another, through whatever area: the longest
# snake of the board (OEIS A331968), found again by walking every one of them.
FLOOD = (0, 0, 2, 6, 10, 16, 23, 32)[SIZE]

# Every point has four of eight colours, no two points the same four. So a group whose liberties
# show four colours has one liberty, and a group that shows five has two or more.
_FOUR = [four for four in range(256) if four.bit_count() == 4]
_POINTS = [STRIDE * row + col for row in range(SIZE) for col in range(SIZE)]
COLOURS = tuple(
    sum(1 << point for point, four in zip(_POINTS, _FOUR, strict=False) if four >> colour & 1)
    for colour in range(8)
)


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


INITIAL = State(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def cell_bit(row, col):
    """The bit number of the point in ``row`` (0 = top) and ``col`` (0 = left)."""
    return STRIDE * row + col


def bit(board, action):
    """The bit of ``action``, with one guard bit to skip for each row before it."""
    return one_like(board) << (action + action // SIZE)


def around(points):
    """The points beside ``points``, guards and what lies beyond the board included."""
    return (points << 1) | (points >> 1) | (points << STRIDE) | (points >> STRIDE)


def is_done(before, after):
    """True where a flood may stop early: on a number. Arrays must not branch on what they hold."""
    return isinstance(after, int) and before == after


def flood(start, area):
    """All of ``area`` that is connected to ``start`` within ``area``."""
    reached = start & area
    for _ in range(FLOOD):
        before = reached
        reached = (before | around(before)) & area
        if is_done(before, reached):
            break
    return reached


def dead(stones, others):
    """Those of ``stones`` whose group has no liberty."""
    return stones & ~flood(around(BOARD & ~(stones | others)), stones)


def sides(state):
    """The boards of the player to move and of the other."""
    return state.me, state.opp


def play(state, action):
    """The position after a stone on ``action``, or a pass. The players' roles swap."""
    new = bit(state.me, action) & BOARD  # 0 for a pass
    mine = state.me | new
    captured = dead(state.opp, mine)
    theirs = state.opp & ~captured
    lost = dead(mine, theirs) if SUICIDE else mine & 0
    # One stone that has taken one, between stones of the other alone, could be taken back at once.
    is_single = (captured & (captured - 1)) == 0
    is_alone = (around(new) & BOARD & ~state.opp) == 0
    return State(
        theirs,
        mine & ~lost,
        captured * (is_single & is_alone),
        (state.passes + 1) * (new == 0),
        state.ply + 1,
        (((new ^ lost) | captured) ^ ((lost != 0) * -1)) * (HISTORY > 1),
        state.change_1 * (HISTORY > 2),
        state.change_2 * (HISTORY > 3),
        state.change_3 * (HISTORY > 4),
        state.change_4 * (HISTORY > 5),
        state.change_5 * (HISTORY > 6),
        state.change_6 * (HISTORY > 7),
    )


def two_liberties(me, opp):
    """The stones of both players whose group has two liberties or more."""
    empty = BOARD & ~(me | opp)
    right = (me & (me >> 1)) | (opp & (opp >> 1))  # of one owner with the stone on its right
    below = (me & (me >> STRIDE)) | (opp & (opp >> STRIDE))
    one = two = three = four = five = me & 0  # stones whose liberties show so many colours
    for colour in COLOURS:
        shown = around(empty & colour) & (me | opp)
        for _ in range(FLOOD):  # in all groups of both players at once
            before = shown
            across = ((before & right) << 1) | ((before >> 1) & right)
            shown = before | across | ((before & below) << STRIDE) | ((before >> STRIDE) & below)
            if is_done(before, shown):
                break
        five = five | (four & shown)
        four = four | (three & shown)
        three = three | (two & shown)
        two = two | (one & shown)
        one = one | shown
    return five


def forbid(state, action):
    """The position, where nothing may be placed on ``action`` now."""
    return state._replace(ko=state.ko | bit(state.ko, action))


def points(state):
    """The points on which a stone has a liberty after its move, and no ko forbids it."""
    me, opp = state.me, state.opp
    empty, safe = BOARD & ~(me | opp), two_liberties(me, opp)
    # Beside the point is an empty one, a group of mine with another liberty, or a group of theirs
    # that has no other.
    return empty & around(empty | (me & safe) | (opp & ~safe)) & ~state.ko


def options(state):
    """What decides which moves are legal: the bits of all that are. To pass always is."""
    free = BOARD & ~(state.me | state.opp | state.ko) if SUICIDE else points(state)
    return free | bit(free, PASS)


def rollout_options(state):
    """The moves of a random game that comes to an end: no eye is filled, none passes before time.

    An eye is a point between stones of the mover alone. Without this rule both players would kill
    their own groups until the game is cut.
    """
    free = points(state) & around(BOARD & ~state.me)
    return free | (bit(free, PASS) * (free == 0))


def is_legal(options, action):
    """True where ``action`` is one of the options."""
    return (options & bit(options, action)) != 0


def areas(state):
    """``(mine, theirs)``: stones, and empty points that reach no stone of the other."""
    empty = BOARD & ~(state.me | state.opp)
    mine, theirs = flood(around(state.me), empty), flood(around(state.opp), empty)
    return state.me | (mine & ~theirs), state.opp | (theirs & ~mine)


def area_lead(state):
    """By how many points the player to move leads; komi is not counted."""
    mine, theirs = areas(state)
    return popcount(mine) - popcount(theirs)


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
