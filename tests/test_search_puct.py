"""PUCT, noise at the root and early stopping, against numbers worked out by hand."""

import json
import math

import numpy as np
import pytest

from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.search import (
    MCTS,
    RULES,
    Evaluation,
    Node,
    Recorder,
    Recording,
    RootNoise,
    compiled_uct,
    constant,
    puct,
    random_rollout,
    record_search,
    uct,
)

TIC_TAC_TOE, CONNECT_FOUR = TicTacToe(), ConnectFour()


def two_to_one(game, state, rng):
    """Half of the prior on the first legal move, the rest shared; every position is even."""
    legal = game.legal_actions(state)
    prior = np.zeros(game.num_actions)
    prior[legal] = 0.5 / max(1, len(legal) - 1)
    prior[legal[0]] = 0.5 if len(legal) > 1 else 1.0
    return Evaluation(prior, 0.0)


def node_with(visits, value_sum, prior, raw_value=0.0):
    node = Node(CONNECT_FOUR, State(0, 0))
    node.visit_counts[:3], node.value_sum[:3] = visits, value_sum
    node.prior, node.raw_value = [*prior, 0, 0, 0, 0], raw_value
    return node


def test_the_scores_by_hand():
    node = node_with([3, 1, 0], [1.5, -1.0, 0.0], [0.5, 0.3, 0.2])
    # c sqrt(4) = 4: 0.5 + 4*0.5/4, -1 + 4*0.3/2, 0 + 4*0.2/1
    assert puct(2.0)(node)[:3] == pytest.approx([1.0, -0.4, 0.8])
    assert puct(2.0, fpu=-1)(node)[:3] == pytest.approx([1.0, -0.4, -0.2])
    # The node's own mean: (0.6 + 1.5 - 1.0) / (1 + 4) = 0.22
    node.raw_value = 0.6
    assert puct(2.0, fpu="parent")(node)[:3] == pytest.approx([1.0, -0.4, 1.02])


def test_a_move_without_visits_is_worth_less_the_more_prior_is_known():
    node = node_with([3, 1, 0], [1.5, -1.0, 0.0], [0.5, 0.14, 0.36], raw_value=0.6)
    # c sqrt(4) = 4. Known prior 0.5 + 0.14 = 0.64, root 0.8; the mean is 0.22 as above:
    # 0.22 - 0.25*0.8 + 4*0.36, and 0 - 0.25*0.8 + 4*0.36.
    reduced = puct(2.0, "parent", fpu_reduction=0.25)
    assert reduced(node)[:3] == pytest.approx([1.0, -0.72, 1.46])
    assert puct(2.0, fpu_reduction=0.25)(node)[2] == pytest.approx(1.24)
    node.visit_counts, node.value_sum = [0] * 7, [0.0] * 7
    # Nothing is known: nothing is taken off. The mean is the raw value, the root of the sum 1.
    assert reduced(node)[:3] == pytest.approx([1.6, 0.88, 1.32])
    assert puct(1.0)(node)[:3] == pytest.approx([0.5, 0.14, 0.36])


def test_even_values_share_the_visits_as_the_priors():
    """With Q = 0 everywhere PUCT keeps (1 + N) proportional to P, as near as whole visits can."""
    root = MCTS(CONNECT_FOUR, puct(1.0), two_to_one).run(State(0, 0), 600).root
    shares = (np.array(root.visit_counts) + 1) / (sum(root.visit_counts) + 7)
    assert shares == pytest.approx(root.prior, abs=0.006)


def test_noise_keeps_probabilities_and_illegal_moves():
    state = CONNECT_FOUR.from_moves("111111")
    node = MCTS(CONNECT_FOUR, uct(1.0), constant()).run(state, 1).root
    rng = np.random.default_rng(0)
    draws = np.array([RootNoise(1.0, 0.25).mixed(node, rng) for _ in range(4000)])
    assert draws[:, 0].max() == 0
    assert draws.sum(axis=1) == pytest.approx(1)
    assert draws[:, 1:].min() >= 0.75 / 6
    # Dirichlet(1, …, 1) over 6 moves: mean 1/6, variance 5 / (36 * 7).
    assert draws[:, 1:].mean(axis=0) == pytest.approx(1 / 6, abs=0.005)
    assert draws[:, 3].std() == pytest.approx(0.25 * math.sqrt(5 / 252), rel=0.06)


def test_noise_once_for_each_root_and_only_there():
    mcts = MCTS(CONNECT_FOUR, puct(1.0), two_to_one, root_noise=RootNoise(0.5))
    tree = mcts.run(State(0, 0), 50, rng=1)
    noisy, clean = list(tree.root.prior), two_to_one(CONNECT_FOUR, State(0, 0), None).prior
    assert noisy != pytest.approx(clean)
    mcts.run(State(0, 0), 50, rng=2, tree=tree)
    assert tree.root.prior == noisy
    action = tree.best_action()
    child = tree.root.children[action]
    assert child.prior == pytest.approx(clean)
    mcts.run(child.state, 50, rng=3, tree=tree.advance(action))
    assert child.prior != pytest.approx(clean)


def test_a_recording_knows_its_budget_and_that_it_was_stopped():
    def info(**options):
        recorder = Recorder()
        mcts = MCTS(CONNECT_FOUR, uct(1.0), random_rollout(), recorder=recorder)
        mcts.run(State(0, 0), 30, **options)
        return recorder.recording().to_dict()["info"]

    whole = {"num_simulations": 30, "evaluator": "random rollout", "stopped": False}
    assert info(stop=lambda tree, simulations_left: simulations_left == 0) == whole
    stopped = info(stop=lambda tree, simulations_left: simulations_left == 20)
    assert stopped == {**whole, "stopped": True}


def test_a_search_that_fails_half_way_leaves_a_record_of_what_it_did():
    calls = iter(range(100))

    def failing(game, state, rng):
        return (None, 0.5) if next(calls) < 8 else (None, math.nan)

    recorder = Recorder()
    with pytest.raises(ValueError, match="must be in"):
        MCTS(CONNECT_FOUR, uct(1.0), failing, recorder=recorder).run(State(0, 0), 30)
    record = recorder.recording().to_dict()
    assert len(record["steps"]["leaf"]) == 7  # the root's evaluation is no simulation
    assert record["steps"]["change"] is None
    assert record["info"]["stopped"]


def test_a_puct_record_names_its_rule_and_needs_no_scores():
    reduced = puct(2.0, "parent", fpu_reduction=0.25)
    record = record_search(CONNECT_FOUR, State(0, 0), reduced, two_to_one, 20).to_dict()
    rule = json.loads(json.dumps(record["rule"]))
    assert rule == {"name": "puct", "c": 2.0, "fpu": "parent", "fpu_reduction": 0.25}
    assert RULES[rule.pop("name")](**rule).parameters == reduced.parameters
    assert record["steps"]["scores"] is None


def test_the_upper_part_of_a_large_compiled_tree_and_more_on_request():
    tree = compiled_uct(CONNECT_FOUR, State(0, 0), 100_000, 1.0, 0)
    recording = Recording.of_tree(tree, max_nodes=500)
    record = recording.to_dict()
    nodes = record["nodes"]
    assert 500 <= len(nodes["parent"]) < 510
    assert record["rule"] == {"name": "uct", "c": 1.0}
    # Nothing outside has more visits than something inside that was opened before it.
    visits = record["totals"]["visit_counts"]
    opened = sorted(n for n, more in zip(visits, nodes["more"], strict=True) if not more)
    assert max(n for n, more in zip(visits, nodes["more"], strict=True) if more) <= opened[-60]

    closed = next(i for i in range(len(nodes["parent"])) if nodes["more"][i])
    new = recording.grow(closed)
    grown = recording.to_dict()
    assert len(new) == nodes["more"][closed]
    assert grown["nodes"]["more"][closed] == 0
    assert {grown["nodes"]["parent"][i] for i in new} == {closed}
    assert len(recording.grow(closed)) == 0


def test_an_unrecorded_tree_brings_the_values_that_fpu_needs():
    """From the record alone the score of a move without visits can be worked out."""
    tree = MCTS(CONNECT_FOUR, puct(1.0, "parent"), two_to_one).run(State(0, 0), 40)
    nodes = Recording.of_tree(tree).to_dict()["nodes"]
    assert nodes["value"] == [0.0] * len(nodes["parent"])
    compiled = compiled_uct(CONNECT_FOUR, State(0, 0), 40)
    assert Recording.of_tree(compiled).to_dict()["nodes"]["value"] is None
    recorded = record_search(CONNECT_FOUR, State(0, 0), puct(1.0, "parent"), two_to_one, 40)
    assert recorded.to_dict()["nodes"]["value"] is None
