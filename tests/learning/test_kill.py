"""`azlearn train` in processes that are killed, or hear Ctrl-C: nothing is lost but the current
iteration, and in the end a run has come to the same bits as one that was left alone."""

import os
import signal

import numpy as np
import psutil
import pytest

from azlearn.learning import Training, load_network, read_log
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.interruption import FINISHING
from azlearn.learning.ranks import Ranks
from tests.learning.children import Command
from tests.learning.tiny_runs import AS_OPTIONS, assert_same

NEW = ["train", "--game", "tictactoe"]
TINY = ["--set", *AS_OPTIONS]
ENDLESS = ["--iterations", 100_000]
KILLS, ITERATIONS = 12, 120
OPERATIONS = 60  # of files: some three checkpoints
FEW_MOVES = [
    "simulations=4", "first_simulations=2", "moves_per_iteration=12", "snapshots_per_doubling=1",
]  # fmt: skip


@pytest.mark.slow
def test_killed_at_any_instant_it_goes_on_bit_for_bit(tmp_path):
    """Half of the kills come at a file operation, where half a write gets through."""
    rng, whole, out = np.random.default_rng(0), tmp_path / "whole", tmp_path / "killed"
    new = [*NEW, "--iterations", ITERATIONS, "--ranks", 2, *TINY, *FEW_MOVES]
    assert Command(*new, "--out", whole).finish().code == 0
    saved = 0
    for number in range(KILLS):
        is_there = (out / "checkpoint.json").exists()
        start = ["train", "--resume", out] if is_there else [*new, "--out", out]
        at = int(rng.integers(OPERATIONS)) if number % 2 else None
        command = Command(*start, "--checkpoint-minutes", 0, kill_at=at)
        if at is None:
            command.wait(rng.uniform(0, 1))
            command.kill(all_ranks=bool(rng.random() < 0.5))
        ended = command.finish()  # orphans must not write into a run that others go on with
        assert "Traceback" not in ended.err
        assert ended.code == -signal.SIGKILL, ended
        if (out / "checkpoint.json").exists():
            load_network(out)
            (again,) = {Training.resumed(out, ranks=Ranks(r, 2)).counters.iteration for r in (0, 1)}
            rows = [row["iteration"] for row in read_log(out)]
            assert again >= saved
            assert rows == list(range(1, len(rows) + 1))
            assert 0 <= len(rows) - again <= 1  # its checkpoint was being written
            saved = again
    assert 0 < saved < ITERATIONS
    done = Command("train", "--resume", out).finish()
    assert (done.code, done.err) == (0, "")
    assert_same(whole, out)
    assert not list(out.rglob("*.partial"))


@pytest.mark.slow
def test_ctrl_c_finishes_the_iteration_and_the_run_goes_on_bit_for_bit(tmp_path):
    """Resumed twice: as good as never interrupted, with every process. And then with a third."""
    whole, out = tmp_path / "whole", tmp_path / "halting"
    new = [*NEW, "--iterations", 24, "--ranks", 2, *TINY]
    assert Command(*new, "--out", whole).finish().code == 0
    command, iterations = Command(*new, "--out", out), []
    for all_ranks in (True, False):
        command.wait_for_rows(out, 5)
        command.interrupt(all_ranks=all_ranks)
        done = command.finish()
        assert (done.code, done.err) == (0, f"\n{FINISHING}\n")
        assert "Stopped after" in done.out
        assert f"Resume it: azlearn train --resume {out}" in done.out
        iterations.append(read_summary(out)["counters"]["iteration"])
        assert iterations[-1] == read_log(out)[-1]["iteration"]
        command = Command("train", "--resume", out)
    assert command.finish().code == 0
    assert 5 <= iterations[0] < iterations[1] < 24
    assert_same(whole, out)
    for ranks, iterations in ((3, 26), (1, 28)):
        more = ["--resume", out, "--iterations", iterations, "--ranks", ranks]
        assert Command("train", *more).finish().code == 0
        assert read_summary(out)["world_size"] == ranks
    rows = read_log(out)
    assert [row["iteration"] for row in rows] == list(range(1, 29))
    assert all(np.isfinite(row.get("value_loss", 0.0)) for row in rows)


@pytest.mark.parametrize("num_ranks", [1, 2])
def test_ctrl_c_twice_does_not_wait_for_the_end_of_an_iteration(tmp_path, num_ranks):
    """A million moves: the rest of this iteration would take hours."""
    out, long = tmp_path / "run", "moves_per_iteration=1000000"
    command = Command(*NEW, "--ranks", num_ranks, *ENDLESS, *TINY, long, "--out", out)
    command.wait_until((out / "checkpoint.json").exists)
    command.wait(1.0)
    command.interrupt()
    command.wait_until(lambda: FINISHING in command.said()[1])
    command.interrupt()
    done = command.finish()
    assert (done.code, done.err) == (
        130,
        f"\n{FINISHING}\nazlearn: stopped. The checkpoint of iteration 0 in {out} is intact.\n"
        f"Resume it: azlearn train --resume {out}\n",
    )
    assert read_summary(out)["counters"]["moves"] == 0


def test_processes_listen_to_this_machine_alone_and_end_with_one_that_is_killed(tmp_path):
    out = tmp_path / "run"
    command = Command(*NEW, "--ranks", 2, *ENDLESS, "--out", out, "--checkpoint-minutes", 0, *TINY)
    command.wait_for_rows(out, 2)
    for pid in command.processes():
        connections = psutil.Process(pid).net_connections("inet")
        assert connections  # gloo's
        assert {connection.laddr.ip for connection in connections} == {"127.0.0.1"}
    (other,) = (pid for pid in command.processes() if pid != command.pid)
    os.kill(other, signal.SIGKILL)
    done = command.finish()
    assert done.code == 2
    assert done.err == (
        "azlearn: Another process of this run ended (exit code -9). Resume the run"
        " from its last checkpoint, if there is one.\n"
    )
    assert read_summary(out)["world_size"] == 2


def test_a_reader_of_the_output_who_leaves_ends_the_run(tmp_path):
    """`azlearn train | head -0`."""
    out = tmp_path / "run"
    done = Command(*NEW, "--ranks", 1, *ENDLESS, *TINY, "--out", out, unread=True).finish()
    assert (done.code, done.err) == (141, "")
    assert read_log(out) == []
