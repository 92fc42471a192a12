"""What a run does between two checkpoints: who plays, how much is learnt, and at what rate."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from azlearn.learning import Budget, Hooks, NetworkEvaluator, SelfPlay, Training
from azlearn.learning.budget import Clock
from azlearn.learning.optimizers import learning_rate
from azlearn.learning.replay import ReplayBuffer
from tests.learning.self_played import plain_python
from tests.learning.tiny_runs import SETTINGS

__all__ = ["plain_python"]
pytestmark = pytest.mark.usefixtures("plain_python")


def trained(out, settings=SETTINGS, iterations=6, **hooks):
    """A finished run and the rows that it has reported."""
    rows = []
    training = Training(settings, Budget(iterations=iterations), out)
    training.hooks = Hooks(report=rows.append, **hooks)
    training.run()
    return training, rows


@pytest.mark.parametrize("accepts", [False, True])
def test_with_a_gate_the_accepted_network_plays(tmp_path, accepts):
    """Refused for ever, the first network's games are all there are; accepted each time, the run is
    one without a gate."""
    settings = replace(SETTINGS, first_simulations=SETTINGS.simulations)
    gated = replace(settings, gate_games=2, gate_every=1)
    asked = []

    def gate(new, old, settings):
        asked.append((new, old))
        return accepts

    training, rows = trained(tmp_path, gated, gate=gate)
    assert len(asked) == 6
    assert [row["accepted"] for row in rows] == [float(accepts)] * 6
    if accepts:
        (tmp_path / "plain").mkdir()
        plain, _ = trained(tmp_path / "plain", settings)
        wanted = plain.replay.contents()
    else:
        first = Training(settings, Budget(iterations=1), tmp_path).network
        self_play, games = SelfPlay(settings), []
        evaluate = NetworkEvaluator(self_play.game, first).batch
        for _ in range(6):
            games.append(self_play.play(evaluate, settings.moves_per_iteration)[0])
        wanted = [np.concatenate(parts)[-settings.window :] for parts in zip(*games, strict=True)]
        same = [torch.equal(a, b) for a, b in zip(first.parameters(), training.best.parameters(),
                                                  strict=True)]  # fmt: skip
        assert all(same)
    for found, right in zip(training.replay.contents(), wanted, strict=True):
        np.testing.assert_array_equal(found, right)


def test_gate_games_without_a_gate_are_refused(tmp_path):
    with pytest.raises(ValueError, match="gate_games asks for a gate"):
        trained(tmp_path, replace(SETTINGS, gate_games=2), iterations=1)
    assert not any(tmp_path.iterdir())


def test_every_sample_is_trained_on_as_often_as_asked(tmp_path):
    """Once the window is filled: steps times the batch are the samples times their reuse."""
    for reuse in (2.0, 5.5):
        out = tmp_path / str(reuse)
        out.mkdir()
        training, rows = trained(out, replace(SETTINGS, samples_per_position=reuse))
        counters = training.counters
        assert counters.steps == int(counters.samples * reuse / SETTINGS.batch_size)
        first = next(row for row in rows if row["steps"])
        assert first["replay"] >= SETTINGS.first_window
        early = rows[: rows.index(first)]
        assert all(row["replay"] < SETTINGS.first_window for row in early)
        assert early
        assert not any("policy_loss" in row for row in early)


def test_the_simulations_grow_in_a_line_and_reach_the_search(tmp_path, monkeypatch):
    """From 10 to 30 over ten iterations, by hand; what a run asks of self-play is that."""
    changes = {"first_simulations": 10, "simulations": 30}
    training = Training(replace(SETTINGS, **changes), Budget(iterations=10), tmp_path)
    found = []
    for training.counters.iteration in (0, 1, 5, 9, 10, 13):
        found.append(training.simulations())
    assert found == [10, 12, 20, 28, 30, 30]
    asked, play = [], SelfPlay.play
    monkeypatch.setattr(SelfPlay, "play", lambda *args: (asked.append(args[3]), play(*args))[1])
    trained(tmp_path, replace(SETTINGS, first_simulations=4, simulations=8), iterations=4)
    assert asked == [4, 5, 6, 7]


def test_the_rate_is_constant_and_then_falls_in_a_line():
    """For two fifths 0.002, then on to a tenth of it; by hand."""
    settings = replace(
        SETTINGS, constant_lr_fraction=0.4, final_lr_fraction=0.1, learning_rate=2e-3
    )
    rates = [1000 * learning_rate(settings, spent / 10) for spent in (0, 2, 4, 7, 10)]
    assert rates == pytest.approx([2, 2, 2, 1.1, 0.2])
    assert learning_rate(replace(settings, constant_lr_fraction=1.0), 1.0) == 2e-3


def test_batches_are_larger_once_the_rate_falls(tmp_path, monkeypatch):
    """And still every sample is trained on as often as asked."""
    sizes, draw = [], ReplayBuffer.draw
    monkeypatch.setattr(ReplayBuffer, "draw", lambda self, n, rng: (
        sizes.append((training.counters.iteration, n)), draw(self, n, rng))[1])  # fmt: skip
    settings = replace(SETTINGS, final_batch_size=40, constant_lr_fraction=0.5)
    training = Training(settings, Budget(iterations=8), tmp_path)
    training.run()
    assert {n for i, n in sizes if i <= 4} == {16}
    assert {n for i, n in sizes if i > 4} == {40}
    drawn = training.counters.samples * settings.samples_per_position - training.counters.owed
    # The last draw of an iteration is that of the living units.
    steps = [n for (now, n), (later, _) in pairwise([*sizes, (9, 0)]) if later == now]
    assert sum(steps) == drawn


def test_it_is_measured_when_so_many_minutes_have_passed(tmp_path, monkeypatch):
    """An iteration a minute; the first measure after two minutes, the next two after that."""
    minutes, asked = iter(range(1, 7)), []
    monkeypatch.setattr(Clock, "minutes", property(lambda _: next(minutes)))

    def measure(evaluate):
        asked.append(evaluate)
        return {"strength": len(asked)}

    done, rows = trained(tmp_path, measure=measure, measure_minutes=2)
    assert [row.get("strength") for row in rows] == [None, 1, None, 2, None, 3]
    assert [row["last_measured"] for row in rows] == [0, 2, 2, 4, 4, 6]
    assert not done._is_measure_due()
    done.counters.minutes = 8
    assert done._is_measure_due() is done._is_measure_due() is True  # asking changes nothing


def test_a_batch_keeps_each_sample_together(tmp_path):
    """Every row of a batch is a mirror image of one sample, with that sample's π, mask and z."""
    training, _ = trained(tmp_path, iterations=2)
    game, known = training.game, {}
    for words, pi, z in zip(*training.replay.contents(), strict=True):
        state = game.state_of(words)
        legal = game.legal_mask(state).astype(np.float32)
        rows = np.stack([pi, legal])
        for planes, moved in game.symmetries(game.encode(state), rows):
            known.setdefault(np.ascontiguousarray(planes).tobytes(), []).append((moved, z))
    planes, legal, pi, z, _ = training.worker.batch()
    assert planes.shape == (SETTINGS.batch_size, 2, 3, 3)
    assert legal.dtype == torch.bool
    for row in range(SETTINGS.batch_size):
        key = planes[row].contiguous().numpy().tobytes()
        mine = np.stack([pi[row].numpy(), legal[row].float().numpy()])
        assert any(
            np.array_equal(mine, rows) and float(z[row]) == value for rows, value in known[key]
        )
