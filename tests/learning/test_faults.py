"""A full disk, a loss that is no number, Ctrl-C: a sentence, and the last checkpoint is whole."""

import codecs
import errno
import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch

from azlearn.learning import Budget, Hooks, Training, TrainingStopped, load_network, read_log
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.interruption import FINISHING
from azlearn.learning.run_log import RunLog
from tests.learning.children import Command
from tests.learning.disk import Disk
from tests.learning.tiny_runs import AS_OPTIONS, SETTINGS, assert_same, contents, run

NEW = ["train", "--game", "tictactoe", "--ranks", 1]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A run that has come to its fourth iteration of eight, with a log."""
    out = tmp_path_factory.mktemp("stopped") / "run"
    out.mkdir()
    run(out, stop_after=4, report=RunLog(out).add)
    return out


@pytest.fixture
def out(stopped, tmp_path):
    return shutil.copytree(stopped, tmp_path / "run")


def assert_one_sentence(done, *said):
    """Exit code 2, nothing but one line on stderr."""
    assert done.code == 2, done
    assert done.err.startswith("azlearn: ")
    assert len(done.err.splitlines()) == 1, done.err
    for words in said:
        assert words in done.err


# A full disk.


def test_a_disk_that_fills_up_at_any_write_stops_the_run_with_a_sentence(out, stopped):
    """In memory, all writes of an iteration in turn: log, TensorBoard, every file of a save."""

    def one_more(disk):
        shutil.rmtree(out)
        shutil.copytree(stopped, out)
        with disk.in_use():
            training = Training.resumed(out)
            log = RunLog(out, 4)

            def report(row):
                log.add(row)
                training.stopping = True

            training.hooks.report = report
            training.run()

    disk = Disk()
    one_more(disk)
    kinds = {step.partition(" ")[2].split(".")[0] for step in disk.steps if "write" in step}
    assert kinds == {"log", "events", "network", "rank0", "training", "checkpoint"}
    writes = [number for number, step in enumerate(disk.steps) if step.startswith("write")]
    for number in writes:
        full = OSError(errno.ENOSPC, "No space left on device")
        with pytest.raises(TrainingStopped, match="No space left on device") as caught:
            one_more(Disk(number, full))
        assert f"The checkpoint of iteration 4 in {out} is whole." in str(caught.value)
        assert_same(out, stopped)
        assert [row["iteration"] for row in read_log(out)][:4] == [1, 2, 3, 4]
        load_network(out)


@pytest.mark.parametrize(
    ("file_size", "named"),
    [
        (1_500, "log.jsonl"),
        (40_000, "network.safetensors"),
        (120_000, "000008/training.safetensors"),
    ],
)
def test_files_that_cannot_grow_stop_the_command(out, stopped, file_size, named):
    sizes = {path.name: path.stat().st_size for path in out.rglob("*") if path.is_file()}
    assert sizes["network.safetensors"] < 120_000 < sizes["training.safetensors"]
    done = Command("train", "--resume", out, file_size=file_size).finish()
    assert_one_sentence(done, "File too large", f"{out}/{named}")
    assert_same(out, stopped)
    assert Command("train", "--resume", out).finish().code == 0


def test_no_room_for_the_first_checkpoint_is_said_at_once(tmp_path):
    out = tmp_path / "run"
    new = [*NEW, "--iterations", 1000, "--set", *AS_OPTIONS, "--out", out]
    done = Command(*new, file_size=10_000).finish()
    assert_one_sentence(done, "File too large", "Nothing has been trained yet.")
    assert not (out / "checkpoint.json").exists()


def test_another_rank_without_room_ends_the_run(tmp_path):
    out = tmp_path / "run"
    new = [*NEW[:-1], 2, "--iterations", 1000, "--set", *AS_OPTIONS, "--out", out]
    done = Command(*new, file_size=10_000).finish()
    assert done.code == 2
    assert "File too large" in done.err
    assert "Traceback" not in done.err


@contextmanager
def as_ordinary_user():
    """Permissions hold for this process, even if it is root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_folder_that_is_read_only(stopped):
    import tensorboard.compat.proto.event_pb2  # noqa: F401  (an ordinary user may not find it …

    codecs.lookup("utf-8-sig")  # … nor this)

    with tempfile.TemporaryDirectory() as folder:  # where every user may look
        out = shutil.copytree(stopped, Path(folder) / "run")
        for path in (Path(folder), *Path(folder).rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        with as_ordinary_user():
            training = Training.resumed(out)
            with pytest.raises(TrainingStopped, match=r"Permission denied.*iteration 4.*is whole"):
                training.run()
            with pytest.raises(PermissionError, match="Permission denied"):
                RunLog(out, 4).add({"iteration": 5})
        for path in (Path(folder), *Path(folder).rglob("*")):
            path.chmod(0o755)
        assert_same(out, stopped)


# A loss that is no number.


def poison(training, what):
    if what == "samples":
        training.replay._store.value_target[:] = np.nan
    elif what == "weights":
        with torch.no_grad():
            next(training.network.parameters()).fill_(torch.nan)
    elif what == "huge weights":
        with torch.no_grad():
            for parameter in training.network.parameters():
                parameter.fill_(1e25)
    elif what == "running statistics":
        next(b for b in training.network.buffers() if b.is_floating_point()).fill_(torch.inf)
    elif what == "moments":
        for state in training.optimizer.state.values():
            state["exp_avg"].fill_(torch.inf)


@pytest.mark.parametrize(
    "what", ["samples", "weights", "huge weights", "running statistics", "moments"]
)
def test_a_poisoned_run_stops_and_names_the_checkpoint(out, stopped, what):
    training, rows = Training.resumed(out, checkpoint_minutes=0), []

    def report(row):
        rows.append(row)
        if row["iteration"] == 6:
            training.save()
            poison(training, what)
            training.checkpoint_minutes = 1

    training.hooks = Hooks(report=report)
    with pytest.raises(TrainingStopped, match=r"The checkpoint of iteration 6 in .* is whole\."):
        training.run()
    assert [row["iteration"] for row in rows] == [5, 6]
    again = Training.resumed(out)
    assert again.counters.iteration == 6
    assert again.run().iteration == 8  # what was poisoned was in memory only


@pytest.mark.parametrize("gone", ["000006/rank0.safetensors", "000006/*", "checkpoint.json"])
def test_a_checkpoint_whose_files_were_deleted_is_not_called_whole(out, stopped, gone):
    training = Training.resumed(out, checkpoint_minutes=1e9)

    def report(row):
        if row["iteration"] == 6:
            training.save()
            for path in out.glob(gone):
                path.unlink()
            raise OSError(errno.EIO, "Input/output error")

    training.hooks = Hooks(report=report)
    with pytest.raises(TrainingStopped, match=r"Files of the .* iteration 6 in .* are gone\.$"):
        training.run()


def test_a_learning_rate_that_explodes_is_said_in_a_sentence(tmp_path):
    out = tmp_path / "run"
    new = [*NEW, "--iterations", 1000, "--checkpoint-minutes", 0, "--out", out]
    done = Command(*new, "--set", *AS_OPTIONS, "learning_rate=9e29").finish()
    assert_one_sentence(done, "The loss became NaN, in iteration", "lower learning_rate")
    saved = int(re.search(r"checkpoint of iteration (\d+)", done.err)[1])
    assert read_summary(out)["counters"]["iteration"] == saved
    weights = load_network(out).network.state_dict().values()
    assert all(tensor.isfinite().all() for tensor in weights)


# Ctrl-C.


@pytest.mark.parametrize("num_ranks", [1, 2])
def test_ctrl_c_finishes_the_iteration_and_says_how_to_go_on(tmp_path, num_ranks):
    out = tmp_path / "run"
    new = [*NEW[:-1], num_ranks, "--iterations", 100_000, "--set", *AS_OPTIONS, "--out", out]
    command = Command(*new)
    command.wait_for_rows(out, 5)
    command.interrupt()
    done = command.finish()
    assert (done.code, done.err) == (0, f"\n{FINISHING}\n")
    assert "Stopped after" in done.out
    assert f"Go on:      azlearn train --resume {out}" in done.out
    rows = read_log(out)
    assert contents(out)["counters"]["iteration"] == rows[-1]["iteration"] >= 5


@pytest.mark.slow
@pytest.mark.parametrize("num_ranks", [1, 2])
def test_ctrl_c_twice_ends_at_once_and_says_how_to_go_on(tmp_path, num_ranks):
    """The disk is so slow that the last checkpoint takes many seconds."""
    out = tmp_path / "run"
    new = [*NEW[:-1], num_ranks, "--iterations", 2, "--set", *AS_OPTIONS, "--out", out]
    assert Command(*new).finish().code == 0
    command = Command("train", "--resume", out, "--iterations", 100_000, slow_disk=1)
    command.wait_for_rows(out, 3)
    command.interrupt()
    command.wait_until(lambda: FINISHING in command.said()[1])
    command.interrupt()
    done = command.finish()
    assert (done.code, done.err) == (
        130,
        f"\n{FINISHING}\nazlearn: stopped. The checkpoint of iteration 2 in {out} is whole.\n"
        f"Go on: azlearn train --resume {out}\n",
    )
    assert read_summary(out)["counters"]["iteration"] == 2
    assert Training.resumed(out) if num_ranks == 1 else read_summary(out)


def test_a_signal_to_the_first_process_alone_stops_all(tmp_path):
    out = tmp_path / "run"
    command = Command(*NEW[:-1], 2, "--iterations", 100_000, "--set", *AS_OPTIONS, "--out", out)
    command.wait_for_rows(out, 3)
    command.interrupt(all_ranks=False)
    assert command.finish().code == 0
    assert read_summary(out)["world_size"] == 2


def test_a_reader_of_the_output_who_leaves_ends_the_run(tmp_path):
    """`azlearn train | head -0`."""
    out = tmp_path / "run"
    new = [*NEW, "--iterations", 100_000, "--set", *AS_OPTIONS, "--out", out]
    done = Command(*new, unread=True).finish()
    assert (done.code, done.err) == (141, "")
    assert read_log(out) == []


def test_stopping_from_a_report_keeps_the_iteration(tmp_path):
    assert run(tmp_path, stop_after=2).counters.iteration == 2
    assert Training.resumed(tmp_path, Budget(iterations=2)).run().iteration == 2
    assert Training.resumed(tmp_path).settings == SETTINGS
