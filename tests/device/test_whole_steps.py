"""Whole iterations, learning included: replayed as Python makes them, and never waiting."""

from contextlib import contextmanager

import pytest
import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from azlearn.learning.device import self_play as module
from azlearn.learning.device.host_sync import HostSync, NoHostSync
from azlearn.learning.device.replayed import WARM_UPS
from tests.device.small import no_wait
from tests.device.small_runs import SmallRun, memory, small

GAMES = ["connect4", "tictactoe", "dots_and_boxes:2x2", "othello:6", "hex:4"]


@pytest.fixture(autouse=True)
def few_openings(monkeypatch):
    monkeypatch.setattr(module, "NUM_OPENINGS", 128)


def without_waste(name: str, tensor: Tensor) -> Tensor:
    """Without the last row where that is a waste bin: of all that is written there at once, a GPU
    leaves any."""
    return tensor[:-1] if "_store" in name or name.endswith("._calm") else tensor


def assert_replays(changes, recorded):
    """Six iterations by Python and replayed: every tensor equal, and at its old address."""
    device, how = recorded
    straight, again = (SmallRun(small(**changes), device, each) for each in ("python", how))
    for run in (straight, again):
        run.iterate(2)  # the optimiser makes its memory in its first step
    before = {name: tensor.data_ptr() for name, tensor in memory(again).items()}
    for run in (straight, again):
        run.iterate(4, start=2)
    one, other = memory(straight), memory(again)
    assert one.keys() == other.keys() == before.keys()
    assert len(one) > 100
    for name, tensor in one.items():
        ours, theirs = without_waste(name, tensor), without_waste(name, other[name])
        if device == "cpu":
            assert torch.equal(tensor, other[name]), name
        else:  # cuDNN may choose other kernels while it is recorded
            torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-4)
        assert before[name] == other[name].data_ptr(), name
    assert WARM_UPS < 6 * 3  # so that steps of learning, too, were replayed
    assert int(again.ring.num_added) > 0


@pytest.mark.parametrize(
    "changes",
    [
        {"game": "connect4"}, {"game": "tictactoe", "symmetry": "random"},
        {"game": "dots_and_boxes:2x2", "resign_rate": 0.3, "played_out_share": 0.5},
        {"game": "tictactoe", "optimizer": "sgd", "l2": 1e-4},
        {"game": "tictactoe", "precision": "bfloat16"},
        {"game": "tictactoe", "window": 80, "first_window": 50},
    ],
    ids=str,
)  # fmt: skip
def test_whole_iterations_replay_as_python_makes_them(changes, recorded):
    assert_replays(changes, recorded)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("game", GAMES)
def test_neither_a_move_nor_a_step_of_learning_waits(game, precision, device):
    settings = small(game, precision=precision, symmetry="random", resign_rate=0.1)
    run = SmallRun(settings, device)
    run.iterate(1)
    games, learner = run.self_play, run.learner
    with no_wait(device) as guard:
        for _ in range(6):
            games.begin()
            for _ in range(4):
                games.simulate()
            games.move()
        learner._step_once()
        run.evaluator.learn_from(run.network)
    assert sum(guard.operations.values()) > 2000
    assert guard.operations["convolution_backward"] >= 3
    with NoHostSync(), pytest.raises(HostSync, match="self_play"):
        games.play(8)  # its last line looks at the device, once


@contextmanager
def learning_on_a_fake_gpu(run):
    """Two things need a GPU that is there: the engine of autograd, and the fused kernel of AdamW.
    In their places stand gradients without numbers, and a look at what the kernel is given."""
    real, kernel = torch.Tensor.backward, torch._fused_adamw_
    given = []

    def backward(total):
        assert total.requires_grad
        for parameter in run.network.parameters():
            parameter.grad = torch.zeros_like(parameter)

    def fused(*tensors, **options):
        parts = [part for part in tree_leaves((tensors, options)) if isinstance(part, torch.Tensor)]
        given.extend(str(part.device) for part in parts)

    torch.Tensor.backward, torch._fused_adamw_ = backward, fused
    try:
        yield given
    finally:
        torch.Tensor.backward, torch._fused_adamw_ = real, kernel


@pytest.mark.filterwarnings("ignore:CUDA is not available:UserWarning")
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("game", GAMES)
def test_nothing_waits_or_is_elsewhere_on_a_gpu_that_is_not_there(game, precision, fake_gpu):
    settings = small(game, precision=precision, symmetry="random", resign_rate=0.1)
    run = SmallRun(settings, "cuda:0")
    games = run.self_play
    with NoHostSync(), learning_on_a_fake_gpu(run) as given:
        for _ in range(2):
            games.begin()
            games.simulate()
            games.move()
            run.learner._step_once()
            run.evaluator.learn_from(run.network)
    assert len(given) > 4 * len(list(run.network.parameters()))
    assert set(given) == {"cuda:0"}
    devices = {name: str(tensor.device) for name, tensor in memory(run).items()}
    assert len(devices) > 80
    elsewhere = {name: place for name, place in devices.items() if place != "cuda:0"}
    assert not elsewhere
    with NoHostSync(), pytest.raises((HostSync, RuntimeError)):
        games.play(8)
