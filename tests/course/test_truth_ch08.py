"""What the checks of chapter 8 take for the truth is true: the rules, torch and azlearn agree."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from azlearn.course.exercises.ch08_one_network import (
    ask,
    planes,
    policy_loss,
    residual,
    symmetric,
    total_loss,
)
from azlearn.course.numbers import numbers, tensor
from azlearn.games import ConnectFour, TicTacToe
from azlearn.learning.loss import loss
from azlearn.learning.network import Block

GAMES = [(TicTacToe(), "159"), (TicTacToe(), "1529"), (TicTacToe(), "")]
GAMES += [(ConnectFour(), "445"), (ConnectFour(), "4453")]


@pytest.mark.parametrize(("line", "case"), list(zip(GAMES, planes.CASES, strict=True)))
def test_planes_are_those_of_the_rules(line, case):
    (game, moves), (board, to_play) = line, case.arguments
    state = game.from_moves(moves)
    seen = game.encode(state)
    assert not seen[:, : -len(board)].any()
    assert seen[:, -len(board) :].tolist() == case.right[""]
    assert game.cells(state)[-board.size :] == board.ravel().tolist()
    assert game.to_play(state) == to_play


@pytest.mark.parametrize("case", residual.CASES, ids=lambda case: case.words)
def test_the_block_is_that_of_the_package(case):
    x, first, second = case.arguments
    block = SimpleNamespace(first=first, second=second)
    assert numbers(Block.forward(block, tensor(x))) == case.right


@pytest.mark.parametrize("case", policy_loss.CASES, ids=lambda case: case.words)
def test_policy_losses_by_hand_agree_with_the_package(case):
    logits, legal, pi = map(tensor, case.arguments)
    network = torch.nn.Module()
    network.forward = lambda planes: (logits, torch.zeros(len(logits)))
    parts = loss(network, None, legal, pi, torch.zeros(len(logits)), l2=0)
    (right,) = case.right.values()
    assert float(parts.policy) == pytest.approx(right.values, abs=1e-5)


@pytest.mark.parametrize("case", total_loss.CASES, ids=lambda case: case.words)
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
    assert total.item() == pytest.approx(case.right[""].values, abs=1e-5)


def test_symmetric_positions_are_those_of_the_game():
    board, policy, *_ = symmetric.CASES[0].arguments
    images = list(TicTacToe().symmetries(board, policy))
    for case in symmetric.CASES:
        *_, turns, mirror = case.arguments
        moved, pi = images[turns + 4 * mirror]
        board = symmetric.drawn(moved).replace(" ", " / ")
        assert case.right == {"board": board, "π": pi.tolist()}, case.words
    assert len({str(image) for image in images}) == 8  # no symmetry can hide behind another


@pytest.mark.parametrize("case", ask.CASES, ids=lambda case: case.words)
def test_the_probe_in_training_mode_says_something_else(case):
    game, moves, logits, _ = case.arguments
    network, _ = ask.probe_network(logits)
    state = torch.from_numpy(game.encode(game.from_moves(moves)))[None]
    with torch.no_grad():
        asked, trained = network.eval()(state)[1].item(), network.train()(state)[1].item()
    assert asked == pytest.approx(case.right["value"].values, abs=1e-6)
    assert abs(trained - asked) > 1e-2
