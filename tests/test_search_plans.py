"""Plans: one formula in three forms, and a plan that nobody has foreseen in every engine."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from azlearn.games import ConnectFour
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.games.hex import Hex
from azlearn.games.othello import Othello
from azlearn.search import MCTS, BatchedPUCT, Node, Tree, puct, uct
from azlearn.search.plans import Edges, Plan
from azlearn.search.selection import puct_score, square_root
from azlearn.search.torch_puct import TorchPUCT
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

    def tensor_scores(self, visit_counts, value_sum, prior, raw_value):
        scale = self.c * square_root((1 + visit_counts.sum(-1, keepdim=True)).to(prior.dtype))
        return scale * prior / (1 + visit_counts)

    def tensor_root_scores(self, visit_counts, value_sum, prior, raw_value, noise, schedule):
        return -visit_counts.to(prior.dtype)

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
        TorchPUCT(game, len(states), n, plan),
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


@given(
    n=st.integers(0, 10_000),
    mean=st.floats(-1, 1),
    p=st.floats(0, 1),
    scale=st.floats(0, 50),
    first=st.floats(-2, 2),
)
def test_the_branch_free_formula_is_the_textbooks_to_the_last_bit(n, mean, p, scale, first):
    """On numbers, arrays and tensors alike: Q, or ``first`` without visits, and U."""
    w = mean * n
    expected = (w / n if n else first) + scale * p / (1 + n)
    arrays = puct_score(np.array([n], np.int32), np.array([w]), np.array([p]), scale, first)
    tensors = [torch.tensor([x], dtype=torch.float64) for x in (w, p)]
    first_tensor = torch.tensor([first], dtype=torch.float64)
    on_tensors = puct_score(torch.tensor([n], dtype=torch.int32), *tensors, scale, first_tensor)
    for found in (puct_score(n, w, p, scale, first), float(arrays[0]), float(on_tensors)):
        assert found == expected


def test_roots_of_tensors_are_those_of_the_c_library_to_the_last_bit():
    numbers = [float(n) for n in range(20_000)] + [0.1 * n for n in range(1_000)]
    found = square_root(torch.tensor(numbers, dtype=torch.float64))
    assert found.tolist() == [sqrt(x) for x in numbers]


@pytest.mark.parametrize("plan", [uct(0.7), puct(1.3, 0.1), puct(1.3, 1e-147), puct(2.0, "parent")])
def test_tensors_have_the_scores_of_the_readable_search_to_the_last_bit(plan):
    """Also of moves without visits: 0.1 must not become the 0.1 of single precision."""
    visits, w, p = [3, 0, 1, 0], [0.7, 0.0, -0.9, 0.0], [0.1, 0.2, 0.3, 0.4]
    edges = Edges(visits, w, p, 0.3)
    columns = [torch.tensor([column], dtype=torch.float64) for column in (w, p)]
    scores = plan.tensor_scores(
        torch.tensor([visits], dtype=torch.int32),
        *columns,
        torch.tensor([[0.3]], dtype=torch.float64),
    )
    # The logarithm of torch may differ in the last bit from that of the C library.
    close = pytest.approx if plan.name == "uct" else list
    assert scores[0].tolist() == close(plan(edges))


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
