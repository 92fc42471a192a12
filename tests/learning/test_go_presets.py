"""The presets of Go: which there are, and that training begins with the one for a GPU."""

from dataclasses import replace

import pytest
import torch

from azlearn.learning import PRESETS, Budget, Hooks, Training, load_network, preset
from tests.learning.self_played import plain_python

__all__ = ["plain_python"]


@pytest.mark.parametrize(("game", "name"), [("go5", "cpu"), ("go7", "cpu"), ("go9", "gpu")])
def test_go_learns_who_owns_what(game, name):
    settings = preset(game, name)
    assert settings is PRESETS[game, name]
    assert settings.ownership_weight > 0
    assert settings.make_game().size == int(game[-1])


@pytest.mark.parametrize("word", ["go:5", "go5:komi=0", "go:5:komi=24.5,superko"])
def test_a_preset_is_for_every_komi(word):
    assert preset(word, "cpu") == replace(preset("go5", "cpu"), game=word)


@pytest.mark.usefixtures("plain_python")
def test_the_one_of_9x9_for_a_gpu_starts_and_learns(tmp_path):
    """Two games that end, searched little, with a tiny network; the rest as it is."""
    settings = preset("go9", "gpu").with_changes({
        "network": "tiny", "precision": "float32", "num_games": 2,
        "simulations": 2, "first_simulations": 2, "random_opening_fraction": 1.0,
        "opening_plies": 155,
        "moves_per_iteration": 164, "batch_size": 16, "first_window": 20, "window": 1000,
    })  # fmt: skip
    rows = []
    training = Training(settings, Budget(iterations=2), tmp_path, hooks=Hooks(rows.append))
    before = {name: weight.clone() for name, weight in training.network.named_parameters()}
    training.run()
    assert rows[-1]["steps"] >= 1
    assert {"value_loss", "policy_loss", "owner_loss"} <= set(rows[-1])
    changed = [not torch.equal(before[k], w) for k, w in training.network.named_parameters()]
    assert all(changed)
    assert load_network(tmp_path).game == settings.make_game()
