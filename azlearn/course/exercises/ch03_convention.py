"""Chapter 3, the other value convention (3.6): a win 1, a draw 1/2, a loss 0.

The points on each edge are written out by hand. Then the reader's backup runs in a whole search,
with half the c, beside the search in [-1, 1]: both must visit the same edges.
"""

from __future__ import annotations

from azlearn.course.backup_cases import backup_cases, booked, changes_made, form_change
from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Fault, compare
from azlearn.course.sections import explained_for
from azlearn.course.your_search import (
    GAME,
    MOVES,
    NUM_SIMULATIONS,
    TWICE,
    SearchWith,
    consequence,
    in_words,
    record_with,
)
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import Node, hash_evaluator, random_rollout

# By hand, for the lines of backup_cases, root to leaf: win, loss, … of the player of each edge.
_POINTS = (
    [1, 0, 1, 0],  # +1 for the player to move at the leaf
    [0.75, 0.25, 0.75],  # -0.5 is a quarter of a point at the leaf
    [0, 1],  # a loss at the leaf
    [0.5, 0.5, 0.5],  # a draw is half a point to both
    [1, 1],  # the same player owns both edges
    [0.25, 0.75, 0.25],  # +0.5 is three quarters of a point at the leaf
)


def _points(value: float) -> float:
    return (value + 1) / 2


def _pair(change: list[float]) -> tuple[list[int], list[float]]:
    return [1] * len(change), change


_CONVENTION_FAULTS = (
    Fault(
        "negated instead of 1 - v",
        lambda m, v, *rest: _pair(booked(m, _points(v))),
        "after {case}, the points along the path should be {right}; yours are {yours}. Points "
        "never go below 0: the other player gets what is left of the one point, 1 - v.",
    ),
    Fault(
        "still in [-1, 1]",
        lambda m, v, *rest: _pair(booked(m, v)),
        "after {case}, the points along the path should be {right}; yours are {yours}, the numbers "
        "of exercise 3.3. Turn the value into points first: (value + 1) / 2.",
    ),
    Fault(
        "not turned into points before the flip",
        lambda m, v, *rest: _pair(booked(m, v, flip=lambda x: 1 - x)),
        "after {case}, the points along the path should be {right}; yours are {yours}. `value` "
        "arrives in [-1, 1]; (value + 1) / 2 makes points of it.",
    ),
    Fault(
        "the points are not passed over",
        lambda m, v, *rest: _pair(booked(m, _points(v), when=lambda above, below: False)),
        "after {case}, the points along the path should be {right}; yours are {yours}. One "
        "player's win is the other's loss: v becomes 1 - v where the player changes.",
    ),
    Fault(
        TWICE,
        lambda m, v, *rest: _pair(
            booked(m, _points(v), flip=lambda x: 1 - x, when=lambda above, below: True)
        ),
        "after {case}, the points along the path should be {right}; yours are {yours}. Pass the "
        "points over only where `to_play` changes.",
    ),
    Fault(
        "the points start on the wrong side",
        lambda m, v, *rest: _pair(booked([*m[:-1], m[-2]], _points(v), flip=lambda x: 1 - x)),
        "after {case}, the points along the path should be {right}; yours are {yours}. `value` is "
        "the leaf's; already the last edge belongs to the other player.",
    ),
    Fault(
        "draw counted as a loss",
        lambda m, v, *rest: _pair([float(x > 0) and max(x, 0.0) for x in booked(m, v)]),
        "after {case}, the points along the path should be {right}; yours are {yours}. Cutting "
        "off below 0 throws draws and losses together; a draw is half a point.",
    ),
    Fault(
        "draw counted as a win",
        lambda m, v, *rest: _pair([1.0 if x >= 0 else 0.0 for x in booked(m, v)]),
        "after {case}, the points along the path should be {right}; yours are {yours}. A draw is "
        "half a point to each player, and a value between is a share of a point.",
    ),
    Fault(
        "halved but not shifted",
        lambda m, v, *rest: _pair(booked(m, v / 2)),
        "after {case}, the points along the path should be {right}; yours are {yours}. Halving "
        "[-1, 1] gives [-1/2, 1/2]; the scale of points starts at 0: (value + 1) / 2.",
    ),
    Fault(
        "visits not counted",
        lambda m, v, *rest: (
            [0] * (len(m) - 1),
            booked(m, _points(v), flip=lambda x: 1 - x),
        ),
        "after {case}, the change should be {right}; yours is {yours}. Each edge's N grows by 1.",
    ),
)

# (game, moves, c, evaluator); the last is the search that the explorer shows.
_SEARCHES = (
    (TicTacToe(), "152", 1.0, hash_evaluator),
    (ConnectFour(), "445333", 0.7, hash_evaluator),
    (GAME, MOVES, 1.0, random_rollout()),
)
_SCALE = (
    "The explorer's fill and legend are made for Q from -1 to +1. In points, a draw, ½, is filled "
    "like a half-won game, and a loss, 0, like a draw."
)


@explained_for("3.6")
def check_convention(call: Call) -> str:
    cases = backup_cases(_POINTS)
    given = [changes_made(call, case) for case in cases]
    compare(cases, given, _CONVENTION_FAULTS, form=form_change)
    for game, moves, c, evaluate in _SEARCHES:
        call.about(f"{in_words(game, moves)}, {NUM_SIMULATIONS} simulations")
        roots = []
        for c_used, backup in ((c, None), (c / 2, call.quietly)):
            search = SearchWith(c_used, backup=backup, game=game, evaluate=evaluate)
            roots.append(search.run(game.from_moves(moves), NUM_SIMULATIONS, 0).root)
        if all_visits(roots[0]) != all_visits(roots[1]):
            raise Wrong(
                UNRECOGNISED,
                f"On {call.shown}, the search with your backup visits other moves than the one "
                "in [-1, 1].",
                [("root N", roots[0].visit_counts, roots[1].visit_counts)],
            )
    return (
        f"The same search, edge for edge, in three positions. In the one below, {NUM_SIMULATIONS} "
        f"simulations with your points and c = 1/2 give the root "
        f"N = {[int(n) for n in roots[1].visit_counts]}, as values in [-1, 1] and c = 1 do."
        f"\n\n{_SCALE}"
    )


def all_visits(node: Node) -> list:
    """N of every edge of a tree, nested as the tree is."""
    below = [all_visits(child) if child else None for child in node.children]
    return [list(node.visit_counts), below]


def _consequence(found) -> str:
    return f"{consequence(found, in_points=True)}\n\n{_SCALE}"


EXERCISES = (
    Exercise(
        id="3.6",
        title="The other convention: points from 0 to 1",
        minutes=10,
        difficulty=2,
        function="backup_points(path, leaf, value)",
        check=check_convention,
        explore=lambda call, diagnosis: record_with(diagnosis, 0.5, backup=call.quietly),
        remark=_consequence,
        diagnoses=(*(fault.name for fault in _CONVENTION_FAULTS), "books at the child"),
        hints=(
            "Two scales for one thing: -1, 0, +1 become 0, 1/2, 1. What does “bad for me, good for "
            "you” look like on the second?",
            "points = (value + 1) / 2 once, at the leaf; then `points = 1 - points` wherever "
            "3.3 had `value = -value`.",
            "In near-code:\n\n"
            "    points, below = (value + 1) / 2, leaf\n"
            "    for each (node, action), from the leaf's end:\n"
            "        if the player to move differs from below's: points = 1 - points\n"
            "        one visit, and the points, to the edge\n"
            "        below = node",
        ),
    ),
)
