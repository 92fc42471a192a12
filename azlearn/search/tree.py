"""The search tree, and the one convention for values that the whole package follows.

- A value is **for the player to move** in its state: +1 a win, 0 a draw, -1 a loss.
- Statistics are stored on the **parent's edges**: ``visit_counts[a]``, ``value_sum[a]``,
  ``prior[a]``. ``value_sum[a] / visit_counts[a]`` is Q from the point of view of the player to move
  at the *parent*, so choosing a move, showing it and learning from it need no sign change.
- The search flips the sign in exactly one place, ``MCTS.backup``, and only when the player to move
  changes. (An evaluator's value is already for the player to move.)
"""

import numpy as np

from azlearn.games import Game, State
from azlearn.search.tree_policy import MOST_VISITED, most_visited


class Node:
    """A position in the tree, with the statistics of the moves that leave it.

    Attributes:
        state: the position.
        to_play: 0 or 1, the player to move.
        outcome: None while the game is in progress, else +1, 0 or -1 for the player to move.
        proven: the value for the player to move under perfect play: the outcome, or a value that
            ``MCTSSolver`` has proven; None if it is not known.
        legal_actions: ascending; empty when the game is over.
        raw_value: the evaluator's first value of the state, for the player to move; None before
            the first evaluation.
        prior: list of float [num_actions], 0 on illegal actions; None before the node is expanded.
        noise: list of float [num_actions], drawn for a root whose tree policy uses noise; None for
            other nodes.
        visit_counts: list of int [num_actions], N of every move.
        value_sum: list of float [num_actions], W of every move for the player to move *here*.
        children: list [num_actions] of Node, None for moves that have not been followed.
    """

    __slots__ = (
        "children",
        "legal_actions",
        "noise",
        "outcome",
        "prior",
        "proven",
        "raw_value",
        "state",
        "to_play",
        "value_sum",
        "visit_counts",
    )

    def __init__(self, game: Game, state: State) -> None:
        self.state = state
        self.to_play = game.to_play(state)
        self.legal_actions = game.legal_actions(state)
        self.outcome = None if self.legal_actions else game.outcome(state)
        self.proven = self.outcome
        self.raw_value: float | None = None
        self.prior: list[float] | None = None
        self.noise: list[float] | None = None
        self.visit_counts = [0] * game.num_actions
        self.value_sum = [0.0] * game.num_actions
        self.children: list[Node | None] = [None] * game.num_actions

    @property
    def num_visits(self) -> int:
        """The sum of the visits of all moves, n_parent in UCB1 and PUCT."""
        return sum(self.visit_counts)

    @property
    def q_values(self) -> np.ndarray:
        """Q = W / N of every move for the player to move here.

        It is float64 [num_actions], 0 for unvisited moves.
        """
        visits = np.array(self.visit_counts)
        return np.array(self.value_sum) / np.maximum(visits, 1)

    def best_action(self) -> int:
        """The most visited move; ties go to the higher Q, then to the lower action.

        Raises:
            ValueError: the game is over here.
        """
        if not self.legal_actions:
            raise ValueError("The game is over here: there is no move to choose.")
        return most_visited(self, self.legal_actions)


class Tree:
    """The result of a search: the root, and methods that choose moves and policies from it."""

    def __init__(self, game: Game, root: Node) -> None:
        self.game = game
        self.root = root
        self.tree_policy = MOST_VISITED  # replaced by the tree policy of the search
        self.has_root_noise = False  # True once a search has drawn noise for the root

    def best_action(self) -> int:
        """The move that the search's tree policy plays.

        For most tree policies it is the most visited move; ties go to the higher Q.

        Raises:
            ValueError: the game is over, or the root has no visits.
        """
        return self.tree_policy.best_action(self.root)

    def policy(self, temperature: float = 1.0) -> np.ndarray:
        """The policy that the search found; for most tree policies, the shares of the visits.

        Returns:
            float64 [num_actions], summing to 1; see ``TreePolicy.policy``.
        """
        return self.tree_policy.policy(self.root, temperature)

    def principal_variation(self) -> list[int]:
        """The most visited move, the most visited reply, and so on to the end of the tree."""
        line, node = [], self.root
        while node is not None and node.num_visits:
            line.append(node.best_action())
            node = node.children[line[-1]]
        return line

    def advance(self, action: int) -> "Tree":
        """The tree below ``action`` with its statistics, for the search after that move.

        Raises:
            ValueError: the action is illegal at the root.
        """
        state = self.game.play(self.root.state, action)
        tree = Tree(self.game, self.root.children[action] or Node(self.game, state))
        tree.tree_policy = self.tree_policy
        return tree
