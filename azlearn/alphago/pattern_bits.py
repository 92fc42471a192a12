"""Computes the features of ``patterns.py`` with bit operations, for one or many positions.

It is written like a rules module, without branches, so the same source runs on Python ints, on
int64 arrays that broadcast, and compiled by ``specialize(pattern_bits, numba.njit)``. The bit
layout is that of ``azlearn.games.connect_four_rules``.
"""

from azlearn.games.connect_four_rules import COLS, FULL, stone

BOTTOM = 4432676798593  # the lowest cell of every column: 1 + 2**7 + ... + 2**42


def height(occ, action):
    """Returns the number of stones in column ``action``."""
    column = (occ >> (7 * action)) & 63  # 2**height - 1
    return column - (column >> 1) - (column >> 2) - (column >> 3) - (column >> 4) - (column >> 5)


def winning_cells(stones, occ):
    """Returns the empty cells that would complete four in a row for ``stones``, as bits."""
    cells = (stones << 1) & (stones << 2) & (stones << 3)
    for step in (7, 6, 8):  # the cell at either end of three stones, or between them
        before = (stones << step) & (stones << (2 * step))
        after = (stones >> step) & (stones >> (2 * step))
        cells |= before & ((stones << (3 * step)) | (stones >> step))
        cells |= after & ((stones >> (3 * step)) | (stones << step))
    return cells & FULL & ~occ


def up_to_two(bits):
    """Returns the number of bits that are set, but at most 2."""
    return (bits != 0) * 1 + ((bits & (bits - 1)) != 0) * 1


def window(me, opp, action):
    """Returns the pattern index of the cells around the one where a stone in ``action`` would land.

    The board is shifted up by a column and a cell, so it can be read around any cell, even beyond
    its edges. Each cell has two bits: 0 empty, 1 mine, 2 the opponent's, 3 off the board.
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
    """Returns the stone's place relative to the last stone; see the table in ``patterns``."""
    known = (last >= 0) * 1
    last = last * known
    aside = abs(action - last)
    higher = height(occ, action) - (height(occ, last) - 1)
    near = (aside == 1) * (abs(higher) <= 1)
    return known * ((aside == 0) * 1 + near * (3 + higher))


def features(me, opp, mine, theirs, last, action):
    """Returns the nine features of the legal move ``action``, ordered as ``patterns.FEATURES``.

    Args:
        me, opp: the stones of the player to move and of the opponent.
        mine, theirs: the ``winning_cells`` of each.
        last: the column of the opponent's last stone; -1 if there is none or it is unknown.

    Returns:
        Nine integers or arrays, which are meaningless if the action is illegal.
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
