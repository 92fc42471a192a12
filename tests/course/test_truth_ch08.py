"""What the checks of chapter 8 take for the truth is true: the rules, torch and azlearn agree."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from azlearn.course.exercises import (
    ch08_asking,
    ch08_block,
    ch08_loss,
    ch08_planes,
    ch08_policy_loss,
    ch08_symmetry,
)
from azlearn.course.numbers import numbers, tensor
from azlearn.games import ConnectFour, TicTacToe
from azlearn.learning.loss import loss
from azlearn.learning.network import Block


@pytest.mark.parametrize(
    ("game", "moves", "case"),
    [
        (TicTacToe(), "159", 0),
        (TicTacToe(), "1529", 1),
        (TicTacToe(), "", 2),
        (ConnectFour(), "445", 3),
        (ConnectFour(), "4453", 4),
    ],
)
def test_planes_are_those_of_the_rules(game, moves, case):
    state, case = game.from_moves(moves), ch08_planes.cases()[case]
    board, to_play = case.arguments
    assert game.cells(state) == board.ravel().tolist()
    assert game.to_play(state) == to_play
    assert game.encode(state).tolist() == case.right


@pytest.mark.parametrize("case", ch08_block.cases(), ids=lambda case: case.shown)
def test_the_block_is_that_of_the_package(case):
    x, first, second = case.arguments
    block = SimpleNamespace(first=first, second=second)
    assert numbers(Block.forward(block, tensor(x))) == case.right


@pytest.mark.parametrize("case", ch08_policy_loss.cases(), ids=lambda case: case.shown)
def test_policy_losses_by_hand_agree_with_the_package(case):
    logits, legal, pi = map(tensor, case.arguments)
    network = torch.nn.Module()
    network.forward = lambda planes: (logits, torch.zeros(len(logits)))
    parts = loss(network, None, legal, pi, torch.zeros(len(logits)), l2=0)
    assert float(parts.policy) == pytest.approx(case.right, abs=1e-5)


@pytest.mark.parametrize("case", ch08_loss.cases(), ids=lambda case: case.shown)
def test_whole_losses_by_hand_agree_with_the_package(case):
    z, v, pi, log_p, parameters, c = case.arguments
    rest = 1 - np.exp(log_p).sum(1, keepdims=True)  # log p may leave a third move out
    everything = tensor(np.log(np.concatenate([np.exp(log_p), rest + 1e-30], axis=1)))
    network = torch.nn.Module()
    for i, values in enumerate(parameters):
        network.register_parameter(f"p{i}", torch.nn.Parameter(tensor(values)))
    network.forward = lambda planes: (everything, tensor(v[:, 0]))
    legal = torch.ones_like(everything, dtype=torch.bool)
    target = tensor(np.concatenate([pi, 0 * rest], axis=1))
    total = loss(network, None, legal, target, tensor(z), l2=c).total
    assert total.item() == pytest.approx(case.right, abs=1e-5)


def test_symmetric_positions_are_those_of_the_game():
    planes, policy, *_ = ch08_symmetry.cases()[0].arguments
    images = [[p.tolist(), pi.tolist()] for p, pi in TicTacToe().symmetries(planes, policy)]
    for case in ch08_symmetry.cases():
        _, _, turns, mirror = case.arguments
        assert case.right == images[turns + 4 * mirror], case.shown
    assert len({str(image) for image in images}) == 8  # no symmetry can hide behind another


@pytest.mark.parametrize("case", ch08_asking.cases(), ids=lambda case: case.shown)
def test_what_the_probe_says_is_what_was_worked_out(case):
    game, (moves, _) = ch08_asking.GAME, case.arguments
    state, network = game.from_moves(moves), ch08_asking.probe_network().eval()
    with torch.no_grad():
        logits, value = network(torch.from_numpy(game.encode(state))[None])
    legal = torch.from_numpy(game.legal_mask(state))
    prior = logits[0].masked_fill(~legal, -torch.inf).softmax(0)
    assert prior.tolist() == pytest.approx(case.right[0], abs=1e-6)
    assert float(value[0]) == pytest.approx(case.right[1], abs=1e-6)
    network.train()
    assert network(torch.from_numpy(game.encode(state))[None])[1].item() != pytest.approx(
        case.right[1], abs=1e-2
    )
