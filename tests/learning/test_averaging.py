"""The network that plays with the mean of its newest weights."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from azlearn.games import TicTacToe
from azlearn.learning import Budget, ResNet, Training, load_network
from azlearn.learning.averaging import average
from tests.learning.tiny_runs import SETTINGS


def networks(num):
    """As if so many steps had been made: other weights, other running statistics."""
    for seed in range(num):
        torch.manual_seed(seed)
        network = ResNet(TicTacToe(), 4, 1)
        for name, buffer in network.named_buffers():
            if name.endswith("num_batches_tracked"):
                buffer.fill_(seed + 1)
            else:
                buffer.uniform_(0.5, 1.5)
        yield network


def test_it_is_the_exponential_moving_average_of_pytorch():
    """From step 10 times ``over`` on; there PyTorch's begins with a copy."""
    over, first = 4, 40
    mean = theirs = None
    for step, network in enumerate(networks(30), start=first):
        if mean is None:
            mean = deepcopy(network)
            theirs = AveragedModel(
                network, multi_avg_fn=get_ema_multi_avg_fn(1 - 1 / over), use_buffers=True
            )
            theirs.update_parameters(network)
        else:
            average(mean, network, step, over)
            theirs.update_parameters(network)
    for (name, found), right in zip(
        mean.state_dict().items(), theirs.module.state_dict().values(), strict=True
    ):
        if found.is_floating_point():
            torch.testing.assert_close(found, right, msg=name)
        else:
            assert found == 30  # counted, not averaged


def test_in_the_beginning_it_looks_back_a_tenth_of_the_steps():
    """Weights that are the step's number: how old the mean is, in steps."""
    newest = torch.nn.Linear(1, 1, bias=False)
    mean, behind = deepcopy(newest), {}
    for step in range(1, 3001):
        torch.nn.init.constant_(newest.weight, step)
        average(mean, newest, step, over=100)
        behind[step] = step - mean.weight.item()
    assert behind[1] == behind[10] == 0  # copies
    assert behind[100] == pytest.approx(9, abs=1.5)
    assert behind[500] == pytest.approx(45, abs=5)
    assert behind[3000] == pytest.approx(99, abs=0.1)  # a moving average of n lags by n - 1


def test_the_mean_plays_and_is_what_a_run_leaves(tmp_path):
    played = {}
    for name, steps in (("mean", 5), ("newest", 0)):
        (tmp_path / name).mkdir()
        training = Training(
            replace(SETTINGS, average_steps=steps), Budget(iterations=8), tmp_path / name
        )
        training.run()
        kept = load_network(tmp_path / name).network.state_dict()
        for found, right in zip(kept.values(), training.best.state_dict().values(), strict=True):
            assert torch.equal(found, right)
        is_newest = torch.equal(training.best.policy.weight, training.network.policy.weight)
        assert is_newest == (steps == 0)
        played[name] = training.replay.contents()
    assert not np.array_equal(played["mean"].policy_target, played["newest"].policy_target)


def test_all_ranks_play_with_the_same_mean(monkeypatch, tmp_path):
    """Batch norm's statistics are each rank's own, until they are averaged: the mean's as well."""
    training = Training(replace(SETTINGS, average_steps=5), Budget(iterations=4), tmp_path)
    averaged = []
    monkeypatch.setattr(
        type(training.ranks), "average_buffers", lambda _, network: averaged.append(network)
    )
    training.run()
    assert averaged[-2:] == [training.network, training.best]
