"""A tree policy defines how a search scores moves (at the root and below it), which move it plays,
and which policy target it produces.

Searches contain no formulas of their own. So a tree policy has two forms: a readable one for
``MCTS``, and one for a single move in plain numbers, which numba compiles for CPUs and GPUs. Both
do their arithmetic in the same order, so both build the same tree.

|                            | readable                          | compiled                       |
|----------------------------|-----------------------------------|--------------------------------|
| scores of a node's moves   | ``tree_policy(node)``             | ``node_terms``, ``score``      |
| scores of the root's moves | ``root_scores``                   | ``root_terms``, ``root_score`` |
| the move to play           | ``best_action``                   | ``root_move``                  |
| the policy target          | ``shares``, used by ``policy``    | ``root_target``                |
| the value of the root      | ``value``                         | ``root_worth``                 |

A tree policy that overrides a method of the left column must also override the one to its right;
see ``check_tree_policy``.
"""

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable  # plain functions that compiled ones may call


class NodeStats(NamedTuple):
    """The view of a node for a tree policy: the statistics of its moves.

    A ``Node`` stores them as lists; this class holds rows of an engine's arrays.
    """

    visit_counts: np.ndarray  # int [num_actions], N
    value_sum: np.ndarray  # float [num_actions], W for the player to move at the node
    prior: np.ndarray  # float [num_actions], P
    raw_value: float  # the evaluator's value of the node, for the player to move
    noise: np.ndarray | None = None  # float [num_actions], for a root with noise
    # The proven value of each legal action of a root, None where it is unknown. If the search
    # proves nothing, ``known`` itself is None.
    known: dict[int, int | None] | None = None


# A function from a node to scores [num_actions] of its moves, for its player to move.
SelectionRule = Callable[[Any], Sequence[float]]


def most_visited(node: NodeStats, actions: Sequence[int]) -> int:
    """The action with the most visits; ties go to the higher Q, then to the lower action."""
    visits, value_sum = node.visit_counts, node.value_sum
    return int(max(actions, key=lambda a: (visits[a], value_sum[a] / max(visits[a], 1), -a)))


@register_jitable
def most_visited_row(visits, value_sum):
    """``most_visited`` among all actions, for compiled loops; -1 if there are no visits."""
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
    """The tree policy of AlphaGo and AlphaZero, except for its scores.

    It plays the most visited move of the root, and its policy target is each move's share of the
    visits. A subclass defines how moves are scored.

    Attributes:
        name: the name that viewers print.
        parameters: the numbers it was created with, by name.
        mixes_noise: True if a root's noise is a distribution over its moves, which the search mixes
            into the prior. If False, the tree policy itself uses the noise (``NodeStats.noise``).
    """

    name: str
    parameters: dict[str, Any]
    mixes_noise = True

    @property
    def numbers(self) -> np.ndarray:
        """The parameters for the compiled loops, float64 [any length]."""
        return np.zeros(0)

    # The readable search.

    def __call__(self, node: NodeStats) -> Sequence[float]:
        """Scores [num_actions] of a node's moves, for its player to move.

        Scores of illegal moves are ignored.
        """
        raise NotImplementedError

    def root_scores(self, root: NodeStats, simulations_left: int) -> Sequence[float]:
        """Scores [num_actions] of the root's moves; override it if the root has its own formula.

        Args:
            simulations_left: the number of simulations after the current one.
        """
        return self(root)

    # The compiled loops. These are plain functions that the engine compiles.

    @staticmethod
    def node_terms(visit_counts, value_sum, prior, raw_value, numbers) -> tuple:
        """The numbers that the scores of all moves of a node share.

        Args:
            visit_counts, value_sum, prior: [num_actions].
            raw_value: a float.
            numbers: the property ``numbers``.
        """
        raise NotImplementedError

    @staticmethod
    def score(n, w, p, *terms):
        """The score of one move with N = n, W = w and P = p."""
        raise NotImplementedError

    # For a root with its own formula; None = the formula of other nodes. ``root_terms`` takes
    # ``simulations_left`` as its last argument; ``root_score`` takes the noise right after ``p``.

    root_terms: Callable[..., tuple] | None = None
    root_score: Callable[..., Any] | None = None

    # The results of a search, in compiled loops: ``best_action``, ``policy`` with temperature 1 and
    # ``value``. Rows are float64 [num_actions], 0 for illegal moves. Visits are whole numbers, but
    # see ``are_counts``.

    @staticmethod
    def root_move(visits, value_sum, prior, raw_value, noise, numbers) -> int:
        """The action to play; -1 if no move has a visit.

        Args:
            visits, value_sum, prior: rows, as in ``NodeStats``.
            raw_value: a float.
            noise: a row; zeros for none.
            numbers: the property ``numbers``.
        """
        return most_visited_row(visits, value_sum)

    @staticmethod
    def root_target(out, visits, value_sum, prior, raw_value, noise, numbers, are_counts) -> None:
        """Writes the policy target into the row ``out``, summing to 1.

        Args:
            are_counts: False if ``visits`` contains priors, because the moves in question have no
                visits; see ``undecided_rows`` in proofs.py.
        """
        for a in range(len(out)):
            out[a] = visits[a]
        to_shares(out)

    @staticmethod
    def root_worth(visits, value_sum, prior, raw_value, noise, numbers) -> float:
        """The value of a root that has visits, for its player to move."""
        total, total_value = 0.0, 0.0
        for a in range(len(visits)):
            total += visits[a]
            total_value += value_sum[a]
        return total_value / total

    # The results of a search.

    def best_action(self, root: NodeStats) -> int:
        """The most visited move; ties go to the higher Q, then to the lower action.

        Raises:
            ValueError: no move has a visit.
        """
        tried = np.flatnonzero(root.visit_counts).tolist()
        if not tried:
            raise ValueError("This tree has no visits yet; run the search first.")
        return most_visited(root, tried)

    def shares(self, root: NodeStats) -> Sequence[float]:
        """Nonnegative numbers [num_actions] from which ``policy`` is computed: the visits."""
        return root.visit_counts

    def value(self, root: NodeStats) -> float:
        """The search's value of a root for its player to move: the mean over its visits."""
        return float(np.sum(root.value_sum) / np.sum(root.visit_counts))

    def policy(self, root: NodeStats, temperature: float = 1.0) -> np.ndarray:
        """The policy to learn from and to sample moves from: ``shares**(1 / temperature)``.

        AlphaGo Zero plays with temperature 1 for the first 30 moves and close to 0 afterward
        (Silver et al. 2017, Methods, "Self-play"). Temperature 0 gives the best move probability 1.

        Returns:
            float64 [num_actions], summing to 1.

        Raises:
            ValueError: the temperature is negative, infinite or not a number; or the root has no
                visits.
        """
        if not 0 <= temperature < np.inf:  # at infinity illegal moves would get 0**0 = 1
            raise ValueError(f"temperature must be a finite number, 0 or more, not {temperature}.")
        best = self.best_action(root)
        shares = np.asarray(self.shares(root), dtype=np.float64)
        if temperature == 0:
            return np.eye(len(shares))[best]
        if temperature != 1:
            # Scale the largest share to 1: a small temperature then underflows to 0 and cannot
            # overflow.
            shares = (shares / shares.max()) ** (1 / temperature)
        return shares / shares.sum()


MOST_VISITED = TreePolicy()  # for a tree whose tree policy is unknown


class OwnRule(TreePolicy):
    """A tree policy that scores moves with a user's function ``rule(node)``, for ``MCTS`` only."""

    def __init__(self, rule: SelectionRule) -> None:
        self._rule = rule

    def __call__(self, node: NodeStats) -> Sequence[float]:
        scores = self._rule(node)
        try:
            lost = [action for action in node.legal_actions if isnan(scores[action])]
        except (TypeError, IndexError, KeyError, ValueError):
            shown = " ".join(repr(scores).split())
            raise ValueError(
                f"A selection rule must return a number for every action, not {shown:.80}."
            ) from None
        if lost:
            raise ValueError(f"The selection rule returned NaN for the actions {lost}.")
        return scores


def as_tree_policy(select: TreePolicy | SelectionRule) -> TreePolicy:
    """Returns a tree policy unchanged; makes one from a selection rule.

    Raises:
        ValueError: ``select`` is neither.
    """
    if not callable(select):
        raise ValueError(
            f"select must be a tree policy, such as uct(), or a function of a node, not"
            f" {select!r:.80}."
        )
    return select if isinstance(select, TreePolicy) else OwnRule(select)


# The readable methods, and the compiled ones that correspond to them.
COMPILED = {
    "__call__": ("node_terms", "score"),
    "root_scores": ("root_terms", "root_score"),
    "best_action": ("root_move",),
    "shares": ("root_target",),
    "policy": ("root_target",),
    "value": ("root_worth",),
}


def check_tree_policy(tree_policy: TreePolicy) -> TreePolicy:
    """Returns the tree policy if its compiled form can match its readable form.

    Raises:
        ValueError: it is not a tree policy; it has no compiled form; or a class overrides a
            readable method but inherits the compiled one, so that compiled searches would differ.
    """
    if not isinstance(tree_policy, TreePolicy):
        raise ValueError(
            f"tree_policy must be a TreePolicy, such as puct(1.25), not {tree_policy!r:.80}."
        )
    kind, depth = type(tree_policy), {}
    for level, parent in enumerate(kind.__mro__):
        depth |= {name: level for name in vars(parent) if name not in depth}
    for readable, forms in COMPILED.items():
        if min(depth[form] for form in forms) > depth[readable] or kind.score is TreePolicy.score:
            raise ValueError(
                f"Compiled searches cannot use {kind.__name__}.{readable}. Also define"
                f" {' and '.join(forms)}, or search with MCTS."
            )
    return tree_policy
