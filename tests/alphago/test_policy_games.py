"""Games between policies: by hand, by the rules of records, and by the shares of what is drawn."""

import numpy as np
import pytest
import torch
from scipy.stats import chi2_contingency, chisquare

from azlearn.alphago import policy_games as module
from azlearn.alphago import positions_of
from azlearn.alphago.expert_games import GameRecord
from azlearn.alphago.policies import network_policy, uniform_policy
from azlearn.alphago.policy_games import play_policy_games
from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.learning import SIZES, ResNet
from tests.alphago.policies import arbitrary, highest, lowest, one_state

GAME, SMALL = ConnectFour(), TicTacToe()
RARE = 1e-3  # a chance that the seeds below do not have


def same(one, other):
    for column, again in zip(one, other, strict=True):
        np.testing.assert_array_equal(column, again)


def test_a_game_by_hand():
    """Column 1 against column 7: four in column 1, after seven moves."""
    games = play_policy_games(GAME, lowest(GAME), highest(GAME), 2)
    positions = games.positions
    assert positions.action.tolist() == [0, 6, 0, 6, 0, 6, 0] * 2
    # Column 1 is bits 0 to 5, column 7 bits 42 to 47.
    assert positions.me.tolist()[:4] == [0, 0, 1, 2**42]
    assert positions.opp.tolist()[:4] == [0, 1, 2**42, 3]
    assert positions.z.tolist() == [1, -1, 1, -1, 1, -1, 1] * 2
    assert positions.ply.tolist() == [0, 1, 2, 3, 4, 5, 6] * 2
    assert positions.game_number.tolist() == [0] * 7 + [1] * 7
    assert games.by_first.tolist() == [True, False, True, False, True, False, True] * 2
    assert games.result.tolist() == [1, 1]
    dtypes = [column.dtype for column in positions[:6]]
    assert dtypes == [*[np.int64] * 3, np.float32, *[np.int64] * 2]


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
    assert (games.by_first == (positions.ply % 2 == 0)).all()
    chosen_by = {True: lowest(GAME), False: highest(GAME)}
    for row in range(0, len(positions.me), 97):
        p = chosen_by[bool(games.by_first[row])](
            State(positions.me[row : row + 1], positions.opp[row : row + 1])
        )
        assert p[0, positions.action[row]] == 1


def test_an_opening_never_ends_the_game():
    """Many random games of 21 plies would be over before."""
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


def test_a_network_s_policy_is_the_soft_max_of_its_legal_logits_when_it_was_made():
    torch.manual_seed(0)
    network = ResNet(SMALL, **SIZES["tiny"]).eval()
    state = SMALL.from_moves("1523")
    with torch.no_grad():
        logits = network(torch.from_numpy(SMALL.encode(state))[None])[0][0].double().numpy()
    shares = np.exp(logits) * SMALL.legal_mask(state)
    policy = network_policy(SMALL, network)
    with torch.no_grad():
        network.policy.bias += torch.arange(9.0)
    np.testing.assert_allclose(policy(one_state(state))[0], shares / shares.sum(), rtol=1e-4)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda states: np.ones((len(states.me), 7)) / 7,  # column 1 fills up after six moves
        lambda states: lowest(GAME)(states) * np.nan,
        lambda states: lowest(GAME)(states) * 2 - highest(GAME)(states),
    ],
    ids=["illegal", "nan", "negative"],
)
def test_what_is_no_probability_is_refused(wrong):
    def mostly_lowest(states):
        p = wrong(states)
        full = (states.me | states.opp) & 63 == 63
        return p if full.any() else lowest(GAME)(states)

    with pytest.raises(ValueError, match="At ply 6 a policy's p is not a distribution over"):
        play_policy_games(GAME, mostly_lowest, lowest(GAME), 3)


def test_refusals():
    uniform = uniform_policy(GAME)
    with pytest.raises(ValueError, match=r"p of shape \(2, 7\), not \(2, 9\)"):
        play_policy_games(GAME, lambda states: np.ones((2, 9)), uniform, 2)
    with pytest.raises(ValueError, match="num_games must be a whole number, at least 1, not"):
        play_policy_games(GAME, uniform, uniform, 0)
    with pytest.raises(ValueError, match="opening_plies must be 0 to 21, not 22"):
        play_policy_games(GAME, uniform, uniform, 1, opening_plies=22)
