"""One position a game: its phases by hand, its plies and values by enumeration of tic-tac-toe."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from azlearn.alphago import Positions, policies
from azlearn.alphago.policies import uniform_policy
from azlearn.alphago.value_network import all_positions, mse, one_position_a_game
from azlearn.games import ConnectFour, State, TicTacToe
from tests.alphago.policies import arbitrary, highest, lowest

GAME, SMALL = ConnectFour(), TicTacToe()
RARE = 1e-3  # a chance that the seeds below do not have


def uniform_value(state, known):
    """The mean result of uniformly random games, for the player to move."""
    if state not in known:
        outcome = SMALL.outcome(state)
        if outcome is None:
            following = [SMALL.next_state(state, a) for a in SMALL.legal_actions(state)]
            outcome = -sum(uniform_value(after, known) for after in following) / len(following)
        known[state] = outcome
    return known[state]


def test_the_three_phases():
    """p_σ takes the first legal column, p_ρ the last; the move between them may be any."""
    positions = one_position_a_game(GAME, lowest(GAME), highest(GAME), 300, rng=0)
    random_moves = Counter()
    for me, opp, action, z, _, ply in zip(*positions[:6], strict=True):
        before = GAME.initial_state()
        for _ in range(ply - 1):
            before = GAME.play(before, GAME.legal_actions(before)[0])
        after = {GAME.play(before, move): move for move in GAME.legal_actions(before)}
        state = State(int(me), int(opp))
        random_moves[after[state]] += 1  # a KeyError: not one move after p_σ's
        assert action == GAME.legal_actions(state)[-1]
        sign = 1
        while (outcome := GAME.outcome(state)) is None:
            state, sign = GAME.play(state, GAME.legal_actions(state)[-1]), -sign
        assert z == sign * outcome
    assert set(random_moves) == set(range(7))
    assert set(positions.z.tolist()) >= {-1, 1}
    assert positions.game_number.tolist() == list(range(300))
    assert positions.ply.min() == 1
    dtypes = [column.dtype for column in positions[:6]]
    assert dtypes == [*[np.int64] * 3, np.float32, *[np.int64] * 2]


def test_the_move_between_is_uniform():
    positions = one_position_a_game(SMALL, lowest(SMALL), lowest(SMALL), 3000, rng=1)
    second = positions.take(positions.ply == 2)  # the first move took cell 1, the second is drawn
    cells = Counter(int(me).bit_length() for me in second.opp)
    assert len(cells) == 8
    assert stats.chisquare(list(cells.values())).pvalue > RARE


def test_plies_are_as_frequent_as_games_that_reach_them():
    """U is uniform, and kept as often as random games go on after U moves: by enumeration."""
    alive, chances = [], {SMALL.initial_state(): 1.0}
    for _ in range(8):
        following = Counter()
        for state, chance in chances.items():
            legal = SMALL.legal_actions(state)
            for action in legal:
                following[SMALL.next_state(state, action)] += chance / len(legal)
        chances = {s: chance for s, chance in following.items() if SMALL.outcome(s) is None}
        alive.append(sum(chances.values()))
    uniform = uniform_policy(SMALL)
    positions = one_position_a_game(SMALL, uniform, uniform, 4000, rng=2)
    expected = 4000 * np.array(alive) / sum(alive)
    assert alive[3] == pytest.approx(1)
    assert alive[7] < 0.5
    counts = np.bincount(positions.ply, minlength=9)
    assert counts[0] == 0
    assert stats.chisquare(counts[1:], expected).pvalue > RARE


def test_z_is_an_unbiased_sample_of_what_the_position_is_worth_to_its_mover():
    """p_σ is anything; p_ρ is uniform, so the value is the mean over every ending."""
    positions = one_position_a_game(SMALL, arbitrary(SMALL, 1), uniform_policy(SMALL), 4000, rng=3)
    known = {}
    v = np.array(
        [
            uniform_value(State(int(me), int(opp)), known)
            for me, opp in zip(positions.me, positions.opp, strict=True)
        ]
    )
    surplus = positions.z - v
    for weight in (np.ones_like(v), v, positions.ply - 4.0, v * (positions.ply % 2)):
        mean = (weight * surplus).mean()
        assert abs(mean) < 3.5 * (weight * surplus).std() / np.sqrt(len(v))
    assert np.corrcoef(v, positions.z)[0, 1] > 0.25  # so a wrong sign would have shown


def test_all_positions_are_whole_games_of_one_policy():
    policy = arbitrary(GAME, 5)
    positions = all_positions(GAME, policy, 500, rng=4)
    assert len(positions.me) == 500
    numbers, lengths = np.unique(positions.game_number, return_counts=True)
    assert numbers.tolist() == list(range(len(numbers)))
    assert 12 <= len(numbers) <= 71  # of at most 42 and at least 7 plies
    assert (positions.ply == np.concatenate([np.arange(n) for n in lengths])).all()
    after = GAME.batch_play(positions.states, positions.action)
    follows = np.flatnonzero(positions.ply[1:])  # the same game goes on: its boards do, and its z
    assert (after.me[follows] == positions.me[1:][follows]).all()
    assert (after.opp[follows] == positions.opp[1:][follows]).all()
    assert (positions.z[follows] == -positions.z[1:][follows]).all()
    ends = np.cumsum(lengths)[:-1] - 1  # the last may be cut
    is_over, value = GAME.batch_outcome(after)
    assert is_over[ends].all()
    assert (positions.z[ends] == -value[ends]).all()


def scored(z, v, game_number):
    """The score of values v, given through the stones: position k has k in ``me``."""
    z, v = np.array(z, np.float32), np.array(v, float)
    rows = np.arange(len(z))
    positions = Positions(rows, rows * 0, rows * 0, z, np.array(game_number), rows * 0)
    return mse(lambda states: v[states.me], positions)


def test_an_error_and_its_interval_by_hand():
    """Squared errors 1, 0 in game 4; 4, 1, 1, 2.25 in game 7; 0.25 in game 9: mean 9.5 / 7.

    The games' sums less their share of the mean: 1 - 19/7, 8.25 - 38/7, 0.25 - 9.5/7.
    """
    score = scored([1, -1, 1, -1, 0, -1, 0], [0, -1, -1, 0, 1, 0.5, 0.5], [4, 4, 7, 7, 7, 7, 9])
    assert score.mse == pytest.approx(9.5 / 7)
    squares = (1 - 19 / 7) ** 2 + (8.25 - 38 / 7) ** 2 + (0.25 - 9.5 / 7) ** 2
    half = 4.302653 * np.sqrt(3 / 2 * squares) / 7  # Student's t with 2 degrees of freedom
    assert score.interval == pytest.approx((9.5 / 7 - half, 9.5 / 7 + half))
    assert (score.num_positions, score.num_games) == (7, 3)


def test_one_position_a_game_has_the_interval_of_a_mean():
    rng = np.random.default_rng(0)
    z, v = rng.choice([-1, 0, 1], 40), rng.uniform(-1, 1, 40)
    score = scored(z, v, rng.permutation(40))
    errors = (z - v) ** 2
    interval = stats.ttest_1samp(errors, 0).confidence_interval(0.95)
    assert score.interval == pytest.approx(tuple(interval))
    # Ten copies of each position in its game tell no more than one.
    copies = scored(np.repeat(z, 10), np.repeat(v, 10), np.repeat(np.arange(40), 10))
    assert copies.interval == pytest.approx(score.interval)
    assert copies.num_games == 40


def test_values_are_asked_for_in_parts(monkeypatch):
    whole = scored([1, 0, -1, 1, 1], [0.5, 0.25, 0, -1, 1], [0, 0, 1, 1, 2])
    monkeypatch.setattr(policies, "CHUNK", 2)
    assert scored([1, 0, -1, 1, 1], [0.5, 0.25, 0, -1, 1], [0, 0, 1, 1, 2]) == whole
    assert whole.mse == pytest.approx((0.25 + 0.0625 + 1 + 4 + 0) / 5)


def test_refusals():
    uniform = uniform_policy(SMALL)
    with pytest.raises(ValueError, match="num_games must be a whole number, at least 1, not 0"):
        one_position_a_game(SMALL, uniform, uniform, 0)
    with pytest.raises(ValueError, match="num_positions must be a whole number, at least 1"):
        all_positions(SMALL, uniform, -1)
    with pytest.raises(ValueError, match="positions of 2 games or more, not of 1"):
        scored([1, -1], [0, 0], [3, 3])
    with pytest.raises(ValueError, match="value must answer with 2 finite numbers"):
        scored([1, -1], [0, np.nan], [3, 4])
