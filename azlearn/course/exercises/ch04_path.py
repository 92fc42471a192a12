"""Chapter 4, a path by hand (4.1): which edges the next simulation follows.

The table in the statement is a search of the package, after 36 simulations; the path was worked
out from it by hand, and simulation 37 takes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, as_list, show
from azlearn.course.sections import explained_for
from azlearn.course.small_trees import columns, grown
from azlearn.games import ConnectFour
from azlearn.search import Node, Recording, random_rollout, record_search, uct

GAME = ConnectFour()
# Columns 2, 3, 5 and 6 are full: 1, 4 and 7 are open, to the top. Red is to move.
MOVES = "632322526666355336255532"
NUM_SIMULATIONS, SEED = 36, 0
# By hand: at the root 0.447, 0.461, 0.480; after 7 0.517, 1.036, 0.517; after 74 0.395, 0.395,
# 0.424; after 747 0.177, 1.833, 2.177; after 7477 nothing was tried: the lowest column.
RIGHT = "74771"

_TABLE = {  # after these moves: N and W of 1, 4, 7
    "": ((4, -2), (21, 1), (11, -1)),
    "1": ((1, -1), (1, 1), (1, 1)),
    "4": ((7, -1), (4, -2), (9, 3)),
    "7": ((1, -1), (8, 4), (1, -1)),
    "41": ((1, -1), (1, -1), (4, 4)),
    "44": ((1, -1), (1, 1), (1, 1)),
    "47": ((4, -2), (3, -1), (1, -1)),
    "74": ((1, -1), (1, -1), (5, -1)),
    "471": ((1, -1), (1, 1), (1, 1)),
    "474": ((1, -1), (1, 1), (0, 0)),
    "747": ((1, -1), (2, 2), (1, 1)),
    "7474": ((1, -1), (0, 0), (0, 0)),
}


def table() -> Node:
    """The root of the tree in the statement."""
    statistics = {line: dict(zip((0, 3, 6), edges, strict=True)) for line, edges in _TABLE.items()}
    return grown(GAME, MOVES, statistics)


def traced(score: Callable[[Node, int, int, float], float]) -> str:
    """The columns that the highest ``score(node, n, total, mean)`` leads through."""
    path, node = [], table()
    while node is not None:
        total = node.num_visits

        def value(action: int, node: Node = node, total: int = total) -> float:
            n = node.visit_counts[action]
            return score(node, n, total, node.value_sum[action] / n) if n else math.inf

        path.append(max(node.legal_actions, key=value))
        node = node.children[path[-1]]
    return columns(path)


def _untried_last(score) -> Callable[..., str]:
    """The same walk where a move without visits never wins against one that has some."""
    path, node = [], table()
    while node is not None and node.num_visits:
        tried = [action for action in node.legal_actions if node.visit_counts[action]]
        path.append(max(tried, key=lambda action: score(node, action)))
        node = node.children[path[-1]]
    return columns([*path, 0])


def _bonus(n: int, total: int) -> float:
    return math.sqrt(math.log(total) / n)


_ROOT_VISITS = NUM_SIMULATIONS
_FAULTS: dict[str, tuple[str, str]] = {
    "best mean at every node": (
        _untried_last(lambda node, a: node.value_sum[a] / node.visit_counts[a]),
        "That is the way of the best W / N. The bonus √(ln ΣN / N) belongs to the score.",
    ),
    "most visits at every node": (
        _untried_last(lambda node, a: node.visit_counts[a]),
        "That is the way of the most visits, the principal variation (exercise 4.4). The next "
        "simulation follows the highest score.",
    ),
    "Yellow's W read as Red's": (
        traced(lambda node, n, total, q: (-q if node.to_play else q) + _bonus(n, total)),
        "That is the way if Yellow wants what is bad for W. W is in the view of the player who "
        "chooses there: at Yellow's nodes Yellow takes the highest score too.",
    ),
    "ΣN of the root at every node": (
        traced(lambda node, n, total, q: q + _bonus(n, _ROOT_VISITS)),
        f"That is the way with ΣN = {_ROOT_VISITS} everywhere. Each node has its own ΣN: the sum "
        "of the N in its line of the table.",
    ),
    "logarithm to base 10": (
        traced(lambda node, n, total, q: q + math.sqrt(math.log10(total) / n)),
        "That is the way with log₁₀. ln is the natural logarithm: ln 36 = 3.584.",
    ),
    "bonus only": (
        traced(lambda node, n, total, q: _bonus(n, total)),
        "That is the way of the bonus alone. W / N belongs to the score too.",
    ),
    "stops at the last node of the tree": (
        RIGHT[:-1],
        "So far it is right. The position after 7477 is in the tree, but no move of it has been "
        "tried: the walk goes on to an edge without a node, and takes the lowest column of those.",
    ),
    "first move only": (
        RIGHT[:1],
        "That is the right first move. Go on to the line of that move, with its own N, W and ΣN, "
        "until you come to an edge that has no visit.",
    ),
    "from the leaf to the root": (
        RIGHT[::-1],
        "The right edges in the wrong order: start with the move at the root.",
    ),
    "counted from 0": (
        "".join(str(int(digit) - 1) for digit in RIGHT),
        "The right edges, as actions. Columns are asked for here, counted from 1.",
    ),
}


@explained_for("4.1")
def check_path(call: Call) -> str:
    given = call(shown="the table above")
    path = _as_columns(given)
    if path == RIGHT:
        return (
            "Five edges, five comparisons. Below is the search with one simulation more: its last "
            "path is yours."
        )
    for name, (wrong, message) in _FAULTS.items():
        if path == wrong:
            raise Wrong(name, f"Your path is {path}. {message}", [("path", RIGHT[:1] + "…", path)])
    closed = next((i for i, column in enumerate(path) if column not in "147"), None)
    if closed is not None:
        what = "is full" if path[closed] in "2356" else "does not exist"
        raise Wrong(
            "through a column that is not open",
            f"Your path is {path}: column {path[closed]}, its move {closed + 1}, {what}. Only 1, 4 and "
            "7 are open on this board, at every node of the table.",
        )
    same = next((i for i, pair in enumerate(zip(path, RIGHT)) if pair[0] != pair[1]), None)  # noqa: B905
    if same is None:
        message = f"Your path {path} has {len(path)} moves, and not the right number."
    elif not same:
        message = (
            f"Your path {path} leaves the right one with its first move, at the root: work out the "
            "three scores there again."
        )
    else:
        message = (
            f"Your path {path} begins well, with {RIGHT[:same]}. The choice after {RIGHT[:same]} is not "
            f"{path[same]}: work out the scores there again."
        )
    raise Wrong(UNRECOGNISED, f"{message} Three scores a node, ΣN of that node.")


def _as_columns(given: Any) -> str:
    """ "74771" from a string, a number or a list of columns."""
    parts = as_list(given)
    text = str(given) if parts is None else "".join(str(part) for part in parts)
    path = "".join(character for character in text if character not in " ,-")
    if not path.isdigit() or len(path) > 20:
        raise Wrong(
            "not a row of columns",
            f"You gave {show(given):.60}. Columns are asked for, from the root down, such as "
            '"414".',
        )
    return path


def explore_path(call: Call, diagnosis: str) -> Recording:
    """The search of the table; with one simulation more when its path has been found."""
    simulations = NUM_SIMULATIONS + (not diagnosis)
    state = GAME.from_moves(MOVES)
    return record_search(GAME, state, uct(1.0), random_rollout(), simulations, SEED)


EXERCISES = (
    Exercise(
        id="4.1",
        title="A path by hand",
        minutes=12,
        difficulty=2,
        function="path",
        takes_value=True,
        check=check_path,
        explore=explore_path,
        remark=lambda found: (
            f"\n\nThe search below is the one of the table, after {NUM_SIMULATIONS} simulations. Click "
            "a node to see its line; simulation 37 is yours to find."
        ),
        diagnoses=(*_FAULTS, "through a column that is not open", "not a row of columns"),
        hints=(
            "One node at a time: three scores, take the highest, go to the line of that move.",
            "ΣN is the sum of the three N in the line. An untried move has an infinite score; of "
            "several, take the lowest column.",
            "At the root ΣN = 36 and ln 36 = 3.584:\n\n"
            "    1:  -2/4  + sqrt(3.584/4)  = 0.447\n"
            "    4:   1/21 + sqrt(3.584/21) = 0.461\n"
            "    7:  -1/11 + sqrt(3.584/11) = 0.480   the highest\n"
            "    then the line of 7, with ΣN = 10",
        ),
    ),
)
