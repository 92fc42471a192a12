"""Rollouts by patterns: their moves, their results, and the searches that play them."""

from time import sleep

import numpy as np
import pytest
from scipy.stats import chisquare

from azlearn.alphago import (
    RolloutPolicy,
    compiled_patterns,
    microseconds_per_move,
    pattern_rollout,
)
from azlearn.alphago.pattern_sets import patterns_of
from azlearn.games import Go, TicTacToe
from azlearn.search import MCTS, Evaluation, compiled_uct, uct
from tests.alphago.positions import GAME, played_positions
from tests.alphago.test_rollout_policy import UNIFORM, policy_of
from tests.engines import random_positions

POLICY, GO = policy_of(0), Go(5)
GO_POLICY = RolloutPolicy(np.random.default_rng(1).normal(0, 0.7, patterns_of(GO).num_weights), GO)


@pytest.mark.parametrize("policy", [POLICY, GO_POLICY], ids=["connect_four", "go"])
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


def test_a_rollout_ends_by_the_rules_and_its_value_is_the_movers():
    evaluate, rng, results = pattern_rollout(POLICY), np.random.default_rng(21), set()
    for start in played_positions(30, seed=21)[0]:
        prior, value, moves = evaluate(GAME, start, rng)
        assert prior is None
        state = start
        for action in moves:
            state = GAME.play(state, action)  # refuses what is illegal
        # -1 for the player to move at the end, who is the other one after an odd number of moves.
        assert value == (GAME.outcome(state) or 0) * (-1) ** len(moves)
        results.add(value)
    assert results == {-1, 0, 1}


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
    asked = []

    def slow(game, state, rng):
        asked.append(state)
        sleep(0.002)
        return None, 0.0

    cost = microseconds_per_move(POLICY, slow, num_games=200)
    assert list(cost) == ["uniform", "pattern", "network"]
    assert 0 < cost["uniform"] < cost["pattern"] < cost["network"]
    assert cost["network"] >= 2000
    assert len(asked) >= 3 * 7  # nobody wins in fewer moves
    with pytest.raises(ValueError, match="num_games must be a whole number, at least 1, not 0"):
        microseconds_per_move(POLICY, num_games=0)
