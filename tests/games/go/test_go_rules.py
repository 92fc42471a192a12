"""The rules of Go against published counts and a plain board; examples worked by hand."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from azlearn.games import specialize
from azlearn.games.go import Go
from azlearn.games.go import rules as go_rules
from azlearn.games.rules_game import RulesGame
from tests.games.go.plain_go import cells_of, groups, score

SNAKES = (0, 1, 3, 7, 11, 17, 24, 33, 42, 53)  # OEIS A331968: points of the longest snake by board


def count_legal_positions(size: int) -> int:
    """Boards on which every group has a liberty, by trying all 3^(size^2)."""
    rules = specialize(go_rules, numba.njit, SIZE=size)
    dead, bit_of, num_points = rules.dead, rules.bit, size * size

    @numba.njit
    def count():
        total = 0
        for code in range(3**num_points):
            black, white, rest = 0, 0, code
            for point in range(num_points):
                bit = bit_of(0, point)
                black |= bit * (rest % 3 == 1)
                white |= bit * (rest % 3 == 2)
                rest //= 3
            total += (dead(black, white) | dead(white, black)) == 0
        return total

    return count()


@pytest.mark.parametrize(
    ("size", "number"),
    [(1, 1), (2, 57), (3, 12_675), pytest.param(4, 24_318_165, marks=pytest.mark.slow)],
)
def test_the_published_numbers_of_legal_positions(size, number):
    """OEIS A094777 (Tromp)."""
    assert count_legal_positions(size) == number


# The longest on 5x5, from end to end.
SNAKE = [(r, 0) for r in range(5)] + [(4, 1)] + [(4 - r, 2) for r in range(5)] + [(0, 3)]
SNAKE += [(r, 4) for r in range(5)]


def test_a_flood_has_as_many_rounds_as_the_longest_snake_and_not_one_too_many():
    """A flood is slowest through an area that is nothing but a shortest way: a snake."""
    assert all(SNAKES[size] - 1 == Go(size).rules.FLOOD for size in range(2, 10))
    rules = specialize(go_rules, SIZE=5)
    assert len(SNAKE) == SNAKES[5]
    area = sum(1 << rules.cell_bit(*point) for point in SNAKE)
    words = np.array([1 << rules.cell_bit(*SNAKE[0])]), np.array([area])
    assert rules.flood(*words).tolist() == [area]  # arrays go all the rounds
    one_fewer = specialize(go_rules, SIZE=5, FLOOD=rules.FLOOD - 1)
    assert one_fewer.flood(*words).tolist() != [area]


@pytest.mark.parametrize(
    "game",
    [Go(2), Go(4, history=3), Go(5, komi=3), Go(7), Go(9, history=1), Go(5, suicide=True)],
    ids=str,
)
def test_planes_remember_the_boards_and_the_end_is_the_score_of_a_plain_board(game):
    """OpenSpiel and GNU Go say in ``test_go_peers.py`` which moves are legal and what they take."""
    rng = np.random.default_rng(game.size)
    for _ in range(3):
        state, boards = game.initial_state(), []
        while legal := game.legal_actions(state):
            boards.insert(0, cells_of(game, state))
            assert_planes_show(game, state, boards)
            state = game.play(state, int(rng.choice(legal)))
            assert game.num_plies(state) == len(boards)
        assert state.passes == 2 or len(boards) == 2 * game.size**2
        black = score(cells_of(game, state), game.size) - game.komi
        assert game.score(state) == black
        assert game.outcome(state) == np.sign(black) * (1 - 2 * game.to_play(state))


def assert_planes_show(game, state, boards):
    planes, me = game.encode(state), game.to_play(state) + 1
    for ago in range(game.history):
        cells = boards[ago] if ago < len(boards) else {}
        for plane, owner in ((2 * ago, me), (2 * ago + 1, 3 - me)):
            shown = {tuple(map(int, point)) for point in zip(*planes[plane].nonzero(), strict=True)}
            assert shown == {point for point, stone in cells.items() if stone == owner}
    assert (planes[-1] == (1 if me == 1 else 0)).all()


def test_two_passes_end_the_game_and_komi_decides_an_empty_board():
    for komi, black in ((0.5, -1), (0, 0), (-0.5, 1)):
        game = Go(5, komi=komi)
        state = game.from_moves("pass pass")
        assert game.to_play(state) == 0
        assert game.outcome(state) == black
        assert game.score(state) == -komi
        assert game.legal_actions(state) == []
    state = game.from_moves("pass C3 pass pass")  # a lone stone owns the board
    assert (game.to_play(state), game.outcome(state), game.score(state)) == (0, -1, -24.5)


@pytest.mark.parametrize("suicide", [False, True])
def test_superko_forbids_what_simple_ko_does_not(suicide):
    """Sending two, returning one: on 2x2 the plain rules go round and round."""
    plain, strict = Go(2, suicide=suicide), Go(2, superko=True, suicide=suicide)
    rng, repeated = np.random.default_rng(0), 0
    for _ in range(300):
        state, same, boards = strict.initial_state(), plain.initial_state(), set()
        while legal := strict.legal_actions(state):
            boards.add(tuple(strict.cells(state)))
            free = plain.legal_actions(same)
            for action in free[:-1]:
                comes_back = tuple(plain.cells(plain.play(same, action))) in boards
                assert (action in legal) != comes_back
                repeated += comes_back
            row = RulesGame.batch_legal_mask(strict, strict.stack([state]))[0]
            assert np.flatnonzero(row).tolist() == legal  # what a search with arrays begins with
            action = int(rng.choice(legal))
            state, same = strict.play(state, action), plain.play(same, action)
            assert strict.cells(state) == plain.cells(same)
    assert repeated > 20
    with pytest.raises(ValueError, match="illegal"):
        strict.play(strict.play(strict.initial_state(), 0), 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": 1}, "size must be a whole number from 2 to"),
        ({"size": 7.0}, "not 7.0"),
        ({"komi": 7.25}, "komi must be a multiple of 0.5 from -49 to 49, not 7.25"),
        ({"komi": float("nan")}, "not nan"),
        ({"superko": 1}, "superko must be True or False, not 1"),
        ({"suicide": None}, "suicide must be True or False, not None"),
        ({"history": 9}, "history must be a whole number from 1 to 8, not 9"),
    ],
)
def test_impossible_boards_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        Go(**options)


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
