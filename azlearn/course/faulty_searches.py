"""Searches with one planted fault each, written as small differences from the right one.

A class replaces one phase of ``MCTS`` by a copy in which something is wrong; a function stands in
the place of ``uct`` or of ``Node.best_action``. They serve to recognise a fault by its numbers, to
be looked at in the bug clinic, and to test that what shows a search shows a wrong one as it is.
"""

from __future__ import annotations

from math import inf, log, sqrt

import numpy as np

from azlearn.games import State
from azlearn.search import MCTS, Evaluation, Node, Path, SelectionRule, Tree, uct
from azlearn.search.evaluators import checked

# --- backup --------------------------------------------------------------------------------------


class WrongSign(MCTS):
    """Forgets to change the sign on the way up."""

    def backup(self, path: Path, leaf: Node, value: float) -> None:
        for node, action in reversed(path):
            node.visit_counts[action] += 1
            node.value_sum[action] += value


class FlipsAlways(MCTS):
    """Changes the sign at every edge, also where the same player moves again."""

    def backup(self, path, leaf, value):
        for node, action in reversed(path):
            value = -value
            node.visit_counts[action] += 1
            node.value_sum[action] += value


class FlipsLate(MCTS):
    """Books the leaf's value at the last edge as it is, and changes the sign from there on."""

    def backup(self, path, leaf, value):
        below = path[-1][0]
        for node, action in reversed(path):
            if node.to_play != below.to_play:
                value = -value
            node.visit_counts[action] += 1
            node.value_sum[action] += value
            below = node


class BooksTheRootOnly(MCTS):
    """Updates the first edge of the path and no other."""

    def backup(self, path, leaf, value):
        super().backup(path, leaf, value)
        for node, action in path[1:]:
            node.visit_counts[action], node.value_sum[action] = 0, 0.0


class ForgetsEndings(MCTS):
    """Backs nothing up when the game is over at the leaf."""

    def backup(self, path, leaf, value):
        if leaf.outcome is None:
            super().backup(path, leaf, value)


class CountsTwice(MCTS):
    """Counts the edge next to the root twice."""

    def backup(self, path, leaf, value):
        super().backup(path, leaf, value)
        node, action = path[0]
        node.visit_counts[action] += 1


# --- evaluate ------------------------------------------------------------------------------------


class EndingForTheOther(MCTS):
    """Takes a finished game's outcome for the player who has just moved."""

    def evaluate_leaf(self, leaf: Node, rng: np.random.Generator) -> Evaluation:
        if leaf.outcome is not None:
            return Evaluation(None, -leaf.outcome)
        evaluation = self.evaluate(self.game, leaf.state, rng)
        evaluation = checked(evaluation, self.game, leaf.legal_actions)
        leaf.prior, leaf.raw_value = evaluation.prior, evaluation.value
        return evaluation


class EndingIsZero(MCTS):
    """Takes every finished game for a draw."""

    def evaluate_leaf(self, leaf, rng):
        if leaf.outcome is not None:
            return Evaluation(None, 0)
        return super().evaluate_leaf(leaf, rng)


class EvaluatesTheParent(MCTS):
    """Asks the evaluator about the position before the last move."""

    _parent: Node | None = None

    def expand_leaf(self, path, leaf):
        self._parent = path[-1][0]
        return super().expand_leaf(path, leaf)

    def evaluate_leaf(self, leaf, rng):
        asked = leaf if leaf.outcome is not None or self._parent is None else self._parent
        return super().evaluate_leaf(asked, rng)


# --- select and expand ---------------------------------------------------------------------------


class PlaysOn(MCTS):
    """Walks on below four in a row: only a full board stops it."""

    def descend(self, root: Node) -> tuple[Path, Node | None]:
        path, node = [], root
        while node is not None and node.legal_actions:
            if self.expand == "all" and not any(node.children):
                break
            action = self.choose(node)
            path.append((node, action))
            node = node.children[action]
        return path, node

    def _add_child(self, node: Node, action: int) -> Node:
        child = Node(self.game, self.game.next_state(node.state, action))
        child.legal_actions = open_columns(self.game, child.state)
        node.children[action] = child
        return child


def open_columns(game, state) -> list[int]:
    """The columns whose top cell is empty, finished game or not."""
    top = game.cells(state)[: game.cols]
    return [column for column, stone in enumerate(top) if not stone]


class StaysShallow(MCTS):
    """Never goes below the first move."""

    def descend(self, root):
        action = self.choose(root)
        return [(root, action)], root.children[action]

    def expand_leaf(self, path, leaf):
        return [(path, leaf or self._add_child(*path[-1]))]


class TakesTheLast(MCTS):
    """Of equal scores takes the last."""

    def choose(self, node):
        return max(reversed(node.legal_actions), key=self.select(node).__getitem__)


def with_rule(rule: SelectionRule) -> type[MCTS]:
    """A search that selects by its own rule, whatever it is asked for."""

    class OwnRule(MCTS):
        def __init__(self, game, select, evaluate, **options):
            super().__init__(game, rule, evaluate, **options)

    return OwnRule


def with_c(c: float) -> type[MCTS]:
    """UCT that explores with its own ``c``, whatever it is asked for."""
    return with_rule(uct(c))


def swapped(c: float = 1.0):
    """UCB1 with the two visit counts under the root in each other's place."""

    def scores(node: Node) -> list[float]:
        visits = node.visit_counts
        total = sum(visits)
        return [
            w / n + c * sqrt(log(n) / total) if n else inf
            for w, n in zip(node.value_sum, visits)  # noqa: B905
        ]

    return scores


def stale_total(c: float = 1.0):
    """UCB1 with a total that counts every move once, however often it has been visited."""

    def scores(node: Node) -> list[float]:
        visits = node.visit_counts
        log_total = log(sum(n > 0 for n in visits) or 1)
        return [
            w / n + c * sqrt(log_total / n) if n else inf
            for w, n in zip(node.value_sum, visits)  # noqa: B905
        ]

    return scores


def without_a_floor(c: float = 1.0):
    """PUCT with the root of 0 at a node without visits: there every score is 0."""

    def scores(node: Node) -> list[float]:
        scale = c * sqrt(sum(node.visit_counts))
        moves = zip(node.value_sum, node.visit_counts, node.prior)  # noqa: B905
        return [(w / n if n else 0.0) + scale * p / (1 + n) for w, n, p in moves]

    return scores


def unvisited_first(c: float = 1.0):
    """PUCT in which a move without visits scores infinity, as in UCT."""

    def scores(node: Node) -> list[float]:
        scale = c * sqrt(sum(node.visit_counts) or 1)
        moves = zip(node.value_sum, node.visit_counts, node.prior)  # noqa: B905
        return [w / n + scale * p / (1 + n) if n else inf for w, n, p in moves]

    return scores


def unvisited_is_lost(c: float = 1.0):
    """PUCT in points from 0 to 1, in which a move without visits has 0 of them."""

    def scores(node: Node) -> list[float]:
        scale = c / 2 * sqrt(sum(node.visit_counts) or 1)
        moves = zip(node.value_sum, node.visit_counts, node.prior)  # noqa: B905
        return [((w / n + 1) / 2 if n else 0.0) + scale * p / (1 + n) for w, n, p in moves]

    return scores


class NoiseEverywhere(MCTS):
    """Mixes noise into the prior of every node that joins the tree, not of the root alone."""

    def backup(self, path, leaf, value):
        super().backup(path, leaf, value)
        if leaf.outcome is None:
            leaf.prior = self.root_noise.mixed(leaf, self.rng.spawn(1)[0])


# --- from simulation to simulation, from move to move --------------------------------------------


def with_simulations(difference: int) -> type[MCTS]:
    """A search that runs so many simulations more, or fewer, than it is asked for."""

    class OwnCount(MCTS):
        def run(self, state, num_simulations, rng=0, **options):
            return super().run(state, num_simulations + difference, rng, **options)

    return OwnCount


def new_tree(self, state: State) -> Tree:
    """What ``MCTS.run`` begins with."""
    root = Node(self.game, state)
    return Tree(self.game, root)


class KeepsStatistics(MCTS):
    """The root's N and W are made once, and every later root gets the same two lists."""

    def __init__(self, game, select, evaluate, **options):
        super().__init__(game, select, evaluate, **options)
        self.visit_counts = [0] * game.num_actions
        self.value_sum = [0.0] * game.num_actions

    def new_tree(self, state: State) -> Tree:
        root = Node(self.game, state)
        root.visit_counts, root.value_sum = self.visit_counts, self.value_sum
        return Tree(self.game, root)

    def run(self, state, num_simulations, rng=0, **options):
        tree = self.new_tree(state)
        for action in tree.root.legal_actions:
            if tree.root.visit_counts[action]:  # so that a recorder sees every edge with visits
                self._add_child(tree.root, action)
        return super().run(state, num_simulations, rng, tree=tree, **options)


# --- the move to play ----------------------------------------------------------------------------


def best_mean(self) -> int:
    """The move with the highest Q, however few its visits."""
    if not self.legal_actions:
        raise ValueError("The game is over here: there is no move to choose.")
    q = self.q_values
    return max(self.legal_actions, key=lambda a: (q[a], self.visit_counts[a], -a))
