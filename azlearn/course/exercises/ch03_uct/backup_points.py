"""A win 1, a draw 1/2, a loss 0 (3.6). The points beside the lines of 3.3 are worked out by hand."""

from functools import partial

from azlearn.course.drawing import PathCase
from azlearn.course.exercises.ch03_uct import backup
from azlearn.course.kit import FOUR, THREE, Case, in_words
from azlearn.course.your_search import SearchWith, consequence, record_with
from azlearn.search import Node, hash_evaluator

NUM_SIMULATIONS = 60

POINTS = (
    [1, 0, 1, 0],  # +1 for the player to move at the leaf
    [0.75, 0.25, 0.75],  # -0.5 is a quarter of a point at the leaf
    [0, 1],  # a loss at the leaf
    [0.5, 0.5, 0.5],  # a draw is half a point to both
    [1, 1],  # the same player owns both edges
    [0.25, 0.75, 0.25],  # +0.5 is three quarters of a point at the leaf
)
NUM_DRAWN = 100
draw, remark = backup.draw, partial(consequence, in_points=True)
NOTICE = "W counts points here: a win 1, a draw ½, a loss 0. So Q lies between 0 and 1, and a fill of ½ is a draw."
CASES = [
    line._replace(right={"change of W": points})
    for line, points in zip(backup.CASES, POINTS, strict=True)
]
CASES += [
    Case(f"{in_words(game, moves)}, {NUM_SIMULATIONS} simulations", (game, moves, c))
    for game, moves, c in ((THREE, "152", 1.0), (FOUR, "445333", 0.7))
]


def observe(backup_points, case):
    """Lines as in 3.3; two searches: values with c, points with half of it."""
    if isinstance(case, PathCase):
        return backup.observe(backup_points, case)
    game, moves, c = case.arguments
    values, points = (
        SearchWith(c * times, backup=backup_of, game=game, evaluate=hash_evaluator)
        .run(game.from_moves(moves), NUM_SIMULATIONS, 0)
        .root
        for times, backup_of in ((1, None), (0.5, backup_points))
    )
    return {
        "N at the root with points and c / 2": list(points.visit_counts),
        "whether all visits are those with values and c": visits(values) == visits(points),
    }


def visits(node: Node) -> list:
    return [list(node.visit_counts), [visits(child) if child else None for child in node.children]]


def explore(call, diagnosis):
    return record_with(diagnosis, 0.5, backup=call.quietly)
