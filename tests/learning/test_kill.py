"""`kill -9` at random instants of `azlearn train`: nothing is lost but the current iteration."""

from pathlib import Path

import numpy as np
import pytest

from azlearn.learning import Training, load_network
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.ranks import Ranks
from tests.learning.children import Command
from tests.learning.tiny_runs import AS_OPTIONS, assert_same

KILLS, ITERATIONS = 12, 120
SLOW_DISK = 0.01  # seconds more an fsync: about half of the time goes into checkpoints then


def stage(out: Path) -> str:
    """What the process was doing when it was killed, by what it has left behind."""
    folder = read_summary(out)["folder"]
    if list(out.rglob("*.partial")):
        return "in the middle of a file"
    if any(path.name != folder for path in out.glob("[0-9]" * 6)):
        return "between the files of a checkpoint"
    return "elsewhere"


def read_all(out: Path, num_ranks: int) -> int:
    """The iteration of the checkpoint, which must be whole for every rank."""
    load_network(out)
    for rank in range(num_ranks):
        training = Training.resumed(out, ranks=Ranks(rank, num_ranks))
    return training.counters.iteration


@pytest.mark.slow
@pytest.mark.parametrize("num_ranks", [1, 2])
def test_killed_at_random_instants_it_goes_on_bit_for_bit(tmp_path, num_ranks, record_property):
    rng = np.random.default_rng(num_ranks)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    new = ["train", "--game", "tictactoe", "--iterations", ITERATIONS, "--ranks", num_ranks]
    new += ["--set", *AS_OPTIONS, "simulations=4", "first_simulations=2", "moves_per_iteration=12"]
    assert Command(*new, "--out", whole).finish().code == 0

    iterations, stages = [0], []
    for number in range(KILLS):
        start = ["train", "--resume", killed] if number else [*new, "--out", killed]
        command = Command(*start, "--checkpoint-minutes", 0, slow_disk=SLOW_DISK)
        command.wait_until((killed / "checkpoint.json").exists)
        if rng.random() < 0.7:  # else while it still starts
            command.wait_for_rows(killed, int(rng.integers(1, 3)))
        command.wait(rng.uniform(0, 0.3))
        command.kill(all_ranks=bool(num_ranks == 1 or rng.random() < 0.5))
        command.wait_until_gone()  # orphans must not write into a run that others go on with
        stages.append(stage(killed))
        iterations.append(read_all(killed, num_ranks))
    done = Command("train", "--resume", killed).finish()
    assert (done.code, done.err) == (0, "")
    assert iterations == sorted(iterations)
    assert iterations[-1] < ITERATIONS
    assert_same(whole, killed)
    counts = {name: stages.count(name) for name in sorted(set(stages))}
    record_property("killed", counts)
    print(f"{num_ranks} ranks, {KILLS} kills, iterations {iterations}: {counts}")
    assert len(counts) > 1
