"""A compiled search's arrays as a tree of nodes, each created on first access."""

from typing import NamedTuple

import numpy as np

from azlearn.games import RulesGame
from azlearn.search.tree import Node


class ArrayTree(NamedTuple):
    """The arrays of a compiled search. Row ``i`` is a node; row 0 is the root."""

    words: np.ndarray  # int64 [nodes, W], the states
    visit_counts: np.ndarray  # int32 [nodes, num_actions]
    value_sum: np.ndarray  # float64 [nodes, num_actions], for the player to move at the node
    child: np.ndarray  # int32 [nodes, num_actions], the row of each move's child, 0 = none


class ArrayNode(Node):
    """A row of an ``ArrayTree`` as a ``Node``, without a prior and without a ``raw_value``."""

    __slots__ = ("_children", "_game", "_row", "_tree")

    def __init__(self, game: RulesGame, tree: ArrayTree, row: int) -> None:
        self._game, self._tree, self._row = game, tree, row
        self._children: list[Node | None] | None = None
        self.state = game.state_of(tree.words[row])
        self.to_play = game.to_play(self.state)
        self.outcome = self.proven = game.outcome(self.state)
        self.legal_actions = game.legal_actions(self.state)
        self.raw_value = self.prior = self.noise = None
        self.visit_counts = tree.visit_counts[row].tolist()
        self.value_sum = tree.value_sum[row].tolist()

    @property
    def children(self) -> list[Node | None]:
        """list [num_actions] of Node, None for moves that have not been followed."""
        if self._children is None:
            rows = self._tree.child[self._row].tolist()
            self._children = [self._child(action, row) for action, row in enumerate(rows)]
        return self._children

    def _child(self, action: int, row: int) -> Node | None:
        if row:
            return ArrayNode(self._game, self._tree, row)
        if self.visit_counts[action]:  # the game is over there, so the search has no row for it
            return Node(self._game, self._game.next_state(self.state, action))
        return None
