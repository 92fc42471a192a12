"""Fitting a head: beside a plain step, on lone stones that only mirror images explain, refusals."""

from copy import deepcopy

import numpy as np
import pytest
import torch

from azlearn.alphago import positions_of
from azlearn.alphago.fitting import FitSettings, fit, measured
from azlearn.alphago.networks import new_network
from azlearn.alphago.planes import AllPlanes
from azlearn.games import ConnectFour, State
from azlearn.learning import NetworkEvaluator
from tests.alphago.positions import lone_stones
from tests.alphago.records import random_records

GAME = ConnectFour()
QUICK = FitSettings(epochs=2, batch_size=64, learning_rate=5e-3)
OTHER = {"policy": "value", "value": "policy"}


def tiny(game=GAME, seed=0):
    return new_network(game, "tiny", seed)


def some_positions(num_games=8, seed=1):
    return positions_of(GAME, random_records(GAME, num_games, seed))


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


@pytest.mark.parametrize("game", [GAME, AllPlanes()], ids=["raw", "all"])
def test_a_policy_learns_what_only_mirror_images_show(game):
    """The move is on the stone: columns 0 to 3 are shown, 4 to 6 are asked about."""
    network, asked = tiny(game), lone_stones([4, 5, 6])
    rows = fit(game, network, lone_stones([0, 1, 2, 3], 480), "policy", QUICK, held_out=asked)
    assert [row.samples for row in rows] == [64 * -(-60 * k // 8) for k in range(1, 9)]
    assert rows[-1][2:] == measured(game, network, asked, "policy")
    assert rows[-1].held_out_accuracy == 1
    assert rows[-1].held_out_loss < 0.1 < 1 < rows[0].held_out_loss


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
    data, network = some_positions(), tiny().train()
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
    data = lone_stones(range(7), copies=3)
    assert fit(GAME, tiny(), data, "value", FitSettings(epochs=1, batch_size=8))[-1].samples == 16
    few = fit(GAME, tiny(), data.take(slice(2)), "value", FitSettings(epochs=0.5))
    assert [row.samples for row in few] == [1]


@pytest.mark.parametrize("head", ["policy", "value"])
def test_a_loss_that_is_no_number_stops_with_one_sentence(head):
    data, network = lone_stones(range(7), 4), tiny()
    told = f"The {head} loss became NaN after 7 samples: a lower learning_rate"
    with torch.no_grad():
        network.stem[0].weight[0, 0, 0, 0] = torch.nan
    with pytest.raises(ValueError, match=told):
        fit(GAME, network, data, head, FitSettings(batch_size=7))
    with pytest.raises(ValueError, match=f"The {head} loss became NaN"):
        fit(GAME, tiny(), data, head, FitSettings(batch_size=28, learning_rate=9e29))


def test_impossible_data_are_refused():
    good = lone_stones([0, 1])
    full = GAME.from_moves("111111")
    illegal = good._replace(me=good.me + full.me, opp=0 * good.opp + full.opp)
    for data, head, told in [
        (good.take(slice(0)), "policy", "There are no positions"),
        (good, "both", "head must be 'policy' or 'value', not 'both'"),
        (illegal, "policy", r"Position 0: move 1 \(action 0\) is illegal there"),
        (good._replace(z=good.z * np.nan), "value", r"z must lie in \[-1, 1\] everywhere"),
    ]:
        with pytest.raises(ValueError, match=told):
            fit(GAME, tiny(), data, head)
        with pytest.raises(ValueError, match=told):
            measured(GAME, tiny(), data, head)
    with pytest.raises(ValueError, match=r"Position 0: move 1 \(action 0\) is illegal there"):
        fit(GAME, tiny(), good, "policy", held_out=illegal)
