"""MCTS-Solver: what a finished game is worth is no estimate, and is carried up the tree as a proof.

A mean over many games hides a forced win: the one answer that refutes a move is a visit among
hundreds. But a win behind one move wins, whatever lies behind the others; and where all moves are
known, so is the best of them (Winands, Björnsson and Saito 2008, "Monte-Carlo Tree Search Solver";
draws by Cazenave and Saffidine 2010, "Score Bounded Monte-Carlo Tree Search"). A move that is
decided is not searched again, and a search whose root is decided is over.
"""

from collections.abc import Sequence

import numpy as np
from numba.extending import register_jitable  # plain functions that compiled ones may call

from azlearn.search.mcts import MCTS, Path
from azlearn.search.tree import Node, Tree
from azlearn.search.tree_policy import NodeStats, TreePolicy

UNKNOWN = 2  # in rows of proofs: no value is above 1


def proven_q(node: Node, action: int) -> int | None:
    """What a move is known to be worth to the player to move at ``node``; None = not known."""
    child = node.children[action]
    if child is None or child.proven is None:
        return None
    return child.proven if child.to_play == node.to_play else -child.proven


def proven_values(node: Node | NodeStats) -> dict[int, int | None]:
    """By legal action, what a move is known to be worth."""
    if isinstance(node, NodeStats):
        return node.known
    return {action: proven_q(node, action) for action in node.legal_actions}


def proof(known: dict[int, int | None]) -> int | None:
    """What the proofs of a node's moves say of the node itself; None = nothing yet."""
    if 1 in known.values():
        return 1
    return None if None in known.values() else max(known.values())


class MCTSSolver(MCTS):
    """The readable search, with proofs. See ``MCTS`` for its arguments.

    An evaluator's answers prove nothing; the rules alone do.
    """

    def run(self, state, num_simulations, rng=0, *, tree=None, stop=None) -> Tree:
        """As ``MCTS.run``; it ends before its time when the root is proven."""

        def is_over(tree: Tree, simulations_left: int) -> bool:
            return tree.root.proven is not None or (
                stop is not None and stop(tree, simulations_left)
            )

        if tree is None or tree.root.proven is None or not tree.root.num_visits:
            tree = super().run(state, num_simulations, rng, tree=tree, stop=is_over)
        tree.tree_policy = WithProofs(self.tree_policy)
        return tree

    def scores(self, node: Node) -> Sequence[float]:
        """As ``MCTS.scores``; where a root is scored in its own way, decided moves take no part."""
        if node is not self.root or node.prior is None or self.tree_policy.root_terms is None:
            return super().scores(node)
        takes_part = set(self.candidates(node))
        prior = [p if action in takes_part else 0.0 for action, p in enumerate(node.prior)]
        edges = NodeStats(node.visit_counts, node.value_sum, prior, node.raw_value, node.noise)
        return self.tree_policy.root_scores(edges, self.simulations_left)

    def candidates(self, node: Node) -> list[int]:
        """The moves that are not decided; all, where a batch comes back to a decided node."""
        undecided = [a for a in node.legal_actions if proven_q(node, a) is None]
        return undecided or node.legal_actions

    def backup(self, path: Path, leaf: Node, value: float) -> None:
        """*Backup*, with what is proven in the place of what was guessed."""
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
    """A tree policy that knows of proofs: a proven win is played, a move that loses is not."""

    def __init__(self, tree_policy: TreePolicy) -> None:
        self._tree_policy = tree_policy
        for name in ("name", "parameters", "mixes_noise", "root_scores"):
            if hasattr(tree_policy, name):  # a rule of a reader's own has no name
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
    """The root with those of its moves alone between which there is something to choose.

    Of a proven root these are the best ones. Else they are the moves of which nothing is proven,
    unless there is a proven draw, and none of them promises more.
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
    if not visits.any():  # all that was tried loses: what was not is taken by its prior
        visits = kept if prior is None or not prior.any() else prior
    return NodeStats(visits, value_sum, prior, root.raw_value, root.noise)


@register_jitable
def undecided_rows(legal, proven, visits, value_sum, prior, out_visits, out_value_sum, out_prior):
    """``undecided`` for compiled loops, written into rows that a tree policy's ``root_move`` and
    ``root_target`` can be asked with.

    Args:
        legal: bool [num_actions].
        proven: int8 [num_actions], what a move is known to be worth to its mover, or ``UNKNOWN``.
        visits, value_sum, prior: [num_actions], of the root.
        out_visits, out_value_sum, out_prior: float64 [num_actions], where to write.

    Returns:
        What is proven of the root, or ``UNKNOWN``; and whether ``out_visits`` are visits: not if
        all that was tried loses, then they are the priors of what was not.
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
