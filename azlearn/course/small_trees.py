"""Small trees with given or random statistics, for the exercises of chapter 4."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from azlearn.course.comparing import show
from azlearn.course.drawing import drawn_moves
from azlearn.course.probe_games import P5, P6
from azlearn.course.your_search import in_words
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import Node

CONNECT_FOUR, TIC_TAC_TOE = ConnectFour(), TicTacToe()
GAMES = (CONNECT_FOUR, TIC_TAC_TOE, TIC_TAC_TOE, P5, P6)

NodeStats = Mapping[int, tuple[int, float]]  # N and W by action


class TreeCase(NamedTuple):
    """A tree below the position after ``before``, and the answer's other argument.

    ``edges`` maps the moves from the root to a node, as a string, to the statistics of that node's
    edges; the root comes first.
    """

    words: str
    game: Any
    before: str
    edges: Mapping[str, NodeStats]
    given: Any = None
    right: Any = None

    def root(self) -> Node:
        """Builds the tree, with a child for every edge that has visits, and returns its root."""
        root = Node(self.game, self.game.from_moves(self.before))
        for line, edges in self.edges.items():
            node = root
            for digit in line:
                node = node.children[int(digit) - 1]
            for action, (n, w) in edges.items():
                node.visit_counts[action], node.value_sum[action] = n, float(w)
                if n:
                    node.children[action] = Node(self.game, self.game.play(node.state, action))
        return root


def node_case(
    game: Any, before: str, edges: NodeStats, given: float, unit: str, right: Any = None
) -> TreeCase:
    """Returns the case of a single node; ``unit`` describes the answer's other argument."""
    visits, sums = zip(*edges.values(), strict=True)
    words = f"moves {[*edges]} with N = {[*visits]}, W = {show([*sums])}, {unit}"
    return TreeCase(words, game, before, {"": edges}, given, right)


def three_moves(visits: Sequence[int], sums: Sequence[float]) -> tuple[Any, str, NodeStats]:
    """Returns tic-tac-toe after "125468" with N and W of the actions left: 2, 6 and 8."""
    return TIC_TAC_TOE, "125468", dict(zip((2, 6, 8), zip(visits, sums, strict=True), strict=True))


def drawn_tree(rng: np.random.Generator, games: Sequence[Any] = GAMES) -> TreeCase:
    """Samples a tree of at most 16 visits, with ties, zeros and finished games among them."""
    game = games[rng.integers(len(games))]
    before = drawn_moves(rng, game)
    edges = _drawn(rng, game, game.from_moves(before), int(rng.integers(17)))
    lines = (f'after "{before + line}" {found}' for line, found in edges.items())
    words = f"{in_words(game, before)}, (N, W) by action {'; '.join(lines) or 'nowhere'}"
    return TreeCase(words, game, before, edges)


def _drawn(rng: np.random.Generator, game: Any, state: Any, total: int, line: str = "") -> dict:
    legal = game.legal_actions(state)
    if not (total and legal):
        return {}
    edges = drawn_edges(rng, legal, total)
    below = {line: edges}
    for action, (n, _) in edges.items():
        if n:
            after = game.next_state(state, action)
            below |= _drawn(rng, game, after, n - 1, f"{line}{action + 1}")
    return below


def drawn_edges(rng: np.random.Generator, legal: Sequence[int], total: int) -> NodeStats:
    """Distributes ``total`` visits over at most four moves; ties and W = 0 are likely."""
    some = sorted(map(int, rng.permutation(legal)[: rng.integers(1, 5)]))
    visits = map(int, rng.multinomial(total, [1 / len(some)] * len(some)))
    return {
        a: (n, int(rng.integers(-min(n, 2), min(n, 2) + 1)))
        for a, n in zip(some, visits, strict=True)
    }


def drawn_node(rng: np.random.Generator, most: int) -> tuple[Any, str, NodeStats]:
    """Samples a node with statistics for all legal moves and at most ``most`` visits."""
    game = GAMES[rng.integers(len(GAMES))]
    before = drawn_moves(rng, game)
    legal = game.legal_actions(game.from_moves(before))
    edges = drawn_edges(rng, legal, int(rng.integers(most + 1)))
    return game, before, {action: edges.get(action, (0, 0)) for action in legal}


def held(node: Node) -> list[list[list[float]]]:
    """Returns [N, W] of a node and of all nodes below it, depth first."""
    found = [[list(node.visit_counts), list(node.value_sum)]]
    for child in filter(None, node.children):
        found += held(child)
    return found


def columns(actions: Sequence[int]) -> str:
    """Writes actions as digits that start at 1: "747"."""
    return "".join(str(action + 1) for action in actions)
