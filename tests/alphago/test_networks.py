"""Stage networks on the disk."""

import numpy as np
import pytest

from azlearn.alphago.networks import FORMAT, load_stage_network, new_network, save_stage_network
from azlearn.alphago.planes import PLANES
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


def test_files_that_are_no_stage_are_refused(tmp_path):
    path, network = tmp_path / "stage.safetensors", new_network(ConnectFour(), "tiny")
    save_network(path, "connect4", network, {})
    with pytest.raises(CorruptFileError, match="contains no network of the AlphaGo"):
        load_stage_network(path)
    about = {"format": FORMAT, "planes": "raw", "size": network.size, "info": {}}
    for wrong, told in [
        ({"planes": "48"}, "contains no network of the AlphaGo"),
        ({"planes": "all"}, "does not contain the network that its header describes"),
    ]:
        write_tensors(path, network.state_dict(), about | wrong)
        with pytest.raises(CorruptFileError, match=told):
            load_stage_network(path)
    save_stage_network(path, "raw", network, {})
    with pytest.raises(CorruptFileError, match="does not contain a network of azlearn"):
        load_network(path)
    for planes, told in [
        ("all", r"'all' have the shape \(11, 6, 7\).* of shape \(2, 6, 7\)"),
        ("most", "planes must be one of raw, all, not 'most'"),
    ]:
        with pytest.raises(ValueError, match=told):
            save_stage_network(tmp_path / "new", planes, network, {})
    assert not (tmp_path / "new").exists()
    with pytest.raises(ValueError, match=r"size must be one of tiny, .* not 'xxl'"):
        new_network(ConnectFour(), "xxl")
