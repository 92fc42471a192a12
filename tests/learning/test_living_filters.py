"""Which filters of a network live: worked out by hand; what batch norm undoes does not count."""

import pytest
import torch

from azlearn.games import ConnectFour, TicTacToe
from azlearn.learning import ResNet
from azlearn.learning.living_filters import (
    filter_norms,
    living_by_layer,
    living_share,
    living_units,
)
from tests.learning.networks import fresh, some_planes, trained

GAME = TicTacToe()
FILTERS = 16 * 5 + 8 + 8  # of the tiny network: stem, two blocks of two, two heads


def test_a_layer_s_norms_are_those_of_the_folded_network():
    network = trained(GAME)
    folded = network.folded()
    norms = filter_norms(network)
    assert list(norms) == [
        "stem", "tower.0.first", "tower.0.second", "tower.1.first", "tower.1.second",
        "policy_conv", "value_conv",
    ]  # fmt: skip
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
    assert living_by_layer(network)["tower.1.first"] == pytest.approx(13 / 16)
    assert living_by_layer(network)["tower.1.second"] == 1.0
    assert living_share(network) == pytest.approx(1 - 3 / FILTERS)
    with torch.no_grad():
        layer[0].weight.zero_()
    assert living_by_layer(network)["tower.1.first"] == 0.0


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


@pytest.mark.parametrize(("value_norm", "least", "most"), [(True, 0.3, 1.0), (False, 0.0, 0.2)])
def test_a_norm_keeps_the_value_s_units_alive(value_norm, least, most):
    """Without it Adam's first steps, which move all inputs the same way, push most below zero.

    The results are coin flips, as those of the first games nearly are.
    """
    game, flips = ConnectFour(), torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    network = ResNet(game, 16, 1, value_norm=value_norm)
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    for step in range(60):
        z = torch.randint(0, 2, (64,), generator=flips) * 2 - 1
        optimizer.zero_grad()
        (network.train()(some_planes(game, 64, step))[1] - z).square().mean().backward()
        optimizer.step()
    assert least <= living_units(network, some_planes(game, 256, 1000)) <= most
