"""What the checks of chapter 13 take for the truth is true: published numbers, loops, NumPy."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from azlearn.course.exercises import EXERCISES
from azlearn.course.exercises.ch13_gpu import keep, roll
from azlearn.course.exercises.ch13_gpu.watched import watched
from azlearn.search.engine.draws import mixed

# The first outputs of splitmix64 from the state 1234567, as S. Vigna's program prints them; and
# the first one from 0.
PUBLISHED = (
    6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
    16408922859458223821,
)  # fmt: skip


def test_the_hash_of_the_check_is_splitmix64():
    states = [(1234567 + i * roll.GOLDEN) & roll.MASK for i in range(5)]
    assert tuple(map(roll.splitmix64, states)) == PUBLISHED
    assert roll.splitmix64(0) == 0xE220A8397B1DCDAF
    signed = np.array([state + roll.GOLDEN for state in states[:1]], dtype=np.uint64)
    found = mixed(torch.from_numpy(signed.astype(np.int64)))
    assert int(found[0]) % 2**64 == PUBLISHED[0]


@pytest.mark.parametrize("seed", range(20))
def test_the_cache_of_the_claim_is_that_of_a_loop_over_the_games(seed):
    slots, answers, size = keep.draw(np.random.default_rng(seed)).arguments
    cache = [0] * size
    for slot, answer in zip(slots, answers, strict=True):
        if slot >= 0:
            cache[slot] = answer
    marking = EXERCISES["13.2"].marking
    memory = keep.Memory("claims", size), keep.Memory("cache", size)
    order = np.random.default_rng(seed).permutation(len(slots)).tolist()
    solution = marking.function(marking.solution)
    assert keep.launched(solution, slots, answers, memory, order) == ("", str([0] * size))
    assert list(memory[1]) == cache


@pytest.mark.parametrize("num_games", [1, 2, 31, 64, 1000])
def test_prefix_sums_are_numpys(num_games):
    counts = np.random.default_rng(num_games).integers(40, size=num_games)
    marking = EXERCISES["13.5"].marking
    found = marking.function(marking.solution)(torch.from_numpy(counts))
    assert found.tolist() == np.cumsum(counts).tolist()


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (lambda x: 1 if x.sum() > 3 else 0, "read: `(lambda x: 1 if x.sum() > 3 else 0, "),
        (lambda x: x[x > 2], "shape: `(lambda x: x[x > 2], "),
        (lambda x: x.nonzero(), "shape: `(lambda x: x.nonzero(), "),
        (lambda x: x + torch.tensor([2.0, 0.0]), "upload: `(lambda x: x + torch.tensor"),
        (lambda x: x.tolist(), "read: `tolist`"),
        (lambda x: x[torch.arange(2)] + x.argmax(), "nothing"),
    ],
)
def test_the_guard_finds_what_a_gpu_would_be_waited_for(answer, found):
    _, waits, _ = watched(answer, torch.arange(2.0))
    assert waits.startswith(found)


def test_the_measurement_of_the_chapter_runs_in_the_simulator():
    command = [sys.executable, "-m", "azlearn.course.on_a_gpu", "2", "--device", "cpu"]
    done = subprocess.run(
        [*command, "--simulations", "2"], env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "2 games" in done.stdout
    assert "of the bare network" in done.stdout
