"""A small network that plays first, and a larger one that goes on with its games."""

import numpy as np
import pytest
import torch

from azlearn.learning import Budget, Hooks, Training, load_network
from azlearn.learning.network import SIZES
from tests.learning.tiny_runs import SETTINGS, assert_same, run

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
    extra, counters = len(kept[3].words), training.counters
    reuse = GROWS.samples_per_position / GROWS.batch_size
    assert counters.steps == int((counters.samples + extra) * reuse)
    assert seen[4][2] - seen[3][2] >= int(extra * reuse)
    # The window slides on: what the first network has played is still in the larger one's.
    before, after = (set(map(tuple, samples.words.tolist())) for samples in kept[3:5])
    assert before & after
    assert training.self_play.next_number > training.settings.num_games


@pytest.mark.parametrize("stop_after", [4, 5])
def test_it_may_be_stopped_before_and_after_it_has_grown(tmp_path, stop_after):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    run(whole, settings=GROWS)
    run(stopped, settings=GROWS, stop_after=stop_after)
    size = "tiny" if stop_after <= 4 else "small"
    assert width(load_network(stopped).network) == SIZES[size]["channels"]
    run(stopped)
    assert_same(whole, stopped)


def test_with_a_gate_the_larger_one_plays_once_it_has_caught_up(tmp_path):
    """It is no opponent of the first one's best. Refused each time, it plays as it was then."""
    settings = GROWS.with_changes({"gate_games": 2, "gate_every": 1})
    training = run(tmp_path, settings=settings, gate=lambda iteration: False)
    for network in (training.best, load_network(tmp_path).network):
        assert width(network) == width(training.network) == SIZES["small"]["channels"]
        for other in (training._new_network("small"), training.network):
            pairs = zip(network.parameters(), other.parameters(), strict=True)
            assert not any(torch.equal(mine, theirs) for mine, theirs in pairs)
    again = Training.resumed(tmp_path)
    for mine, theirs in zip(again.best.parameters(), training.best.parameters(), strict=True):
        np.testing.assert_array_equal(mine.detach(), theirs.detach())
