"""The linear soft-max: its gradient, its training and its file."""

import numpy as np
import pytest
import torch

from azlearn.alphago import RolloutPolicy, move_features, train_rollout_policy
from azlearn.alphago.patterns import FEATURES, NUM_VALUES, NUM_WEIGHTS, OFFSETS
from azlearn.alphago.rollout_policy import FORMAT, log_likelihood_gradient
from azlearn.games import State
from azlearn.learning import CorruptFileError
from azlearn.learning.files import write_tensors
from tests.alphago.positions import GAME, arrays, moves_at, moves_of, played_positions

UNIFORM = RolloutPolicy(np.zeros(NUM_WEIGHTS))


def policy_of(seed: int, spread: float = 1.0) -> RolloutPolicy:
    """Arbitrary weights; those of the 16,640 patterns are smaller."""
    weights = np.random.default_rng(seed).normal(0, spread, NUM_WEIGHTS)
    weights[OFFSETS[-1] :] *= 0.3
    return RolloutPolicy(weights)


def test_weights_of_zero_are_the_uniform_policy_and_a_finished_game_has_no_moves():
    states, last = arrays(*played_positions(20, seed=5))
    legal = GAME.batch_legal_mask(states)
    right = legal / legal.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(UNIFORM.probabilities(states, last), right)
    over = GAME.stack([GAME.from_moves("1122334")])
    assert not UNIFORM.probabilities(over, np.array([3])).any()


def test_probabilities_by_hand():
    """X has three in the bottom row: a weight of log 6 on ``win`` is six shares for column 4."""
    weights = np.zeros(NUM_WEIGHTS)
    weights[OFFSETS[FEATURES.index("win")] + 1] = np.log(6)
    state = GAME.from_moves("112233")
    p = RolloutPolicy(weights).probabilities(GAME.stack([state]), np.array([2]))
    np.testing.assert_allclose(p[0], np.array([1, 1, 1, 6, 1, 1, 1]) / 12)


def test_the_gradient_is_autograds():
    """torch sums the weights of the readable features; ours come from the bits."""
    states, last = played_positions(4, seed=6)
    policy = policy_of(0)
    weights = torch.tensor(policy.weights, requires_grad=True)
    rng, total, actions = np.random.default_rng(0), 0.0, []
    for state, column in zip(states, last, strict=True):
        legal = GAME.legal_actions(state)
        actions.append(int(rng.choice(legal)))
        rows = [np.array(move_features(state, column, a)) + OFFSETS for a in legal]
        logits = weights[torch.tensor(np.array(rows))].sum(dim=1)
        total = total + logits.log_softmax(0)[legal.index(actions[-1])]
    (total / len(states)).backward()
    positions, columns = arrays(states, last)
    moves = moves_at(positions, columns, np.array(actions))
    gradient = log_likelihood_gradient(policy.weights, moves)
    np.testing.assert_allclose(gradient, weights.grad.numpy(), atol=1e-12)
    assert np.abs(gradient).max() > 0.01
    assert policy.score(moves).log_likelihood == pytest.approx(total.item() / len(states))


def test_training_finds_a_planted_policy():
    planted = policy_of(1)
    moves, held_out = moves_of(planted, 1500, seed=7), moves_of(planted, 150, seed=8)
    trained = train_rollout_policy(moves, held_out, epochs=8)
    best_possible = planted.score(held_out).log_likelihood
    assert trained.held_out.log_likelihood > best_possible - 0.05
    assert UNIFORM.score(held_out).log_likelihood < best_possible - 0.3

    # Only differences within a feature show in the soft-max.
    for name in ("block", "force", "neighbour"):
        first = OFFSETS[FEATURES.index(name)]
        values = slice(first, first + NUM_VALUES[FEATURES.index(name)])
        real, ours = planted.weights[values], trained.policy.weights[values]
        np.testing.assert_allclose(ours - ours[0], real - real[0], atol=0.35, err_msg=name)


def test_training_keeps_the_epoch_that_predicts_best():
    """Few moves drawn at random, so that every epoch learns more of what is not there."""
    moves, held_out = moves_of(UNIFORM, 10, seed=9), moves_of(UNIFORM, 100, seed=10)
    seen = []
    trained = train_rollout_policy(
        moves, held_out, epochs=4, step_size=0.5, progress=lambda *told: seen.append(told)
    )
    assert [epoch for epoch, _ in seen] == [1, 2, 3, 4]
    assert [score for _, score in seen] == trained.history[1:]
    assert not trained.policy.weights.any()
    assert trained.held_out == trained.history[0] == UNIFORM.score(held_out)
    assert trained.history[-1].log_likelihood < trained.history[0].log_likelihood


def test_a_score_by_hand():
    """The uniform policy on the empty board: log 1/7, and each column is a seventh of its guess."""
    empty = State(*np.zeros((2, 2), np.int64))
    score = UNIFORM.score(moves_at(empty, None, np.array([0, 3])))
    assert score.log_likelihood == pytest.approx(-np.log(7))
    assert (score.accuracy, score.num_positions) == (pytest.approx(1 / 7), 2)


def test_what_is_saved_is_loaded_and_other_files_are_refused(tmp_path):
    policy, path = policy_of(3), tmp_path / "rollout.safetensors"
    policy.save(path, {"seed": 3})
    loaded, info = RolloutPolicy.load(path)
    assert (loaded.weights == policy.weights).all()
    assert info == {"seed": 3}
    about = {"format": FORMAT, "features": NUM_VALUES._asdict()}
    for tensor, header, told in [
        (torch.zeros(NUM_WEIGHTS), {}, "holds no rollout policy"),
        (torch.zeros(NUM_WEIGHTS), about | {"features": {"win": 2}}, "other features"),
        (torch.zeros(5), about, "is damaged: weights must have shape"),
        (torch.full((NUM_WEIGHTS,), 51.0), about, "is damaged: Every weight must lie in ±50"),
    ]:
        write_tensors(path, {"weights": tensor}, header)
        with pytest.raises(CorruptFileError, match=told) as caught:
            RolloutPolicy.load(path)
        assert str(path) in str(caught.value)


def test_refusals():
    good, zeros = moves_of(UNIFORM, 3, seed=12), np.zeros(1, np.int64)
    illegal = moves_at(GAME.stack([GAME.from_moves("111111")]), zeros, zeros)
    for moves, told in [
        (good.take(slice(0, 0)), "There are no positions"),
        (illegal, r"Position 0: move 1 \(action 0\) is illegal there"),
    ]:
        for sides in ((moves, good), (good, moves)):
            with pytest.raises(ValueError, match=told):
                train_rollout_policy(*sides)
    for setting in ({"epochs": 0}, {"batch_size": 0}, {"step_size": float("nan")}):
        with pytest.raises(ValueError, match=f"{next(iter(setting))} must be"):
            train_rollout_policy(good, good, **setting)
