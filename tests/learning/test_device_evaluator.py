"""A network whose memory stays where it is: what a GPU's recorded steps ask, here on the CPU."""

import warnings
from copy import deepcopy

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from azlearn.games import ConnectFour
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.learning import NetworkEvaluator, Ranks, ResNet
from azlearn.learning.device_evaluator import DeviceEvaluator, compiled
from azlearn.learning.optimizers import make_optimizer
from azlearn.learning.replay import Samples
from azlearn.learning.settings import TrainSettings
from azlearn.learning.worker import Worker
from tests.engines import random_positions
from tests.learning.networks import by_hand, trained

SMALL = {"channels": 8, "blocks": 1}
GAME = ConnectFour()


class NoLook(TorchDispatchMode):
    """Fails where Python asks what a tensor holds, or where that decides a shape."""

    LOOKS = ("_local_scalar_dense", "nonzero", "masked_select", "unique", "equal.default")

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        assert not any(name in str(func) for name in self.LOOKS), func
        return func(*args, **(kwargs or {}))


def asked(game, states):
    """States and legal moves as tensors."""
    states = game.State(*map(torch.from_numpy, game.stack(states)))
    return states, game.batch_legal_mask(states)


@pytest.mark.parametrize("game", [GAME, DotsAndBoxes(2, 2)], ids=lambda game: game.name)
def test_answers_are_those_of_the_network_evaluator(game):
    network, states = trained(game).eval(), random_positions(game, 40, seed=1)
    evaluator = DeviceEvaluator(game, network)
    with NoLook():
        prior, value = evaluator(*asked(game, states))
    right_prior, right_value = NetworkEvaluator(game, network).batch(game.stack(states))
    np.testing.assert_allclose(prior, right_prior, atol=2e-6)
    np.testing.assert_allclose(value, right_value, atol=2e-6)
    assert prior.dtype == value.dtype == torch.float32
    assert not bool(evaluator.damaged)


def test_new_weights_go_to_the_old_memory_and_damage_is_kept_until_somebody_looks():
    network, states = trained(GAME).eval(), asked(GAME, random_positions(GAME, 20, seed=2))
    other, broken = deepcopy(network), deepcopy(network)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.mul_(1.5)
        broken.value.weight[0, 0] = torch.nan
    evaluator = DeviceEvaluator(GAME, network)
    before = [p.data_ptr() for p in evaluator._network.parameters()]
    for weights in (network, broken, other):
        assert bool(evaluator.damaged) == (weights is other)
        evaluator.learn_from(weights)
        with NoLook():
            answers = evaluator(*states)
    assert bool(evaluator.damaged)
    assert before == [p.data_ptr() for p in evaluator._network.parameters()]
    for mine, right in zip(answers, DeviceEvaluator(GAME, other)(*states), strict=True):
        assert torch.equal(mine, right)


def test_each_position_is_turned_and_its_answer_turned_back():
    """Every row is the answer in one of the two mirror images, and both are met."""
    network, positions = trained(GAME).eval(), random_positions(GAME, 64, seed=4)
    turning = DeviceEvaluator(GAME, network, symmetry="random", seed=3)
    images = [[by_hand(GAME, network, state, image) for state in positions] for image in (0, 1)]
    seen = []
    for turns in (0, 0, 9, 0):
        turning.learn_from(network, turns)
        with NoLook():
            prior, value = turning(*asked(GAME, positions))
        same, other = (
            np.isclose(prior, [p for p, _ in answers], atol=1e-5).all(1)
            & np.isclose(value, [v for _, v in answers], atol=1e-5)
            for answers in images
        )
        assert (same | other).all()
        seen.append((~same).tolist())
        assert 10 < sum(seen[-1]) < 54
    assert seen[0] == seen[1] == seen[3] != seen[2]
    assert (~torch.isclose(turning(*asked(GAME, positions))[0], prior).all(1)).any()


def test_where_the_compiler_does_not_work_one_line_says_why(monkeypatch):
    """But missing memory is not the compiler's fault."""

    def compile_of(network, **options):
        def fail(planes):
            warnings.warn("for those who write compilers", stacklevel=1)
            raise error

        return fail

    monkeypatch.setattr(torch, "compile", compile_of)
    error = RuntimeError("no Triton here.\nThirty lines more.")
    network, lines = trained(GAME).eval(), []
    ask, planes = compiled(network, lines.append), torch.rand(3, *network.planes_shape)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            for mine, right in zip(ask(planes), network(planes), strict=True):
                assert torch.equal(mine, right)
    assert lines == [
        "torch.compile does not work here (no Triton here). The network runs uncompiled."
    ]
    error = RuntimeError("while compiling")
    error.inner_exception = torch.OutOfMemoryError("no memory")
    with pytest.raises(torch.OutOfMemoryError):
        compiled(network, print)(planes)


def some_samples(replay) -> Samples:
    """Positions, each with itself as the end of its game where ends are kept."""
    states, legal = asked(replay.game, random_positions(replay.game, 20, seed=1))
    words = torch.stack(tuple(states), 1)
    words = words.repeat(1, replay.stored().words.shape[1] // words.shape[1])
    return Samples(words, legal / legal.sum(1, keepdim=True), torch.zeros(20))


@pytest.mark.parametrize("game", ["connect4", "go:3", "othello:6"])
def test_a_step_of_learning_looks_at_nothing_that_it_computes(game):
    """So it can be recorded. Gradients are limited by their norm, which is not looked at either."""
    settings = TrainSettings(
        game=game, network="tiny", num_games=4, simulations=4, first_simulations=4, opening_plies=1,
        fast_simulations=1, first_window=1, window=2000, batch_size=8, precision="float32",
        ownership_weight=float(game == "go:3"), backend="cpu",
    )  # fmt: skip
    network = ResNet(settings.make_game(), **SMALL, **settings.heads())
    worker = Worker(settings, network, Ranks(), "cpu")
    worker.optimizer = make_optimizer(network.parameters(), "adam", 1e-3, 0.1, is_recorded=True)
    worker.replay.add(some_samples(worker.replay))
    worker.learn(1, 8, 1e-3, 0)
    worker._draw()
    with NoLook():
        worker._one_step()
    assert float(worker._losses[1]) > 0
