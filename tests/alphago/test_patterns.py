"""The features of a move: by hand, cell by cell, by bits and compiled."""

import numba
import numpy as np
import pytest

from azlearn.alphago import feature_indices, move_features, pattern_bits
from azlearn.alphago.patterns import NUM_VALUES, NUM_WEIGHTS, OFFSETS, Features
from azlearn.games import State, variant
from tests.alphago.positions import GAME, arrays, mirrored, played_positions

# The three cells of a side, bottom to top: 1, 2, 4 for mine, 8, 16, 32 for theirs, both for none.
FLOOR, WALL = 1 + 8, 63


def pattern(larger, smaller, below, above=0):
    return 8 * (larger * (larger + 1) // 2 + smaller) + 2 * below + above


BY_HAND = [
    # The empty board: only where the cell lies.
    ("", 3, Features(0, 0, 0, 0, 0, 0, 0, 3, pattern(FLOOR, FLOOR, 3))),
    ("", 0, Features(0, 0, 0, 0, 0, 0, 0, 0, pattern(WALL, FLOOR, 3))),
    # . . . .     Four in the bottom row; above it O completes four; column 5 wins next time, too.
    # O O O .     The last stone, column 3's upper one, is beside the cell and higher.
    # X X X x
    ("112233", 3, Features(1, 0, 1, 0, 1, 0, 2, 3, pattern(1 + 8 + 2 + 32, FLOOR, 3))),
    # X at 1, 2, 3; O twice in column 7. O blocks at 4 …
    ("17273", 3, Features(0, 1, 0, 0, 0, 0, 3, 3, pattern(1 + 8 + 16, FLOOR, 3))),
    # … or makes three in column 7, to be completed at once.
    ("17273", 6, Features(0, 0, 0, 0, 1, 0, 0, 8, pattern(WALL, 0, 1))),
    # X X X . . . O    X to move. Column 4 spends the winning cell above; column 2 makes three.
    # O X O x . . O
    ("21133727", 3, Features(0, 0, 0, 1, 0, 0, 0, 3, pattern(1 + 8 + 16 + 4, FLOOR, 3))),
    ("21133727", 1, Features(0, 0, 0, 0, 1, 0, 0, 9, pattern(1, 1, 1))),
    # The same before the upper stone of column 2: it makes the winning cell that nobody can reach.
    ("211337", 1, Features(0, 0, 0, 0, 0, 1, 0, 5, pattern(8 + 2, 8 + 2, 1))),
    # The top of column 1, on the last stone: no row above, a wall to the left.
    ("11111", 0, Features(0, 0, 0, 0, 0, 0, 1, 20, pattern(WALL, 4 + 32, 2, 1))),
    # O beside X: above and beside the last stone, and level with it.
    ("12", 0, Features(0, 0, 0, 0, 0, 0, 4, 4, pattern(WALL, 8, 1))),
    ("12", 2, Features(0, 0, 0, 0, 0, 0, 3, 2, pattern(1 + 8 + 16, FLOOR, 3))),
]


@pytest.mark.parametrize(("moves", "action", "expected"), BY_HAND)
def test_features_by_hand(moves, action, expected):
    last = int(moves[-1]) - 1 if moves else -1
    assert move_features(GAME.from_moves(moves), last, action) == expected


def test_two_new_winning_cells_that_can_be_played():
    # X at 3 and 4 of the bottom row, O on top of them: a stone at 5 leaves 2 and 6 open.
    features = move_features(GAME.from_moves("3344"), 3, 4)
    assert (features.force, features.threaten) == (2, 0)


def test_two_new_winning_cells_that_must_wait():
    # . . X X x . .    X to move. The cells 2 and 6 of the second row will win, but there is nothing
    # . . O O O . X    below them yet.
    features = move_features(GAME.from_moves("733445"), 4, 4)
    assert (features.force, features.threaten) == (0, 2)


def test_the_bits_agree_with_the_cells_on_thousands_of_positions():
    """On arrays, compiled, and (for some) on Python ints."""
    compiled = variant(pattern_bits, numba.njit)
    states, last = played_positions(120, seed=1)
    indices, legal_mask = feature_indices(*arrays(states, last))
    assert indices.shape == (len(states), 7, 9)
    assert ((indices >= 0) & (indices < NUM_WEIGHTS)).all()
    compared = 0
    for row, ((me, opp), column) in enumerate(zip(states, last, strict=True)):
        legal = GAME.legal_actions(State(me, opp))
        assert np.flatnonzero(legal_mask[row]).tolist() == legal
        for action in legal:
            readable = move_features(State(me, opp), column, action)
            assert all(0 <= value < n for value, n in zip(readable, NUM_VALUES, strict=True))
            assert tuple(indices[row, action] - OFFSETS) == readable
            for module in [compiled, pattern_bits] if row % 10 == 0 else [compiled]:
                mine, theirs = (module.winning_cells(side, me | opp) for side in (me, opp))
                assert module.features(me, opp, mine, theirs, column, action) == readable
            compared += 1
    assert compared > 10_000


def test_winning_cells_are_the_moves_that_win_by_the_rules():
    for me, opp in played_positions(60, seed=2)[0]:
        found = pattern_bits.winning_cells(me, me | opp)
        empty = [n for n in range(48) if n % 7 < 6 and not (me | opp) >> n & 1]
        assert found == sum(1 << n for n in empty if GAME.rules.has_won(me | 1 << n))


def test_mirrored_moves_have_the_same_features():
    states, last = played_positions(40, seed=3)
    for (me, opp), column in zip(states, last, strict=True):
        image = State(mirrored(me), mirrored(opp))
        for action in GAME.legal_actions(State(me, opp)):
            features = move_features(State(me, opp), column, action)
            assert features == move_features(image, 6 - column if column >= 0 else -1, 6 - action)


def test_a_pattern_is_its_eight_cells_but_for_the_mirror():
    cells_of, pattern_of = {}, {}
    for state in played_positions(100, seed=4)[0]:
        planes = GAME.encode(state)
        board = np.full((8, 9), 3)  # a frame of cells off the board
        board[1:-1, 1:-1] = planes[0] + 2 * planes[1]
        for action in GAME.legal_actions(state):
            row = divmod(GAME.cell(state, action), 7)[0] + 1
            window = board[row - 1 : row + 2, action : action + 3]
            cells = min(window.tobytes(), window[:, ::-1].tobytes())
            index = move_features(state, -1, action).pattern
            assert cells_of.setdefault(index, cells) == cells
            assert pattern_of.setdefault(cells, index) == index
    # A side holds 0 to 3 stones (15 ways; 7 where it reaches past the floor or the top) or is a
    # wall, not both: 2 * (16 * 17 / 2 - 1) + 3 * (8 * 9 / 2 - 1) with what may lie below.
    assert 300 < len(cells_of) <= 375


def test_refusals():
    with pytest.raises(ValueError, match=r"Move 1 \(action 0\) is illegal here"):
        move_features(GAME.from_moves("111111"), 0, 0)
    with pytest.raises(ValueError, match="last is 2, but no stone of the opponent"):
        move_features(GAME.from_moves("1"), 2, 0)
    with pytest.raises(ValueError, match="last is 0, but no stone of the opponent"):
        move_features(GAME.from_moves("12"), 0, 0)
