"""A simulation's value on every edge of its path (3.3). The changes of W are worked out by hand."""

from azlearn.course.drawing import PathCase, drawn_numbers, drawn_path, grown_path
from azlearn.course.kit import FOUR, THREE
from azlearn.course.probe_games import P6, chain
from azlearn.course.your_search import consequence, record_with

remark = consequence
CASES = [
    PathCase(*line, right={"change of W": change})
    for *line, change in (
        ("a win for the player to move after 4 plies", FOUR, "", (3, 3, 2, 4), 1.0, 0, 0.0, [1, -1, 1, -1]),
        ("a value of -0.5 after 3 plies", FOUR, "", (0, 6, 0), -0.5, 0, 0.0, [0.5, -0.5, 0.5]),
        ("a loss after 2 plies, with N = 3, W = 2 before", FOUR, "", (5, 5), -1.0, 3, 2.0, [-1, 1]),
        ("a draw after 3 plies, with N = 2, W = 1 before", FOUR, "", (1, 2, 3), 0.0, 2, 1.0, [0, 0, 0]),
        ("two moves of the same player, the second wins", P6, "", (0, 0), -1.0, 0, 0.0, [1, 1]),
        ("a value of +0.5 after 3 plies, the second player at the root", FOUR, "4", (3, 2, 3), 0.5, 0, 0.0, [-0.5, 0.5, -0.5]),
    )
]  # fmt: skip


def draw(rng):
    """Lines of a game; chains in which any player moves any number of times."""
    if rng.random() < 0.5:
        return drawn_path(rng, (FOUR, THREE, P6), "value", 8)
    *movers, at_leaf = rng.integers(2, size=rng.integers(2, 9)).tolist()
    value, n, w = drawn_numbers(rng)
    words = f"a path on which the players {movers} move, with {at_leaf} to move at the leaf"
    words = f"{words}, value {value:g}, N = {n}, W = {w:g} before"
    game = chain("a chain", [*movers, at_leaf], 0)
    return PathCase(words, game, "", (0,) * len(movers), value, n, w)


def observe(backup, line):
    path, leaf = grown_path(line.game, line.before, line.actions, line.n, line.w)
    edges = list(path)
    backup(path, leaf, line.value)
    return {
        "N and W on other edges": [
            (n, w)
            for node, on_path in (*edges, (leaf, None))
            for action, (n, w) in enumerate(zip(node.visit_counts, node.value_sum, strict=True))
            if action != on_path and (n or w)
        ],
        "change of N": [node.visit_counts[action] - line.n for node, action in edges],
        "change of W": [round(node.value_sum[action] - line.w, 9) for node, action in edges],
    }


def explore(call, diagnosis):
    return record_with(diagnosis, backup=call.quietly)
