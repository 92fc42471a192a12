"""The optimiser of a run: torch's own, and a decay that is worked out by hand."""

from copy import deepcopy

import pytest
import torch

from azlearn.games import TicTacToe
from azlearn.learning import TrainSettings
from azlearn.learning.optimizers import OPTIMIZERS, make_optimizer
from azlearn.learning.settings import read_settings
from tests.learning.networks import fresh, some_planes

GAME = TicTacToe()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_where_the_data_is_silent_weights_shrink_and_scales_shifts_and_biases_stay(name):
    network = fresh(GAME)
    optimizer = make_optimizer(network.parameters(), name, 0.1, 0.05)
    before = deepcopy(network.state_dict())
    for parameter in network.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    kept = 1 - 0.1 * 0.05
    for key, parameter in network.named_parameters():
        decays = key.endswith("weight") and parameter.ndim > 1
        right = before[key] * (kept if decays else 1.0)
        torch.testing.assert_close(parameter.data, right, msg=key)
    # The next step takes the same share; SGD's momentum adds nine tenths of the last one.
    optimizer.step()
    share = 0.1 * 0.05 * (1 + 0.9 / kept) if name == "sgd" else 0.1 * 0.05
    weight = network.tower[0].first[0].weight.data
    torch.testing.assert_close(weight, before["tower.0.first.0.weight"] * kept * (1 - share))


def test_without_decay_it_is_torch_s_adam():
    networks = [fresh(GAME), fresh(GAME)]
    optimizers = [
        make_optimizer(networks[0].parameters(), "adam", 2e-3, 0.0),
        torch.optim.Adam(networks[1].parameters(), lr=2e-3),
    ]
    for step in range(5):
        for network, optimizer in zip(networks, optimizers, strict=True):
            logits, value = network(some_planes(GAME, 16, step))
            optimizer.zero_grad()
            (logits.square().mean() + (value - 1).square().mean()).backward()
            optimizer.step()
    for one, other in zip(*(network.parameters() for network in networks), strict=True):
        torch.testing.assert_close(one, other)


def test_a_run_from_before_decay_and_value_norm_goes_on_without_them():
    old = {"l2": 1e-4, "learning_rate": 2e-3, "network": "tiny"}
    assert read_settings(old).weight_decay == 0.0
    assert read_settings(old).l2 == 1e-4
    assert read_settings({"weight_decay": 0.02}).weight_decay == 0.02
    assert TrainSettings().weight_decay > 0
    assert TrainSettings().value_norm
    assert not read_settings(old).value_norm


def test_an_unknown_optimizer_is_refused_by_name():
    with pytest.raises(ValueError, match="optimizer must be one of adam, sgd, not 'lion'"):
        TrainSettings(optimizer="lion")
    with pytest.raises(ValueError, match="weight_decay must be 0 or more, not -1"):
        TrainSettings(weight_decay=-1.0)
