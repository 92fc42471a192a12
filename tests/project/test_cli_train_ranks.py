"""`azlearn train` with more than one process: started here, or by torchrun; one of them lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from azlearn.cli.train import _crowded
from azlearn.learning import read_log
from azlearn.learning.checkpoint import read_summary
from tests.learning.children import ROOT, Command
from tests.learning.tiny_runs import AS_OPTIONS, assert_same

NEW = ["train", "--game", "tictactoe"]
TINY = ["--set", *AS_OPTIONS]
AZLEARN = Path(sys.executable).parent / "azlearn"


def test_two_processes_say_what_one_says(tmp_path):
    out = tmp_path / "run"
    done = Command(*NEW, "--ranks", 2, "--iterations", 4, "--out", out, *TINY).finish()
    assert (done.code, done.err) == (0, "")
    assert "\ntictactoe: the tiny network in float32, 2 processes, folder" in done.out
    assert len(read_log(out)) == 4
    assert {"rank0.safetensors", "rank1.safetensors"} < read_summary(out)["sha256"].keys()
    done = Command("train", "--resume", out, "--iterations", 5).finish()
    assert (done.code, done.err) == (0, "")
    assert read_summary(out)["world_size"] == 2


_LEAVES = """
from pathlib import Path
import torch
from azlearn.learning.launch import joined_ranks

def train():
    with joined_ranks(2, "cpu", train) as ranks:
        torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.1)
        assert ranks.all_reduce_sum(1) == [2]
    threads = [task.read_text() for task in Path("/proc/self/task").glob("*/comm")]
    assert threads and not any("gloo" in name for name in threads), threads

if __name__ == "__main__":
    train()
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="threads are listed by Linux alone"
)
def test_no_thread_of_the_meeting_outlives_it(tmp_path):
    """One that does may abort the process when it exits, after all has been done."""
    script = tmp_path / "leaves.py"
    script.write_text(_LEAVES)
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, cwd=ROOT, timeout=500,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_cold_processes_train_like_warm_ones(tmp_path):
    """The command itself, which spawns the other process; and then both under torchrun."""
    arguments = [*NEW, "--iterations", "4", *TINY]
    out = {name: tmp_path / name for name in ("warm", "cold", "torchrun")}
    ranks = ["--ranks", "2"]
    assert Command(*arguments, *ranks, "--out", out["warm"]).finish().code == 0
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    torchrun += ["--standalone", "--no-python"]
    commands = {"cold": [AZLEARN, *arguments, *ranks], "torchrun": [*torchrun, AZLEARN, *arguments]}
    for name, command in commands.items():
        done = subprocess.run(
            [*command, "--out", out[name]], capture_output=True, text=True, cwd=ROOT, timeout=500,
            env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        assert done.stdout.count("Finished after") == 1
        assert len(read_log(out[name])) == 4
        assert_same(out["warm"], out[name])
        assert name == "torchrun" or done.stderr == ""


def test_more_processes_than_cores_are_told_what_they_cost():
    assert _crowded(8, 8, 9) == _crowded(2, 8, 9) == _crowded(1, 1, 0) == ""
    said = "8 processes share 2 cores: an iteration takes about 4.0 times as long as with 2"
    assert _crowded(8, 2, 9).startswith(said)
    assert _crowded(3, 1, 9).startswith(
        "3 processes share 1 core: an iteration takes about 3.0 times"
    )
    fewer = "The memory has room for 3 processes, so 5 of 8 cores stay idle.\n"
    assert _crowded(3, 8, 3) == fewer
    assert _crowded(1, 2, 0) == "The memory has room for 1 process, so 1 of 2 cores stay idle.\n"
    too_many = "The memory has room for 1 of them: start fewer with --ranks.\n"
    assert _crowded(4, 8, 1) == too_many
