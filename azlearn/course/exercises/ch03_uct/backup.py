"""A simulation's value on every edge of its path (3.3). The changes of W are worked out by hand."""

from typing import Any

import numpy as np

from azlearn.course.drawing import PathCase, drawn_line, drawn_numbers, grown_path
from azlearn.course.marking import Seen, exercise
from azlearn.course.probe_games import P6, Position, TableGame
from azlearn.course.small_trees import columns
from azlearn.course.your_search import consequence, in_words, record_with
from azlearn.games import ConnectFour, TicTacToe

FOUR, THREE = ConnectFour(), TicTacToe()

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


def draw(rng: np.random.Generator) -> PathCase:
    """Lines of a game; chains in which any player moves any number of times."""
    value, n, w = drawn_numbers(rng)
    if rng.random() < 0.5:
        game, before, actions = drawn_line(rng, (FOUR, THREE, P6), 8)
        words = f"{in_words(game, before)}, path {columns(actions)}"
    else:
        *movers, at_leaf = rng.integers(2, size=rng.integers(2, 9)).tolist()
        table = tuple(Position(p, ((0, i + 1),)) for i, p in enumerate([*movers, at_leaf]))
        game, before, actions = TableGame("a chain", 1, table), "", (0,) * len(movers)
        words = f"a path on which the players {movers} move, with {at_leaf} to move at the leaf"
    words = f"{words}, value {value:g}, N = {n}, W = {w:g} before"
    return PathCase(words, game, before, actions, value, n, w)


def observe(backup: Any, line: PathCase) -> Seen:
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


EXERCISE = exercise(
    __file__,
    CASES,
    observe,
    draw=draw,
    explore=lambda call, diagnosis: record_with(diagnosis, backup=call.quietly),
    remark=consequence,
)
