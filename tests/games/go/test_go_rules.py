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
from tests.games.go.plain_go import after_stone, beside, cells_of, groups, score

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


@pytest.mark.parametrize(("size", "number"), [(1, 1), (2, 57), (3, 12_675)])
def test_the_published_numbers_of_legal_positions(size, number):
    """OEIS A094777 (Tromp)."""
    assert count_legal_positions(size) == number


@pytest.mark.slow
def test_the_published_number_of_legal_positions_on_4x4():
    assert count_legal_positions(4) == 24_318_165


def longest_snake(size: int) -> list:
    """The longest path of points each of which touches no other of the path but its neighbours."""
    best = []

    def walk(path, near):
        nonlocal best
        if len(path) > len(best):
            best = path
        for point in beside(path[-1], size):
            if near.get(point, 0) == 1:  # it touches the end of the path alone, and is not on it
                wider = dict(near)
                for touched in [point, *beside(point, size)]:
                    wider[touched] = wider.get(touched, 0) + 1
                walk([*path, point], wider)

    for start in [(r, c) for r in range(size) for c in range(r + 1)]:  # the rest are mirror images
        walk([start], dict.fromkeys([start, *beside(start, size)], 1))
    return best


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_a_flood_has_as_many_rounds_as_the_longest_snake_and_not_one_too_many(size):
    """A flood is slowest through an area that is nothing but a shortest way: a snake."""
    rules, snake = specialize(go_rules, SIZE=size), longest_snake(size)
    assert len(snake) == SNAKES[size]
    assert len(snake) - 1 == rules.FLOOD
    area = sum(1 << rules.cell_bit(*point) for point in snake)
    words = np.array([1 << rules.cell_bit(*snake[0])]), np.array([area])
    assert rules.flood(*words).tolist() == [area]  # arrays go all the rounds
    one_fewer = specialize(go_rules, SIZE=size, FLOOD=rules.FLOOD - 1)
    assert one_fewer.flood(*words).tolist() != [area]


def test_the_rounds_on_larger_boards_are_those_of_the_published_snakes():
    for size in (6, 7, 8, 9):
        assert SNAKES[size] - 1 == Go(size).rules.FLOOD


@pytest.mark.parametrize(
    ("game", "num_games"),
    [
        (Go(2), 50), (Go(3), 50), (Go(4), 30), (Go(5, komi=3), 20), (Go(7), 6), (Go(8), 3),
        (Go(9), 3), (Go(3, suicide=True), 8), (Go(5, suicide=True), 4), (Go(9, suicide=True), 2),
    ],
    ids=str,
)  # fmt: skip
def test_random_games_agree_with_a_plain_board(game, num_games):
    num_suicides = sum(check_random_game(game, seed) for seed in range(num_games))
    assert bool(num_suicides) == game.suicide


def check_random_game(game, seed):
    """Legal moves, captures, ko, the score, the end, and the boards that planes remember. Gives how
    many moves have taken their own group off."""
    rng, state, boards, ko, passes = np.random.default_rng(seed), game.initial_state(), [], None, 0
    num_suicides = 0
    pass_rate = rng.choice([0.02, 0.3])
    size, last = game.size, game.num_actions - 1
    while game.outcome(state) is None:
        cells, mover = cells_of(game, state), game.to_play(state) + 1
        boards.insert(0, cells)
        after = {
            action: after_stone(cells, divmod(action, size), mover, size, game.suicide)
            for action in range(last)
        }
        legal = [a for a, board in after.items() if board is not None and divmod(a, size) != ko]
        assert game.legal_actions(state) == [*legal, last]
        assert_planes_show(game, state, boards)
        action = int(rng.choice(legal)) if legal and rng.random() >= pass_rate else last
        state = game.play(state, action)
        assert cells_of(game, state) == (cells if action == last else after[action])
        ko = None if action == last else ko_point(cells, after[action], divmod(action, size), size)
        passes = passes + 1 if action == last else 0
        num_suicides += action != last and divmod(action, size) not in after[action]
        assert (passes == 2 or len(boards) == 2 * size**2) == (game.outcome(state) is not None)
        assert game.num_plies(state) == len(boards)
    black = score(cells_of(game, state), size) - game.komi
    assert game.score(state) == black
    mine = black if game.to_play(state) == 0 else -black
    assert game.outcome(state) == (mine > 0) - (mine < 0)
    return num_suicides


def ko_point(before, after, point, size):
    """The point of a single stone that a single stone in atari has taken."""
    if point not in after:  # it has taken itself off
        return None
    taken = [p for p in before if p not in after]
    alone = all(after.get(near) not in (None, after[point]) for near in beside(point, size)
                if near not in taken)  # fmt: skip
    return taken[0] if len(taken) == 1 and alone else None


def assert_planes_show(game, state, boards):
    planes, me = game.encode(state), game.to_play(state) + 1
    for ago in range(game.history):
        cells = boards[ago] if ago < len(boards) else {}
        for plane, owner in ((2 * ago, me), (2 * ago + 1, 3 - me)):
            shown = {tuple(map(int, point)) for point in zip(*planes[plane].nonzero(), strict=True)}
            assert shown == {point for point, stone in cells.items() if stone == owner}
    assert (planes[-1] == (1 if me == 1 else 0)).all()


@pytest.mark.parametrize(
    ("size", "history"), [*((5, history) for history in range(1, 9)), (9, 1), (9, 3)]
)
def test_fewer_boards_are_the_first_of_the_planes_and_no_more_are_kept(size, history):
    game, full, rng = Go(size, history=history), Go(size), np.random.default_rng(history)
    assert game.num_planes == 2 * history + 1
    state, whole = game.initial_state(), full.initial_state()
    first_unused = (5 if size < 8 else 8) + (history - 1) * game.rules.WORDS
    while legal := game.legal_actions(state):
        expected = np.concatenate([full.encode(whole)[: 2 * history], full.encode(whole)[-1:]])
        assert np.array_equal(game.encode(state), expected)
        assert not any(state[first_unused:])
        action = int(rng.choice(legal[:-1] or legal))
        state, whole = game.play(state, action), full.play(whole, action)


def test_a_stone_without_liberties_is_taken_and_suicide_is_illegal():
    game = Go(3, komi=0)
    state = game.from_moves("B3 A3 A2")  # Black surrounds the corner stone
    assert cells_of(game, state) == {(0, 1): 1, (1, 0): 1}
    with pytest.raises(ValueError, match=r"Move A\d \(action 0\) is illegal here"):
        game.play(state, 0)
    # Filling the last liberty of one's own group is suicide unless it takes something.
    state = game.from_moves("A2 A3 B3 pass C3 pass A1 pass")
    assert game.to_text(state) == "3 . X X\n2 X . .\n1 X . .\n  A B C"


def test_ko_forbids_taking_back_for_one_move():
    game = Go(4)
    #   A B C D
    # 4 . X O .     White takes B3 by C3 … or rather Black takes C3 by B3 and White may not answer.
    # 3 X . X O
    # 2 . X O .
    before = "B4 C4 A3 D3 B2 C2 pass B3 C3"
    state = game.from_moves(before)
    assert game.cells(state)[4:8] == [1, 0, 1, 2]  # Black has just taken B3
    with pytest.raises(ValueError, match="not possible"):
        game.from_moves(before + " B3")
    elsewhere = game.from_moves(before + " D1 A1 B3")  # after one move elsewhere it is allowed
    assert game.cells(elsewhere)[4:8] == [1, 2, 0, 2]


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
        ({"size": 10}, "from 2 to 9, not 10"),
        ({"size": "7"}, "not '7'"),
        ({"size": 7.0}, "not 7.0"),
        ({"history": True}, "not True"),
        ({"komi": 7.25}, "komi must be a multiple of 0.5 from -49 to 49, not 7.25"),
        ({"komi": "7"}, "not '7'"),
        ({"komi": float("nan")}, "not nan"),
        ({"komi": 50}, "not 50"),
        ({"komi": True}, "not True"),
        ({"superko": 1}, "superko must be True or False, not 1"),
        ({"suicide": None}, "suicide must be True or False, not None"),
        ({"history": 9}, "history must be a whole number from 1 to 8, not 9"),
    ],
)
def test_impossible_boards_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        Go(**options)


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
    assert 6 not in game.rollout_actions(before)  # random games do without


def test_a_single_stone_only_passes_as_it_were_and_superko_forbids_that():
    game, strict = Go(3, suicide=True), Go(3, suicide=True, superko=True)
    state = game.from_moves("A2 C3 B1")
    assert game.cells(game.play(state, 6)) == game.cells(state)
    assert 6 not in strict.legal_actions(strict.from_moves("A2 C3 B1"))


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
