"""A full disk, a loss that is no number, Ctrl-C: a sentence, and the last checkpoint is whole."""

import errno
import re
import shutil
import signal
from dataclasses import replace

import numpy as np
import pytest
import torch

from azlearn.learning import Budget, Hooks, Training, TrainingStopped, load_network, read_log
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.interruption import FINISHING
from azlearn.learning.run_log import RunLog
from tests.learning.children import Command
from tests.learning.disk import Disk
from tests.learning.tiny_runs import AS_OPTIONS, SETTINGS, assert_same

# A full disk.


def test_a_disk_that_fills_up_at_any_write_stops_the_run_with_a_sentence(out, stopped):
    """In memory, all writes of an iteration in turn: the network that is kept, the log, and every
    file of a save."""

    def one_more(disk):
        shutil.rmtree(out)
        shutil.copytree(stopped, out)
        with disk.in_use():
            training = Training.resumed(out)
            training.settings = replace(training.settings, snapshots_per_doubling=2)
            log = RunLog(out, 4)

            def report(row):
                log.add(row)
                training.stopping = True

            training.hooks.report = report
            training.run()

    disk = Disk()
    one_more(disk)
    kinds = {step.partition(" ")[2].split(".")[0] for step in disk.steps if "write" in step}
    assert kinds == {"4", "log", "network", "rank0", "training", "checkpoint"}
    writes = [number for number, step in enumerate(disk.steps) if step.startswith("write")]
    for number in writes:
        full = OSError(errno.ENOSPC, "No space left on device")
        with pytest.raises(TrainingStopped, match="No space left on device") as caught:
            one_more(Disk(number, full))
        assert f"The checkpoint of iteration 4 in {out} is intact." in str(caught.value)
        assert_same(out, stopped)
        assert [row["iteration"] for row in read_log(out)][:4] == [1, 2, 3, 4]
        load_network(out)


def test_files_that_cannot_grow_stop_the_command(out, stopped, tmp_path):
    """By the system's limit: a run of two processes that goes on, and one that begins."""
    done = Command("train", "--resume", out, "--ranks", 2, file_size=10_000).finish()
    assert done.code == 2
    assert "File too large" in done.err
    assert "Traceback" not in done.err
    assert_same(out, stopped)
    new = ["train", "--game", "tictactoe", "--ranks", 1, "--iterations", 1000]
    new += ["--set", *AS_OPTIONS, "--out", tmp_path / "new"]
    done = Command(*new, file_size=10_000).finish()
    assert done.code == 2
    assert re.fullmatch(r"azlearn: .*File too large.* Nothing has been trained yet\.\n", done.err)
    assert not (tmp_path / "new" / "checkpoint.json").exists()


# A loss that is no number.


def poison(training, what):
    if what == "samples":
        training.replay._store.value_target[:] = np.nan
    elif what == "huge weights":
        with torch.no_grad():
            for parameter in training.network.parameters():
                parameter.fill_(1e25)
    elif what == "running statistics":
        next(b for b in training.network.buffers() if b.is_floating_point()).fill_(torch.inf)
    elif what == "moments":
        for state in training.optimizer.state.values():
            state["exp_avg"].fill_(torch.inf)


@pytest.mark.parametrize("what", ["samples", "huge weights", "running statistics", "moments"])
def test_a_poisoned_run_stops_and_names_the_checkpoint(out, what):
    training, rows = Training.resumed(out, checkpoint_minutes=0), []

    def report(row):
        rows.append(row)
        if row["iteration"] == 6:
            training.save()
            poison(training, what)
            training.checkpoint_minutes = 1

    training.hooks = Hooks(report=report)
    said = r"NaN.* The checkpoint of iteration 6 in .* is intact\."
    with pytest.raises(TrainingStopped, match=said) as caught:
        training.run()
    assert ("A new run with a lower learning_rate" in str(caught.value)) == (what != "huge weights")
    assert [row["iteration"] for row in rows] == [5, 6]
    again = Training.resumed(out)
    assert again.counters.iteration == 6
    assert again.run().iteration == 8  # what was poisoned was in memory only


def test_a_checkpoint_whose_files_were_deleted_is_not_called_whole(out):
    training = Training.resumed(out, checkpoint_minutes=1e9)

    def report(row):
        if row["iteration"] == 6:
            training.save()
            for path in out.glob("000006/*"):
                path.unlink()
            raise OSError(errno.EIO, "Input/output error")

    training.hooks = Hooks(report=report)
    with pytest.raises(TrainingStopped, match=r"Files of the .* iteration 6 in .* are missing\.$"):
        training.run()


# Ctrl-C in the middle of an iteration.

GATED = SETTINGS.with_changes({"gate_games": 2, "gate_every": 2, "samples_per_position": 8.0})
WHERE = ["self-play", "training", "measuring strength", "gating"]


def gated(training, **hooks):
    """With a gate that lets all pass, and measures without a figure."""
    training.hooks = Hooks(gate=lambda *_: True, measure=lambda _: {}, measure_minutes=0, **hooks)
    return training


@pytest.fixture
def hears_ctrl_c():
    """Also where the tests run in the background, whose processes ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The run that nobody interrupts; it tells the share of what it does."""
    out, seen = tmp_path_factory.mktemp("whole"), []
    training = Training(GATED, Budget(iterations=6), out)
    gated(training, progress=lambda what, share: seen.append((what, share))).run()
    assert {what for what, _ in seen} == set(WHERE)
    for what in WHERE[:2]:
        shares = [share for name, share in seen if name == what]
        assert 0 == shares[0] < max(shares) <= 1
    return out


@pytest.mark.parametrize(
    ("where", "times"), [*((where, 1) for where in WHERE), ("self-play", 2), ("training", 2)]
)
def test_ctrl_c_once_finishes_the_iteration_and_twice_ends_at_once(
    tmp_path, whole, where, times, capfd, hears_ctrl_c
):
    def press(what, share):
        under_way = training.counters.iteration + (what in ("self-play", "training"))
        if what == where and under_way == 4 and not training.stopping:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)

    training = Training(GATED, Budget(iterations=6), tmp_path)
    gated(training, progress=press, report=lambda row: row["iteration"] == 2 and training.save())
    if times == 1:
        assert training.run().iteration == 4
    else:
        with pytest.raises(KeyboardInterrupt) as stop:
            training.run()
        assert str(stop.value) == f"The checkpoint of iteration 2 in {tmp_path} is intact."
    assert capfd.readouterr().err == f"\n{FINISHING}\n"
    assert read_summary(tmp_path)["counters"]["iteration"] == (4 if times == 1 else 2)
    again = gated(training if times == 1 else Training.resumed(tmp_path))  # a second call goes on
    assert again.run().iteration == 6
    assert_same(whole, tmp_path)
    assert gated(training).run().iteration == 6  # after an immediate stop, too
