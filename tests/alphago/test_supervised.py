"""Accuracy by hand, its interval simulated, the learning curve; and one step beside a plain one."""

import json
from copy import deepcopy
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.stats import binomtest

from azlearn.alphago import positions_of, supervised
from azlearn.alphago.fitting import FitSettings, fit, measured
from azlearn.alphago.networks import new_network
from azlearn.alphago.planes import AllPlanes
from azlearn.alphago.policies import uniform_policy
from azlearn.alphago.positions import Split
from azlearn.alphago.supervised import (
    accuracy_of,
    clustered_interval,
    learning_curve,
    train_supervised,
)
from azlearn.games import ConnectFour, State
from azlearn.learning import NetworkEvaluator
from tests.alphago.positions import FIRST_WINS, lone_stones, random_records

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
    sure = accuracy_of(GAME, fixed(1, 0, 0, 0, 0, 0, 0), positions)
    assert -np.inf < sure.log_likelihood < -30
    # Moves of the same p share a hit.
    halves = accuracy_of(GAME, fixed(0.3, 0.1, 0.1, 0.3, 0.1, 0.1, 0), lone_stones([0, 3, 6]))
    assert halves.accuracy == pytest.approx((0.5 + 0.5 + 0) / 3)


def test_bands_of_plies_add_up():
    positions = positions_of(GAME, random_records(GAME, 40, seed=3))
    score = accuracy_of(GAME, uniform_policy(GAME), positions)
    assert list(score.by_ply) == ["0-8", "9-17", "18-26", "27-41"]
    shares = 1 / GAME.batch_legal_mask(positions.states).sum(axis=1)
    # No later bands in so short a game.
    for (first, last), rate in zip(supervised.PLY_BANDS, score.by_ply.values(), strict=False):
        rows = (first <= positions.ply) & (positions.ply <= last)
        assert rate.accuracy == pytest.approx(shares[rows].mean())
        assert rate[2:] == (rows.sum(), len(set(positions.game_number[rows])))
        assert rate.interval[0] < rate.accuracy < rate.interval[1]
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
        trained.append((split, settings))
        progress("row")
        return SimpleNamespace(score=len(trained))

    monkeypatch.setattr(supervised, "train_supervised", train)
    records, told = random_records(GAME, 33, seed=6), []
    held_out = positions_of(GAME, records[32:])
    split = Split(positions_of(GAME, records[:32]), held_out, 0, 0.0)
    shares, settings = (1 / 64, 1 / 16, 1), FitSettings(epochs=3, batch_size=7)
    points = learning_curve(
        split, "all", shares, "tiny", settings, progress=lambda *row: told.append(row)
    )
    assert [(p.share, p.num_games, p.score) for p in points] == [
        (1 / 64, 1, 1), (1 / 16, 2, 2), (1, 32, 3),  # half a game is one
    ]  # fmt: skip
    assert told == [(share, "row") for share in shares]
    games = [set(part.train.game_number.tolist()) for part, _ in trained]
    assert games[0] < games[1] < games[2] == set(range(32))
    for point, kept, (part, used) in zip(points, games, trained, strict=True):
        moves = sum(len(record.moves) for record in records if record.number in kept)
        assert point.num_positions == len(part.train.me) == moves
        assert part.held_out is held_out
        assert used == FitSettings(epochs=3 / point.share**0.5, batch_size=7)


def test_refusals():
    good, uniform = lone_stones([0, 1]), uniform_policy(GAME)
    for policy, positions, told in [
        (uniform, good.take(slice(0)), "There are no positions"),
        (fixed(0.5, 0.5), good, r"must return p of shape \(2, 7\), not \(2, 2\)"),
        (fixed(*[np.nan] * 7), good, "returned NaN, or a p outside"),
    ]:
        with pytest.raises(ValueError, match=told):
            accuracy_of(GAME, policy, positions)
    split = NOTHING._replace(train=good, held_out=good)
    with pytest.raises(ValueError, match="shares must be more than 0 and at most 1"):
        learning_curve(split, "raw", (0.5, 1.5))


# Fitting a head.

OTHER = {"policy": "value", "value": "policy"}


def tiny(game=GAME, seed=0):
    return new_network(game, "tiny", seed)


@pytest.mark.parametrize("head", ["policy", "value"])
def test_one_step_is_the_plain_one(head):
    """Boards that are their own mirror images, so that the draw does not matter."""
    data = lone_stones([3], copies=6)
    data = data._replace(z=np.array([1, -1, 0, 1, 1, 1], np.float32))
    settings = FitSettings(epochs=1, batch_size=6, learning_rate=0.05, gradient_norm=0.1, l2=0.01)
    network = tiny().train()
    plain, before = deepcopy(network), deepcopy(network.state_dict())
    rows = fit(GAME, network, data, head, settings)

    logits, value = plain(torch.from_numpy(GAME.batch_encode(State(data.me, data.opp))))
    p = logits.exp() / logits.exp().sum(1, keepdim=True)  # every move is legal
    error = {"policy": -p[:, 3].log(), "value": (torch.from_numpy(data.z) - value) ** 2}[head]
    names = [name for name, _ in plain.named_parameters() if not name.startswith(OTHER[head])]
    assert 0 < len(names) < len(list(plain.parameters()))
    trained = [plain.get_parameter(name) for name in names]
    (error.mean() + 0.01 * sum((weight**2).sum() for weight in trained)).backward()
    length = sum((weight.grad**2).sum() for weight in trained).sqrt()
    for weight in trained:
        weight.grad *= 0.1 / length
    torch.optim.Adam(trained, 0.05).step()
    assert rows[-1].train_loss == pytest.approx(error.mean().item(), rel=1e-5)
    for name, weight in network.named_parameters():
        expected = plain.get_parameter(name) if name in names else before[name]
        # Adam's first step is as long for a gradient of 1e-8 as for one of 1: the sign decides.
        clear = (plain.get_parameter(name).grad.abs() > 1e-6) if name in names else slice(None)
        torch.testing.assert_close(weight[clear], expected[clear], rtol=1e-3, atol=1e-5)
    assert not network.training


def test_a_value_learns_what_only_mirror_images_show_and_ignores_the_moves():
    data, asked = lone_stones([0, 1, 2, 3], 480), lone_stones([4, 5, 6])
    networks = tiny(), tiny()
    rows = fit(GAME, networks[0], data, "value", QUICK, held_out=asked)
    fit(GAME, networks[1], data._replace(action=data.action - 99), "value", QUICK)
    assert rows[-1].held_out_loss < 0.1  # z is 1 or -1
    assert rows[-1].held_out_accuracy is None
    answers = [NetworkEvaluator(GAME, n).batch(State(asked.me, asked.opp))[1] for n in networks]
    np.testing.assert_array_equal(answers[0], answers[1])
    assert np.sign(answers[0]).tolist() == [1, -1, -1]


def test_measures_are_those_of_the_evaluator_and_move_nothing():
    data, network = positions_of(GAME, random_records(GAME, 8, seed=1)), tiny().train()
    before = deepcopy(network.state_dict())
    p, v = NetworkEvaluator(GAME, network).batch(State(data.me, data.opp))
    chosen = p[np.arange(len(p)), data.action]
    found = measured(GAME, network, data, "policy")
    assert found.loss == pytest.approx(-np.log(chosen).mean(), rel=1e-5)
    assert found.accuracy == (p.argmax(1) == data.action).mean()
    error = measured(GAME, network, data, "value")
    assert error.loss == pytest.approx(((v - data.z) ** 2).mean(), rel=1e-5)
    assert error.accuracy is None
    assert network.training
    assert all(torch.equal(tensor, before[name]) for name, tensor in network.state_dict().items())


def test_every_epoch_shows_each_position_once_in_another_order():
    class Watched(ConnectFour):
        def batch_encode(self, states):
            seen.append(states.opp.tolist())
            return super().batch_encode(states)

    seen, told, data = [], [], lone_stones(range(7))
    data = data._replace(opp=1 << np.arange(0, 49, 7))
    settings = FitSettings(epochs=4, batch_size=7)
    rows = fit(Watched(), tiny(), data, "policy", settings, progress=told.append)
    assert [sorted(batch) for batch in seen] == [sorted(data.opp.tolist())] * 4
    assert len(set(map(tuple, seen))) == 4
    assert rows == told
    assert [(row.samples, *row[2:]) for row in rows] == [(7 * n, None, None) for n in range(1, 5)]
    # A small last batch is left out, a small data set is not.
    for n, settings, samples in ((21, FitSettings(1, 8), 16), (2, FitSettings(0.5), 1)):
        few = lone_stones(range(7), copies=3).take(slice(n))
        assert fit(GAME, tiny(), few, "value", settings)[-1].samples == samples


def test_a_loss_that_is_no_number_stops_with_one_sentence():
    data, settings = lone_stones(range(7), 4), FitSettings(batch_size=28, learning_rate=9e29)
    for head in ("policy", "value"):
        with pytest.raises(ValueError, match=f"The {head} loss became NaN after .* samples. A lo"):
            fit(GAME, tiny(), data, head, settings)


def test_impossible_data_are_refused():
    good = lone_stones([0, 1])
    full = GAME.from_moves("111111")
    illegal = good._replace(me=good.me + full.me, opp=0 * good.opp + full.opp)
    for data, head, told in [
        (good.take(slice(0)), "policy", "There are no positions"),
        (good, "both", "head must be 'policy' or 'value', not 'both'"),
        (illegal, "policy", r"Position 0: move 1 \(action 0\) is illegal"),
        (good._replace(z=good.z * np.nan), "value", r"Every z must be in \[-1, 1\]"),
    ]:
        with pytest.raises(ValueError, match=told):
            fit(GAME, tiny(), data, head)
        with pytest.raises(ValueError, match=told):
            measured(GAME, tiny(), data, head)
