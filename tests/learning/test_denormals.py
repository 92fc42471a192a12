"""Denormal numbers, which Intel's processors compute with slowly, never reach a network at work."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
import torch

from azlearn.alphago.networks import load_stage_network, save_stage_network
from azlearn.games import ConnectFour, TicTacToe
from azlearn.learning import Budget, Hooks, NetworkEvaluator, Training, load_network, save_network
from azlearn.learning.denormals import SMALLEST, flushed_denormals, without_tiny
from azlearn.learning.files import write_tensors
from tests.learning.networks import fresh, trained
from tests.learning.tiny_runs import SETTINGS

GAME = TicTacToe()
DENORMAL = 5e-324
has_setting = torch.set_flush_denormal(True)
torch.set_flush_denormal(False)
needs_setting = pytest.mark.skipif(not has_setting, reason="this processor cannot flush them")


def flushes() -> bool:
    """Whether this thread takes 0 for a denormal number, by its own arithmetic."""
    return DENORMAL * 1.0 == 0.0


@numba.njit
def times_one(x):
    return x * 1.0


def planted(network):
    """The network; every second weight of every convolution is tiny."""
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.ndim == 4:
                parameter.view(-1)[::2] = 1e-40
    return network.eval()


def num_tiny(tensors) -> int:
    return sum(
        int(((x != 0) & (x.abs() < SMALLEST)).sum()) for x in tensors if x.is_floating_point()
    )


def test_only_what_is_tiny_becomes_zero():
    x = torch.tensor([0.0, 1e-45, -1e-38, 9e-31, -1.1e-30, 1e-8, float("nan"), float("-inf")])
    before, counts = x.clone(), torch.tensor([3])
    found = without_tiny({"x": x, "counts": counts})
    assert found["x"].tolist()[:6] == pytest.approx([0, 0, 0, 0, -1.1e-30, 1e-8], rel=1e-6, abs=0)
    assert found["x"][6].isnan()
    assert found["x"][7] == -float("inf")
    assert torch.equal(found["counts"], counts)
    assert torch.equal(x[:6], before[:6])  # a copy


@needs_setting
def test_within_a_thread_and_those_it_starts_flush_and_afterwards_all_is_as_before():
    times_one(1.0)
    assert not flushes()

    def in_it():
        assert times_one(DENORMAL) == 0.0
        assert float(torch.tensor([1e-40]) * 1.0) == 0.0
        with flushed_denormals():
            pass
        assert flushes()
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(flushes).result()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), flushed_denormals():
        in_it()
    assert not flushes()
    assert times_one(DENORMAL) == DENORMAL


WORKERS = """
import torch
from azlearn.learning.launch import joined_ranks
torch.set_num_threads(2)
with joined_ranks(1, "cpu", print):
    torch.set_num_threads(2)  # whatever a rank chooses
    product = torch.full((1 << 20,), 1e-40) * 1.0
    print(torch.get_num_threads(), int((product.view(torch.int32) == 0).sum()))
"""


@needs_setting
@pytest.mark.slow
def test_torch_s_own_threads_flush_in_a_process_that_trains():
    found = subprocess.run([sys.executable, "-c", WORKERS], capture_output=True, text=True)
    assert (found.stdout.split(), found.stderr) == (["2", str(1 << 20)], "")


def test_a_network_is_folded_saved_and_loaded_without_them(tmp_path):
    network = planted(trained(GAME))
    assert num_tiny(network.folded().state_dict().values()) == 0
    assert num_tiny(network.parameters()) > 1000  # itself it is left alone
    save_network(tmp_path / "a", "tictactoe", network, {})
    old = {"format": "azlearn network 1", "game": "tictactoe", "size": network.size, "info": {}}
    write_tensors(tmp_path / "old", network.state_dict(), old)  # as networks used to be written
    save_stage_network(tmp_path / "b", "raw", planted(fresh(ConnectFour())), {})
    for name, load in (("a", load_network), ("old", load_network), ("b", load_stage_network)):
        assert num_tiny(load(tmp_path / name).network.state_dict().values()) == 0


@needs_setting
def test_an_evaluator_flushes_while_it_computes():
    """Weights of 1e-20 are kept, and their products would be denormal: the value of 1e-40 is 0."""
    network = fresh(GAME)
    with torch.no_grad():
        network.value_hidden.weight.zero_()
        network.value_hidden.bias.fill_(1e-20)
        network.value.weight.fill_(1e-20)
        network.value.bias.zero_()
        unflushed = network.eval()(torch.zeros(1, 2, 3, 3))[1]
    assert 0 < float(unflushed) < 1e-38
    evaluate, start = NetworkEvaluator(GAME, network), GAME.initial_state()
    assert (evaluate.batch(GAME.stack([start] * 4))[1] == 0).all()
    assert evaluate(GAME, start, np.random.default_rng(0)).value == 0.0
    assert not flushes()


@needs_setting
def test_a_run_flushes_and_leaves_its_caller_as_it_was(tmp_path):
    seen = []
    hooks = Hooks(report=lambda row: seen.append(flushes()))
    Training(SETTINGS, Budget(iterations=3), tmp_path, hooks=hooks).run()
    assert seen == [True] * 3
    assert not flushes()
