"""Monte Carlo tree search: one loop with two slots, the selection rule and the evaluator.

Fill the slots with ``uct`` and ``random_rollout`` and you have UCT (Kocsis and Szepesvári 2006);
with PUCT and a network, AlphaZero. An optional third slot, the policy, computes a node's prior
separately, when the node is expanded, as in AlphaGo (Silver et al. 2016).

**Batches.** A network evaluates eight positions in far less than eight times the time of one. But a
search evaluates one leaf at a time, and the next leaf depends on the last value. So, with
``batch_size=8``, the search guesses: until a leaf has its value, its path counts as a few lost
games (its virtual loss). The next descent then takes another path, and the batch fills. When it is
full, the guesses are taken back, the network is called once, and the values are backed up. AlphaGo
counts ``n_vl = 3`` lost games on every edge of such a path (Silver et al. 2016, Methods and
Extended Data Table 5); AlphaGo Zero evaluates a queue of leaves 8 at a time (Silver et al. 2017,
Methods). In both programs many threads search at once. Here one thread does their work in turn, so
the same seed gives the same tree.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from azlearn.games import Game, State
from azlearn.games.game import check_state
from azlearn.search.evaluators import (
    Evaluation,
    Evaluator,
    as_evaluator,
    checked,
    evaluations,
    has_batch,
    random_rollout,
)
from azlearn.search.root_noise import GumbelNoise, RootNoise
from azlearn.search.selection import check_budget, check_count, puct, uct
from azlearn.search.tree import Node, Tree
from azlearn.search.tree_policy import SelectionRule, TreePolicy, as_tree_policy

# For each value of TreePolicy.mixes_noise: the method that noise must have, and an example of it.
NOISE_KINDS = {True: ("mixed", "RootNoise(alpha)"), False: ("drawn", "GumbelNoise()")}

Path = list[tuple[Node, int]]  # the edges (node, action) from the root down


class MCTS:
    """The readable search. Every phase is a short method that a subclass may replace.

    Args:
        game: the rules.
        select: a tree policy such as ``uct()``, or a function that scores the moves of a node; the
            search follows the highest score. See ``TreePolicy``.
        evaluate: an evaluator, which returns the value of a new node; see ``Evaluator``. A network
            also works, in any form that ``resolve_evaluator`` accepts, such as ``"connect4"``.
        expand: ``"one"`` adds the child that the chosen edge leads to; ``"all"`` adds every child
            of a leaf and evaluates each (one simulation then counts one visit per child).
        ties: among equal scores, take the ``"first"`` or a ``"random"`` one.
        root_noise: drawn once for each root. ``RootNoise`` is mixed into the root's prior;
            ``GumbelNoise`` is for the tree policy ``gumbel()``. None adds no noise.
        policy: an evaluator that supplies a node's prior when the node is expanded; its value is
            ignored. With None, ``evaluate`` supplies both.
        expand_threshold: a node is expanded by the first visit that raises its edge's N above this
            number. Earlier visits end at that node and evaluate it again, which is worthwhile if
            ``evaluate`` plays a rollout and the policy is slow. 0 expands at the first visit;
            AlphaGo has ``n_thr = 40`` (Silver et al. 2016, Methods and Extended Data Table 5).
        batch_size: the most leaves that are evaluated at once: in one call if the evaluator has
            a batch form (see ``BatchEvaluator``), otherwise one by one. With the same number of
            simulations, a larger batch gives a weaker search, because its leaves are chosen without
            knowing each other's values. It pays off if the network, not the search, takes most of
            the time.
        virtual_loss: how many lost games each path of an unfinished batch counts for; 3 in AlphaGo.
            With 0, the next descent reaches the same leaf, which ends the batch. ``gumbel()``
            counts the visits of the root's moves, so it allows at most 1.
        recorder: is called at every evaluation and backup; see ``Recorder``. None costs nothing.

    Raises:
        ValueError: an invalid slot or size, or an unsupported combination.
    """

    def __init__(
        self,
        game: Game,
        select: TreePolicy | SelectionRule,
        evaluate: Evaluator,
        *,
        expand: Literal["one", "all"] = "one",
        ties: Literal["first", "random"] = "first",
        root_noise: RootNoise | GumbelNoise | None = None,
        policy: Evaluator | None = None,
        expand_threshold: int = 0,
        batch_size: int = 1,
        virtual_loss: int = 3,
        recorder=None,
    ) -> None:
        for given, maker in ((select, uct), (select, puct), (evaluate, random_rollout)):
            if given is maker:
                name = maker.__name__
                raise ValueError(
                    f"Pass {name}(), not {name}: call it to create the rule or evaluator."
                )
        if expand not in ("one", "all"):
            raise ValueError(f"expand must be 'one' or 'all', not {expand!r}.")
        if ties not in ("first", "random"):
            raise ValueError(f"ties must be 'first' or 'random', not {ties!r}.")
        check_count(expand_threshold, "expand_threshold", least=0)
        check_count(batch_size, "batch_size")
        check_count(virtual_loss, "virtual_loss", least=0)
        if batch_size > 1 and expand == "all":
            raise ValueError("A batch_size above 1 needs expand='one', not 'all'.")
        if batch_size > 1 and recorder is not None:
            raise ValueError("A recorder needs batch_size=1: it records one leaf at a time.")
        if expand_threshold and policy is None:
            raise ValueError("An expand_threshold above 0 needs a policy, such as constant().")
        if policy is not None and expand == "all":
            raise ValueError(
                "A policy needs expand='one', not 'all': it evaluates one node at a time."
            )
        self.game = game
        self.select = select
        self.tree_policy = as_tree_policy(select)
        fitting, example = NOISE_KINDS[self.tree_policy.mixes_noise]
        if root_noise is not None and not hasattr(root_noise, fitting):
            raise ValueError(f"This tree policy needs {example} as noise, not {root_noise!r:.80}.")
        if batch_size > 1 and virtual_loss > 1 and not self.tree_policy.mixes_noise:
            raise ValueError(
                "Gumbel's sequential halving counts visits, so a virtual_loss of"
                f" {virtual_loss} makes it skip moves: set virtual_loss=1."
            )
        self.root: Node | None = None  # the root of the tree that is searched
        self.simulations_left = 0  # after the current simulation
        self.evaluate = as_evaluator(evaluate, game)
        self.expand = expand
        self.ties = ties
        self.root_noise = root_noise
        self.policy = policy and as_evaluator(policy, game)
        self.expand_threshold = expand_threshold
        self.batch_size, self.virtual_loss = batch_size, virtual_loss
        self.recorder = recorder
        self.rng, self._is_free = np.random.default_rng(0), True  # False during a run

    def run(
        self,
        state: State,
        num_simulations: int,
        rng: np.random.Generator | int = 0,
        *,
        tree: Tree | None = None,
        stop: Callable[[Tree, int], bool] | None = None,
    ) -> Tree:
        """Searches from ``state``.

        Args:
            num_simulations: how many simulations to add.
            rng: a generator, or the seed of one. The same seed gives the same search.
            tree: continue this tree, whose root must match ``state`` (see ``Tree.advance``).
            stop: called after every simulation (or batch) with the tree and the number of
                simulations left; the search stops when it returns True.

        Raises:
            ValueError: there are no simulations to run; ``state`` is not a position of the game, or
                the game is over there; ``tree`` has another root; or the evaluator returned
                something invalid.
        """
        check_budget(num_simulations)
        if tree is not None and tree.root.state != state:
            raise ValueError("The tree's root does not match the state to search from.")
        check_state(self.game, state)
        # root, simulations_left and rng belong to one run. If another thread is running this
        # search, run a copy.
        one = self if vars(self).pop("_is_free", False) else copy.copy(self)
        try:
            return one._run(state, num_simulations, rng, tree, stop)
        finally:
            one._is_free = True

    def _run(self, state: State, num_simulations: int, rng, tree: Tree | None, stop) -> Tree:
        self.rng = np.random.default_rng(rng)
        tree = tree or Tree(self.game, Node(self.game, state))
        tree.tree_policy = self.tree_policy
        self.root = root = tree.root
        if root.outcome is not None:
            raise ValueError(f"Nothing to search: the game is over here (outcome {root.outcome}).")
        if root.raw_value is None:
            # Every node is evaluated when it joins the tree; PUCT needs the root's prior. The root
            # has its own generator, so evaluating it does not change what the simulations draw.
            self.evaluate_leaf(root, self.rng.spawn(1)[0])
        if self.policy is not None and root.prior is None:
            self.ask_policy(root, self.rng.spawn(1)[0])
        if self.root_noise is not None and not tree.has_root_noise:
            self.draw_noise(root, self.rng.spawn(1)[0])
            tree.has_root_noise = True
        if self.recorder is not None:
            self.recorder.start(self, tree, num_simulations)
        grow = self.grow if self.batch_size == 1 else self.grow_in_batches
        try:
            grow(tree, num_simulations, stop)
        except BaseException:  # Ctrl-C or an evaluator's error: the tree can be continued
            remove_unvisited(root)
            raise
        return tree

    def draw_noise(self, root: Node, rng: np.random.Generator) -> None:
        """Adds noise to the root's prior, or stores it for the tree policy."""
        if self.tree_policy.mixes_noise:
            root.prior = self.root_noise.mixed(root, rng)
        else:
            root.noise = self.root_noise.drawn(root, rng)

    def grow(
        self, tree: Tree, num_simulations: int, stop: Callable[[Tree, int], bool] | None
    ) -> None:
        """Runs the loop of *select*, *expand*, *evaluate* and *backup*; see ``run``."""
        for self.simulations_left in range(num_simulations - 1, -1, -1):
            for path, leaf in self.expand_leaf(*self.descend(tree.root)):
                evaluation = self.evaluate_leaf(leaf, self.rng)
                if self.recorder is not None:
                    self.recorder.evaluated(path, leaf, evaluation)
                self.backup(path, leaf, evaluation.value)
                if self.recorder is not None:
                    self.recorder.backed_up(path)
            if self.recorder is not None:
                self.recorder.simulated()
            if stop is not None and stop(tree, self.simulations_left):
                break

    def descend(self, root: Node) -> tuple[Path, Node | None]:
        """*Select*: follow the highest score until the tree, or the game, ends.

        Returns:
            The path, and the node that its last edge leads to, or None if there is none yet.
        """
        path, node = [], root
        while node is not None and node.outcome is None:
            if self.expand == "all" and not any(node.children):
                break
            if self.policy is not None and node.prior is None:
                break  # visited before, but not expanded yet
            action = self.choose(node)
            path.append((node, action))
            node = node.children[action]
        return path, node

    def choose(self, node: Node) -> int:
        """The action with the highest score."""
        scores, actions = self.scores(node), self.candidates(node)
        if self.ties == "first":
            return max(actions, key=scores.__getitem__)
        highest = max(scores[action] for action in actions)
        tied = [action for action in actions if scores[action] == highest]
        return tied[int(self.rng.random() * len(tied))]

    def scores(self, node: Node) -> Sequence[float]:
        """The tree policy's scores [num_actions] of the moves of a node."""
        return (
            self.tree_policy.root_scores(node, self.simulations_left)
            if node is self.root
            else self.tree_policy(node)
        )

    def candidates(self, node: Node) -> list[int]:
        """The actions to choose from."""
        return node.legal_actions

    def expand_leaf(self, path: Path, leaf: Node | None) -> list[tuple[Path, Node]]:
        """*Expand*: add the missing nodes below the path.

        Returns:
            Every (path, leaf) to evaluate.
        """
        if leaf is None:
            leaf = self._add_child(*path[-1])
        elif leaf.outcome is not None:  # the game is over: there is nothing to add
            return [(path, leaf)]
        elif self.expand == "all":
            return [([*path, (leaf, a)], self._add_child(leaf, a)) for a in leaf.legal_actions]
        if self.policy is not None and leaf.prior is None and leaf.outcome is None:
            node, action = path[-1]
            if node.visit_counts[action] + 1 > self.expand_threshold:  # 1: this visit
                self.ask_policy(leaf, self.rng)
        return [(path, leaf)]

    def ask_policy(self, node: Node, rng: np.random.Generator) -> None:
        """Sets a node's prior from the policy, so that later simulations continue below it."""
        answer = self.policy(self.game, node.state, rng)
        node.prior = checked(answer, self.game, node.legal_actions).prior

    def evaluate_leaf(self, leaf: Node, rng: np.random.Generator) -> Evaluation:
        """*Evaluate*: uses the outcome if the game is over, otherwise the evaluator."""
        if leaf.outcome is not None:
            return Evaluation(None, leaf.outcome)
        evaluation = self.evaluate(self.game, leaf.state, rng)
        evaluation = checked(evaluation, self.game, leaf.legal_actions)
        self.keep(leaf, evaluation)
        return evaluation

    def keep(self, leaf: Node, evaluation: Evaluation) -> None:
        """Stores the first value in its node, and the prior unless a policy sets it."""
        if self.policy is None:
            leaf.prior, leaf.raw_value = evaluation.prior, evaluation.value
        elif leaf.raw_value is None:
            leaf.raw_value = evaluation.value

    def backup(self, path: Path, leaf: Node, value: float) -> None:
        """*Backup*: add ``value``, which is for the player to move at ``leaf``, to every edge.

        This is the only place where the search changes a sign.
        """
        below = leaf
        for node, action in reversed(path):
            if node.to_play != below.to_play:
                value = -value
            node.visit_counts[action] += 1
            node.value_sum[action] += value
            below = node

    # Batches.

    def grow_in_batches(
        self, tree: Tree, num_simulations: int, stop: Callable[[Tree, int], bool] | None
    ) -> None:
        """Runs the loop in batches."""
        simulations_left = num_simulations
        while simulations_left:
            self.simulations_left = simulations_left - 1
            paths = self.collect(tree.root, min(self.batch_size, simulations_left))
            leaves = [self.expand_leaf(path, leaf)[0][1] for path, leaf in paths]
            values = self.evaluate_leaves(leaves)
            for (path, _), leaf, value in zip(paths, leaves, values, strict=True):
                self.backup(path, leaf, value)
            simulations_left -= len(paths)
            if stop is not None and stop(tree, simulations_left):
                break

    def collect(self, root: Node, at_most: int) -> list[tuple[Path, Node | None]]:
        """*Select*, up to ``at_most`` times with no evaluation in between.

        The batch ends early if a descent reaches a new leaf that is already in it: backing up one
        value twice would count it twice, and a second evaluation would only repeat it, so a shorter
        batch is better. A batch may contain a finished game several times, because it needs no
        evaluation. The same holds for a leaf below ``expand_threshold`` (by its N before the
        batch), because every visit evaluates that leaf again.

        The virtual losses are gone when this returns or raises. The earlier numbers are restored,
        not recomputed: ``W - 3 + 3`` need not equal ``W`` in floating point.

        Returns:
            The (path, leaf) of each descent.
        """
        paths, waiting, before = [], set(), []
        try:
            while len(paths) < at_most:
                path, leaf = self.descend(root)
                parent, action = path[-1]
                if leaf is None and (id(parent), action) in waiting:
                    break
                waiting.add((id(parent), action))
                paths.append((path, leaf))
                self.simulations_left -= self.virtual_loss  # for the next descent
                for node, a in path:
                    before.append((node, a, node.visit_counts[a], node.value_sum[a]))
                    node.visit_counts[a] += self.virtual_loss
                    node.value_sum[a] -= self.virtual_loss  # lost for the node's player to move
        finally:
            for node, a, visits, value_sum in reversed(before):
                node.visit_counts[a], node.value_sum[a] = visits, value_sum
        return paths

    def evaluate_leaves(self, leaves: list[Node]) -> list[float]:
        """*Evaluate*: return a value per leaf, in one call if the evaluator has a batch form."""
        going_on = [leaf for leaf in leaves if leaf.outcome is None]
        if has_batch(self.evaluate) and going_on:
            answers = evaluations(self.evaluate, self.game, [leaf.state for leaf in going_on])
            for leaf, answer in zip(going_on, answers, strict=True):
                self.keep(leaf, checked(answer, self.game, leaf.legal_actions))
            values = iter(answers)
            return [next(values).value if leaf.outcome is None else leaf.outcome for leaf in leaves]
        return [self.evaluate_leaf(leaf, self.rng).value for leaf in leaves]

    def _add_child(self, node: Node, action: int) -> Node:
        child = Node(self.game, self.game.next_state(node.state, action))
        node.children[action] = child
        return child


def remove_unvisited(root: Node) -> None:
    """Removes the nodes below ``root`` that no visit has reached: they may have no evaluation."""
    nodes = [root]
    for node in nodes:  # the loop appends to it
        for action, n in enumerate(node.visit_counts):
            if not n:
                node.children[action] = None
        nodes += filter(None, node.children)
