"""Games between policies, and what a value network learns of them: one position a game, or all."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats
from scipy.stats import chi2_contingency, chisquare

from azlearn.alphago import Positions, policies, positions_of, value_network
from azlearn.alphago import policy_games as module
from azlearn.alphago.expert_games import GameRecord
from azlearn.alphago.fitting import FitSettings
from azlearn.alphago.policies import uniform_policy
from azlearn.alphago.policy_games import play_policy_games
from azlearn.alphago.value_network import all_positions, leak, mse, one_position_a_game
from azlearn.games import ConnectFour, State, TicTacToe
from tests.alphago.positions import arbitrary, highest, lowest, random_records

GAME, SMALL = ConnectFour(), TicTacToe()
RARE = 1e-3  # a chance that the seeds below do not have


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


def test_the_move_between_is_uniform():
    positions = one_position_a_game(SMALL, lowest(SMALL), lowest(SMALL), 3000, rng=1)
    second = positions.take(positions.ply == 2)  # the first move took cell 1, the second is drawn
    cells = Counter(int(me).bit_length() for me in second.opp)
    assert len(cells) == 8
    assert chisquare(list(cells.values())).pvalue > RARE


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
    counts = np.bincount(positions.ply, minlength=9)
    assert counts[0] == 0
    assert chisquare(counts[1:], expected).pvalue > RARE


def test_all_positions_are_whole_games_of_one_policy():
    policy = arbitrary(GAME, 5)
    positions = all_positions(GAME, policy, 500, rng=4)
    assert len(positions.me) == 500
    numbers, lengths = np.unique(positions.game_number, return_counts=True)
    assert numbers.tolist() == list(range(len(numbers)))
    assert 12 <= len(numbers) <= 71  # of at most 42 and at least 7 plies
    assert (positions.ply == np.concatenate([np.arange(n) for n in lengths])).all()
    ends = np.cumsum(lengths)[:-1] - 1  # the last may be cut
    is_over, _ = GAME.batch_outcome(GAME.batch_play(positions.states, positions.action))
    assert np.flatnonzero(is_over).tolist() in (ends.tolist(), [*ends.tolist(), 499])


def scored(z, v, game_number):
    """The score of values v, given through the stones: position k has k in ``me``."""
    z, v = np.array(z, np.float32), np.array(v, float)
    rows = np.arange(len(z))
    positions = Positions(rows, rows * 0, rows * 0, z, np.array(game_number), rows * 0)
    return mse(lambda states: v[states.me], positions)


def test_an_error_and_its_interval_by_hand(monkeypatch):
    """Squared errors 1, 0 in game 4; 4, 1, 1, 2.25 in game 7; 0.25 in game 9: mean 9.5 / 7.

    The games' sums less their share of the mean: 1 - 19/7, 8.25 - 38/7, 0.25 - 9.5/7.
    """
    monkeypatch.setattr(policies, "CHUNK", 2)  # positions that are asked about at once
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


def games_won_by_lot(num_games):
    """z is a coin flip of the game, for the player to move in each position."""
    positions = positions_of(GAME, random_records(GAME, num_games, seed=7))
    winner = np.random.default_rng(8).choice([-1, 1], size=num_games)
    z = winner[positions.game_number] * (1 - 2 * (positions.ply % 2))
    return positions._replace(z=z.astype(np.float32))


def test_results_by_lot_are_foretold_only_where_they_leak():
    """Nothing can do better than 1, the error of a value of 0, without the leak."""
    settings = FitSettings(epochs=30, batch_size=64, learning_rate=5e-3)
    found = leak(games_won_by_lot(30), "raw", "tiny", settings, 0.5)
    assert found.num_test == 15
    assert found.apart > 0.9
    assert found.together < 0.5
    assert found.gain == pytest.approx(found.apart - found.together)
    assert 0 < found.gain_interval[0] < found.gain < found.gain_interval[1]


def test_only_the_siblings_differ(monkeypatch):
    learnt = []
    monkeypatch.setattr(value_network, "fit", lambda *args: learnt.append(args))
    positions = games_won_by_lot(20)
    found = leak(positions, "all", "tiny", held_out_share=0.2, rng=3)
    (apart, together) = (args[2] for args in learnt)
    rows = [set(zip(side.game_number, side.ply, strict=True)) for side in (apart, together)]
    assert len(rows[0]) == len(rows[1]) == len(apart.me) == len(together.me) == found.num_train
    test_games = set(range(20)) - set(apart.game_number)
    assert len(test_games) == found.num_test == 4
    every = set(zip(positions.game_number, positions.ply, strict=True))
    of_test_games = {row for row in every if row[0] in test_games}
    assert rows[0] == every - of_test_games
    assert sorted(number for number, _ in of_test_games - rows[1]) == sorted(test_games)  # one each
    assert rows[1] - of_test_games < rows[0]
    assert found.gain == 0  # the two networks are the same untrained one


# Games between policies.


def same(one, other):
    for column, again in zip(one, other, strict=True):
        np.testing.assert_array_equal(column, again)


@pytest.mark.parametrize("game", [GAME, SMALL], ids=lambda game: game.name)
def test_rows_are_those_of_the_games_records(game):
    """The moves alone, played again one by one by the rules, give the same rows."""
    first, second = arbitrary(game, 1), arbitrary(game, 2)
    games = play_policy_games(game, first, second, 40, rng=5)
    records = []
    for number, result in enumerate(games.result.tolist()):
        actions = games.positions.action[games.positions.game_number == number]
        moves = "".join(map(game.action_label, actions))
        records.append(GameRecord(number, moves, result, (1, 1), 0))
    same(games.positions, positions_of(game, records))
    assert (games.by_first == (games.positions.ply % 2 == 0)).all()
    assert len({record.moves for record in records}) > 30
    assert set(games.result.tolist()) >= {-1, 1}


def test_moves_are_drawn_from_p_and_by_each_game_for_itself():
    shares = np.array([0.4, 0.0, 0.3, 0.05, 0.0, 0.15, 0.1, 0.0, 0.0])

    def fixed(states):
        p = np.where(SMALL.batch_legal_mask(states), shares + 1e-3 * (states.me > 0)[:, None], 0)
        return p / p.sum(axis=1, keepdims=True)

    positions = play_policy_games(SMALL, fixed, fixed, 4000, rng=0).positions
    first = positions.action[positions.ply == 0]
    counts = np.bincount(first, minlength=9)
    likely = shares > 0
    assert not counts[~likely].any()
    assert chisquare(counts[likely], 4000 * shares[likely]).pvalue > RARE
    # A game's first move says nothing about that of the next game …
    pairs = np.histogram2d(first[::2], first[1::2], bins=[np.arange(10)] * 2)[0]
    assert chi2_contingency(pairs[likely][:, likely]).pvalue > RARE
    # … and, among the replies to one move, nothing about their order.
    reply = positions.action[positions.ply == 1][first == 0]
    expected = np.where(np.arange(9) == 0, 0, shares) / 0.6
    found = np.bincount(reply, minlength=9)
    assert chisquare(found[expected > 0], len(reply) * expected[expected > 0]).pvalue > RARE
    assert not found[expected == 0].any()


def test_openings_are_random_and_no_positions():
    """Up to four moves, 0 to 4 alike often, before policies that would never vary."""
    games = play_policy_games(GAME, lowest(GAME), highest(GAME), 2000, rng=1, opening_plies=4)
    positions = games.positions
    starts = positions.take(np.unique(positions.game_number, return_index=True)[1])
    assert starts.game_number.tolist() == list(range(2000))
    assert chisquare(np.bincount(starts.ply, minlength=5)).pvalue > RARE
    stones = [int(me | opp).bit_count() for me, opp in zip(starts.me, starts.opp, strict=True)]
    assert starts.ply.tolist() == stones
    columns = np.log2(starts.opp[starts.ply == 1]).astype(int) // 7  # one stone: its column
    assert chisquare(np.bincount(columns, minlength=7)).pvalue > RARE
    rows = np.arange(len(positions.me))
    for policy, chose in ((lowest(GAME), games.by_first), (highest(GAME), ~games.by_first)):
        assert (policy(positions.states)[rows, positions.action][chose] == 1).all()
    # An opening never ends the game: many random games of 21 plies would be over before.
    uniform = uniform_policy(GAME)
    games = play_policy_games(GAME, uniform, uniform, 300, rng=2, opening_plies=21)
    starts = np.unique(games.positions.game_number, return_index=True)[1]
    assert len(starts) == 300
    assert games.positions.ply[starts].max() == 21
    assert (games.positions.ply[starts] > 12).mean() > 0.2


def test_the_games_depend_on_the_seed_alone(monkeypatch):
    def play(seed):
        policies = arbitrary(GAME, 3), arbitrary(GAME, 4)
        return play_policy_games(GAME, *policies, 25, rng=seed, opening_plies=3)

    one, other = play(1), play(2)
    monkeypatch.setattr(module, "GAMES_AT_ONCE", 4)
    again = play(np.random.default_rng(1))
    same(one.positions, again.positions)
    same(one[1:], again[1:])
    assert len(one.result) == 25
    assert one.positions.action.tolist() != other.positions.action.tolist()


def test_refusals():
    with pytest.raises(ValueError, match=r"held_out_share must be more than 0 and at most 0\.5"):
        leak(games_won_by_lot(4), held_out_share=0.6)
    with pytest.raises(ValueError, match=r"4 games are too few to hold out 0\.2 of them"):
        leak(games_won_by_lot(4), held_out_share=0.2)
    with pytest.raises(ValueError, match="positions of at least 2 games, not 1"):
        scored([1, -1], [0, 0], [3, 3])
    with pytest.raises(ValueError, match="value must return 2 finite numbers"):
        scored([1, -1], [0, np.nan], [3, 4])
    for wrong in (
        lambda states: np.ones((len(states.me), 7)) / 7,  # column 1 fills up after six moves
        lambda states: lowest(GAME)(states) * np.nan,
    ):

        def mostly_lowest(states, wrong=wrong):
            full = (states.me | states.opp) & 63 == 63
            return wrong(states) if full.any() else lowest(GAME)(states)

        with pytest.raises(ValueError, match="At ply 6 a policy's p is not a distribution over"):
            play_policy_games(GAME, mostly_lowest, lowest(GAME), 3)
    uniform = uniform_policy(GAME)
    with pytest.raises(ValueError, match=r"p of shape \(2, 7\), not \(2, 9\)"):
        play_policy_games(GAME, lambda states: np.ones((2, 9)), uniform, 2)
    with pytest.raises(ValueError, match="opening_plies must be from 0 to 21, not 22"):
        play_policy_games(GAME, uniform, uniform, 1, opening_plies=22)
