"""What the checks of chapter 9 take for the truth is true."""

import numpy as np
import pytest

from azlearn.course.exercises import (
    ch09_backup,
    ch09_noise,
    ch09_points,
    ch09_scores,
    ch09_temperature,
)
from azlearn.course.puct_cases import root_of_search, root_statistics, search_cases
from azlearn.course.three_moves import LEGAL, node_with
from azlearn.course.your_puct import GAME, ONLY_MOVE, START, right_puct, stand_in
from azlearn.games import minimax_actions, minimax_value
from azlearn.search import MCTS, Node, RootNoise, Tree, constant, puct


def test_lines_are_backed_up_as_the_package_does():
    lines = zip(ch09_backup._LINES, ch09_backup.backup_lines(), strict=True)
    for (_, game, before, actions, said, n, w, _), case in lines:
        path, leaf = ch09_backup._grow(game, before, actions, n, w)
        assert (leaf.outcome is None) == (said is not None)
        MCTS(game, puct(), constant()).backup(path, leaf, case.arguments[1])
        visits, change = case.right
        assert [node.visit_counts[a] - n for node, a in path] == visits
        assert [node.value_sum[a] - w for node, a in path] == pytest.approx(change)


def test_scores_are_those_of_the_rule():
    for visits, sums, prior, c, right in ch09_scores._NODES:
        assert sum(prior) == pytest.approx(1)
        found = puct(c)(ch09_scores._node(visits, sums, prior))
        assert [found[action] for action in LEGAL] == pytest.approx(right, abs=1e-6)


def test_points_are_the_score_on_the_other_scale():
    for n_parent, w, n, prior, c, fpu, right in ch09_points._CHILDREN:
        node = node_with((n, n_parent - n, 0), (-w, 0, 0))  # the sum of N is n_parent
        node.prior, node.raw_value = [prior] * 9, 0.0
        assert right == pytest.approx((puct(c, fpu)(node)[LEGAL[0]] + 1) / 2)


def test_noise_is_that_of_the_package():
    for prior, legal, alpha, fraction in ch09_noise._CASES:
        node = Node(GAME, START)
        node.prior, node.legal_actions = list(prior), list(legal)
        wanted = RootNoise(alpha, fraction).mixed(node, np.random.default_rng(3))
        case = prior, legal, alpha, fraction
        found = ch09_noise._right(*case, np.random.default_rng(3))
        assert found[0] == pytest.approx(wanted)


def test_the_statistics_of_noise_tell_every_two_faults_apart():
    """Else a verdict could name the wrong one."""
    gives = [ch09_noise._right, *(fault.give for fault in ch09_noise._FAULTS)]
    for give in gives:
        found = [ch09_noise._wanted(give, case) for case in ch09_noise._CASES]
        others = [ch09_noise._distance(other, found) for other in gives if other is not give]
        assert min(others) > 0.01
    found = [ch09_noise._wanted(ch09_noise._right, case) for case in ch09_noise._CASES]
    assert min(ch09_noise._distance(give, found) for give in gives[1:]) > 2 * ch09_noise._CLOSE


def test_policies_are_those_of_the_package():
    for visits, temperature, right in [*ch09_temperature._CASES, ch09_temperature._LARGE]:
        node = node_with(visits, (0, 0, 0))
        found = Tree(GAME, node).policy(temperature)
        assert [found[action] for action in LEGAL] == pytest.approx(right, abs=1e-6)


def test_visits_by_hand_are_those_of_the_package():
    for case in search_cases():
        visits, values = root_statistics(root_of_search(*case.arguments))
        assert (visits, values) == (case.right[0], pytest.approx(case.right[1])), case.shown


def test_the_position_to_look_at_is_what_its_messages_say():
    assert minimax_value(GAME, START) == 1
    assert minimax_actions(GAME, START) == [ONLY_MOVE]
    prior, value = stand_in(GAME, START)
    assert sum(prior) == pytest.approx(1)
    assert -1 <= value <= 1
    assert sum(p > prior[ONLY_MOVE] for p in prior) == 2
    assert right_puct().best_action() == ONLY_MOVE
