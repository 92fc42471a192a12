"""The linear soft-max: its gradient, its training, its file; and the rollouts that it plays."""

from time import sleep

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from azlearn.alphago import (
    RolloutPolicy,
    compiled_patterns,
    microseconds_per_move,
    move_features,
    pattern_rollout,
    train_rollout_policy,
)
from azlearn.alphago.pattern_sets import patterns_of
from azlearn.alphago.patterns import FEATURES, NUM_VALUES, NUM_WEIGHTS, OFFSETS
from azlearn.alphago.rollout_policy import FORMAT, log_likelihood_gradient
from azlearn.games import Go, TicTacToe
from azlearn.learning import CorruptFileError
from azlearn.learning.files import write_tensors
from azlearn.search import MCTS, Evaluation, compiled_uct, uct
from tests.alphago.positions import GAME, arrays, moves_at, moves_of, played_positions
from tests.engines import random_positions

UNIFORM = RolloutPolicy(np.zeros(NUM_WEIGHTS))


def policy_of(seed: int, spread: float = 1.0) -> RolloutPolicy:
    """Arbitrary weights; those of the 16,640 patterns are smaller."""
    weights = np.random.default_rng(seed).normal(0, spread, NUM_WEIGHTS)
    weights[OFFSETS[-1] :] *= 0.3
    return RolloutPolicy(weights)


def test_probabilities_by_hand():
    """X has three in the bottom row: a weight of log 6 on ``win`` is six shares for column 4."""
    weights = np.zeros(NUM_WEIGHTS)
    weights[OFFSETS[FEATURES.index("win")] + 1] = np.log(6)
    state = GAME.from_moves("112233")
    p = RolloutPolicy(weights).probabilities(GAME.stack([state]), np.array([2]))
    np.testing.assert_allclose(p[0], np.array([1, 1, 1, 6, 1, 1, 1]) / 12)
    over = GAME.stack([GAME.from_moves("1122334")])
    assert not UNIFORM.probabilities(over, np.array([3])).any()


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


def test_what_is_saved_is_loaded_and_other_files_are_refused(tmp_path):
    policy, path = policy_of(3), tmp_path / "rollout.safetensors"
    policy.save(path, {"seed": 3})
    loaded, info = RolloutPolicy.load(path)
    assert (loaded.weights == policy.weights).all()
    assert info == {"seed": 3}
    about = {"format": FORMAT, "features": NUM_VALUES._asdict()}
    for tensor, header, told in [
        (torch.zeros(NUM_WEIGHTS), {}, "no rollout policy"),
        (torch.zeros(NUM_WEIGHTS), about | {"features": {"win": 2}}, "differ from this version"),
        (torch.zeros(5), about, "weights must have shape"),
        (torch.full((NUM_WEIGHTS,), 51.0), about, "Every weight must be within ±50"),
    ]:
        write_tensors(path, {"weights": tensor}, header)
        with pytest.raises(CorruptFileError, match=rf"rollout\.safetensors .*{told}"):
            RolloutPolicy.load(path)


def test_refusals():
    good, zeros = moves_of(UNIFORM, 3, seed=12), np.zeros(1, np.int64)
    illegal = moves_at(GAME.stack([GAME.from_moves("111111")]), zeros, zeros)
    for sides in ((illegal, good), (good, illegal)):
        with pytest.raises(ValueError, match=r"Position 0: move 1 \(action 0\) is illegal"):
            train_rollout_policy(*sides)
    for setting in ({"epochs": 0}, {"step_size": float("nan")}):
        with pytest.raises(ValueError, match=f"{next(iter(setting))} must be"):
            train_rollout_policy(good, good, **setting)


# Rollouts.

POLICY, GO = policy_of(0), Go(5)
GO_POLICY = RolloutPolicy(np.random.default_rng(1).normal(0, 0.7, patterns_of(GO).num_weights), GO)


POLICIES = pytest.mark.parametrize("policy", [POLICY, GO_POLICY], ids=["connect_four", "go"])


@POLICIES
def test_moves_are_as_frequent_as_the_soft_max_says(policy):
    """Chi-square at a dozen positions; in Go among the moves that fill no eye."""
    game, rollout, draws = policy.game, compiled_patterns(policy), 10_000
    states, last = played_positions(40, seed=20)
    asked = list(zip(states, last, strict=True))[5 :: len(states) // 12]
    if policy is GO_POLICY:
        asked = [(state, -1) for state in random_positions(game, 6, seed=3)]
    generator, compared = np.array([20], dtype=np.uint64), 0
    for state, before in asked:
        p = policy.probabilities(game.stack([state]), np.array([before]))[0]
        allowed = getattr(game, "rollout_actions", game.legal_actions)(state)
        p = np.where(np.isin(np.arange(len(p)), allowed), p, 0)
        p = p / p.sum()
        chosen = [
            rollout.choose(state, before, rollout.parameters, generator) for _ in range(draws)
        ]
        counts = np.bincount(chosen, minlength=len(p))
        assert not counts[p == 0].any()
        often = p * draws >= 5
        if often.sum() > 1:
            expected = p[often] / p[often].sum() * counts[often].sum()
            assert chisquare(counts[often], expected).pvalue > 1e-4, (state, p, counts)
            compared += 1
    assert compared > 2


@POLICIES
def test_a_rollout_ends_by_the_rules_and_its_value_is_the_movers(policy):
    game, evaluate, rng = policy.game, pattern_rollout(policy), np.random.default_rng(21)
    allowed, results = getattr(game, "rollout_actions", game.legal_actions), set()
    for start in random_positions(game, 200 if game is GAME else 20, seed=21):
        prior, value, moves = evaluate(game, start, rng)
        assert prior is None
        state = start
        for action in moves:
            assert action in allowed(state)
            state = game.play(state, action)
        # -1 for the player to move at the end, who is the other one after an odd number of moves.
        assert value == game.outcome(state) * (-1) ** len(moves)
        results.add(value)
    assert results >= {-1, 1}


def test_a_rollout_that_must_win_wins_and_searches_find_the_move():
    """``win`` weighs so much that three in a row are always completed."""
    weights, state = UNIFORM.weights.copy(), GAME.from_moves("112233")
    weights[1] = 40
    evaluate, rng = pattern_rollout(RolloutPolicy(weights)), np.random.default_rng(22)
    for _ in range(20):
        assert evaluate(GAME, state, rng) == Evaluation(None, 1.0, [3])
    assert compiled_uct(GAME, state, 200, evaluator=compiled_patterns(POLICY)).best_action() == 3
    assert MCTS(GAME, uct(1.0), pattern_rollout(POLICY)).run(state, 100).best_action() == 3


def test_the_parameters_are_read_at_every_search():
    """A second policy, not compiled again, gives its own tree, and the same seed the same one."""
    state = GAME.initial_state()
    one, same, other = (
        compiled_uct(GAME, state, 300, evaluator=compiled_patterns(policy_of(seed))).root
        for seed in (1, 1, 2)
    )
    assert one.visit_counts == same.visit_counts
    assert one.visit_counts != other.visit_counts


def test_other_games_are_refused():
    game = TicTacToe()
    with pytest.raises(ValueError, match="plays connect_four, not tic_tac_toe"):
        pattern_rollout(POLICY)(game, game.initial_state(), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"is for azlearn\.games\.connect_four_rules, not tic_tac"):
        compiled_uct(game, game.initial_state(), 10, evaluator=compiled_patterns(POLICY))


def test_microseconds_per_move():
    slow = lambda game, state, rng: (None, sleep(0.002) or 0.0)  # noqa: E731
    cost = microseconds_per_move(POLICY, slow, num_games=200)
    assert list(cost) == ["uniform", "pattern", "network"]
    assert min(cost.values()) > 0
    assert cost["network"] >= 2000
