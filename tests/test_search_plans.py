"""Plans: one formula in two forms, and a plan that nobody has foreseen in both engines."""

from dataclasses import dataclass, fields
from math import sqrt

import numpy as np
import pytest

from azlearn.games import ConnectFour
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.games.hex import Hex
from azlearn.games.othello import Othello
from azlearn.search import MCTS, BatchedPUCT, Node, Tree, puct, uct
from azlearn.search.forced import ForcedPUCT
from azlearn.search.plans import Edges, Plan, as_plan, check_plan
from azlearn.search.selection import PUCT
from tests.engines import assert_same_tree, evaluators, random_positions, run

CONNECT_FOUR = ConnectFour()
GAMES = [CONNECT_FOUR, Othello(6), DotsAndBoxes(2, 2), Hex(4)]


@dataclass(frozen=True)
class EvenRoot(Plan):
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

    def at_root(self, root, num_left):
        return [-n for n in root.visit_counts]

    @staticmethod
    def terms(visit_counts, value_sum, prior, raw_value, numbers):
        total = 0
        for n in visit_counts:
            total += n
        return (numbers[0] * sqrt(1 + total),)

    @staticmethod
    def score(n, w, p, scale):
        return scale * p / (1 + n)

    @staticmethod
    def root_terms(visit_counts, value_sum, prior, raw_value, numbers, num_left):
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


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("plan", [uct(0.7), puct(1.5, "parent"), EvenRoot()], ids=lambda p: p.name)
def test_a_plan_grows_one_tree_in_every_engine(game, plan):
    states, n = random_positions(game, 8, seed=11), 60
    single, batch = evaluators(game, "hash")
    trees = [MCTS(game, plan, single).run(state, n) for state in states]
    for engine in (
        BatchedPUCT(game, len(states), n, plan),
        BatchedPUCT(game, len(states), n, plan, compiled=False),
    ):
        engine.start(game.stack(states), n)
        run(engine, batch)
        for row, (tree, root) in enumerate(zip(trees, engine.roots(range(8)), strict=True)):
            assert_same_tree(tree.root, engine, row)
            assert engine.plan.best_action(root) == tree.best_action()
            np.testing.assert_array_equal(plan.policy(root), tree.policy())


def test_the_root_is_scored_by_its_own_rule_and_the_move_is_the_plans():
    single, _ = evaluators(CONNECT_FOUR, "hash")
    tree = MCTS(CONNECT_FOUR, EvenRoot(), single).run(CONNECT_FOUR.initial_state(), 70)
    assert tree.root.visit_counts == [10] * 7
    below = next(child for child in tree.root.children if child is not None)
    assert len(set(below.visit_counts)) > 1
    assert tree.best_action() == int(np.argmax(tree.root.value_sum))
    assert tree.advance(0).plan == EvenRoot()


@pytest.mark.parametrize(
    ("methods", "lacking"),
    [
        ({"__call__"}, "define terms and score"),
        ({"at_root"}, "define root_terms and root_score"),
        ({"best_action", "root_target"}, "define root_move"),
        ({"shares"}, "define root_target"),
        ({"policy", "root_move"}, "define root_target"),
        ({"value"}, "define root_worth"),
        ({"__call__", "score", "value", "root_worth"}, ""),
        ({"__call__", "terms", "at_root", "root_score", "root_move"}, ""),
    ],
    ids=lambda names: " ".join(sorted(names)) if isinstance(names, set) else "",
)
@pytest.mark.parametrize("base", [PUCT, ForcedPUCT])
def test_a_plan_that_compiled_searches_would_misread_is_refused(base, methods, lacking):
    """A class in between that has both forms does not excuse one below it that has one."""
    own = type("Own", (base,), {name: getattr(base, name) for name in methods})
    plan = own(*[1.0] * len(fields(base)))
    if not lacking:
        assert check_plan(plan) is plan
        return
    with pytest.raises(ValueError, match=rf"cannot use Own\.\w+: {lacking}, too, or search with"):
        BatchedPUCT(CONNECT_FOUR, 1, 8, plan)


@pytest.mark.parametrize("plan", [Plan(), as_plan(lambda node: [0] * 7)])
def test_a_plan_without_a_compiled_form_is_refused(plan):
    with pytest.raises(ValueError, match="define terms and score, too, or search with MCTS"):
        BatchedPUCT(CONNECT_FOUR, 1, 8, plan)


def test_equal_visits_go_to_the_higher_mean_then_to_the_lower_index():
    edges = Edges(np.array([3, 5, 5, 5]), np.array([3.0, 1.0, 2.0, 2.0]), np.ones(4) / 4, 0.0)
    assert puct().best_action(edges) == 2
    assert puct().policy(edges).tolist() == [3 / 18, 5 / 18, 5 / 18, 5 / 18]
    assert puct().policy(edges, 0).tolist() == [0, 0, 1, 0]
    assert puct().policy(edges, 0.5) == pytest.approx(np.array([9, 25, 25, 25]) / 84)


def test_a_root_without_visits_has_no_move_and_no_policy():
    tree = Tree(CONNECT_FOUR, Node(CONNECT_FOUR, CONNECT_FOUR.initial_state()))
    for ask in (tree.best_action, tree.policy):
        with pytest.raises(ValueError, match="This tree has no visits yet"):
            ask()
