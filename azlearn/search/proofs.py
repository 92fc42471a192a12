"""MCTS-Solver: the value of a finished game is a fact, which is backed up the tree as a proof.

A mean over many games hides a forced win: the one reply that refutes a move is one visit among
hundreds. But one winning move makes the node a win, regardless of the other moves. And if the
values of all moves are known, the best is the node's value (Winands, Björnsson and Saito 2008,
"Monte-Carlo Tree Search Solver"; draws by Cazenave and Saffidine 2010, "Score Bounded Monte-Carlo
Tree Search"). A proven move is not searched again, and a search ends when its root is proven.
"""

from collections.abc import Sequence

import numpy as np
from numba.extending import register_jitable  # plain functions that compiled ones may call

from azlearn.search.mcts import MCTS, Path
from azlearn.search.tree import Node, Tree
from azlearn.search.tree_policy import NodeStats, TreePolicy

UNKNOWN = 2  # in rows of proofs; values never exceed 1


def proven_q(node: Node, action: int) -> int | None:
    """The proven value of a move for the player to move at ``node``; None = not known."""
    child = node.children[action]
    if child is None or child.proven is None:
        return None
    return child.proven if child.to_play == node.to_play else -child.proven


def proven_values(node: Node | NodeStats) -> dict[int, int | None]:
    """The proven value of each legal action, as ``proven_q`` returns it."""
    if isinstance(node, NodeStats):
        return node.known
    return {action: proven_q(node, action) for action in node.legal_actions}


def proof(known: dict[int, int | None]) -> int | None:
    """The proven value of a node, given those of its moves; None = not known."""
    if 1 in known.values():
        return 1
    return None if None in known.values() else max(known.values())


class MCTSSolver(MCTS):
    """The readable search with proofs. See ``MCTS`` for its arguments.

    A search ends as soon as its root is proven. Only the rules prove anything; an evaluator's
    values prove nothing.
    """

    def _run(self, state, num_simulations, rng, tree, stop) -> Tree:
        def is_over(tree: Tree, simulations_left: int) -> bool:
            return tree.root.proven is not None or (
                stop is not None and stop(tree, simulations_left)
            )

        if tree is None or tree.root.proven is None or not tree.root.num_visits:
            tree = super()._run(state, num_simulations, rng, tree, is_over)
        tree.tree_policy = WithProofs(self.tree_policy)
        return tree

    def scores(self, node: Node) -> Sequence[float]:
        """Like ``MCTS.scores``, but a root with its own formula leaves out proven moves."""
        if node is not self.root or node.prior is None or self.tree_policy.root_terms is None:
            return super().scores(node)
        takes_part = set(self.candidates(node))
        prior = [p if action in takes_part else 0.0 for action, p in enumerate(node.prior)]
        edges = NodeStats(node.visit_counts, node.value_sum, prior, node.raw_value, node.noise)
        return self.tree_policy.root_scores(edges, self.simulations_left)

    def candidates(self, node: Node) -> list[int]:
        """The moves that are not yet proven; all legal moves if a batch reaches a proven node."""
        undecided = [a for a in node.legal_actions if proven_q(node, a) is None]
        return undecided or node.legal_actions

    def backup(self, path: Path, leaf: Node, value: float) -> None:
        """*Backup*, in which proven values replace estimates."""
        below = leaf
        for node, action in reversed(path):
            if below.proven is not None:
                value = below.proven
            if node.to_play != below.to_play:
                value = -value
            node.visit_counts[action] += 1
            node.value_sum[action] += value
            if below.proven is not None:
                node.value_sum[action] = float(node.visit_counts[action] * value)
            if node.proven is None:
                node.proven = proof(proven_values(node))
            below = node


class WithProofs(TreePolicy):
    """A tree policy that uses proofs: it plays proven wins, and avoids proven losses."""

    def __init__(self, tree_policy: TreePolicy) -> None:
        self._tree_policy = tree_policy
        for name in ("name", "parameters", "mixes_noise", "root_scores"):
            if hasattr(tree_policy, name):  # a user's own rule has no name
                setattr(self, name, getattr(tree_policy, name))

    def __call__(self, node: NodeStats) -> Sequence[float]:
        return self._tree_policy(node)

    def best_action(self, root: Node | NodeStats) -> int:
        return self._tree_policy.best_action(undecided(root))

    def shares(self, root: Node | NodeStats) -> Sequence[float]:
        return self._tree_policy.shares(undecided(root))

    def policy(self, root: Node | NodeStats, temperature: float = 1.0) -> np.ndarray:
        return self._tree_policy.policy(undecided(root), temperature)

    def value(self, root: Node | NodeStats) -> float:
        proven = proof(proven_values(root))
        return self._tree_policy.value(root) if proven is None else float(proven)


def undecided(root: Node | NodeStats) -> Node | NodeStats:
    """The root, restricted to the moves that are worth choosing.

    If the root is proven, they are its best moves. Otherwise they are the unproven moves; but if
    there is a proven draw and no unproven move has W > 0, they are the proven draws.
    """
    known = proven_values(root)
    if (proven := proof(known)) is not None:
        kept = [action for action, q in known.items() if q == proven]
    else:
        kept = [action for action, q in known.items() if q is None]
        draws = [action for action, q in known.items() if q == 0]
        if draws and not any(root.value_sum[action] > 0 for action in kept):
            kept = draws
    if len(kept) == len(known):
        return root
    kept = np.isin(np.arange(len(root.visit_counts)), kept)
    prior = None if root.prior is None else np.array(root.prior) * kept
    visits, value_sum = np.array(root.visit_counts) * kept, np.array(root.value_sum) * kept
    if not visits.any():  # all tried moves lose: choose among the others by prior
        visits = kept if prior is None or not prior.any() else prior
    return NodeStats(visits, value_sum, prior, root.raw_value, root.noise)


@register_jitable
def undecided_rows(legal, proven, visits, value_sum, prior, out_visits, out_value_sum, out_prior):
    """``undecided`` for compiled loops; writes rows for ``root_move`` and ``root_target``.

    Args:
        legal: bool [num_actions].
        proven: int8 [num_actions], a move's proven value for the player to move, or ``UNKNOWN``.
        visits, value_sum, prior: [num_actions], of the root.
        out_visits, out_value_sum, out_prior: float64 [num_actions], the rows to write.

    Returns:
        The root's proven value or ``UNKNOWN``; and whether ``out_visits`` contains visits. If all
        tried moves lose, it contains the priors of the untried moves instead.
    """
    best, open_end, promising = -1, False, False
    for a in range(len(legal)):
        if legal[a] and proven[a] == UNKNOWN:
            open_end, promising = True, promising or value_sum[a] > 0
        elif legal[a]:
            best = max(best, int(proven[a]))
    proof_of_root = UNKNOWN if open_end and best < 1 else best
    wanted = 0 if best == 0 and not promising else proof_of_root
    tried, likely, all_kept = False, False, True
    for a in range(len(legal)):
        kept = legal[a] and proven[a] == wanted
        out_visits[a] = visits[a] if kept else 0
        out_value_sum[a] = value_sum[a] if kept else 0.0
        out_prior[a] = prior[a] if kept else 0.0
        tried, likely = tried or out_visits[a] > 0, likely or out_prior[a] > 0
        all_kept = all_kept and (kept or not legal[a])
    if tried or all_kept:
        return proof_of_root, True
    for a in range(len(legal)):
        kept = legal[a] and proven[a] == wanted
        out_visits[a] = out_prior[a] if likely or not kept else 1.0
    return proof_of_root, False
