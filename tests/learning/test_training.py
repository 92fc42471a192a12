"""What a run does between two checkpoints: who plays, how much is learnt, and at what rate."""

from copy import deepcopy
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from azlearn.arena import NetworkPlayer, PUCTPlayer
from azlearn.games import TicTacToe, minimax_actions
from azlearn.learning import (
    Budget,
    Hooks,
    SelfPlay,
    Training,
    preset,
    worker,
)
from azlearn.learning.budget import Clock
from azlearn.learning.optimizers import learning_rate
from azlearn.learning.replay import ReplayBuffer
from tests.learning.tiny_runs import SETTINGS


def trained(out, settings=SETTINGS, iterations=6, **hooks):
    """A finished run and the rows that it has reported."""
    rows = []
    training = Training(settings, Budget(iterations=iterations), out)
    training.hooks = Hooks(report=rows.append, **hooks)
    training.run()
    return training, rows


@pytest.mark.parametrize("accepts", [False, True])
def test_with_a_gate_the_accepted_network_plays(tmp_path, accepts):
    """Refused for ever, the first network plays all games; accepted each time, the run is one
    without a gate."""
    settings = replace(SETTINGS, first_simulations=SETTINGS.simulations)
    gated, asked = replace(settings, gate_games=2, gate_every=1), []

    def gate(new, old, settings):
        asked.append((new, old))
        return accepts

    training, rows = trained(tmp_path, gated, gate=gate)
    assert len(asked) == 6
    assert [row["accepted"] for row in rows] == [float(accepts)] * 6
    if accepts:
        (tmp_path / "plain").mkdir()
        plain, _ = trained(tmp_path / "plain", settings)
        for found, right in zip(training.replay.contents(), plain.replay.contents(), strict=True):
            np.testing.assert_array_equal(found, right)
    first = Training(settings, Budget(iterations=1), tmp_path).network
    pairs = zip(first.parameters(), training.best.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs) != accepts


def test_gate_games_without_a_gate_are_refused(tmp_path):
    with pytest.raises(ValueError, match="gate_games needs a gate"):
        trained(tmp_path, replace(SETTINGS, gate_games=2), iterations=1)
    assert not any(tmp_path.iterdir())


def test_every_sample_is_trained_on_as_often_as_asked(tmp_path):
    """Once the window is filled: steps times the batch are the samples times their reuse."""
    training, rows = trained(tmp_path, replace(SETTINGS, samples_per_position=5.5))
    counters = training.counters
    assert counters.steps == int(counters.samples * 5.5 / SETTINGS.batch_size)
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


@pytest.mark.slow
def test_tic_tac_toe_is_learnt(tmp_path, monkeypatch):
    """Twelve iterations, measured by minimax in every unfinished position."""
    monkeypatch.setattr(worker, "SelfPlay", SelfPlay)  # compiled
    game, positions = TicTacToe(), {}
    ply = {game.initial_state()}
    while ply:
        positions |= dict.fromkeys(ply)
        after = {game.play(state, a) for state in ply for a in game.legal_actions(state)}
        ply = {state for state in after if game.outcome(state) is None}
    known = {}
    best = [minimax_actions(game, state, known) for state in positions]

    def right(network, simulations):
        player = NetworkPlayer(game, network)
        if simulations:
            player = PUCTPlayer(game, network, simulations)
        moves = player.choose_batch([*positions], [np.random.default_rng(0)] * len(positions))
        return np.mean([move in moves for move, moves in zip(moves, best, strict=True)])

    settings = replace(preset("tictactoe", "cpu"), precision="float32")
    rows = []
    training = Training(settings, Budget(iterations=12), tmp_path, hooks=Hooks(rows.append))
    before = deepcopy(training.network)
    training.run()
    for simulations, least in ((0, 0.8), (25, 0.9)):
        found = right(before, simulations), right(training.network, simulations)
        assert found[1] > max(found[0], least), found
    learnt = [row for row in rows if "policy_loss" in row]
    assert learnt[-1]["policy_loss"] < learnt[0]["policy_loss"] - 0.1
    assert learnt[-1]["value_loss"] < learnt[0]["value_loss"] - 0.05
