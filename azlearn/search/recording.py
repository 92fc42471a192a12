"""A recorded search, and its record as JSON for viewers."""

import heapq
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from azlearn.games import Drawing
from azlearn.games.footprints import Footprint, coordinates_of, filled_cells, footprint
from azlearn.games.game import drawing_of
from azlearn.games.notation import labels
from azlearn.search.proofs import WithProofs
from azlearn.search.selection import RULES
from azlearn.search.tree import Node, Tree
from azlearn.search.tree_policy import SelectionRule


@dataclass
class RecordRow:
    """One evaluation and its backup (with ``expand="all"`` a simulation has several)."""

    simulation: int  # counted from 1
    leaf: int  # index into Recording.nodes
    value: float  # for the player to move at the leaf
    moves: list[int]  # the moves of the rollout from the leaf
    scores: list[list[float]]  # scores of the moves at each node of the path before this row
    visits: list[int] = field(default_factory=list)  # added to N of each edge of the path
    change: list[float] = field(default_factory=list)  # added to W of each edge of the path


@dataclass
class Recording:
    """A search that can be replayed; the explorer draws its ``to_dict()``."""

    tree: Tree
    select: SelectionRule | None
    expand: str
    nodes: list[Node]
    parents: list[tuple[int, int]]  # (index of the parent, action), (-1, -1) for the root
    rows: list[RecordRow]
    base: list[list]  # N and W of the edge into each node before the first row
    info: dict[str, Any] | None = None  # budget, evaluator's name, whether the search was stopped
    grown: set[int] = field(default_factory=set)  # nodes whose children ``grow`` has added
    # The row whose backup proved each node that the search has proven; -1 = proven before.
    proven: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of_tree(cls, tree: Tree, max_nodes: float = 2000) -> "Recording":
        """A tree without a recorded search: its final statistics, and no steps.

        Args:
            max_nodes: about this many of the most visited nodes are included; ``grow`` adds more.
        """
        root = tree.root
        recording = cls(
            tree, tree.tree_policy, "one", [root], [(-1, -1)], [], [[root.num_visits], [0.0]]
        )
        most_visited = [(-root.num_visits, 0)]
        while most_visited and len(recording.nodes) < max_nodes:
            index = heapq.heappop(most_visited)[1]
            for new in recording.grow(index):
                heapq.heappush(most_visited, (-recording.base[0][new], new))
        return recording

    def grow(self, index: int) -> range:
        """Adds the children of a node that are not yet in the recording.

        Returns:
            The indices of the new nodes.
        """
        first = len(self.nodes)
        for action, child in enumerate(self.nodes[index].children):
            if child is not None and index not in self.grown:
                self.add(index, action)
        self.grown.add(index)
        return range(first, len(self.nodes))

    def add(self, parent: int, action: int) -> None:
        """Adds the node after a move, with the current statistics of its edge.

        The edge may already have visits if the tree was reused.
        """
        node = self.nodes[parent]
        self.nodes.append(node.children[action])
        self.parents.append((parent, action))
        self.base[0].append(node.visit_counts[action])
        self.base[1].append(node.value_sum[action])

    def to_dict(self) -> dict[str, Any]:
        """The record as columns for JSON; viewers compute N, W, Q and scores at every row."""
        game, root = self.tree.game, self.tree.root
        has_board = hasattr(game, "cells")
        nodes, rows = self.nodes, self.rows
        boards = [game.cells(node.state) for node in nodes] if has_board else []
        footprints = self._footprints(boards) if has_board else [Footprint()] * len(nodes)
        origins, beside = [step.origin for step in footprints], coordinates_of(game)
        plain = all(row.change == self._alternating(row) for row in rows)
        return {
            "version": 2,
            "game": {
                "name": game.name,
                "rows": game.rows if has_board else 0,
                "cols": game.cols if has_board else 0,
                "num_actions": game.num_actions,
                "labels": labels(game),
                "coordinates": beside and beside._asdict(),
                "drawing": self._drawing._asdict(),
            },
            "rule": {"name": self.select.name, **self.select.parameters}
            if is_known(self.select)
            else {"name": "custom"},
            "expand": self.expand,
            "info": self.info,
            "root": {
                "to_play": root.to_play,
                "cells": game.cells(root.state) if has_board else [],
                "value": root.raw_value,
                "lands": self._lands() if has_board else [],
            },
            "nodes": {
                "parent": [parent for parent, _ in self.parents],
                "action": [action for _, action in self.parents],
                "cell": [step.target for step in footprints],
                "origin": origins if max(origins) >= 0 else None,
                "changes": self._changes(boards) if has_board else None,
                "highlights": self._highlights(),
                "to_play": [node.to_play for node in nodes],
                "outcome": [node.outcome for node in nodes],
                "legal": [list(node.legal_actions) for node in nodes],
                "prior": self._priors(),
                "more": self._more(),
                "value": self._raw_values(),
                "proven": self._proofs(),
            },
            "steps": {
                "simulation": [row.simulation for row in rows],
                "leaf": [row.leaf for row in rows],
                "value": [row.value for row in rows],
                "rollout": [self._rollout(row) if has_board else "" for row in rows],
                "change": None if plain else [row.change for row in rows],
                "visits": None
                if all(set(row.visits) <= {1} for row in rows)
                else [row.visits for row in rows],
                "scores": None
                if is_known(self.select)
                else [[[_finite(x) for x in s] for s in row.scores] for row in rows],
            },
            "totals": self._totals(),
        }

    def _alternating(self, row: RecordRow) -> list[float]:
        """The changes that the backup convention implies: the sign flips if the mover changes."""
        change, value, below = [], row.value, row.leaf
        while (parent := self.parents[below][0]) >= 0:
            if self.nodes[parent].to_play != self.nodes[below].to_play:
                value = -value
            change.append(value)
            below = parent
        return change[::-1]

    def _totals(self) -> dict | None:
        """The statistics of each edge before the first row, or before its node was added."""
        visits, value_sum = self.base
        return {"visit_counts": [*visits], "value_sum": [*value_sum]} if any(visits) else None

    def _raw_values(self) -> list[float | None] | None:
        """Each node's evaluation; None if the rows contain all of them, or there are none."""
        values = [node.raw_value for node in self.nodes]
        is_told = bool(self.rows) and not any(self.base[0][1:])
        return None if is_told or set(values) == {None} else values

    def _more(self) -> list[int] | None:
        """The number of each node's visited moves that are not recorded; None if all are 0."""
        if self.rows:
            return None
        more = [
            0 if index in self.grown else sum(n > 0 for n in node.visit_counts)
            for index, node in enumerate(self.nodes)
        ]
        return more if any(more) else None

    def _proofs(self) -> dict[str, list[int]] | None:
        """Each unfinished node's proven value for its player to move, and the row of its proof.

        None if the search proves nothing.
        """
        if not isinstance(self.tree.tree_policy, WithProofs):
            return None
        return {
            str(i): [node.proven, self.proven.get(i, -1)]
            for i, node in enumerate(self.nodes)
            if node.proven is not None and node.outcome is None
        }

    @property
    def _drawing(self) -> Drawing:
        return drawing_of(self.tree.game)

    def _footprints(self, boards: list[list[int]]) -> list[Footprint]:
        """The board change made by the move into each node, to mark the last move."""
        game, found = self.tree.game, [Footprint()]
        for (parent, action), after in zip(self.parents[1:], boards[1:], strict=True):
            state, pair = self.nodes[parent].state, (boards[parent], after)
            found.append(footprint(game, state, action, pair))
        return found

    def _lands(self) -> list[int]:
        """The cell that each action fills, -1 for none.

        The list is empty if stones fall, because the cell depends on the position. It is all -1 if
        pieces move, because several actions may end on the same cell.
        """
        game, root = self.tree.game, self.tree.root
        if self._drawing.falls:
            return []
        steps = (footprint(game, root.state, action) for action in root.legal_actions)
        if any(step.origin >= 0 for step in steps):
            return [-1] * game.num_actions
        return filled_cells(game, root.state)

    def _changes(self, boards: list[list[int]]) -> list[list[int]] | None:
        """The cells that each node's move changed: cell, content, cell, content, …

        None if the game's ``drawing`` says that a move only fills its cell.
        """
        if self._drawing.fills:
            return None
        return [
            _changed(boards[parent], board) if parent >= 0 else []
            for (parent, _), board in zip(self.parents, boards, strict=True)
        ]

    def _highlights(self) -> dict[str, list[int]]:
        """The cells to emphasize, for the nodes that have any."""
        find = getattr(self.tree.game, "highlights", None)
        found = ((i, find(node.state)) for i, node in enumerate(self.nodes)) if find else ()
        return {str(i): cells for i, cells in found if cells}

    def _priors(self) -> list | None:
        """Each node's prior, None for a uniform one; None, not a list, if all are uniform."""
        priors = []
        for node in self.nodes:
            legal = {node.prior[a] for a in node.legal_actions} if node.prior else ()
            priors.append(node.prior if len(legal) > 1 else None)
        return priors if any(priors) else None

    def _rollout(self, row: RecordRow) -> str | list[list[int]]:
        """The moves of a rollout.

        Returns:
            If a move only fills its cell, one character per move: the cell, counted from the
            character "0". Otherwise for each move the player, its cell or -1, and its changes.
        """
        game, state, moves = self.tree.game, self.nodes[row.leaf].state, []
        if self._drawing.fills:
            for action in row.moves:
                moves.append(chr(48 + game.cell(state, action)))
                state = game.next_state(state, action)
            return "".join(moves)
        board = game.cells(state) if row.moves else []
        for action in row.moves:
            following, mover, before = game.next_state(state, action), game.to_play(state), board
            board = game.cells(following)
            cell = footprint(game, state, action, (before, board)).target
            moves.append([mover, cell, *_changed(before, board)])
            state = following
        return moves


def is_known(select: SelectionRule | None) -> bool:
    """Whether a viewer can recompute the rule's scores; if so, they need not be recorded."""
    return getattr(select, "name", None) in RULES


def _changed(before: list[int], after: list[int]) -> list[int]:
    """The cells in which two boards differ: cell, content, cell, content, …"""
    pairs = enumerate(zip(before, after, strict=True))
    return [number for i, (a, b) in pairs if a != b for number in (i, b)]


def _finite(score: float) -> float | None:
    """A score for JSON, which has no infinity: None is +inf (tried first), -1e300 is -inf."""
    if score == -np.inf:
        return -1e300
    return float(f"{score:.6g}") if np.isfinite(score) else None
