"""Which move a finished search answers with (3.4)."""

from azlearn.course.exercises.ch03_uct.select import chosen, drawn_node
from azlearn.course.kit import CHANGED
from azlearn.course.small_trees import held, node_case, three_moves

CASES = [
    node_case(*three_moves(visits, sums), 0, "the search over", right)
    for visits, sums, right in (
        ((50, 30, 3), (10, 18, 3), 2),  # means 0.2, 0.6, 1.0
        ((40, 40, 5), (-4, 8, 0), 6),  # equal visits; means -0.1, 0.2
        ((20, 20, 20), (5, 5, 5), 2),  # all equal: the lowest action
        ((10, 30, 20), (-8, -27, -16), 6),  # means -0.8, -0.9, -0.8
        ((50, 30, 20), (-10, -24, -19), 2),  # means -0.2, -0.8, -0.95
        ((0, 4, 1), (0, -4, -1), 6),  # an unvisited move
        ((7, 9, 9), (7, -3, -6), 6),  # equal visits; means -0.33, -0.67
    )
]


def draw(rng):
    case = drawn_node(rng, 0.0, "the search over")
    return case if case.root().num_visits else draw(rng)


def observe(final_move, case):
    node = case.root()
    return {"": chosen(final_move(node), node), CHANGED: held(node) != held(case.root())}
