"""The network: shapes, what belongs to what, and its inference form."""

import pytest
import torch
from torch import nn

from azlearn.games import ConnectFour, TicTacToe
from azlearn.learning import SIZES, ResNet, load_network, save_network
from tests.learning.networks import fresh, some_planes, trained

TIC_TAC_TOE, CONNECT_FOUR = TicTacToe(), ConnectFour()
GAMES = pytest.mark.parametrize("game", [TIC_TAC_TOE, CONNECT_FOUR], ids=lambda game: game.name)


@GAMES
@pytest.mark.parametrize("size", [name for name in SIZES if name != "paper"])
def test_planes_in_logits_and_a_value_out(game, size):
    network = fresh(game, size)
    logits, value = network(some_planes(game, 5))
    assert (logits.shape, value.shape) == ((5, game.num_actions), (5,))
    assert value.dtype == logits.dtype == torch.float32
    assert (value.abs() < 1).all()
    assert network.size["channels"] == SIZES[size]["channels"]


def test_the_paper_s_size_is_the_paper_s():
    """Silver et al. 2017, Methods, "Neural network architecture": 256 filters of 3x3, 19 blocks of
    two convolutions; heads of 2 and 1 filters of 1x1; 256 hidden units. No pooling anywhere."""
    with torch.device("meta"):
        network = ResNet(CONNECT_FOUR, **SIZES["paper"])
    layers = list(network.modules())
    convolutions = [m for m in layers if isinstance(m, nn.Conv2d)]
    assert [m.kernel_size for m in convolutions] == [(3, 3)] * 39 + [(1, 1)] * 2
    assert {(m.kernel_size[0], m.padding, m.padding_mode, m.bias) for m in convolutions} == {
        (3, (1, 1), "zeros", None), (1, (0, 0), "zeros", None)
    }  # fmt: skip
    assert [m.out_channels for m in convolutions] == [256] * 39 + [2, 1]
    assert sum(isinstance(m, nn.BatchNorm2d) for m in layers) == 41
    linear = {(m.in_features, m.out_features) for m in layers if isinstance(m, nn.Linear)}
    assert linear == {(2 * 42, 7), (42, 256), (256, 1)}
    assert not [m for m in layers if "Pool" in type(m).__name__]
    # 3x3x2 and 38 times 3x3x256 weights a filter, and so on, counted by hand.
    weights = 256 * 18 + 38 * 256 * 2304 + (2 + 1) * 256 + 2 * (39 * 256 + 3)
    weights += 84 * 7 + 7 + 42 * 256 + 256 + 256 + 1
    assert sum(p.numel() for p in network.parameters()) == weights


def test_a_block_adds_to_its_input():
    """With the second batch norm's scale at 0 a block is relu(x), whatever its convolutions."""
    block = fresh(CONNECT_FOUR).tower[0].eval()
    x = torch.randn(3, 16, 6, 7, generator=torch.Generator().manual_seed(2))
    assert not torch.equal(block(x.clone()), x.relu())
    with torch.no_grad():
        block.second[1].weight.zero_()
    torch.testing.assert_close(block(x.clone()), x.relu())


@GAMES
def test_the_folded_network_is_the_network_in_eval_mode(game):
    """There no sample sees another; in training batch norm lets them."""
    network, planes = trained(game), some_planes(game, 64, seed=99)
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    with torch.no_grad():
        in_training = network(planes)[0]
        network.load_state_dict(before)
        folded = network.folded()  # from a network in train mode, which is left alone
        assert network.training
        assert all(torch.equal(tensor, before[n]) for n, tensor in network.state_dict().items())
        answers, wanted = folded(planes), network.eval()(planes)
        torch.testing.assert_close(network(planes[:3])[0], wanted[0][:3])
        for parameter in network.parameters():  # later training does not reach the copy
            parameter.add_(1.0)
        again = folded(planes)
    for answer, right, later in zip(answers, wanted, again, strict=True):
        torch.testing.assert_close(answer, right, rtol=1e-4, atol=1e-5)
        assert torch.equal(answer, later)
    assert (answers[0] - in_training).abs().max() > 1e-2  # batch statistics are something else
    assert not [m for m in folded.modules() if isinstance(m, nn.BatchNorm2d)]
    assert not any(p.requires_grad for p in folded.parameters())
    assert all(p.requires_grad for p in network.parameters())


def test_planes_of_another_game_are_refused():
    network = fresh(CONNECT_FOUR)
    with pytest.raises(ValueError, match=r"planes must be \[B, 2, 6, 7\], not \[4, 2, 3, 3\]"):
        network(some_planes(TIC_TAC_TOE, 4))
    with pytest.raises(ValueError, match=r"planes must be \[B, 2, 6, 7\], not \[2, 6, 7\]"):
        network(some_planes(CONNECT_FOUR, 1)[0])


@pytest.mark.parametrize(
    "name", ["channels", "blocks", "policy_filters", "value_filters", "value_hidden"]
)
def test_a_network_of_nothing_is_refused_by_name(name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1, not 0"):
        ResNet(CONNECT_FOUR, **{**SIZES["tiny"], name: 0})


def test_a_network_with_a_value_norm_folds_and_comes_back_from_its_file(tmp_path):
    network = ResNet(CONNECT_FOUR, **SIZES["tiny"], value_norm=True).eval()
    planes = some_planes(CONNECT_FOUR, 8)
    with torch.no_grad():
        plain = network(planes)[1]
        network.value_norm.weight.uniform_(0.5, 2.0)
        network.value_norm.bias.normal_()
        value = network(planes)[1]
    assert (value - plain).abs().max() > 1e-2
    torch.testing.assert_close(network.folded()(planes)[1], value)
    save_network(tmp_path / "network.safetensors", "connect4", network, {})
    found = load_network(tmp_path / "network.safetensors").network
    assert found.size == network.size == ResNet(CONNECT_FOUR, **network.size).size
    assert torch.equal(found(planes)[1], value)
