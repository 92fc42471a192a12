"""Small trees with their statistics written out, for the exercises of chapter 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from azlearn.search import Node

# Moves from the root, as a string: N and W of some of that node's moves, by action.
Statistics = Mapping[str, Mapping[int, tuple[int, float]]]


def grown(game: Any, moves: str, statistics: Statistics) -> Node:
    """A tree below the position after ``moves``, with a node behind every edge that has visits."""
    root = Node(game, game.from_moves(moves))
    for line in sorted(statistics, key=len):
        node = root
        for digit in line:
            node = node.children[int(digit) - 1]
        for action, (n, w) in statistics[line].items():
            node.visit_counts[action], node.value_sum[action] = n, float(w)
            if n:
                node.children[action] = Node(game, game.play(node.state, action))
    return root


def line_from(root: Node, choose) -> list[int]:
    """The actions that ``choose(node)`` follows while there are visits below."""
    line, node = [], root
    while node is not None and node.num_visits:
        line.append(choose(node))
        node = node.children[line[-1]]
    return line


def columns(actions: Sequence[int]) -> str:
    """ "747": the actions as a player counts them, from 1."""
    return "".join(str(action + 1) for action in actions)
