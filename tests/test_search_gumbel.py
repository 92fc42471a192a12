"""Gumbel AlphaZero: mctx's trees node for node, one tree in both engines, the paper's claims."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from azlearn.games import ConnectFour, Hex
from azlearn.search import MCTS, GumbelNoise, constant, gumbel
from azlearn.search.gumbel import halving_target_visits, mixed_value
from azlearn.search.tree_policy import NodeStats
from benchmarks.gumbel_cases import CASES, Answer, compare
from tests.engines import evaluators

CONNECT_FOUR = ConnectFour()
ANSWERS = json.loads((Path(__file__).parent / "mctx_gumbel.json").read_text())


@pytest.mark.parametrize(("case", "answer"), list(zip(CASES, ANSWERS, strict=True)))
def test_the_tree_is_that_of_mctx_node_for_node(case, answer):
    """Stored by ``benchmarks/gumbel_mctx.py``, with the noise that mctx has drawn."""
    assert compare(case, Answer(**answer)) == len(answer["nodes"])


def test_sequential_halving_by_hand():
    """8 simulations, 4 moves: two rounds of 4, one visit for each of 4, then two for each of 2. And
    16 for 7: a third of 16 is less than a visit for each of 7, and they get one; so do 3, then 2
    share what is left."""
    assert [halving_target_visits(4, 8, done) for done in range(8)] == [0, 0, 0, 0, 1, 1, 2, 2]
    expected = [0] * 7 + [1] * 3 + [2, 2, 3, 3, 4, 4]
    assert [halving_target_visits(7, 16, done) for done in range(16)] == expected
    assert [halving_target_visits(1, 3, done) for done in range(3)] == [0, 1, 2]
    root = MCTS(CONNECT_FOUR, gumbel(4), constant()).run(CONNECT_FOUR.initial_state(), 8).root
    assert sorted(root.visit_counts) == [0, 0, 0, 1, 1, 3, 3]


@pytest.mark.parametrize("virtual_loss", [0, 1])
@pytest.mark.parametrize("num_simulations", [4, 60, 127])
def test_batches_give_the_moves_the_same_visits(num_simulations, virtual_loss):
    """Of 16 moves: 60 simulations are 3 visits for each in four rounds, 127 almost twice that."""
    game, each = Hex(5), {"virtual_loss": virtual_loss}
    counts = [
        MCTS(game, gumbel(16), evaluators(game, "hash").single, batch_size=size, **each)
        .run(game.initial_state(), num_simulations)
        .root.visit_counts
        for size in (1, 2, 5, 8)
    ]
    assert sum(n > 0 for n in counts[0]) == min(16, num_simulations)
    assert [sorted(each) for each in counts] == [sorted(counts[0])] * len(counts)


def test_completed_q_and_the_improved_policy_by_hand():
    root = NodeStats([2, 0, 1], [1.0, 0.0, -1.0], [0.5, 0.25, 0.25], 0.5)
    # The mean of Q by the priors of the tried moves is (0.5 * 0.5 - 0.25 * 1) / 0.75 = 0.
    assert mixed_value(*root[:4]) == (0.5 + 3 * 0) / 4
    tree_policy = gumbel(c_visit=2, c_scale=0.5)
    assert tree_policy.completed_q(root) == [0.5, 0.125, -1.0]
    assert tree_policy.sigma(root) == [1.0, 0.25, -2.0]  # (2 + 2) * 0.5 = 2 times that
    weights = np.array([0.5, 0.25, 0.25]) * np.exp([1.0, 0.25, -2.0])
    np.testing.assert_allclose(tree_policy.policy(root), weights / weights.sum())
    np.testing.assert_allclose(tree_policy(root), weights / weights.sum() - np.array([2, 0, 1]) / 4)
    assert gumbel(c_visit=2, c_scale=0.5, rescale=True).sigma(root) == [2.0, 1.5, 0.0]
    assert tree_policy.best_action(root) == 0
    assert tree_policy.policy(root, 0).tolist() == [1, 0, 0]


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(-1, 1), st.integers(0, 50)), min_size=2))
def test_the_improved_policy_is_never_worse_than_the_prior(moves):
    """By the completed Q: what the paper's argument rests on."""
    visits, q_values, shares = (np.array(column) for column in zip(*moves, strict=True))
    if not shares.any():
        return
    root = NodeStats(
        visits.tolist(), (visits * q_values).tolist(), (shares / shares.sum()).tolist(), 0
    )
    tree_policy = gumbel()
    assert tree_policy.value(root) >= np.dot(root.prior, tree_policy.completed_q(root)) - 1e-9


def test_the_first_move_considered_is_a_draw_from_the_prior():
    def prior(game, state, rng):
        return np.arange(1, 8) / 28, 0.0

    mcts = MCTS(CONNECT_FOUR, gumbel(1), prior, root_noise=GumbelNoise())
    state = CONNECT_FOUR.initial_state()
    moves = [mcts.run(state, 1, seed).best_action() for seed in range(1400)]
    assert chisquare(np.bincount(moves, minlength=7), np.arange(1, 8) * 50).pvalue > 1e-3
    again = mcts.run(state, 1, 7)
    assert again.root.noise == mcts.run(state, 1, 7).root.noise
    assert again.root.prior == (np.arange(1, 8) / 28).tolist()  # it stays as it is
