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
from azlearn.alphago.compiled_rollouts import _choose
from azlearn.games import TicTacToe
from azlearn.search import MCTS, Evaluation, compiled_uct, uct
from tests.alphago.positions import GAME, arrays, played_positions
from tests.alphago.test_rollout_policy import UNIFORM, policy_of

POLICY = policy_of(0)


def test_moves_are_as_frequent_as_the_soft_max_says():
    """Chi-square at a dozen positions, full columns among them; the readable p is the truth."""
    states, last = played_positions(40, seed=20)
    chosen = range(5, len(states), len(states) // 12)
    strengths, draws = np.exp(POLICY.weights), 20_000
    generator = np.array([20], dtype=np.uint64)
    for state, column in [(states[i], last[i]) for i in chosen]:
        p = POLICY.probabilities(*arrays([state], [column]))[0]
        counts = np.zeros(7)
        for _ in range(draws):
            counts[_choose(state, column, strengths, generator)] += 1
        legal = GAME.legal_actions(state)
        assert counts[legal].sum() == draws
        often = [a for a in legal if p[a] * draws >= 5]  # what is rarer is pooled with the rest
        expected = np.array([*(p[often] * draws), (1 - p[often].sum()) * draws])
        seen = np.array([*counts[often], draws - counts[often].sum()])
        kept = expected > 1e-6
        if kept.sum() > 1:
            assert chisquare(seen[kept], expected[kept]).pvalue > 1e-4, (state, p, counts)


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


def test_a_rollout_that_must_win_wins():
    """``win`` weighs so much that three in a row are always completed."""
    weights = UNIFORM.weights.copy()
    weights[1] = 40
    evaluate = pattern_rollout(RolloutPolicy(weights))
    rng = np.random.default_rng(22)
    for _ in range(20):
        assert evaluate(GAME, GAME.from_moves("112233"), rng) == Evaluation(None, 1.0, [3])


def test_searches_with_patterns_find_the_move_that_wins():
    state = GAME.from_moves("112233")
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
        return game.legal_mask(state).astype(float), 0.0  # shares, not yet summing to 1

    cost = microseconds_per_move(POLICY, slow, num_games=200)
    assert list(cost) == ["uniform", "pattern", "network"]
    assert 0 < cost["uniform"] < cost["pattern"] < cost["network"]
    assert cost["network"] >= 2000
    assert len(asked) >= 3 * 7  # nobody wins in fewer moves
    assert list(microseconds_per_move(POLICY, num_games=1)) == ["uniform", "pattern"]
    with pytest.raises(ValueError, match="num_games must be at least 1, not 0"):
        microseconds_per_move(POLICY, num_games=0)
