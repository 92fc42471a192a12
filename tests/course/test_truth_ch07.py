"""What the checks of chapter 7 take for the truth is true."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import torch

from azlearn.alphago import mixed_evaluator, tempered_policy
from azlearn.course import your_apv
from azlearn.course.apv_cases import root_after, simulation_cases
from azlearn.course.comparing import same
from azlearn.course.exercises import (
    ch07_come_home,
    ch07_leaf_value,
    ch07_priors,
    ch07_simulation,
    ch07_threshold,
)
from azlearn.course.probe_games import P6
from azlearn.course.puct_cases import root_statistics
from azlearn.course.your_puct import GAME, NUM_SIMULATIONS, ONLY_MOVE, START, stand_in
from azlearn.search import MCTS, Evaluation, Node, constant, puct, random_rollout
from azlearn.viz import explore_tree
from tests.alphago.plain_apv import PlainAPV


@pytest.mark.parametrize(
    "case",
    [*ch07_priors.cases(), *ch07_priors.cases(ch07_priors._LARGE)],
    ids=lambda case: case.shown,
)
def test_priors_are_those_of_torch(case):
    logits, legal, temperature = case.arguments
    masked = torch.tensor(logits, dtype=torch.float64).masked_fill(~torch.tensor(legal), -np.inf)
    assert torch.softmax(masked / temperature, 0).tolist() == pytest.approx(case.right)


@pytest.mark.parametrize("line", ch07_leaf_value._LINES, ids=lambda line: line[0])
def test_a_leaf_is_worth_what_the_search_of_the_package_says(line):
    """The rollout's result is taken back to the leaf move by move, as minimax would."""
    _, game, before, moves, v, mixing_lambda, right = line

    def rollout(game, state, rng):
        states = [state]
        for digit in moves:
            states.append(game.play(states[-1], int(digit) - 1))
        z = game.outcome(states[-1])
        for above, below in zip(states[-2::-1], states[:0:-1], strict=True):
            z = z if game.to_play(above) == game.to_play(below) else -z
        return Evaluation(None, z)

    mix = mixed_evaluator(constant(v), rollout, mixing_lambda)
    leaf = Node(game, game.from_moves(before))
    found = MCTS(game, puct(), mix).evaluate_leaf(leaf, np.random.default_rng(0))
    assert found.value == pytest.approx(right)


def test_the_winners_of_the_rollouts_are_those_of_the_words():
    winners = {"X wins": 0, "O wins": 1, "Yellow wins": 1, "drawn": None, "won by X": 0}
    for words, game, before, moves, *_ in ch07_leaf_value._LINES:
        final = game.from_moves(before + moves)
        outcome, mover = game.outcome(final), game.to_play(final)
        winner = None if outcome == 0 else mover if outcome == 1 else 1 - mover
        for said, who in winners.items():
            if said in words:
                assert winner == who, words
        for mover, sign in (("X to move", 0), ("O to move", 1), ("Yellow to move", 1)):
            if words.startswith(mover):
                assert game.to_play(game.from_moves(before)) == sign


@pytest.mark.parametrize("line", ch07_threshold._LINES, ids=lambda line: line[0])
def test_the_package_expands_where_the_check_says(line):
    _, game, before, actions, counts, beside, threshold, right = line
    path, leaf = ch07_threshold.grow(game, before, actions, counts, beside)
    options = {"policy": constant(), "expand_threshold": threshold}
    MCTS(game, puct(), constant(), **options).expand_leaf(path, leaf)
    assert (leaf.prior is not None) == right


@pytest.mark.parametrize("line", ch07_threshold._LINES, ids=lambda line: line[0])
def test_the_trees_of_the_threshold_could_have_grown(line):
    """threshold + 1 visits of an edge end at its node, the others go on from there."""
    *_, counts, beside, threshold, _ = line
    for above, below, others in zip(counts, counts[1:], beside[1:], strict=False):
        assert above == threshold + 1 + below + others


@pytest.mark.parametrize("line", ch07_come_home._LINES, ids=lambda line: line[0])
def test_coming_home_is_taking_off_and_then_a_plain_backup(line):
    _, game, before, actions, value, k, edges, (n, w) = line
    without = [(visits - k, total + k) for visits, total in edges]
    path, leaf = ch07_come_home.grow(game, before, actions, without)
    MCTS(game, puct(), constant()).backup(path, leaf, value)
    after = [(node.visit_counts[a], node.value_sum[a]) for node, a in path]
    assert [x - y for (x, _), (y, _) in zip(after, edges, strict=True)] == list(n)
    assert [x - y for (_, x), (_, y) in zip(after, edges, strict=True)] == pytest.approx(list(w))


@pytest.mark.parametrize(
    "case", [c for c in simulation_cases() if c.arguments[0] is not P6], ids=lambda case: case.shown
)
def test_simulations_are_those_of_a_search_written_from_the_paper(case):
    game, state, simulations, threshold, policy, value = case.arguments
    visits = {}

    def z(at):
        visits[at] = visits.get(at, -1) + 1
        return Fraction(value(at, visits[at]))

    plain = PlainAPV(
        game, lambda at: 0, z, lambda at: policy(game, at)[0], c=1.0, mix=Fraction(1),
        n_thr=threshold,
    ).run(state, simulations)  # fmt: skip
    actions = range(game.num_actions)
    assert [plain.n_r[(), a] for a in actions] == case.right[0]
    assert [float(plain.w_r[(), a]) for a in actions] == case.right[1]


@pytest.mark.parametrize("case", simulation_cases(), ids=lambda case: case.shown)
def test_simulations_are_those_of_the_package(case):
    assert same(root_statistics(root_after(*case.arguments)), case.right)


@pytest.mark.parametrize(
    ("module", "tolerance"),
    [(ch07_priors, 1e-5), (ch07_leaf_value, 1e-6), (ch07_threshold, 1e-6), (ch07_come_home, 1e-6),
     (ch07_simulation, 1e-6)],
    ids=lambda x: getattr(x, "__name__", ""),
)  # fmt: skip
def test_no_two_faults_give_the_same_numbers(module, tolerance):
    """Else a verdict could name the wrong one."""
    cases = simulation_cases() if module is ch07_simulation else module.cases()
    given = [("", [case.right for case in cases])]
    given += [(f.name, [f.give(*case.arguments) for case in cases]) for f in module._FAULTS]
    for (one, found), (other, numbers) in combinations(given, 2):
        assert one == other or not same(found, numbers, tolerance), (one, other)


# --- the searches to look at ---------------------------------------------------------------------


def test_the_search_to_look_at_is_that_of_alphago_in_the_package():
    def network(game, state, rng):
        return stand_in(game, state)

    mcts = MCTS(
        GAME, puct(your_apv.C), mixed_evaluator(network, random_rollout(), your_apv.MIXING_LAMBDA),
        policy=tempered_policy(network, your_apv.TEMPERATURE),
        expand_threshold=your_apv.EXPAND_THRESHOLD,
    )  # fmt: skip
    root = mcts.run(START, NUM_SIMULATIONS, 0).root
    found = your_apv.right_apv()
    assert found.prior == pytest.approx(root.prior)
    assert found.visit_counts == root.visit_counts
    assert found.value_sum == pytest.approx(root.value_sum)


def test_one_simulation_after_the_other_is_the_same_search(right_answer):
    """With the same rollouts, so the messages of 7.5 may compare with that search."""
    root = ch07_simulation.explore_simulation(right_answer("7.5"), "").root
    assert root.visit_counts == your_apv.right_apv().visit_counts
    assert root.value_sum == pytest.approx(your_apv.right_apv().value_sum)


@pytest.fixture
def right_answer():
    from azlearn.course.checking import Call
    from tests.course import mutants_ch07_simulation  # noqa: F401  (it registers)
    from tests.course.registry import RIGHT

    return lambda i: Call(next(a.function for a in RIGHT if a.exercise_id == i))


def test_both_searches_find_the_only_winning_move():
    """The messages say that a wrong one does not, or with which visits it does."""
    assert your_apv.right_apv().best_action() == ONLY_MOVE
    assert your_apv.right_threads().best_action() == ONLY_MOVE


def test_when_all_threads_are_home_nothing_virtual_is_left():
    root = your_apv.right_threads()
    assert sum(root.visit_counts) == NUM_SIMULATIONS
    nodes = [root]
    while nodes:
        node = nodes.pop()
        for action in node.legal_actions:
            n, child = node.visit_counts[action], node.children[action]
            assert abs(node.value_sum[action]) <= n + 1e-9
            if child is not None and child.outcome is None:
                assert n == 1 + child.num_visits  # threshold 0: the first visit ends there
                nodes.append(child)


def test_a_tree_full_of_virtual_losses_can_be_looked_at():
    tree = your_apv.grow_by_threads(lambda path, leaf, value, virtual_loss: None)
    assert sum(tree.root.visit_counts) == your_apv.VIRTUAL_LOSS * NUM_SIMULATIONS
    assert "Search tree" in explore_tree(tree).describe()


def test_a_tree_without_a_visit_is_not_shown():
    def no_visit(path, leaf, value, virtual_loss):
        for node, action in path:
            node.visit_counts[action] -= virtual_loss

    with pytest.raises(ValueError, match="the root has no visit"):
        your_apv.grow_by_threads(no_visit)
