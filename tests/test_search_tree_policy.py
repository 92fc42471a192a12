"""Tree policies: one formula in two forms, to be read and for compiled loops, and a tree policy
that nobody has foreseen. The trees that they grow are compared in
``tests/engine/test_trees.py``."""

from dataclasses import dataclass, fields
from math import sqrt

import numpy as np
import pytest

from azlearn.games import ConnectFour
from azlearn.search import MCTS, BatchedSearch, puct
from azlearn.search.forced import ForcedPUCT
from azlearn.search.proofs import UNKNOWN, undecided_rows
from azlearn.search.selection import PUCT
from azlearn.search.tree_policy import NodeStats, TreePolicy, check_tree_policy
from tests.engines import evaluators

CONNECT_FOUR = ConnectFour()


@dataclass(frozen=True)
class EvenRoot(TreePolicy):
    """Every move of the root in turn; below, the prior alone; plays the *highest mean*."""

    c: float = 2.0
    name = "even root"

    @property
    def parameters(self):
        return {"c": self.c}

    @property
    def numbers(self):
        return np.array([self.c])

    def __call__(self, node):
        scale = self.c * sqrt(1 + sum(node.visit_counts))
        return [scale * p / (1 + n) for n, p in zip(node.visit_counts, node.prior, strict=True)]

    def root_scores(self, root, simulations_left):
        return [-n for n in root.visit_counts]

    @staticmethod
    def node_terms(visit_counts, value_sum, prior, raw_value, numbers):
        total = 0
        for n in visit_counts:
            total += n
        return (numbers[0] * sqrt(1 + total),)

    @staticmethod
    def score(n, w, p, scale):
        return scale * p / (1 + n)

    @staticmethod
    def root_terms(visit_counts, value_sum, prior, raw_value, numbers, simulations_left):
        return (0.0,)

    @staticmethod
    def root_score(n, w, p, g, nothing):
        return -n

    @staticmethod
    def root_move(visits, value_sum, prior, raw_value, noise, numbers):
        action, highest = -1, -2.0
        for a in range(len(visits)):
            if visits[a] and value_sum[a] / visits[a] > highest:
                action, highest = a, value_sum[a] / visits[a]
        return action

    def best_action(self, root):
        q = np.array(root.value_sum) / np.maximum(root.visit_counts, 1)
        return int(np.where(np.array(root.visit_counts) > 0, q, -np.inf).argmax())


def test_the_root_is_scored_by_its_own_rule_and_the_move_is_the_plans():
    single, _ = evaluators(CONNECT_FOUR, "hash")
    tree = MCTS(CONNECT_FOUR, EvenRoot(), single).run(CONNECT_FOUR.initial_state(), 70)
    assert tree.root.visit_counts == [10] * 7
    below = next(child for child in tree.root.children if child is not None)
    assert len(set(below.visit_counts)) > 1
    assert tree.best_action() == int(np.argmax(tree.root.value_sum))
    assert tree.advance(0).tree_policy == EvenRoot()


@pytest.mark.parametrize(
    ("methods", "lacking"),
    [
        ({"__call__"}, "define node_terms and score"),
        ({"root_scores"}, "define root_terms and root_score"),
        ({"best_action", "root_target"}, "define root_move"),
        ({"shares"}, "define root_target"),
        ({"policy", "root_move"}, "define root_target"),
        ({"value"}, "define root_worth"),
        ({"__call__", "node_terms", "root_scores", "root_score", "root_move"}, ""),
    ],
    ids=lambda names: " ".join(sorted(names)) if isinstance(names, set) else "",
)
@pytest.mark.parametrize("base", [PUCT, ForcedPUCT])
def test_a_plan_that_compiled_searches_would_misread_is_refused(base, methods, lacking):
    """A class in between that has both forms does not excuse one below it that has one."""
    own = type("Own", (base,), {name: getattr(base, name) for name in methods})
    tree_policy = own(*[1.0] * len(fields(base)))
    if not lacking:
        assert check_tree_policy(tree_policy) is tree_policy
        return
    with pytest.raises(ValueError, match=rf"cannot use Own\.\w+. Also {lacking}, or search with"):
        BatchedSearch(CONNECT_FOUR, 1, 8, tree_policy)


def test_equal_visits_go_to_the_higher_mean_then_to_the_lower_index():
    edges = NodeStats(np.array([3, 5, 5, 5]), np.array([3.0, 1.0, 2.0, 2.0]), np.ones(4) / 4, 0.0)
    assert puct().best_action(edges) == 2
    assert puct().policy(edges).tolist() == [3 / 18, 5 / 18, 5 / 18, 5 / 18]
    assert puct().policy(edges, 0).tolist() == [0, 0, 1, 0]
    assert puct().policy(edges, 0.5) == pytest.approx(np.array([9, 25, 25, 25]) / 84)


def test_by_hand_what_proofs_leave_of_a_root():
    """Visits 3, 2, 0, 0 of four legal moves, the fifth is illegal."""

    def left(*proven, value_sum=(-3.0, 1.0, 0.0, 0.0, 0.0), visits=(3, 2, 0, 0, 0)):
        rows = [np.empty(5) for _ in range(3)]
        legal, prior = np.array([True] * 4 + [False]), np.array([0.4, 0.3, 0.2, 0.1, 0.0])
        columns = np.array(visits, np.int32), np.array(value_sum), prior
        proven = np.array([*proven, UNKNOWN], np.int8)
        found = undecided_rows(legal, proven, *columns, *rows)
        return *found, *(row.tolist() for row in rows)

    x = UNKNOWN
    assert left(-1, x, x, x)[:3] == (x, True, [0, 2, 0, 0, 0])
    assert left(-1, 1, x, x) == (1, True, [0, 2, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0.3, 0, 0, 0])
    assert left(0, x, x, x)[:3] == (x, True, [0, 2, 0, 0, 0])  # it promises more than a draw
    assert left(0, x, x, x, value_sum=(0, -1.0, 0, 0, 0))[:3] == (x, True, [3, 0, 0, 0, 0])
    assert left(-1, -1, x, x)[:3] == (x, False, [0, 0, 0.2, 0.1, 0])
    assert left(-1, -1, -1, -1)[:3] == (-1, True, [3, 2, 0, 0, 0])
    assert left(x, x, x, x, visits=[0] * 5)[:3] == (x, True, [0] * 5)
