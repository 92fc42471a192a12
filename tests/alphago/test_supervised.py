"""Accuracy by hand, its interval beside scipy and simulated, training and the learning curve."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binomtest

from azlearn.alphago import positions_of, supervised
from azlearn.alphago.fitting import FitSettings
from azlearn.alphago.planes import AllPlanes
from azlearn.alphago.policies import uniform_policy
from azlearn.alphago.positions import Split
from azlearn.alphago.supervised import (
    accuracy_of,
    clustered_interval,
    learning_curve,
    train_supervised,
)
from azlearn.games import ConnectFour
from tests.alphago.positions import lone_stones
from tests.alphago.records import FIRST_WINS, random_records

GAME = ConnectFour()
QUICK = FitSettings(epochs=2, batch_size=64, learning_rate=5e-3)
NOTHING = Split(lone_stones([]), lone_stones([]), 0, 0.0)


def wilson(hits, n):
    interval = binomtest(hits, n).proportion_ci(method="wilson")
    return pytest.approx((interval.low, interval.high))


def fixed(*p):
    """The same p in every position."""
    return lambda states: np.tile(p, (len(states.me), 1))


def test_a_score_by_hand():
    """Four stones in column 1 by the first player, three in column 2 by the second."""
    positions = positions_of(GAME, [FIRST_WINS])
    score = accuracy_of(GAME, fixed(0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1), positions)
    assert score.accuracy == pytest.approx(4 / 7)
    assert score.log_likelihood == pytest.approx((4 * np.log(0.4) + 3 * np.log(0.1)) / 7)
    assert (score.num_positions, score.num_games) == (7, 1)
    assert list(score.by_ply) == ["0-8"]
    assert score.by_ply["0-8"] == score[:2] + score[3:5]
    sure = accuracy_of(GAME, fixed(1, 0, 0, 0, 0, 0, 0), positions)
    assert np.isfinite(sure.log_likelihood)
    assert sure.log_likelihood < -30


def test_moves_of_the_same_p_share_a_hit():
    positions = lone_stones([0, 3, 6])
    assert accuracy_of(GAME, uniform_policy(GAME), positions).accuracy == pytest.approx(1 / 7)
    halves = fixed(0.3, 0.1, 0.1, 0.3, 0.1, 0.1, 0)
    assert accuracy_of(GAME, halves, positions).accuracy == pytest.approx((0.5 + 0.5 + 0) / 3)


def test_bands_of_plies_add_up():
    positions = positions_of(GAME, random_records(GAME, 40, seed=3))
    score = accuracy_of(GAME, uniform_policy(GAME), positions)
    assert list(score.by_ply) == ["0-8", "9-17", "18-26", "27-41"]
    shares = 1 / GAME.batch_legal_mask(positions.states).sum(axis=1)
    # No later bands in so short a game.
    for (first, last), rate in zip(supervised.PLY_BANDS, score.by_ply.values(), strict=False):
        rows = (first <= positions.ply) & (positions.ply <= last)
        assert rate.accuracy == pytest.approx(shares[rows].mean())
        assert (rate.num_positions, rate.num_games) == (
            rows.sum(),
            len(set(positions.game_number[rows])),
        )
        assert rate.interval[0] < rate.accuracy < rate.interval[1]
    assert sum(rate.num_positions for rate in score.by_ply.values()) == score.num_positions
    assert json.loads(json.dumps(score.table()))["by_ply"]["9-17"]["accuracy"] > 0.1


def test_games_that_are_hit_in_all_positions_or_none_count_once():
    """However many positions: 13 games of 20. Games of one position have Wilson's interval."""
    assert clustered_interval(np.repeat([1.0, 0.0], [31, 9]), np.arange(40)) == wilson(31, 40)
    games = np.repeat(np.arange(20), 11)
    assert clustered_interval((games < 13) * 1.0, games) == wilson(13, 20)
    assert clustered_interval(np.ones(220), games) == wilson(20, 20)
    for num in range(2, 60):  # a clean sweep has no bound, whatever the rounding
        pairs = np.arange(2 * num) // 2
        assert clustered_interval(np.zeros(2 * num), pairs)[0] == 0
        assert clustered_interval(np.ones(2 * num), pairs)[1] == 1
    shuffled = np.random.default_rng(0).permutation(220)
    assert clustered_interval((games < 13)[shuffled], 7 * games[shuffled] - 3) == wilson(13, 20)


def test_the_interval_covers_the_truth_where_positions_hang_together():
    """Each game has a share of its own around 0.6, and its own number of positions."""
    rng, covered = np.random.default_rng(1), np.zeros(2)
    for _ in range(600):
        games = np.repeat(np.arange(60), rng.integers(5, 30, size=60))
        hits = (rng.random(len(games)) < rng.beta(3, 2, size=60)[games]) * 1.0
        naive = binomtest(int(hits.sum()), len(hits)).proportion_ci(method="wilson")
        for kind, (low, high) in enumerate([clustered_interval(hits, games), naive]):
            covered[kind] += low < 0.6 < high
    assert 0.93 < covered[0] / 600 < 0.985
    assert covered[1] / 600 < 0.8  # as if positions were independent


@pytest.mark.parametrize("planes", ["raw", "all"])
def test_training_finds_the_rule_and_says_so(planes):
    split = NOTHING._replace(
        train=lone_stones([0, 1, 2, 3], 480), held_out=lone_stones([4, 5, 6], 5)
    )
    told = []
    network, history, score = train_supervised(split, planes, "tiny", QUICK, 1, told.append)
    assert score.accuracy == history[-1].held_out_accuracy == 1
    assert score.interval == wilson(15, 15)
    assert -score.log_likelihood == pytest.approx(history[-1].held_out_loss, rel=1e-4)
    assert history == told
    assert network.planes_shape[0] == {"raw": 2, "all": AllPlanes.num_planes}[planes]
    assert not network.training


def test_a_learning_curve_leaves_whole_games_out(monkeypatch):
    """32 games; 1/16 are 2 of them, passed over 4 times as often."""
    trained = []

    def train(split, planes, size, settings, rng, progress, *, game):
        assert game == GAME
        trained.append((split, settings, planes, size))
        progress("row")
        return SimpleNamespace(score=len(trained))

    monkeypatch.setattr(supervised, "train_supervised", train)
    records, told = random_records(GAME, 33, seed=6), []
    held_out = positions_of(GAME, records[32:])
    split = Split(positions_of(GAME, records[:32]), held_out, 0, 0.0)
    shares = (1 / 64, 1 / 16, 1 / 4, 1)
    settings = FitSettings(epochs=3, batch_size=7)
    points = learning_curve(
        split, "all", shares, "tiny", settings, progress=lambda *row: told.append(row)
    )
    assert [tuple(point)[0::3] for point in points] == list(zip(shares, (1, 2, 3, 4), strict=True))
    assert [point.num_games for point in points] == [1, 2, 8, 32]  # half a game is one
    assert told == [(share, "row") for share in shares]
    games = [set(part.train.game_number.tolist()) for part, *_ in trained]
    assert games[0] < games[1] < games[2] < games[3] == set(range(32))
    for point, kept, (part, used, *others) in zip(points, games, trained, strict=True):
        moves = sum(len(record.moves) for record in records if record.number in kept)
        assert point.num_positions == len(part.train.me) == moves
        assert part.held_out is held_out
        assert used == FitSettings(epochs=3 / point.share**0.5, batch_size=7)
        assert others == ["all", "tiny"]


def test_refusals():
    good, uniform = lone_stones([0, 1]), uniform_policy(GAME)
    for policy, positions, told in [
        (uniform, good.take(slice(0)), "There are no positions"),
        (fixed(0.5, 0.5), good, r"must answer p \[2, 7\], not \(2, 2\)"),
        (fixed(*[np.nan] * 7), good, "answers NaN, or p outside"),
    ]:
        with pytest.raises(ValueError, match=told):
            accuracy_of(GAME, policy, positions)
    split = NOTHING._replace(train=good, held_out=good)
    with pytest.raises(ValueError, match="planes must be one of raw, all, not 'most'"):
        train_supervised(split, "most", "tiny")
    with pytest.raises(ValueError, match="shares must be more than 0 and at most 1"):
        learning_curve(split, "raw", (0.5, 1.5))
