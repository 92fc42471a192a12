"""What the checks of chapter 5 take for the truth is true: the package and the rules agree."""

import numpy as np
import pytest
import torch

from azlearn.alphago import Positions, shared_boards, split_by_game
from azlearn.alphago.patterns import GAME, NUM_WEIGHTS, feature_indices
from azlearn.alphago.rollout_policy import log_likelihood_gradient as of_the_package
from azlearn.course.exercises.ch05_imitation import held_out_mask, seen_in_training, top1_accuracy
from azlearn.course.exercises.ch05_imitation.log_likelihood_gradient import EXERCISE
from azlearn.course.numbers import numbers
from azlearn.games import State
from tests.alphago.positions import moves_at


def _positions(number):
    rows = np.arange(len(number))
    return Positions(rows, rows * 0, rows % 7, rows.astype(np.float32), number, rows)


@pytest.mark.parametrize("case", held_out_mask.CASES[:-1], ids=lambda case: case.words)
def test_as_many_games_as_the_package_holds_out(case):
    number, share, _ = case.arguments
    for seed in range(20):
        split = split_by_game(GAME, _positions(number), share, seed)
        num_held_out = len(np.unique(number)) - len(np.unique(split.train.game_number))
        assert [num_held_out] == [*case.right.values()]


def test_where_nothing_would_stay_for_training_the_package_refuses():
    """The exercise leaves one game instead."""
    number, share, _ = held_out_mask.CASES[-1].arguments
    with pytest.raises(ValueError, match="No position is left on a side"):
        split_by_game(GAME, _positions(number), share)


def test_torn_games_are_seen():
    number = held_out_mask.CASES[0].arguments[0]
    mask = (number == 5)[None]
    assert held_out_mask.how_torn(number, mask) == "none"
    mask[0, -1] = False
    assert held_out_mask.how_torn(number, mask) == "games [5]"


def test_the_tolerance_of_the_draws_is_five_deviations():
    number, _, draws = held_out_mask.CASES[0].arguments
    p = 2 / len(np.unique(number))
    assert 5 * (p * (1 - p) / draws) ** 0.5 < held_out_mask.CLOSE


def test_the_network_of_5_3_shows_its_planes_as_logits_and_notes_its_modes():
    network, planes = top1_accuracy.probe_network().eval(), torch.tensor([[[[5.0, 1, 3, 0]]]])
    with torch.no_grad():
        assert network(planes)[0].flatten().tolist() == pytest.approx([5, 1, 3, 0], abs=1e-4)
    network.training = True
    network(planes)
    assert network.asked == [(1, False, False), (1, True, True)]


def test_the_gradient_is_that_of_the_rollout_policy():
    """On Connect Four, with every feature of the package written out as 0 or 1."""
    states = [GAME.from_moves(moves) for moves in ("", "44", "4444445", "1212312")]
    me, opp = np.array(states, dtype=np.int64).T
    last, action = np.array([-1, 3, 4, 1]), np.array([3, 2, 4, 0])
    indices, legal = feature_indices(State(me, opp), last)
    used = np.unique(indices)
    features = (indices[..., None] == used).any(2).astype(float)
    weights = np.random.default_rng(0).normal(size=NUM_WEIGHTS)
    moves = moves_at(State(me, opp), last, action)
    wanted = of_the_package(weights, moves)
    solved = EXERCISE.marking.function(EXERCISE.marking.solution)
    assert not legal.all()
    assert solved(weights[used], features, legal, action) == pytest.approx(wanted[used])
    assert not np.delete(wanted, used).any()


def test_boards_seen_are_those_of_the_package():
    marking = seen_in_training.EXERCISE.marking
    bits = 1 << (7 * np.arange(7) + np.arange(5, -1, -1)[:, None])
    full = [
        (c, s)
        for c, s in zip(marking.all_cases, marking.right.seen, strict=True)
        if c.arguments[0].shape[1] == 6
    ]
    for case, seen in full:
        sides = []
        for boards in case.arguments:
            me, opp = (((boards == stone) * bits).sum((1, 2)) for stone in (1, 2))
            sides.append(Positions(me, opp, me, me, me, me))
        assert shared_boards(GAME, *sides).tolist() == seen[""], case.words
    assert len(full) > 50


def test_boards_are_for_the_player_to_move():
    board = seen_in_training.board_of("445")  # the second player is to move, and has one stone
    assert numbers(board)[4:] == [[0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 2, 2, 0, 0]]
