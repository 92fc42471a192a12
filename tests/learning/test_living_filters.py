"""Which filters of a network live: worked out by hand; what batch norm undoes does not count."""

import pytest
import torch

from azlearn.games import TicTacToe
from azlearn.learning.living_filters import filter_norms, living_share, living_units
from tests.learning.networks import fresh, some_planes, trained

GAME = TicTacToe()
FILTERS = 16 * 5 + 8 + 8  # of the tiny network: stem, two blocks of two, two heads


def test_a_layer_s_norms_are_those_of_the_folded_network():
    network = trained(GAME)
    folded = network.folded()
    norms = filter_norms(network)
    heads = ["policy_conv", "value_conv"]
    blocks = [f"tower.{number}.{part}" for number in (0, 1) for part in ("first", "second")]
    assert list(norms) == ["stem", *blocks, *heads]
    for name, found in norms.items():
        weight = folded.get_submodule(name)[0].weight
        right = [sum(x * x for x in one.flatten().tolist()) ** 0.5 for one in weight]
        assert found.tolist() == pytest.approx(right, rel=1e-4)


def test_filters_at_a_hundredth_of_the_largest_and_below_are_dead():
    network = fresh(GAME)
    assert living_share(network) == 1.0
    layer = network.tower[1].first
    with torch.no_grad():
        layer[0].weight[:] = 1.0
        layer[0].weight[0] = 0.0
        layer[0].weight[1] = 0.0099
        layer[0].weight[2] = -0.0101
        layer[1].weight[3] = 0.0  # batch norm's scale can close a filter too
    assert living_share(network) == pytest.approx(1 - 3 / FILTERS)
    with torch.no_grad():
        layer[0].weight.zero_()
    assert living_share(network) == pytest.approx(1 - 16 / FILTERS)


def test_a_unit_that_answers_to_no_board_is_dead():
    network, planes = fresh(GAME), some_planes(GAME, 64)
    assert living_units(network, planes) > 0.5
    with torch.no_grad():
        network.value_hidden.bias[:8] = -1e3
        network.value_hidden.bias[8:] = 1e3
    assert living_units(network, planes) == 24 / 32
    with torch.no_grad():
        network.value_hidden.weight[0] = 1e6  # its inputs are not negative, and not all 0
    assert living_units(network, planes) == 25 / 32
