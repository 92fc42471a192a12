"""What the checks of chapter 5 take for the truth is true: autograd, torch and the rules agree."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from azlearn.alphago import Positions, shared_boards, split_by_game
from azlearn.alphago.patterns import GAME, NUM_WEIGHTS, feature_indices
from azlearn.alphago.rollout_policy import ExpertMoves
from azlearn.alphago.rollout_policy import log_likelihood_gradient as of_the_package
from azlearn.course.api import solution_sources
from azlearn.course.checking import run_check
from azlearn.course.exercises import (
    EXERCISES,
    ch05_accuracy,
    ch05_gradient,
    ch05_loss,
    ch05_shared,
    ch05_split,
)
from azlearn.course.numbers import numbers, tensor
from azlearn.games import State


def _solution(exercise_id, name):
    scope = {"np": np, "torch": torch}
    exec("from __future__ import annotations\n" + solution_sources()[exercise_id], scope)
    return scope[name]


@pytest.mark.parametrize("case", ch05_loss.cases(), ids=lambda case: case.shown)
def test_losses_by_hand_are_those_of_torch(case):
    logits, legal, action = map(tensor, case.arguments)
    losses = []
    for x, mask, a in zip(logits, legal, action, strict=True):
        place = mask[:a].sum()  # of the expert's move among the legal ones
        losses.append(F.cross_entropy(x[mask], place).item())
    assert np.mean(losses) == pytest.approx(case.right, abs=1e-6)
    assert legal.gather(1, action[:, None]).all()


@pytest.mark.parametrize("case", ch05_split._CASES[:-1], ids=lambda case: case.shown)
def test_as_many_games_as_the_package_holds_out(case):
    rows = np.arange(len(case.number))
    positions = Positions(rows, rows * 0, rows % 7, rows.astype(np.float32), case.number, rows)
    for seed in range(20):
        split = split_by_game(GAME, positions, case.share, seed)
        learnt = np.unique(split.train.game_number)
        assert len(ch05_split.games_of(case)) - len(learnt) == case.right
        mask = ~np.isin(case.number, learnt)
        assert not ch05_split._is_torn(case, mask)
        assert len(ch05_split._held(case, mask)) == case.right


def test_where_nothing_would_stay_for_training_the_package_refuses():
    """The exercise leaves one game instead."""
    case = ch05_split._CASES[-1]
    rows = np.arange(len(case.number))
    positions = Positions(rows, rows * 0, rows % 7, rows.astype(np.float32), case.number, rows)
    with pytest.raises(ValueError, match="No position is left on a side"):
        split_by_game(GAME, positions, case.share)
    assert case.right == len(ch05_split.games_of(case)) - 1


def test_torn_games_are_seen():
    case = ch05_split._CASES[0]
    mask = case.number == 5
    assert not ch05_split._is_torn(case, mask)
    mask[-1] = False
    assert ch05_split._is_torn(case, mask)
    assert ch05_split._changes(mask) == 2


def test_the_tolerance_of_the_draws_is_five_deviations():
    case = ch05_split._CASES[0]
    p = case.right / len(ch05_split.games_of(case))
    deviation = (p * (1 - p) / ch05_split._DRAWS[0]) ** 0.5
    assert 5 * deviation < ch05_split._CLOSE


def test_how_likely_games_are_when_positions_are_drawn():
    case, rng = ch05_split._CASES[0], np.random.default_rng(0)
    drawn = [list(dict.fromkeys(rng.permutation(case.number).tolist()))[:2] for _ in range(4000)]
    shares = np.bincount(np.ravel(drawn)) / len(drawn)
    assert ch05_split.by_length(case) == pytest.approx(shares, abs=0.03)
    assert np.abs(shares - 1 / 3).max() > 2 * ch05_split._CLOSE


@pytest.mark.parametrize("case", ch05_accuracy.cases(), ids=lambda case: case.shown)
def test_accuracies_by_hand_are_those_of_the_probe(case):
    rows, _, _ = case.arguments
    network = ch05_accuracy.probe_network().eval()
    planes = tensor(ch05_accuracy.planes_of(rows))
    with torch.no_grad():
        logits, _ = network(planes)
        in_training, _ = network.train()(planes)
    logits, wanted = logits.numpy(), np.array([row.logits for row in rows])
    assert logits == pytest.approx(wanted, abs=1e-5)
    assert np.abs(in_training.numpy() - logits).max() > 0.1  # the mode matters
    found = [
        max(np.flatnonzero(row.legal), key=row.logits.__getitem__) == row.action for row in rows
    ]
    assert np.mean(found) == case.right
    assert all(row.legal[row.action] for row in rows)


def test_a_network_that_is_asked_once_before_an_error_left_nothing_out():
    def breaks_down(network, planes, legal_mask, action, batch_size):
        network.eval()
        with torch.no_grad():
            network(planes[:batch_size])
        raise ValueError("a shape")

    assert run_check(EXERCISES["5.3"], breaks_down).outcome == "error"


@pytest.mark.parametrize("case", ch05_gradient.cases(), ids=lambda case: case.shown)
def test_gradients_by_hand_are_those_of_autograd(case):
    weights, features, legal, action = map(torch.tensor, case.arguments)
    weights.requires_grad_()
    logits = (features @ weights).masked_fill(~legal, -torch.inf)
    F.cross_entropy(logits, action).backward()
    assert (-weights.grad).tolist() == pytest.approx(case.right, abs=1e-9)


def test_the_gradient_is_that_of_the_rollout_policy():
    """On Connect Four, with every feature of the package written out as 0 or 1."""
    states = [GAME.from_moves(moves) for moves in ("", "44", "4444445", "1212312")]
    me, opp = np.array(states, dtype=np.int64).T
    last, action = np.array([-1, 3, 4, 1]), np.array([3, 2, 4, 0])
    indices, legal = feature_indices(State(me, opp), last)
    used = np.unique(indices)
    features = (indices[..., None] == used).any(2).astype(float)
    weights = np.random.default_rng(0).normal(size=NUM_WEIGHTS)
    wanted = of_the_package(weights, ExpertMoves(me, opp, last, action))
    solved = _solution("5.4", "log_likelihood_gradient")
    assert not legal.all()
    assert solved(weights[used], features, legal, action) == pytest.approx(wanted[used])
    assert not np.delete(wanted, used).any()


@pytest.mark.parametrize("number", range(len(ch05_shared._CASES)))
def test_boards_seen_are_those_of_the_package(number):
    train, held = ch05_shared._CASES[number]
    sides = []
    for moves in (train, [moves for moves, _ in held]):
        me, opp = np.array([GAME.from_moves(m) for m in moves], dtype=np.int64).T
        sides.append(Positions(me, opp, me, me, me, me))
    wanted = [seen for _, seen in held]
    assert shared_boards(GAME, *sides).tolist() == wanted
    assert ch05_shared.cases()[number].right == wanted


def test_boards_are_for_the_player_to_move():
    board = ch05_shared.board_of("445")  # the second player is to move, and has one stone
    assert numbers(board)[4:] == [[0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 2, 2, 0, 0]]
