"""A checkpoint is written while training goes on, and holds what was when it was asked for."""

import errno
import os
import shutil
import threading

import pytest

from azlearn.learning import Budget, Hooks, Training, TrainingStopped
from azlearn.learning.checkpoint import read_summary
from tests.learning.disk import Disk
from tests.learning.tiny_runs import SETTINGS, assert_same, run


@pytest.fixture
def disk_may_write(monkeypatch):
    """While it is not set, no fsync returns."""
    may, fsync = threading.Event(), os.fsync
    may.set()

    def slow(descriptor):
        assert may.wait(timeout=240)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", slow)
    return may


def counted(out):
    return read_summary(out)["counters"]["iteration"]


def test_training_goes_on_while_a_slow_disk_writes_the_state_of_before(tmp_path, disk_may_write):
    at_once, late, kept = (tmp_path / name for name in ("at once", "late", "kept"))
    run(at_once, stop_after=3)
    late.mkdir()
    training = Training(SETTINGS, Budget(iterations=8), late, checkpoint_minutes=1e9)
    seen = []

    def report(row):
        if row["iteration"] == 3:
            disk_may_write.clear()
            training.save(wait=False)
        elif row["iteration"] == 6:
            disk_may_write.set()
            training.saving.finish()
            shutil.copytree(late, kept)
        seen.append(counted(late))

    training.hooks = Hooks(report=report)
    training.run()
    assert seen == [0, 0, 0, 0, 0, 3, 3, 3]
    assert_same(at_once, kept)
    assert counted(late) == 8


def test_it_counts_some_iterations_later_without_being_waited_for(tmp_path):
    training, seen = Training(SETTINGS, Budget(iterations=1000), tmp_path), []

    def report(row):
        if row["iteration"] == 2:
            training.save(wait=False)
        seen.append(counted(tmp_path))
        training.stopping = row["iteration"] >= 4 and seen[-1] == 2

    training.hooks = Hooks(report=report)
    training.run()
    assert seen[:3] == [
        0,
        0,
        0,
    ]  # written after iteration 2, counted after 3 at the earliest
    assert set(seen) == {0, 2}
    assert counted(tmp_path) == len(seen)


def test_a_disk_that_is_full_at_any_step_stops_training_with_a_sentence(tmp_path):
    out, full = tmp_path / "run", OSError(errno.ENOSPC, "No space left on device")
    run(out, stop_after=1)

    def train(disk):
        """Three iterations more, each with a checkpoint that the next one does not wait for."""
        training = Training.resumed(out, Budget(iterations=1000), checkpoint_minutes=0)
        last = training.counters.iteration + 3

        def report(row):
            training.stopping = row["iteration"] == last

        training.hooks = Hooks(report=report)
        with disk.in_use():
            training.run()

    disk = Disk()
    train(disk)
    assert disk.steps.count("replace checkpoint.json.partial") == 3
    a_checkpoint = next(n for n, step in enumerate(disk.steps) if step.startswith("unlink"))
    for number in range(a_checkpoint):
        before, disk = counted(out), Disk(number, full)
        with pytest.raises(TrainingStopped, match="No space left on device") as caught:
            train(disk)
        if disk.steps[number - 1] != "replace checkpoint.json.partial":  # else only its last fsync
            assert counted(out) == before
            said = f"The checkpoint of iteration {before} in {out} is whole."
            assert str(caught.value).endswith(said)
        assert Training.resumed(out).counters.iteration == counted(out)
