"""Chapter 4, the principal variation (4.4).

The trees are written out edge by edge, the right lines beside them by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, show
from azlearn.course.sections import explained_for
from azlearn.course.small_trees import grown, line_from
from azlearn.games import ConnectFour
from azlearn.search import Node

GAME = ConnectFour()

# (words, moves before the root, N and W by line and action, the line by hand)
_TREES = (
    (
        "a tree of 20 visits whose best mean lies elsewhere",
        "",
        {
            "": {3: (12, 3), 2: (6, 4), 4: (2, -1)},
            "4": {3: (7, -2), 1: (3, 1), 5: (1, -1)},
            "44": {2: (4, 1), 4: (2, 2)},
            "443": {0: (2, -1), 6: (1, 1)},
            "4431": {5: (1, 1)},
        },
        [3, 3, 2, 0, 5],
    ),
    (
        "a tree with equal visits",
        "44",
        {
            "": {0: (5, 0), 1: (5, -3), 2: (5, 1), 3: (3, 3), 4: (5, -1)},
            "3": {0: (2, 1), 4: (2, 1)},
            "31": {6: (1, -1)},
        },
        [2, 0, 6],
    ),
    (
        "a tree whose line ends with four in a row",
        "112233",
        {"": {3: (9, 9), 0: (2, -2)}, "1": {3: (1, 1)}},
        [3],
    ),
    ("a root without visits", "4453", {}, []),
    (
        "a tree with equal visits at a node of Yellow's",
        "",
        {
            "": {3: (8, 2), 2: (2, 0)},
            "4": {1: (3, 1), 4: (3, -2), 6: (1, -1)},
            "42": {0: (1, -1), 3: (1, 1)},
        },
        [3, 1, 3],
    ),
    (
        "a tree with equal visits, Yellow to move at the root",
        "4",
        {
            "": {1: (4, 2), 2: (4, -1), 3: (1, 0)},
            "2": {0: (1, -1), 5: (1, 1), 6: (1, -1)},
        },
        [1, 5],
    ),
    (
        "a tree of one visit, Yellow to move",
        "4",
        {"": {6: (1, -1)}},
        [6],
    ),
)


def _tree_cases() -> list[Case]:
    """Arguments: the root."""
    return [
        Case(words, (grown(GAME, moves, statistics),), line)
        for words, moves, statistics, line in _TREES
    ]


def _by(key: Callable[[Node, int], Any]) -> Callable[[Node], list[int]]:
    return lambda root: line_from(root, lambda node: max(node.legal_actions, key=_keyed(key, node)))


def _keyed(key, node: Node) -> Callable[[int], Any]:
    return lambda action: key(node, action)


def _mean(node: Node, action: int) -> float:
    n = node.visit_counts[action]
    return node.value_sum[action] / n if n else -2.0


def _tie_for(player: Callable[[Node], int]) -> Callable[[Node], list[int]]:
    """Of equal visits the higher Q in the view of player(root), whoever chooses."""

    def line(root: Node) -> list[int]:
        def key(node: Node, action: int) -> tuple[int, float]:
            q = _mean(node, action)
            return node.visit_counts[action], q if node.to_play == player(root) else -q

        return _by(key)(root)

    return line


def _line(root: Node) -> list[int]:
    return line_from(root, Node.best_action)


def _against_me(root: Node) -> list[int]:
    """The root's player by visits, the other by the lowest mean of a visited move."""

    def choose(node: Node) -> int:
        if node.to_play == root.to_play:
            return node.best_action()
        tried = [action for action in node.legal_actions if node.visit_counts[action]]
        return min(tried, key=lambda action: _mean(node, action))

    return line_from(root, choose)


def _one_more(root: Node) -> list[int]:
    """Asks the last node too, which has no visits."""
    line, node = [], root
    while node is not None and node.legal_actions:
        line.append(node.best_action())
        node = node.children[line[-1]]
    return line


_LINE = "on {case}, the line is {right}; yours is {yours}. "
_LINE_FAULTS = (
    Fault("best mean at every node", _by(_mean), _LINE + "Most visits, not the best W / N."),
    Fault(
        "the other player picks the worst",
        _against_me,
        _LINE + "At the other player's nodes you take the lowest Q. Q there is that player's own: "
        "both choose what has the most visits.",
    ),
    Fault(
        "equal visits: the first is taken",
        _by(lambda node, action: node.visit_counts[action]),
        _LINE + "Of equal visits, take the higher Q; of equal Q, the lowest action.",
    ),
    Fault(
        "equal visits: the last is taken",
        _by(lambda node, action: (node.visit_counts[action], action)),
        _LINE + "Of equal visits, take the higher Q; of equal Q, the lowest action.",
    ),
    Fault(
        "equal visits: the lower Q is taken",
        _by(lambda node, action: (node.visit_counts[action], -_mean(node, action))),
        _LINE + "Of equal visits, take the *higher* Q: Q is in the view of the player who chooses.",
    ),
    Fault(
        "equal visits: Q in the first player's view",
        _tie_for(lambda root: 0),
        _LINE
        + "Where Yellow chooses between equal visits, you take what is better for Red. Q at a "
        "node is in the view of the player who moves there: no sign changes.",
    ),
    Fault(
        "equal visits: Q in the root player's view",
        _tie_for(lambda root: root.to_play),
        _LINE + "Where the opponent chooses between equal visits, you take what is better for the "
        "root's player. Q at a node is in the view of the player who moves there: no sign changes.",
    ),
    Fault(
        "all equal: the last is taken",
        _by(lambda node, action: (node.visit_counts[action], _mean(node, action), action)),
        _LINE + "If visits and Q are equal, take the lowest action.",
    ),
    Fault(
        "one move beyond the tree",
        _one_more,
        _LINE + "A node without visits has no best move: its first legal one is no answer.",
    ),
    Fault(
        "the last move is missing",
        lambda root: _line(root)[:-1],
        _LINE + "The last edge has visits, so it belongs to the line, also where nothing follows.",
    ),
    Fault(
        "the first move only",
        lambda root: _line(root)[:1],
        _LINE + "Go on below it: `node = node.children[action]`.",
    ),
    Fault(
        "from the end to the root",
        lambda root: _line(root)[::-1],
        _LINE + "The root's move comes first.",
    ),
    Fault(
        "columns instead of actions",
        lambda root: [action + 1 for action in _line(root)],
        _LINE + "Actions are asked for, the index into `visit_counts`; `game.action_label` makes a "
        "column of one.",
    ),
)


@explained_for("4.4")
def check_principal_variation(call: Call) -> str:
    cases, given = _tree_cases(), []
    for case in cases:
        value, problem = call.attempt(*case.arguments, shown=case.shown)
        if isinstance(problem, ValueError) and ("end" in case.shown or "without" in case.shown):
            raise Wrong(
                "does not stop where the tree ends",
                f"On {case.shown}, your function raised `ValueError`: {problem}. The line ends "
                "where a node has no visits; a finished game has no moves at all.",
            )
        value = call.settle(value, problem)
        if as_list(value) is None:
            raise Wrong(
                "not a list",
                f"On {case.shown}, a list of actions is asked for; you gave {show(value):.60}.",
            )
        given.append(value)
    compare(cases, given, _LINE_FAULTS)
    return "What the search expects both players to do, as far as it has looked."


EXERCISES = (
    Exercise(
        id="4.4",
        title="The principal variation",
        minutes=10,
        difficulty=2,
        function="principal_variation(root)",
        check=check_principal_variation,
        diagnoses=(
            *(fault.name for fault in _LINE_FAULTS),
            "does not stop where the tree ends",
            "not a list",
        ),
        hints=(
            "The move to play (exercise 3.4), at one node after the other, each time for the player "
            "who moves there.",
            "`while node is not None and node.num_visits:` choose, append, and go to "
            "`node.children[action]`.",
            "In near-code:\n\n"
            "    line, node = [], root\n"
            "    while there is a node and it has visits:\n"
            "        action = the legal one with the largest (N, Q), the lowest of equals\n"
            "        append it to line; node = the child behind it\n"
            "    return line",
        ),
    ),
)
