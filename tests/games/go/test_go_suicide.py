"""Suicide, where it is allowed: a group that takes its own last liberty is taken off."""

import numpy as np
import pytest

from azlearn.games import assert_conforms
from azlearn.games.go import Go
from tests.games.go.plain_go import after_stone, beside, cells_of, groups
from tests.games.go.test_go_rules import assert_planes_show


def test_a_group_takes_itself_off_and_the_planes_remember_it():
    """White's A1 joins A2, and both have no liberty left.

    3 X . .
    2 O X .
    1 . X .
    """
    game = Go(3, suicide=True)
    before = game.from_moves("A3 A2 B2 pass B1")
    assert 6 not in Go(3).legal_actions(Go(3).from_moves("A3 A2 B2 pass B1"))
    after = game.play(before, 6)
    assert game.to_text(after) == "3 X . .\n2 . X .\n1 . X .\n  A B C"
    was, now = game.encode(before), game.encode(after)
    assert np.array_equal(now[2:4], was[[1, 0]])  # one move ago, of Black and of White
    assert not now[1].any()


def test_a_single_stone_only_passes_as_it_were_and_superko_forbids_that():
    game, strict = Go(3, suicide=True), Go(3, suicide=True, superko=True)
    state = game.from_moves("A2 C3 B1")
    assert game.cells(game.play(state, 6)) == game.cells(state)
    assert 6 not in strict.legal_actions(strict.from_moves("A2 C3 B1"))


@pytest.mark.parametrize("size", [3, 5, 9])
def test_random_games_with_suicide_agree_with_a_plain_board(size):
    game, rng, suicides = Go(size, suicide=True), np.random.default_rng(size), 0
    for _ in range(4 if size < 9 else 1):
        state, boards = game.initial_state(), []
        while legal := game.legal_actions(state):
            cells, mover = cells_of(game, state), game.to_play(state) + 1
            boards.insert(0, cells)
            assert_planes_show(game, state, boards)
            action = int(rng.choice(legal[:-1] or legal))
            point = divmod(action, size)
            if action == legal[-1]:
                expected = cells
            elif (expected := after_stone(cells, point, mover, size)) is None:
                board = {**cells, point: mover}
                lost = next(points for _, points, _ in groups(board, size) if point in points)
                assert all(board.get(near) for stone in lost for near in beside(stone, size))
                expected = {stone: owner for stone, owner in board.items() if stone not in lost}
                suicides += 1
            state = game.play(state, action)
            assert cells_of(game, state) == expected
    assert suicides


def test_it_conforms_and_random_games_do_without():
    game = Go(3, suicide=True)
    assert_conforms(game, num_games=2)
    assert 6 not in game.rollout_actions(game.from_moves("A3 A2 B2 pass B1"))
