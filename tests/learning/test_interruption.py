"""Ctrl-C within an iteration: once, it is finished and saved; twice, the last one is whole."""

import signal

import pytest

from azlearn.learning import Budget, Hooks, Training
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.interruption import FINISHING
from azlearn.learning.saving import Snapshot
from tests.learning.children import Command
from tests.learning.tiny_runs import AS_OPTIONS, SETTINGS, assert_same

NEW = ["train", "--game", "tictactoe"]
LEARNS_LONG = SETTINGS.with_changes({"reuse": 20.0})  # some fifty steps an iteration
GATED = SETTINGS.with_changes({"gate_games": 2, "gate_every": 2})
WHERE = ["plays", "learns", "is measured", "meets the best so far"]


@pytest.fixture(autouse=True)
def hears_ctrl_c():
    """Also where the tests run in the background, whose processes ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def gated(training, **hooks):
    """With a gate that lets all pass, and measures without a figure."""
    training.hooks = Hooks(gate=lambda *_: True, measure=lambda _: {}, measure_minutes=0, **hooks)
    return training


def begun(out, progress):
    out.mkdir()
    return gated(Training(GATED, Budget(iterations=6), out), progress=progress)


def under_way(training, what):
    """The iteration, which counts as made before it is judged."""
    return training.counters.iteration + (what in ("plays", "learns"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The run that nobody interrupts."""
    out = tmp_path_factory.mktemp("whole") / "run"
    begun(out, lambda *_: None).run()
    return out


@pytest.mark.parametrize("where", WHERE)
def test_ctrl_c_finishes_the_iteration_and_saves_it(tmp_path, whole, where, capfd):
    out = tmp_path / "run"

    def press(what, share):
        if what == where and under_way(training, what) == 4 and not training.stopping:
            signal.raise_signal(signal.SIGINT)

    training = begun(out, press)
    assert training.run().iteration == 4
    assert capfd.readouterr().err == f"\n{FINISHING}\n"
    assert read_summary(out)["counters"]["iteration"] == 4
    assert gated(Training.resumed(out)).run().iteration == 6
    assert_same(whole, out)


@pytest.mark.parametrize("where", WHERE[:2])
def test_ctrl_c_twice_ends_at_once_and_says_what_is_whole(tmp_path, whole, where):
    out = tmp_path / "run"

    def press(what, share):
        if what == where and under_way(training, what) == 4:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    training = begun(out, press)
    training.hooks.report = lambda row: row["iteration"] == 2 and training.save()
    with pytest.raises(KeyboardInterrupt) as stop:
        training.run()
    assert str(stop.value) == f"The checkpoint of iteration 2 in {out} is whole."
    assert read_summary(out)["counters"]["iteration"] == 2
    assert gated(Training.resumed(out)).run().iteration == 6
    assert_same(whole, out)


def test_a_second_call_goes_on_where_ctrl_c_ended_the_first(tmp_path, whole):
    training = begun(tmp_path / "run", lambda *_: None)
    training.hooks.report = lambda row: row["iteration"] == 3 and signal.raise_signal(signal.SIGINT)
    assert [training.run().iteration for _ in range(2)] == [3, 6]
    assert_same(whole, tmp_path / "run")


def test_the_state_is_copied_for_checkpoints_alone(tmp_path, monkeypatch):
    copied, of = [], Snapshot.of
    monkeypatch.setattr(Snapshot, "of", lambda *state: copied.append(state) or of(*state))
    Training(SETTINGS, Budget(iterations=5), tmp_path, checkpoint_minutes=1e9).run()
    assert len(copied) == 2  # at the start and at the end


@pytest.mark.parametrize("num_ranks", [1, 2])
@pytest.mark.parametrize("all_ranks", [True, False])
def test_ctrl_c_twice_does_not_wait_for_the_end_of_an_iteration(tmp_path, num_ranks, all_ranks):
    """A million moves: the rest of this iteration would take hours."""
    out = tmp_path / "run"
    long = ["--set", *AS_OPTIONS, "moves_per_iteration=1000000"]
    command = Command(*NEW, "--ranks", num_ranks, "--iterations", 9, *long, "--out", out)
    command.wait_until((out / "checkpoint.json").exists)
    command.wait(1.0)
    command.interrupt(all_ranks=all_ranks)
    command.wait_until(lambda: FINISHING in command.said()[1])
    command.interrupt(all_ranks=all_ranks)
    done = command.finish()
    assert (done.code, done.err) == (
        130,
        f"\n{FINISHING}\nazlearn: stopped. The checkpoint of iteration 0 in {out} is whole.\n"
        f"Go on: azlearn train --resume {out}\n",
    )
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
