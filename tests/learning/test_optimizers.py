"""The optimizer of a run: torch's own, and a decay that is worked out by hand."""

from copy import deepcopy

import pytest
import torch

from azlearn.games import TicTacToe
from azlearn.learning.optimizers import OPTIMIZERS, make_optimizer
from tests.learning.networks import fresh

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
