"""What the checks of chapter 9 take for the truth is true, by the package's own search."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

from azlearn.course.comparing import same
from azlearn.course.exercises import EXERCISES
from azlearn.course.exercises.ch09_puct.puct_search import network, turned_over
from azlearn.course.your_puct import GAME, ONLY_MOVE, START, right_puct, stand_in
from azlearn.games import minimax_actions, minimax_value
from azlearn.search import MCTS, Node, RootNoise, Tree, constant, puct


def _right(exercise_id):
    """Every case with what is seen of the solution."""
    marking = EXERCISES[exercise_id].marking
    return zip(marking.all_cases, marking.right.seen, strict=True)


def _function(exercise_id):
    marking = EXERCISES[exercise_id].marking
    return marking.function(marking.solution)


def test_values_are_backed_up_as_the_package_does():
    """Here every node is White's at an even ply, Black's at an odd one."""
    for case, seen in _right("9.1"):
        node = Node(case.game, case.game.from_moves(case.before))
        path = []
        for action in case.actions:
            path.append((node, action))
            node = Node(case.game, case.game.play(node.state, action))
        value = case.value if node.outcome is None else node.outcome
        MCTS(case.game, puct(), constant()).backup(path, node, value)
        assert [above.visit_counts[a] for above, a in path] == seen["change of N"]
        assert [above.value_sum[a] for above, a in path] == pytest.approx(seen["change of W"])


def test_scores_are_those_of_the_rule():
    for case, seen in _right("9.2"):
        moves, visits, sums, prior, c = case.arguments
        node = Node(GAME, GAME.from_moves(moves))
        node.prior = [0.0] * GAME.num_actions
        for action, n, w, p in zip(node.legal_actions, visits, sums, prior, strict=True):
            node.visit_counts[action], node.value_sum[action], node.prior[action] = n, w, p
        found = puct(c)(node)
        assert [found[action] for action in node.legal_actions] == pytest.approx(seen["scores"])


def test_points_are_the_score_on_the_other_scale():
    for case, seen in _right("9.3"):
        n_parent, w, n, prior, c, fpu = case.arguments
        node = Node(GAME, START)
        node.visit_counts[:2], node.value_sum[0] = [n, n_parent - n], -w  # their sum is n_parent
        node.prior, node.raw_value = [prior] * GAME.num_actions, 0.0
        assert seen[""] == pytest.approx((puct(c, fpu)(node)[0] + 1) / 2)


def test_noise_is_that_of_the_package():
    for case in EXERCISES["9.4"].marking.all_cases:
        prior, legal, alpha, fraction, _ = case.arguments
        node = Node(GAME, START)
        node.prior, node.legal_actions = list(prior), list(legal)
        wanted = RootNoise(alpha, fraction).mixed(node, np.random.default_rng(3))
        found = _function("9.4")(prior, legal, alpha, fraction, np.random.default_rng(3))
        assert found == pytest.approx(wanted)


def _margins(one, other, right):
    """How many times its margin, at the most, is between two answers in one thing looked at."""
    for a, b, limits in zip(one, other, right, strict=True):
        for key in {"mean of the draws", "standard deviation"} & a.keys() & b.keys():
            yield np.abs(np.subtract(a[key].values, b[key].values)).max() / limits[key].within


def test_the_statistics_of_noise_tell_every_two_faults_apart():
    """Else a verdict could name the wrong one of two that sum to 1; chance is 0.6 of a margin."""
    marking, sums = EXERCISES["9.4"].marking, "smallest and largest sum"
    answers = [marking.right.seen, *(made.seen for made in marking.wrong)]
    right, *wrong = (seen[: len(marking.cases)] for seen in answers)
    wrong = [seen for seen in wrong if same(right[0][sums], seen[0][sums])]
    for one, other in combinations([right, *wrong], 2):
        assert max(_margins(one, other, right)) > 2


def test_an_independent_right_answer_is_near():
    def by_gammas(prior, legal, alpha, fraction, rng):
        numbers = np.zeros(len(prior))
        numbers[legal] = other.gamma(alpha, size=len(legal))
        return (1 - fraction) * np.array(prior) + fraction * numbers / numbers.sum()

    marking, other = EXERCISES["9.4"].marking, np.random.default_rng(7)
    for _ in range(5):
        seen = marking.observed(by_gammas).seen
        assert max(_margins(marking.right.seen, seen, marking.right.seen)) < 0.7


def test_policies_are_those_of_the_package():
    for case, seen in _right("9.5"):
        visits, temperature = case.arguments
        node = Node(GAME, START)
        node.visit_counts[: len(visits)] = visits
        found = Tree(GAME, node).policy(float(temperature))[: len(visits)]
        assert found == pytest.approx(getattr(seen["π"], "values", seen["π"]), abs=1e-6)


@dataclass(frozen=True)
class _TurnedOver:
    """``turned_over`` in the place of RootNoise."""

    def mixed(self, node, rng):
        return turned_over(node.prior, node.legal_actions)


def test_visits_are_those_of_the_package():
    for case, seen in _right("9.6"):

        def evaluate(game, state, rng, case=case):
            return network(case.kind, game, state)

        search = MCTS(case.game, puct(case.c), evaluate, root_noise=_TurnedOver())
        root = search.run(case.game.from_moves(case.moves), case.num_simulations).root
        assert root.visit_counts == seen["N at the root"], case.words
        assert root.value_sum == pytest.approx(seen["W at the root"])


def test_the_position_to_look_at_is_what_its_messages_say():
    assert minimax_value(GAME, START) == 1
    assert minimax_actions(GAME, START) == [ONLY_MOVE]
    prior, value = stand_in(GAME, START)
    assert sum(prior) == pytest.approx(1)
    assert -1 <= value <= 1
    assert sum(p > prior[ONLY_MOVE] for p in prior) == 2
    assert right_puct().best_action() == ONLY_MOVE
