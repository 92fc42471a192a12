"""A tree policy: what a search scores at its root, what below, which move it plays and what it
teaches.

Every search asks its tree policy and knows no formula. So a tree policy has two forms: one to be
read, for ``MCTS``, and one for a single move in plain numbers, which numba compiles for CPUs and
GPUs. Their arithmetic has the same order, and so both grow the same tree.

|                     | to be read                    | compiled                               |
|---------------------|-------------------------------|----------------------------------------|
| the moves of a node | ``tree_policy(node)``         | ``node_terms``, then ``score`` of each |
| those of the root   | ``root_scores``               | ``root_terms`` and ``root_score``      |
| the move to play    | ``best_action``               | ``root_move``                          |
| what it teaches     | ``shares``, and so ``policy`` | ``root_target``                        |
| what it is worth    | ``value``                     | ``root_worth``                         |

A tree policy that changes one of the left column changes its neighbour on the right: see
``check_tree_policy``.
"""

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable  # plain functions that compiled ones may call


class NodeStats(NamedTuple):
    """What a tree policy sees of a node: the statistics of the moves that leave it. A ``Node`` has
    them as lists; this is for the arrays of an engine."""

    visit_counts: np.ndarray  # int [num_actions], N
    value_sum: np.ndarray  # float [num_actions], W for the player to move at the node
    prior: np.ndarray  # float [num_actions], P
    raw_value: float  # the evaluator's value of the node, for the player to move
    noise: np.ndarray | None = None  # float [num_actions], of a root for which some was drawn
    # By legal action, what a move of a root is proven to be worth, None where it is not; None for
    # a search that proves nothing.
    known: dict[int, int | None] | None = None


SelectionRule = Callable[[Any], Sequence[float]]


def most_visited(node: NodeStats, actions: Sequence[int]) -> int:
    """Of these actions the one with most visits; of equals the higher Q, then the lower index."""
    visits, value_sum = node.visit_counts, node.value_sum
    return int(max(actions, key=lambda a: (visits[a], value_sum[a] / max(visits[a], 1), -a)))


@register_jitable
def most_visited_row(visits, value_sum):
    """The same of all actions, in compiled loops; -1 without visits."""
    action, most, highest = -1, 0.0, 0.0
    for a in range(len(visits)):
        n, q = visits[a], value_sum[a] / max(visits[a], 1.0)
        if n > most or (n and n == most and q > highest):
            action, most, highest = a, n, q
    return action


@register_jitable
def to_shares(row):
    """Divides a row by its sum, in place."""
    total = 0.0
    for a in range(len(row)):
        total += row[a]
    for a in range(len(row)):
        row[a] /= total


class TreePolicy:
    """The tree policy of AlphaGo and AlphaZero, but for its scores: play the most visited move of
    the root, learn from the shares of the visits. A subclass says how moves are scored.

    Attributes:
        name: what viewers call it.
        parameters: by name, the numbers it was made with.
        numbers: float64, the same for the compiled loops.
        mixes_noise: whether the noise of a root is a distribution over its moves, for the search to
            mix into the prior. If not it is ``NodeStats.noise``, for the tree policy to use.
    """

    name: str
    parameters: dict[str, Any]
    mixes_noise = True

    @property
    def numbers(self) -> np.ndarray:
        return np.zeros(0)

    # The readable search.

    def __call__(self, node: NodeStats) -> Sequence[float]:
        """[num_actions] scores of the moves of a node, for its mover. Those of illegal moves are
        never looked at."""
        raise NotImplementedError

    def root_scores(self, root: NodeStats, simulations_left: int) -> Sequence[float]:
        """The same for the root, if it is scored in another way.

        Args:
            simulations_left: how many simulations come after this one.
        """
        return self(root)

    # The compiled loops. These are plain functions, compiled by the engine.

    @staticmethod
    def node_terms(visit_counts, value_sum, prior, raw_value, numbers) -> tuple:
        """What the scores of a node's moves have in common.

        Args:
            visit_counts, value_sum, prior: [num_actions].
            raw_value: a float.
            numbers: as above.
        """
        raise NotImplementedError

    @staticmethod
    def score(n, w, p, *terms):
        """The score of one move with N = n, W = w and P = p."""
        raise NotImplementedError

    # The root, if it is scored in another way: ``None`` for as below. ``root_terms`` is asked with
    # ``simulations_left`` behind the rest, ``root_score`` with the move's noise behind its ``p``.

    root_terms: Callable[..., tuple] | None = None
    root_score: Callable[..., Any] | None = None

    # What comes of a search, in compiled loops: ``best_action``, ``policy`` with temperature 1 and
    # ``value``. The rows are float64 [num_actions], 0 for illegal moves; visits are whole numbers.

    @staticmethod
    def root_move(visits, value_sum, prior, raw_value, noise, numbers) -> int:
        """The action to play; -1 if no move has a visit.

        Args:
            visits, value_sum, prior: rows, as in ``NodeStats``.
            raw_value: a float.
            noise: a row; zeros for none.
            numbers: as above.
        """
        return most_visited_row(visits, value_sum)

    @staticmethod
    def root_target(out, visits, value_sum, prior, raw_value, noise, numbers, are_counts) -> None:
        """Writes what a network is to learn into the row ``out``, summing to 1.

        Args:
            are_counts: False if ``visits`` are priors, in the place of visits that there are none
                of; see ``undecided_rows`` in proofs.py.
        """
        for a in range(len(out)):
            out[a] = visits[a]
        to_shares(out)

    @staticmethod
    def root_worth(visits, value_sum, prior, raw_value, noise, numbers) -> float:
        """What the root is worth to its mover. It has visits."""
        total, total_value = 0.0, 0.0
        for a in range(len(visits)):
            total += visits[a]
            total_value += value_sum[a]
        return total_value / total

    # What comes of a search.

    def best_action(self, root: NodeStats) -> int:
        """The most visited move; of equals the one with the higher Q, then the lower index.

        Raises:
            ValueError: no move has a visit.
        """
        tried = np.flatnonzero(root.visit_counts).tolist()
        if not tried:
            raise ValueError("This tree has no visits yet; run the search first.")
        return most_visited(root, tried)

    def shares(self, root: NodeStats) -> Sequence[float]:
        """[num_actions] numbers, 0 or more, that ``policy`` is made of: the visits."""
        return root.visit_counts

    def value(self, root: NodeStats) -> float:
        """What the search takes a root to be worth to its mover: the mean of its visits."""
        return float(np.sum(root.value_sum) / np.sum(root.visit_counts))

    def policy(self, root: NodeStats, temperature: float = 1.0) -> np.ndarray:
        """What a network learns from and what moves are drawn from: ``shares**(1 / temperature)``.

        AlphaGo Zero plays with temperature 1 for the first 30 moves and close to 0 afterwards
        (Silver et al. 2017, Methods, "Self-play"). Temperature 0 is the best move alone.

        Returns:
            float64 [num_actions], summing to 1.

        Raises:
            ValueError: a temperature that is negative, infinite or not a number; or a root without
                visits.
        """
        if not 0 <= temperature < np.inf:  # infinite, it would give illegal moves a share: 0**0
            raise ValueError(f"temperature must be a finite number, 0 or more, not {temperature}.")
        best = self.best_action(root)
        shares = np.asarray(self.shares(root), dtype=np.float64)
        if temperature == 0:
            return np.eye(len(shares))[best]
        if temperature != 1:
            # The largest is 1, so that a small temperature underflows to 0, not overflows.
            shares = (shares / shares.max()) ** (1 / temperature)
        return shares / shares.sum()


MOST_VISITED = TreePolicy()  # for a tree whose scores are not known


class OwnRule(TreePolicy):
    """A reader's own scores, ``rule(node)``, for the readable search alone."""

    def __init__(self, rule: SelectionRule) -> None:
        self._rule = rule

    def __call__(self, node: NodeStats) -> Sequence[float]:
        scores = self._rule(node)
        try:
            lost = [action for action in node.legal_actions if isnan(scores[action])]
        except (TypeError, IndexError, KeyError, ValueError):
            shown = " ".join(repr(scores).split())
            raise ValueError(
                f"A selection rule must give a number for every action, not {shown:.80}."
            ) from None
        if lost:
            raise ValueError(f"The selection rule gives NaN for the actions {lost}.")
        return scores


def as_tree_policy(select: TreePolicy | SelectionRule) -> TreePolicy:
    """A tree policy as it is, or one that scores by a rule; ValueError if it is neither."""
    if not callable(select):
        raise ValueError(
            f"select must be a tree policy, such as uct(), or a function of a node, not"
            f" {select!r:.80}."
        )
    return select if isinstance(select, TreePolicy) else OwnRule(select)


# By what is to be read, what compiled searches ask instead.
COMPILED = {
    "__call__": ("node_terms", "score"),
    "root_scores": ("root_terms", "root_score"),
    "best_action": ("root_move",),
    "shares": ("root_target",),
    "policy": ("root_target",),
    "value": ("root_worth",),
}


def check_tree_policy(tree_policy: TreePolicy) -> TreePolicy:
    """The tree policy, if its compiled form says what its readable form says.

    Raises:
        ValueError: it is no tree policy; it has no compiled form; or a class has changed a method
            that is to be read, and inherits the compiled one, by which a search would do something
            else.
    """
    if not isinstance(tree_policy, TreePolicy):
        raise ValueError(
            f"tree policy must be a TreePolicy, such as puct(1.25), not {tree_policy!r:.80}."
        )
    kind, depth = type(tree_policy), {}
    for level, parent in enumerate(kind.__mro__):
        depth |= {name: level for name in vars(parent) if name not in depth}
    for readable, forms in COMPILED.items():
        if min(depth[form] for form in forms) > depth[readable] or kind.score is TreePolicy.score:
            raise ValueError(
                f"Compiled searches cannot use {kind.__name__}.{readable}: define"
                f" {' and '.join(forms)}, too, or search with MCTS."
            )
    return tree_policy
