"""A node with three legal moves, and what exercises 3.1 and 3.4 ask of a choice among them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from azlearn.course.comparing import UNRECOGNISED, Wrong, as_list, same, show
from azlearn.games import TicTacToe
from azlearn.search import Node

TIC_TAC_TOE = TicTacToe()
# X holds 1, 5, 6 and O holds 2, 4, 8: the actions 2, 6 and 8 are left, X is to move.
THREE_LEFT, LEGAL = TIC_TAC_TOE.from_moves("125468"), (2, 6, 8)


def node_with(visits: tuple[int, ...], sums: tuple[float, ...]) -> Node:
    """The node of THREE_LEFT with statistics on its three legal moves."""
    node = Node(TIC_TAC_TOE, THREE_LEFT)
    for action, n, w in zip(LEGAL, visits, sums, strict=True):
        node.visit_counts[action], node.value_sum[action] = n, float(w)
    return node


def best(visits, sums, score: Callable[[int, float, int], float], better=max) -> int:
    """The legal action with the best score(n, w, total); of equals the first."""
    total = sum(visits)
    scores = {a: score(n, w, total) for a, n, w in zip(LEGAL, visits, sums, strict=True)}
    return better(LEGAL, key=scores.__getitem__)


def statistics(visits, sums) -> str:
    """The three moves with N and W, in words."""
    return f"moves {list(LEGAL)} with N = {list(visits)}, W = {show([float(w) for w in sums])}"


def uct_score(c: float, *, sign: int = 1, unvisited: float = math.inf) -> Callable[..., float]:
    """score(n, w, total); `sign` and `unvisited` are there to be wrong."""

    def score(n: int, w: float, total: int) -> float:
        return sign * w / n + c * math.sqrt(math.log(total) / n) if n else unvisited

    return score


def must_be_a_move(value: Any, shown: str) -> None:
    """Raise Wrong for a list, or for a number that is no action."""
    if as_list(value) is not None:
        raise Wrong(
            "a list instead of a move",
            f"At {shown}, you gave the list {show(value)}. One number is asked for: the action.",
        )
    if not same(value, int(value)):
        raise Wrong(UNRECOGNISED, f"At {shown}, an action is asked for; yours is {show(value)}.")
