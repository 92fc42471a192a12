"""What the checks of chapter 7 take for the truth is true."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import torch

from azlearn.alphago import mixed_evaluator, tempered_policy
from azlearn.course import your_apv
from azlearn.course.comparing import same
from azlearn.course.exercises.ch07_alphago import (
    come_home,
    leaf_value,
    priors,
    should_expand,
    simulate,
)
from azlearn.course.probe_games import P6
from azlearn.course.your_puct import GAME, NUM_SIMULATIONS, ONLY_MOVE, START, stand_in
from azlearn.search import MCTS, Evaluation, Node, Tree, constant, puct, random_rollout
from azlearn.viz import explore_tree
from tests.alphago.plain_apv import PlainAPV


def seen_of_the_solution(module):
    """Pairs (case, what is seen of the solution), by hand and drawn."""
    marking = module.EXERCISE.marking
    return list(zip(marking.all_cases, marking.right.seen, strict=True))


def test_priors_are_those_of_torch():
    for case, seen in seen_of_the_solution(priors):
        logits, legal, temperature = case.arguments
        masked = torch.tensor(logits).masked_fill(~torch.tensor(legal), -np.inf)
        assert torch.softmax(masked / temperature, 0).tolist() == pytest.approx(seen[""].values)


@pytest.mark.parametrize("line", leaf_value.LINES, ids=lambda line: line[0])
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
    for words, game, before, moves, *_ in leaf_value.LINES:
        final = game.from_moves(before + moves)
        outcome, mover = game.outcome(final), game.to_play(final)
        winner = None if outcome == 0 else mover if outcome == 1 else 1 - mover
        for said, who in winners.items():
            if said in words:
                assert winner == who, words
        for mover, sign in (("X to move", 0), ("O to move", 1), ("Yellow to move", 1)):
            if words.startswith(mover):
                assert game.to_play(game.from_moves(before)) == sign


def test_the_package_expands_where_the_check_says():
    for case, seen in seen_of_the_solution(should_expand):
        path, leaf = should_expand.grow(*case.arguments)
        options = {"policy": constant(), "expand_threshold": case.arguments[-1]}
        MCTS(case.arguments[0], puct(), constant(), **options).expand_leaf(path, leaf)
        assert (leaf.prior is not None) == seen[""], case.words


def test_coming_home_is_taking_off_and_then_a_plain_backup():
    def in_two_steps(path, leaf, value, virtual_loss):
        for node, action in path:
            node.visit_counts[action] -= virtual_loss
            node.value_sum[action] += virtual_loss
        MCTS(GAME, puct(), constant()).backup(path, leaf, value)

    for case, seen in seen_of_the_solution(come_home):
        found = come_home.observe(in_two_steps, case)
        assert all(same(found[key], seen[key]) for key in seen), case.words


def answers(value):
    """``evaluate(state)``: a new number at every visit of a position, as rollouts give it."""
    visits = Counter()

    def answer(state):
        visits[state] += 1
        return simulate.VALUES[value](state, visits[state] - 1)

    return answer


def of_the_paper(game, moves, simulations, threshold, weight, value):
    """N and W of the root after a search written from the paper."""
    answer = answers(value)
    plain = PlainAPV(
        game, lambda at: 0, lambda at: Fraction(answer(at)),
        lambda at: simulate.prior(weight, game, at), c=1.0, mix=Fraction(1), n_thr=threshold,
    ).run(game.from_moves(moves), simulations)  # fmt: skip
    actions = range(game.num_actions)
    return [plain.n_r[(), a] for a in actions], [float(plain.w_r[(), a]) for a in actions]


def of_the_package(game, moves, simulations, threshold, weight, value):
    answer, root = answers(value), Node(game, game.from_moves(moves))
    root.prior, root.raw_value = simulate.prior(weight, game, root.state), 0.0
    mcts = MCTS(
        game, puct(1.0), lambda game, state, rng: Evaluation(None, answer(state)),
        policy=lambda game, state, rng: (simulate.prior(weight, game, state), 0.0),
        expand_threshold=threshold,
    )  # fmt: skip
    mcts.run(root.state, simulations, tree=Tree(game, root))
    return root.visit_counts, root.value_sum


def test_simulations_are_those_of_two_other_searches():
    for case, seen in seen_of_the_solution(simulate):
        found = (seen["N"], seen["W"])
        assert same(found, of_the_package(*case.arguments)), case.words
        if case.arguments[0] is not P6:  # in the paper the players take turns
            assert same(found, of_the_paper(*case.arguments)), case.words


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


def test_one_simulation_after_the_other_is_the_same_search():
    """With the same rollouts, so the messages of 7.5 may compare with that search."""
    marking = simulate.EXERCISE.marking
    root = your_apv.grow_by_simulations(marking.function(marking.solution)).root
    assert root.visit_counts == your_apv.right_apv().visit_counts
    assert root.value_sum == pytest.approx(your_apv.right_apv().value_sum)


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
