"""A win 1, a draw 1/2, a loss 0 (3.6). The points beside the lines of 3.3 are worked out by hand."""

from functools import partial
from typing import Any, NamedTuple

from azlearn.course.exercises.ch03_uct import backup
from azlearn.course.marking import Seen, exercise
from azlearn.course.your_search import SearchWith, consequence, in_words, record_with
from azlearn.games import ConnectFour, Game, TicTacToe
from azlearn.search import Node, hash_evaluator

NUM_SIMULATIONS = 60


class Search(NamedTuple):
    """Two searches: values with ``c``, points with half of it."""

    words: str
    game: Game
    moves: str
    c: float
    right: Any = None


POINTS = (
    [1, 0, 1, 0],  # +1 for the player to move at the leaf
    [0.75, 0.25, 0.75],  # -0.5 is a quarter of a point at the leaf
    [0, 1],  # a loss at the leaf
    [0.5, 0.5, 0.5],  # a draw is half a point to both
    [1, 1],  # the same player owns both edges
    [0.25, 0.75, 0.25],  # +0.5 is three quarters of a point at the leaf
)
CASES = [
    line._replace(right={"change of W": points})
    for line, points in zip(backup.CASES, POINTS, strict=True)
]
CASES += [
    Search(f"{in_words(game, moves)}, {NUM_SIMULATIONS} simulations", game, moves, c)
    for game, moves, c in ((TicTacToe(), "152", 1.0), (ConnectFour(), "445333", 0.7))
]


def observe(backup_points: Any, case: Any) -> Seen:
    if not isinstance(case, Search):
        return backup.observe(backup_points, case)
    values, points = root_of(case, case.c), root_of(case, case.c / 2, backup_points)
    return {
        "N at the root with points and c / 2": list(points.visit_counts),
        "whether all visits are those with values and c": visits(values) == visits(points),
    }


def root_of(case: Search, c: float, backup_points: Any = None) -> Node:
    search = SearchWith(c, backup=backup_points, game=case.game, evaluate=hash_evaluator)
    return search.run(case.game.from_moves(case.moves), NUM_SIMULATIONS, 0).root


def visits(node: Node) -> list[Any]:
    return [list(node.visit_counts), [visits(child) if child else None for child in node.children]]


EXERCISE = exercise(
    __file__,
    CASES,
    observe,
    draw=backup.draw,
    num_drawn=100,
    explore=lambda call, diagnosis: record_with(diagnosis, 0.5, backup=call.quietly),
    remark=partial(consequence, in_points=True),
    notice="W counts points here: a win 1, a draw ½, a loss 0. So Q lies between 0 and 1, and a fill of ½ "
    "is a draw.",
)
