"""Gumbel AlphaZero: mctx's trees node for node, one tree in both engines, the paper's claims."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from azlearn.games import ConnectFour, TicTacToe
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.search import (
    MCTS,
    BatchedPUCT,
    GumbelNoise,
    RootNoise,
    constant,
    gumbel,
    hash_evaluator,
    puct,
    record_search,
)
from azlearn.search.gumbel import mixed_value, visits_in_turn
from azlearn.search.plans import Edges
from benchmarks.gumbel_cases import CASES, Answer, Noise, compare
from tests.engines import assert_same_tree, evaluators, random_positions, run

CONNECT_FOUR = ConnectFour()
ANSWERS = json.loads((Path(__file__).parent / "mctx_gumbel.json").read_text())


@pytest.mark.parametrize(("case", "answer"), list(zip(CASES, ANSWERS, strict=True)))
def test_the_tree_is_that_of_mctx_node_for_node(case, answer):
    """Stored by ``benchmarks/gumbel_mctx.py``, with the noise that mctx has drawn."""
    assert compare(case, Answer(**answer)) == len(answer["nodes"])


@pytest.mark.parametrize("plan", [gumbel(), gumbel(4, c_scale=0.1, rescale=True)], ids=["", "4"])
@pytest.mark.parametrize(
    ("game", "compiled"), [(CONNECT_FOUR, True), (DotsAndBoxes(2, 2), False)], ids=["4", "boxes"]
)
@pytest.mark.parametrize(
    ("kind", "n"), [("rough", 40), ("constant", 16), ("hash", 2), ("uniform", 1)]
)
def test_the_compiled_engine_grows_the_same_tree(plan, game, compiled, kind, n):
    states, (single, batch) = random_positions(game, 4, seed=11), evaluators(game, kind)
    noise = np.random.default_rng(n).gumbel(size=(4, game.num_actions))
    noise[0] = 0  # for this root none was drawn
    trees = [
        MCTS(game, plan, single, root_noise=Noise(g.tolist())).run(state, n)
        for state, g in zip(states, noise, strict=True)
    ]
    engine = BatchedPUCT(game, 4, n + 3, plan, compiled=compiled)  # with room to spare
    engine.start(game.stack(states), n, noise)
    run(engine, batch)
    for row, (tree, root) in enumerate(zip(trees, engine.roots(range(4)), strict=True)):
        assert_same_tree(tree.root, engine, row)
        assert plan.best_action(root) == tree.best_action()
        assert plan.value(root) == plan.value(tree.root)
        np.testing.assert_array_equal(plan.policy(root), tree.policy())


def test_a_kept_tree_is_the_same_in_both_engines():
    """Its visits fit no schedule; the moves nearest to it are considered."""
    single, batch = evaluators(CONNECT_FOUR, "rough")
    first, plan = CONNECT_FOUR.initial_state(), gumbel()
    engine = BatchedPUCT(CONNECT_FOUR, 1, 60, plan, compiled=False)
    engine.start(CONNECT_FOUR.stack([first]), 60)
    run(engine, batch)
    mcts = MCTS(CONNECT_FOUR, plan, single)
    tree = mcts.run(first, 60)
    tree = tree.advance(tree.best_action())
    tree = tree.advance(tree.best_action())
    known = tree.root.num_visits
    assert known > 2
    engine.start(CONNECT_FOUR.stack([tree.root.state]), 60, keep=True)
    run(engine, batch)
    mcts.run(tree.root.state, 60 - known, tree=tree)
    assert assert_same_tree(tree.root, engine, 0) > 50


def test_sequential_halving_by_hand():
    """8 simulations, 4 moves: two rounds of 4, one visit for each of 4, then two for each of 2. And
    16 for 7: a third of 16 is less than a visit for each of 7, and they get one; so do 3, then 2
    share what is left."""
    assert [visits_in_turn(4, 8, done) for done in range(8)] == [0, 0, 0, 0, 1, 1, 2, 2]
    expected = [0] * 7 + [1] * 3 + [2, 2, 3, 3, 4, 4]
    assert [visits_in_turn(7, 16, done) for done in range(16)] == expected
    assert [visits_in_turn(1, 3, done) for done in range(3)] == [0, 1, 2]
    root = MCTS(CONNECT_FOUR, gumbel(4), constant()).run(CONNECT_FOUR.initial_state(), 8).root
    assert sorted(root.visit_counts) == [0, 0, 0, 1, 1, 3, 3]


def test_completed_q_and_the_improved_policy_by_hand():
    root = Edges([2, 0, 1], [1.0, 0.0, -1.0], [0.5, 0.25, 0.25], 0.5)
    # The mean of Q by the priors of the tried moves is (0.5 * 0.5 - 0.25 * 1) / 0.75 = 0.
    assert mixed_value(*root[:4]) == (0.5 + 3 * 0) / 4
    plan = gumbel(c_visit=2, c_scale=0.5)
    assert plan.completed_q(root) == [0.5, 0.125, -1.0]
    assert plan.sigma(root) == [1.0, 0.25, -2.0]  # (2 + 2) * 0.5 = 2 times that
    weights = np.array([0.5, 0.25, 0.25]) * np.exp([1.0, 0.25, -2.0])
    np.testing.assert_allclose(plan.policy(root), weights / weights.sum())
    np.testing.assert_allclose(plan(root), weights / weights.sum() - np.array([2, 0, 1]) / 4)
    assert gumbel(c_visit=2, c_scale=0.5, rescale=True).sigma(root) == [2.0, 1.5, 0.0]
    assert plan.best_action(root) == 0
    assert plan.policy(root, 0).tolist() == [1, 0, 0]


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(-1, 1), st.integers(0, 50)), min_size=2))
def test_the_improved_policy_is_never_worse_than_the_prior(moves):
    """By the completed Q: what the paper's argument rests on."""
    visits, q_values, shares = (np.array(column) for column in zip(*moves, strict=True))
    if not shares.any():
        return
    root = Edges(visits.tolist(), (visits * q_values).tolist(), (shares / shares.sum()).tolist(), 0)
    plan = gumbel()
    assert plan.value(root) >= np.dot(root.prior, plan.completed_q(root)) - 1e-9


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


def test_a_move_with_prior_0_is_never_tried_and_a_win_is_found():
    game = TicTacToe()
    state = game.from_moves("1425")  # 3 completes a row

    def prior(game, state, rng):
        legal = [a for a in game.legal_actions(state) if a != 8]
        return np.isin(np.arange(9), legal) / len(legal), 0.0

    tree = MCTS(game, gumbel(), prior, root_noise=GumbelNoise()).run(state, 8)
    assert tree.root.visit_counts[8] == 0 == tree.policy()[8]
    assert tree.best_action() == 2
    assert tree.policy()[2] > 0.99


def test_what_else_the_readable_search_can_do_it_does_with_this_plan_too():
    state = CONNECT_FOUR.initial_state()
    trees = [
        MCTS(CONNECT_FOUR, gumbel(), hash_evaluator, **options).run(state, 30)
        for options in ({"batch_size": 8}, {"expand": "all"}, {"ties": "random"})
    ]
    assert [tree.root.num_visits for tree in trees] == [30, 30 * 7, 30]
    recording = record_search(CONNECT_FOUR, state, gumbel(2), hash_evaluator, 10)
    at_root = recording.rows[0].scores[0]
    assert sum(score > -np.inf for score in at_root) == 7  # nobody has a visit yet
    assert sum(score > -np.inf for score in recording.rows[-1].scores[0]) <= 2
    assert recording.to_dict()["steps"]["scores"][-1]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"num_considered": 0}, "num_considered must be a whole number"),
        ({"c_visit": -1}, "c_visit must be a finite number"),
        ({"c_scale": float("nan")}, "c_scale must be a finite number"),
        ({"rescale": 1}, "rescale must be True or False, not 1"),
    ],
)
def test_an_impossible_plan_is_refused(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        gumbel(**wrong)


def test_noise_that_does_not_fit_the_plan_is_refused():
    with pytest.raises(ValueError, match=r"This plan's root_noise is GumbelNoise\(\), not Root"):
        MCTS(CONNECT_FOUR, gumbel(), constant(), root_noise=RootNoise(0.3))
    with pytest.raises(ValueError, match=r"root_noise is RootNoise\(alpha\), not GumbelNoise"):
        MCTS(CONNECT_FOUR, puct(), constant(), root_noise=GumbelNoise())
    states = CONNECT_FOUR.stack([CONNECT_FOUR.initial_state()])
    with pytest.raises(ValueError, match="The noise for a plan must be finite numbers"):
        BatchedPUCT(CONNECT_FOUR, 1, 8, gumbel()).start(states, 8, np.full((1, 7), np.nan))
    with pytest.raises(ValueError, match="needs a prior, and this node has none"):
        gumbel()(Edges([0], [0.0], None, 0.0))
    with pytest.raises(ValueError, match="This tree has no visits yet"):
        gumbel().best_action(Edges([0], [0.0], [1.0], 0.0))
