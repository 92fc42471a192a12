"""A small network that plays first, and a larger one that goes on with its games."""

import numpy as np
import pytest
import torch

from azlearn.cli import main
from azlearn.learning import Budget, Hooks, Training, load_network
from azlearn.learning.network import SIZES
from tests.learning.self_played import plain_python
from tests.learning.tiny_runs import AS_OPTIONS, SETTINGS, assert_same, run

__all__ = ["plain_python"]
pytestmark = pytest.mark.usefixtures("plain_python")
GROWS = SETTINGS.with_changes({"network": "small", "first_network": "tiny", "growth_fraction": 0.5})


def width(network) -> int:
    """Channels of its blocks."""
    return next(network.parameters()).shape[0]


def test_the_larger_network_goes_on_with_the_games_and_learns_what_is_there_first(tmp_path):
    training, seen = Training(GROWS, Budget(iterations=8), tmp_path), []

    def report(row):
        seen.append((row["iteration"], width(training.network), row["steps"], row["grown"]))
        kept.append(training.replay.contents())

    kept = []
    training.hooks = Hooks(report=report)
    training.run()
    widths = [SIZES[name]["channels"] for name in ("tiny", "small")]
    assert [w for _, w, _, _ in seen] == [widths[0]] * 4 + [widths[1]] * 4
    assert [grown for *_, grown in seen] == [0] * 4 + [4] * 4
    # What was held when it grew is owed once more, beside what the games of the iteration bring.
    held = len(kept[3].words)
    extra = held * GROWS.samples_per_position / GROWS.batch_size
    counters = training.counters
    assert counters.steps == int(
        counters.samples * GROWS.samples_per_position / GROWS.batch_size + extra
    )
    assert seen[4][2] - seen[3][2] >= int(extra)
    # The window slides on: what the first network has played is still in the larger one's.
    before, after = (set(map(tuple, samples.words.tolist())) for samples in kept[3:5])
    assert before & after
    assert training.self_play.next_number > training.settings.num_games
    network = load_network(tmp_path).network
    assert width(network) == widths[1]
    for mine, theirs in zip(network.parameters(), training.network.parameters(), strict=True):
        assert torch.equal(mine, theirs)


@pytest.mark.parametrize("stop_after", [4, 5])
def test_it_may_be_stopped_before_and_after_it_has_grown(tmp_path, stop_after):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    run(whole, settings=GROWS)
    run(stopped, settings=GROWS, stop_after=stop_after)
    size = "tiny" if stop_after <= 4 else "small"
    assert width(load_network(stopped).network) == SIZES[size]["channels"]
    run(stopped)
    assert_same(whole, stopped)


def test_with_a_gate_the_larger_one_plays_at_once(tmp_path):
    """The first one's best is no opponent of the same size: it starts with a clean sheet."""
    settings = GROWS.with_changes({"gate_games": 2, "gate_every": 1})
    training = run(tmp_path, settings=settings, gate=lambda iteration: False)
    assert width(training.best) == width(training.network) == SIZES["small"]["channels"]
    again = Training.resumed(tmp_path)
    for mine, theirs in zip(again.best.parameters(), training.best.parameters(), strict=True):
        np.testing.assert_array_equal(mine.detach(), theirs.detach())


def test_the_command_says_which_network_plays_when(tmp_path, capsys):
    out = tmp_path / "run"
    given = [*AS_OPTIONS, "network=small", "first_network=tiny"]
    given += ["growth_fraction=0.5"]
    command = ["train", "--game", "tictactoe", "--iterations", "3", "--ranks", "1"]
    assert main([*command, "--out", str(out), "--set", *given]) == 0
    told = capsys.readouterr().out
    assert "tictactoe: the tiny network, after 50% of the time the small one, in float32" in told
    assert main(["train", "--resume", str(out), "--iterations", "4"]) == 0
    assert "tictactoe: the small network in float32" in capsys.readouterr().out
