"""The score that chooses (9.2), worked out by hand on the actions 2, 6, 8 of tic-tac-toe."""

import copy

import numpy as np

from azlearn.course.drawing import drawn_moves
from azlearn.course.kit import CHANGED, THREE, Case, gives, row, show
from azlearn.course.your_puct import C, puct_consequence, record_puct
from azlearn.search import Node


def at(moves: str, n, w, p, c: float, right=None) -> Case:
    legal = THREE.legal_actions(THREE.from_moves(moves))
    words = f"moves {legal} with N = {show(n)}, W = {show(w)}, P = {show(p)}, c = {c:g}"
    return Case(words, (moves, n, w, p, c), right)


NUM_DRAWN = 80
remark = puct_consequence
CASES = [
    at("125468", [3, 1, 0], [1.5, -1, 0], [0.5, 0.3, 0.2], 2.0, [1.0, -0.4, 0.8]),
    at("125468", [10, 5, 1], [4, -1, 0], [0.1, 0.3, 0.6], 1.0, [0.436364, 0.0, 1.2]),
    at("125468", [10, 5, 1], [4, -1, 0], [0.1, 0.3, 0.6], 0.5, [0.418182, -0.1, 0.6]),
    at("125468", [9, 0, 0], [-9, 0, 0], [0.7, 0.2, 0.1], 1.0, [-0.79, 0.6, 0.3]),
    at("125468", [0, 0, 0], [0, 0, 0], [0.2, 0.7, 0.1], 1.5, [0.3, 1.05, 0.15]),
]


def draw(rng):
    """Any number of moves; none, few or many visits; a prior of 0 on a legal move; W = 0 or ±N."""
    k = 9 - len(moves := drawn_moves(rng, THREE))
    n = rng.integers(rng.choice([1, 2, 4, 1000]), size=k)
    w = n * rng.choice([-1, 0, 1, 0.5, -0.25], k) + 0.0
    p = rng.integers(4, size=k) + np.eye(k)[0]
    return at(moves, n.tolist(), w.tolist(), (p / p.sum()).tolist(), rng.choice([0, 1, 1.25, 4]))


@gives("a list of 9 scores")
def observe(puct_scores, case):
    moves, *statistics, c = case.arguments
    node = Node(THREE, THREE.from_moves(moves))
    tables = [dict(zip(node.legal_actions, numbers, strict=True)) for numbers in statistics]
    lists = [[table.get(action, 0) for action in range(9)] for table in tables]
    node.visit_counts, node.value_sum, node.prior = copy.deepcopy(lists)
    node.raw_value = 0.25
    scores = row(puct_scores(node, float(c)), 9)
    changed = lists != [node.visit_counts, node.value_sum, node.prior]
    return {"scores": [scores[action] for action in node.legal_actions], CHANGED: changed}


def explore(call, diagnosis):
    return record_puct(scores=lambda node: call.quietly(node, C))
