"""Boards of 8x8 and 9x9 take two words: what crosses from one to the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from azlearn.games.go import Go
from tests.games.go.plain_go import beside, groups


@pytest.mark.parametrize("history", [1, 3])
def test_two_words_keep_no_more_boards_either(history):
    game, full, rng = Go(9, history=history), Go(9), np.random.default_rng(history)
    state, whole = game.initial_state(), full.initial_state()
    while legal := game.legal_actions(state):
        expected = np.concatenate([full.encode(whole)[: 2 * history], full.encode(whole)[-1:]])
        assert np.array_equal(game.encode(state), expected)
        assert not any(state[8 + 2 * (history - 1) :])
        action = int(rng.choice(legal[:-1] or legal))
        state, whole = game.play(state, action), full.play(whole, action)


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(8, 9))
def test_floods_cross_between_the_two_words(seed, size):
    """Dense boards of two words, where groups wind; against a walk over the points."""
    rng, rules = np.random.default_rng(seed), Go(size).rules
    fill, cells = rng.uniform(0.5, 1), {}
    for point in np.ndindex(size, size):
        if rng.random() < fill:
            cells[point] = int(rng.integers(1, 3))
    boards = [rules.board_of([p for p in cells if cells[p] == who]) for who in (1, 2)]
    gone = [
        p for owner, points, free in groups(cells, size) if owner == 1 and not free for p in points
    ]
    assert rules.dead(*boards) == rules.board_of(gone)


def test_points_of_both_words_are_forbidden():
    game = Go(9)
    state = game.rules.forbid(game.rules.forbid(game.initial_state(), 3), 80)
    assert {*range(82)} - {*game.legal_actions(state)} == {3, 80}
    assert 3 in game.legal_actions(game.play(state, 81))  # now, and no longer


@pytest.mark.parametrize("size", [8, 9])
def test_a_flood_of_two_words_walks_the_longest_way_in_its_rounds(size):
    """A spiral snake, on arrays, which go all the rounds."""
    rules, snake = Go(size).rules, spiral(size)
    start, area = ([np.array([word]) for word in rules.board_of(p)] for p in (snake[:1], snake))
    assert [word.tolist() for word in rules.flood(start, area)] == [word.tolist() for word in area]
    assert len(snake) > 0.85 * rules.FLOOD


def spiral(size):
    """A path inwards that never touches itself."""
    path, turns, taken = [(0, 0)], [(0, 1), (1, 0), (0, -1), (-1, 0)], {(0, 0)}
    turn = 0
    while True:
        for change in (0, 1):
            dr, dc = turns[(turn + change) % 4]
            following = path[-1][0] + dr, path[-1][1] + dc
            free = all(near == path[-1] or near not in taken for near in beside(following, size))
            inside = min(following) >= 0 and max(following) < size
            if inside and free and following not in taken:
                turn += change
                path.append(following)
                taken.add(following)
                break
        else:
            return path
