"""Which move to search (3.1). The right moves follow from the scores by hand beside each case."""

from collections.abc import Sequence

import numpy as np

from azlearn.course.drawing import drawn_moves
from azlearn.course.kit import CHANGED, THREE, Rng, as_list, attempt, show
from azlearn.course.small_trees import GAMES, TreeCase, held, node_case, three_moves
from azlearn.course.your_search import consequence, record_with
from azlearn.search import Node, uct

LOW = "where no score is above 0"


def at(visits: Sequence[int], sums: Sequence[float], c: float, right: int) -> TreeCase:
    return node_case(*three_moves(visits, sums), c, f"c = {c:g}", right)


remark = consequence
CASES = [
    at((10, 5, 1), (4, -1, 0), 1.0, 8),  # 0.927, 0.545, 1.665
    at((10, 5, 1), (4, -1, 0), 0.1, 2),  # 0.453, -0.126, 0.167
    at((4, 0, 4), (2, 0, 1), 1.0, 6),  # 1.221, infinite, 0.971
    at((8, 2, 6), (-4, -1.6, -2.4), 0.5, 8),  # -0.206, -0.211, -0.060
    at((20, 2, 2), (8, 1.6, -2), 0.5, 6),  # 0.599, 1.430, -0.370
    at((3, 9, 4), (1.5, 0, 1), 1.0, 2),  # 1.461, 0.555, 1.083
    at((30, 30, 4), (15, 18, 1.8), 0.2, 6),  # 0.574, 0.674, 0.654
    at((2, 1, 1), (0.72, 0, -1), 1.0, 2),  # 1.193, 1.177, 0.177
    # These tell ln from log10, from half of it, from its root and from twice as much.
    at((2, 1, 1), (1.8, 0.5, -0.6), 1.0, 2),  # 1.733, 1.677, 0.577
    at((4, 1, 1), (2.5, 0, 0.1), 1.0, 8),  # 1.294, 1.339, 1.439
    at((100, 1, 36), (50, -0.4, 31.5), 1.0, 6),  # 0.722, 1.818, 1.245
    at((0, 0, 0), (0, 0, 0), 1.0, 2),  # all infinite
    at((4, 0, 4), (2, 0, 1), 20_000.0, 6),  # 14420.8, infinite, 14420.5
    node_case(THREE, "74591368", {1: (1, -1)}, 1.0, "c = 1", 1),  # -1 + sqrt(ln 1)
]


def drawn_node(rng: Rng, c: float, unit: str) -> TreeCase:
    """N and W at a random position: equal visits, few or many; close scores, and means of -1."""
    game = GAMES[rng.integers(len(GAMES))]
    moves = drawn_moves(rng, game)
    legal = game.legal_actions(game.from_moves(moves))
    size = len(legal)
    visits = rng.choice(rng.integers(rng.integers(2), rng.choice([2, 4, 40]), 3), size)
    bonus = c * np.sqrt(np.log(visits.sum() or 1) / np.maximum(visits, 1))
    means = np.clip(bonus.mean() - bonus + rng.uniform(-0.05, 0.05, size), -1, 1)
    if rng.random() < 0.5:
        means = rng.choice([-1, -0.5, 0, 1], size) if rng.random() < 0.7 else -abs(means)
    sums = np.round(visits * means, 2) + 0.0
    edges = zip(visits.tolist(), sums.tolist(), strict=True)
    return node_case(game, moves, dict(zip(legal, edges, strict=True)), c, unit)


def draw(rng):
    """Of equal scores any may be followed, so the best are never equal, nor near each other below 0."""
    c = float(rng.choice([0.0, 0.1, 0.7, 1.4]))
    case = drawn_node(rng, c, f"c = {c:g}")
    *_, second, first = [-9.0, *sorted(scores_of(case))]
    return draw(rng) if abs(first - second) < (1e-6 if first > 0 else 0.2) else case


def scores_of(case: TreeCase) -> list[float]:
    node = case.root()
    return [uct(case.given)(node)[action] for action in node.legal_actions]


def observe(select, case):
    node = case.root()
    if max(scores_of(case)) > 0:
        action = chosen(select(node, case.given), node)
        return {"": action, CHANGED: held(node) != held(case.root())}
    value = attempt(select, node, case.given)
    return {LOW: "None" if value is None else chosen(value, node)}


def chosen(value, node: Node):
    """An action; in words what is none."""
    if value is None or as_list(value) is not None:
        return value
    if value not in node.legal_actions:
        return f"{show(value)}, which is not legal"
    return value if hasattr(value, "__index__") else f"{value!r}, which is not an int"


def explore(call, diagnosis):
    return record_with(diagnosis, select=call.quietly)
