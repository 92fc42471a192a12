"""Stage networks on the disk."""

import numpy as np
import pytest
import torch

from azlearn.alphago.networks import FORMAT, load_stage_network, new_network, save_stage_network
from azlearn.alphago.planes import PLANES, AllPlanes
from azlearn.games import ConnectFour, State
from azlearn.learning import CorruptFileError, NetworkEvaluator, load_network, save_network
from azlearn.learning.files import write_tensors


@pytest.mark.parametrize("planes", PLANES)
def test_what_is_saved_is_loaded(tmp_path, planes):
    game = PLANES[planes]()
    network = new_network(game, "tiny", rng=1)
    network.stem[1].running_mean += 0.5  # what training moves besides the weights
    save_stage_network(tmp_path / "stage.safetensors", planes, network, {"accuracy": 0.5})
    loaded = load_stage_network(tmp_path / "stage.safetensors")
    assert type(loaded.game) is type(game)
    assert loaded.info == {"accuracy": 0.5}
    assert not loaded.network.training
    states = State(np.array([0, 1]), np.array([1 << 21, 2]))
    answers = NetworkEvaluator(game, network).batch(states)
    for saved, found in zip(answers, NetworkEvaluator(*loaded[:2]).batch(states), strict=True):
        np.testing.assert_array_equal(saved, found)


def test_first_weights_are_their_seed_s_and_nobody_else_s():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    one, same, other = (new_network(ConnectFour(), "tiny", seed) for seed in (1, 1, 2))
    assert torch.equal(torch.rand(1), expected)  # the global generator is where it was
    weights = [network.stem[0].weight for network in (one, same, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
    with pytest.raises(
        ValueError, match="size must be one of tiny, small, medium, paper, paper39, not 'x"
    ):
        new_network(ConnectFour(), "xxl")


def test_files_that_are_no_stage_are_refused(tmp_path):
    path, network = tmp_path / "stage.safetensors", new_network(ConnectFour(), "tiny")
    save_network(path, "connect4", network, {})
    with pytest.raises(CorruptFileError, match="holds no network of a stage"):
        load_stage_network(path)
    about = {"format": FORMAT, "planes": "raw", "size": network.size, "info": {}}
    for wrong, told in [
        ({"planes": "48"}, "holds no network of a stage"),
        ({"planes": "all"}, "does not hold the network that its header describes"),
        ({"size": None}, "does not hold the network"),
    ]:
        write_tensors(path, network.state_dict(), about | wrong)
        with pytest.raises(CorruptFileError, match=told) as caught:
            load_stage_network(path)
        assert str(path) in str(caught.value)
    save_stage_network(path, "raw", network, {})
    with pytest.raises(CorruptFileError, match="holds no network of azlearn"):
        load_network(path)


def test_a_network_for_other_planes_is_not_written(tmp_path):
    path, network = tmp_path / "stage.safetensors", new_network(AllPlanes(), "tiny")
    with pytest.raises(ValueError, match=r"'raw' have the shape \(2, 6, 7\).* sees \(11, 6, 7\)"):
        save_stage_network(path, "raw", network, {})
    with pytest.raises(ValueError, match="planes must be one of raw, all, not 'most'"):
        save_stage_network(path, "most", network, {})
    assert not path.exists()
