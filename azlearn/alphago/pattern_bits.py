"""The features of ``patterns.py`` as arithmetic on bits, for one position, many, or compiled.

Written like a rules module: no branches, so the very same source runs on Python ints, on int64
arrays that broadcast, and through ``specialize(pattern_bits, numba.njit)``. The layout of the
bits is that of ``azlearn.games.connect_four_rules``.
"""

from azlearn.games.connect_four_rules import COLS, FULL, stone

BOTTOM = 4432676798593  # the lowest cell of every column: 1 + 2**7 + ... + 2**42


def height(occ, action):
    """How many stones lie in column ``action``."""
    column = (occ >> (7 * action)) & 63  # 2**height - 1
    return column - (column >> 1) - (column >> 2) - (column >> 3) - (column >> 4) - (column >> 5)


def winning_cells(stones, occ):
    """The empty cells that would complete four in a row for ``stones``, as bits."""
    cells = (stones << 1) & (stones << 2) & (stones << 3)
    for step in (7, 6, 8):  # the cell at either end of three, or inside them
        before = (stones << step) & (stones << (2 * step))
        after = (stones >> step) & (stones >> (2 * step))
        cells |= before & ((stones << (3 * step)) | (stones >> step))
        cells |= after & ((stones >> (3 * step)) | (stones << step))
    return cells & FULL & ~occ


def up_to_two(bits):
    """How many bits are set, but never more than 2."""
    return (bits != 0) * 1 + ((bits & (bits - 1)) != 0) * 1


def window(me, opp, action):
    """The index of what surrounds the cell where a stone in ``action`` would land.

    Shifted up by a column and a cell, a board can be read around any cell, and past its edges.
    Two bits a cell: 0 empty, 1 mine, 2 the opponent's, 3 off the board.
    """
    corner = 7 * action + height(me | opp, action)  # left of the cell and below it
    off = ~(FULL << 8)
    low, high = (me << 8) | off, (opp << 8) | off
    left = ((low >> corner) & 7) + 8 * ((high >> corner) & 7)
    right = ((low >> (corner + 14)) & 7) + 8 * ((high >> (corner + 14)) & 7)
    below = ((low >> (corner + 7)) & 1) + 2 * ((high >> (corner + 7)) & 1)
    above = (low >> (corner + 9)) & 1  # empty or off the board
    far = abs(left - right)  # the larger and the smaller side, without a branch
    larger, smaller = (left + right + far) >> 1, (left + right - far) >> 1
    return 8 * ((larger * (larger + 1) >> 1) + smaller) + 2 * below + above


def neighbour(occ, last, action):
    """Where the stone would lie, seen from the last one: see the table in ``patterns``."""
    known = (last >= 0) * 1
    last = last * known
    aside = abs(action - last)
    higher = height(occ, action) - (height(occ, last) - 1)
    near = (aside == 1) * (abs(higher) <= 1)
    return known * ((aside == 0) * 1 + near * (3 + higher))


def features(me, opp, mine, theirs, last, action):
    """The nine features of the legal move ``action``, in the order of ``patterns.FEATURES``.

    Args:
        me, opp: the position, for the player to move.
        mine, theirs: ``winning_cells`` of either player here.
        last: the column of the opponent's last stone, -1 if there is none or it is not known.

    Returns:
        Nine integers, or arrays, that say nothing where the action is illegal.
    """
    occ = me | opp
    landing = stone(occ, action)
    above = (landing << 1) & FULL
    after = occ | landing
    made = winning_cells(me | landing, after) & ~mine
    playable = (after + BOTTOM) & FULL
    row = height(occ, action)
    return (
        ((landing & mine) != 0) * 1,
        ((landing & theirs) != 0) * 1,
        ((above & theirs) != 0) * 1,
        ((above & mine) != 0) * 1,
        up_to_two(made & playable),
        up_to_two(made & ~playable),
        neighbour(occ, last, action),
        4 * row + (COLS // 2 - abs(action - COLS // 2)),
        window(me, opp, action),
    )
