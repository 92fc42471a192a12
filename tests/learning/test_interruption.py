"""Ctrl-C within an iteration: heard soon, by all ranks, and what was whole is saved bit for bit."""

import os
import time

import pytest

from azlearn.learning import Budget, Hooks, Training
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.interruption import Interrupted, Interruption
from azlearn.learning.launch import joined_ranks
from tests.learning.children import Command
from tests.learning.tiny_runs import AS_OPTIONS, SETTINGS, assert_same, run

NEW = ["train", "--game", "tictactoe"]
LEARNS_LONG = SETTINGS.with_changes({"reuse": 20.0})  # some fifty steps an iteration


@pytest.mark.parametrize("where", ["plays", "learns", "is measured", "meets the best so far"])
def test_an_iteration_that_is_given_up_leaves_no_trace(tmp_path, where):
    """Stopped in the sixth iteration, saved as after the fifth; resumed, the same to the end."""
    settings = LEARNS_LONG.with_changes({"gate_games": 2, "gate_every": 2})

    def begin(out):
        out.mkdir()
        training = Training(settings, Budget(iterations=8), out)
        training.hooks = Hooks(gate=ask, measure=ask, measure_minutes=0)
        return training

    def ask(evaluator, *_):
        evaluator(evaluator.game, evaluator.game.initial_state(), None)
        return {} if not _ else True

    def progress(what, share):
        seen.append((training.counters.iteration, what, share))
        if where == what and training.counters.iteration in (5, 6) and len(rows) == 5:
            training.stopping = share > 0 or not what.endswith("s")

    rows, seen = [], []
    whole = begin(tmp_path / "whole")
    whole.hooks.report = lambda row: setattr(whole, "stopping", row["iteration"] == 5)
    whole.run()
    training = begin(tmp_path / "stopped")
    training.hooks.report, training.hooks.progress = rows.append, progress
    assert training.run().iteration == 5
    assert [row["iteration"] for row in rows] == [1, 2, 3, 4, 5]
    assert seen[-1][1] == where
    assert_same(tmp_path / "whole", tmp_path / "stopped")
    for name in ("whole", "stopped"):
        resumed = Training.resumed(tmp_path / name)
        resumed.hooks = Hooks(gate=ask, measure=ask, measure_minutes=0)
        assert resumed.run().iteration == 8
    assert_same(tmp_path / "whole", tmp_path / "stopped")


@pytest.mark.parametrize("num_ranks", [1, 2])
@pytest.mark.parametrize("all_ranks", [True, False])
def test_ctrl_c_does_not_wait_for_the_end_of_an_iteration(tmp_path, num_ranks, all_ranks):
    """A million moves: the rest of this iteration would take hours."""
    out = tmp_path / "run"
    long = ["--set", *AS_OPTIONS, "moves_per_iteration=1000000"]
    command = Command(*NEW, "--ranks", num_ranks, "--iterations", 9, *long, "--out", out)
    command.wait_until((out / "checkpoint.json").exists)
    command.wait(1.0)
    command.interrupt(all_ranks=all_ranks)
    done = command.finish()
    assert (done.code, "Traceback" in done.err) == (0, False)
    assert f"Go on:      azlearn train --resume {out}" in done.out
    assert read_summary(out)["counters"]["moves"] == 0


def test_progress_tells_the_share_of_an_iteration(tmp_path):
    training, seen = Training(LEARNS_LONG, Budget(iterations=4), tmp_path), []
    training.hooks = Hooks(progress=lambda what, share: seen.append((what, share)))
    training.run()
    for what in ("plays", "learns"):
        shares = [share for name, share in seen if name == what]
        assert shares[0] == 0
        assert 0.5 < max(shares) <= 1
    played = [share for name, share in seen if name == "plays"]
    assert played[: played.index(0, 1)] == sorted(played[: played.index(0, 1)])


def _work_on(interruption):
    while True:
        time.sleep(0.01)
        interruption.check()


def _call_off(number):
    """What the second rank does: it is told while it waits for nobody."""
    with joined_ranks(1, "cpu", _call_off, number) as ranks:
        interruption = Interruption(ranks, within=True)
        with pytest.raises(Interrupted):
            _work_on(interruption)
        with pytest.raises(Interrupted):
            interruption.agree()


def test_what_one_rank_calls_off_the_others_hear_without_meeting():
    assert "WORLD_SIZE" not in os.environ
    with joined_ranks(2, "cpu", _call_off, 0) as ranks:
        interruption = Interruption(ranks, within=True)
        interruption.check()
        interruption.asked = True
        with pytest.raises(Interrupted):
            interruption.check()
        with pytest.raises(Interrupted):
            interruption.agree()


def test_nothing_is_given_up_where_iterations_are_to_be_finished(tmp_path):
    training = Training(SETTINGS, Budget(iterations=1), tmp_path)
    interruption = Interruption(training.ranks, within=False)
    interruption.asked = True
    interruption.check()
    interruption.agree()
    assert interruption.all_stop()
    assert run(tmp_path, stop_after=0).counters.iteration == 0
