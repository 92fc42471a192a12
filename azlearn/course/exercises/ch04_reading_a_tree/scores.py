"""Repair: the bonus (4.3). The scores are worked out by hand."""

import math

from azlearn.course.kit import CHANGED, KIND, as_list
from azlearn.course.small_trees import drawn_node, held, node_case, three_moves
from azlearn.course.your_search import consequence, record_with
from azlearn.search import Node

LEGAL = "the scores of the legal moves"
remark = consequence
CASES = [
    node_case(*three_moves(visits, sums), c, f"c = {c:g}", {LEGAL: right})
    for visits, sums, c, right in (
        ((10, 5, 1), (4, -1, 0), 1.0, [0.926554, 0.544659, 1.665109]),
        ((90, 8, 2), (9, 4, -2), 1.0, [0.326205, 1.258714, 0.517427]),
        ((90, 8, 2), (9, 4, -2), 0.5, [0.213102, 0.879357, -0.241286]),
        ((4, 0, 0), (2, 0, 0), 1.0, [1.088705, math.inf, math.inf]),
        ((3, 3, 3), (-3, 0, 3), 2.0, [0.711617, 1.711617, 2.711617]),
        ((2, 2, 0), (0.5, -1.5, 0), 0.0, [0.25, -0.75, math.inf]),
        ((0, 0, 0), (0, 0, 0), 1.0, [math.inf, math.inf, math.inf]),
    )
]


def draw(rng):
    c = float(rng.choice([0.0, 0.25, 1.0, 1.5, 4.0]))
    return node_case(*drawn_node(rng, int(rng.choice([1, 8, 40, 2000]))), c, f"c = {c:g}")


def observe(scores, case):
    node = case.root()
    legal, size = node.legal_actions, case.game.num_actions
    value = as_list(scores(node, case.given))
    kind = f"{'no' if value is None else len(value)} scores for {size} actions"
    if value is None or len(value) != size:
        return {KIND: kind}
    return {
        KIND: kind,
        LEGAL: [value[action] for action in legal],
        "the scores of illegal actions": [value[a] for a in range(size) if a not in legal],
        CHANGED: held(node) != held(case.root()),
    }


def explore(call, diagnosis):
    def select(node: Node, c: float) -> int:
        return max(node.legal_actions, key=call.quietly(node, c).__getitem__)

    return record_with(select=select)
