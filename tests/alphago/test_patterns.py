"""The features of a move: cell by cell, by bits and compiled."""

import numba
import numpy as np
import pytest

from azlearn.alphago import feature_indices, move_features, pattern_bits
from azlearn.alphago.patterns import NUM_VALUES, NUM_WEIGHTS, OFFSETS, Features
from azlearn.games import State, specialize
from tests.alphago.positions import GAME, arrays, mirrored, played_positions


def wins(board, side, cell):
    """Whether the cell is empty and a stone of ``side`` there would complete four."""

    def touching(up, right):
        row, col = cell[0] + up, cell[1] + right
        return (
            1 + touching(up + sign(up), right + sign(right)) if board.get((row, col)) == side else 0
        )

    steps = [(0, 1), (1, 0), (1, 1), (1, -1)]
    return board.get(cell) == 0 and any(touching(r, c) + touching(-r, -c) >= 3 for r, c in steps)


def sign(number):
    return (number > 0) - (number < 0)


def readable(state, last, action):
    """The features of one move, read cell by cell; rows count from the bottom."""
    planes = GAME.encode(state)[:, ::-1]
    board = {cell: int(planes[0][cell] + 2 * planes[1][cell]) for cell in np.ndindex(6, 7)}
    heights = [sum(board[row, col] > 0 for row in range(6)) for col in range(7)]
    row, col = cell = heights[action], action
    above, higher, aside = (row + 1, col), row - heights[last] + 1, abs(col - last)
    near = 1 if aside == 0 else 3 + higher if aside == 1 and abs(higher) <= 1 else 0

    def side(c):
        codes = [board.get((r, c), 3) for r in (row - 1, row, row + 1)]
        return sum((code & 1) << i | (code >> 1) << (3 + i) for i, code in enumerate(codes))

    # Of a side, bottom to top: 1, 2, 4 for mine, 8, 16, 32 for theirs, both where there is no cell.
    smaller, larger = sorted([side(col - 1), side(col + 1)])
    below, roof = board.get((row - 1, col), 3), above not in board
    pattern = 8 * (larger * (larger + 1) // 2 + smaller) + 2 * below + roof
    known = [wins(board, *asked) for asked in ((1, cell), (2, cell), (2, above), (1, above))]
    before = {one for one in board if wins(board, 1, one)}
    board[cell] = 1
    heights[col] += 1
    made = {one for one in board if wins(board, 1, one)} - before
    playable = sum(heights[c] == r for r, c in made)
    return Features(
        *map(int, known), min(playable, 2), min(len(made) - playable, 2), near if last >= 0 else 0,
        4 * row + min(col, 6 - col), pattern,
    )  # fmt: skip


def test_the_bits_agree_with_the_cells_on_thousands_of_positions():
    """On arrays, compiled and on Python ints; and mirrored moves have the same features."""
    compiled = specialize(pattern_bits, numba.njit)
    states, last = played_positions(25, seed=1)
    indices, legal_mask = feature_indices(*arrays(states, last))
    assert ((indices >= 0) & (indices < NUM_WEIGHTS)).all()
    met = []
    for row, ((me, opp), column) in enumerate(zip(states, last, strict=True)):
        legal = GAME.legal_actions(State(me, opp))
        image, of_image = State(mirrored(me), mirrored(opp)), 6 - column if column >= 0 else -1
        assert np.flatnonzero(legal_mask[row]).tolist() == legal
        for action in legal:
            expected = readable(State(me, opp), column, action)
            assert tuple(indices[row, action] - OFFSETS) == expected
            assert move_features(State(me, opp), column, action) == expected
            assert move_features(image, of_image, 6 - action) == expected
            mine, theirs = (compiled.winning_cells(side, me | opp) for side in (me, opp))
            assert compiled.features(me, opp, mine, theirs, column, action) == expected
            met.append(expected)
    assert len(met) > 2000
    assert np.max(met, axis=0)[:8].tolist() == [n - 1 for n in NUM_VALUES[:8]]


def test_refusals():
    with pytest.raises(ValueError, match=r"Move 1 \(action 0\) is illegal here"):
        move_features(GAME.from_moves("111111"), 0, 0)
    with pytest.raises(ValueError, match="last is 2, but the top stone there is not"):
        move_features(GAME.from_moves("1"), 2, 0)
