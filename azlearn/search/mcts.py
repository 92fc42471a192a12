"""Monte Carlo tree search: one loop with two slots, the selection rule and the evaluator.

Fill the slots with ``uct`` and ``random_rollout`` and you have UCT (Kocsis and Szepesvári 2006);
with PUCT and a network, AlphaZero. A third slot, the policy, can be left empty: with it a node's
prior is asked for apart from its value, and later, as in AlphaGo (Silver et al. 2016).

**Batches.** A network answers eight positions in far less than eight times the time of one. But a
search looks at one leaf at a time, and which leaf comes next depends on the last answer. So, with
``batch_size=8``, it guesses: until a leaf has its answer, its path counts as lost a few times over.
The next descent then looks elsewhere, and a batch fills. When it is full the guesses are taken
back, the network is asked once, and the answers go up. AlphaGo counts ``n_vl = 3`` lost games on
every edge of a path under way (Silver et al. 2016, Methods and Extended Data Table 5); AlphaGo Zero
evaluates a queue of leaves 8 at a time (Silver et al. 2017, Methods). There many threads search at
once; here one does their work in turn, and the same seed gives the same tree.
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

# By TreePolicy.mixes_noise, what noise has and is called.
NOISE_KINDS = {True: ("mixed", "RootNoise(alpha)"), False: ("drawn", "GumbelNoise()")}

Path = list[tuple[Node, int]]  # the edges (node, action) from the root down


class MCTS:
    """The readable search. Every phase is a short method, and a subclass may replace any of them.

    Args:
        game: the rules.
        select: a tree policy such as ``uct()``, or just a rule that scores the moves of a node; the
            search follows the highest. See ``TreePolicy``.
        evaluate: says what a new node is worth; see ``evaluators``. A network will do, in any form
            that ``learning.resolve_evaluator`` takes, such as ``"connect4"``.
        expand: ``"one"`` adds the node behind the chosen edge; ``"all"`` adds every child of a leaf
            and evaluates each (one simulation then counts one visit a child).
        ties: of equal scores take the ``"first"`` or a ``"random"`` one.
        root_noise: drawn once for each root: ``RootNoise`` is mixed into its prior, ``GumbelNoise``
            is for the tree policy ``gumbel()``. None for none.
        policy: an evaluator asked for the prior of a node when that node is expanded; its value is
            not looked at. None: ``evaluate`` gives both.
        expand_threshold: a node is expanded by the visit that takes N of the edge to it above this
            number. The visits before end at that node and evaluate it anew: worth it where
            ``evaluate`` draws a rollout and the policy is slow. 0 expands at the first visit;
            AlphaGo has ``n_thr = 40`` (Silver et al. 2016, Methods and Extended Data Table 5).
        batch_size: the most leaves that are evaluated at once: in one call if the evaluator has
            a batch form (see ``BatchEvaluator``), else one after the other. A larger batch is a
            weaker search of as many simulations: its leaves are chosen without knowing each other's
            values. It pays where the network, not the search, is what takes the time.
        virtual_loss: how many lost games a path under way counts for in a batch; 3 in AlphaGo. 0
            counts none: then the next descent ends at the same leaf, and the batch with it.
        recorder: told of every evaluation and backup; see ``Recorder``. None costs nothing.

    Raises:
        ValueError: a slot, a size or a combination that makes no search.
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
                raise ValueError(f"{name} makes what is wanted here: pass {name}(), not {name}.")
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
            raise ValueError("Only one leaf at a time can be recorded: leave batch_size at 1.")
        if expand_threshold and policy is None:
            raise ValueError("An expand_threshold above 0 needs a policy, such as constant().")
        if policy is not None and expand == "all":
            raise ValueError("A policy is asked node by node: it needs expand='one', not 'all'.")
        self.game = game
        self.select = select
        self.tree_policy = as_tree_policy(select)
        fitting, example = NOISE_KINDS[self.tree_policy.mixes_noise]
        if root_noise is not None and not hasattr(root_noise, fitting):
            raise ValueError(f"This tree policy's root_noise is {example}, not {root_noise!r:.80}.")
        self.root: Node | None = None  # of the tree that is searched
        self.simulations_left = 0  # simulations behind the one under way
        self.evaluate = as_evaluator(evaluate, game)
        self.expand = expand
        self.ties = ties
        self.root_noise = root_noise
        self.policy = policy and as_evaluator(policy, game)
        self.expand_threshold = expand_threshold
        self.batch_size, self.virtual_loss = batch_size, virtual_loss
        self.recorder = recorder
        self.rng, self._is_free = np.random.default_rng(0), True  # no run is under way

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
            tree: continue in this tree, whose root is ``state`` (see ``Tree.advance``).
            stop: asked after every simulation, or batch of them, with the tree and the number of
                simulations left; the first true answer ends the search.

        Raises:
            ValueError: no simulations, no position of the game or a finished one, a tree of another
                position, or an evaluator that answers nonsense.
        """
        check_budget(num_simulations)
        if tree is not None and tree.root.state != state:
            raise ValueError("The tree's root is another position than the state to search from.")
        check_state(self.game, state)
        # root, simulations_left and rng belong to one run: while another thread runs this one, a
        # copy does.
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
            raise ValueError(f"The game is over here (outcome {root.outcome}): nothing to search.")
        if root.raw_value is None:
            # Every node is evaluated when it joins the tree; PUCT needs the root's prior. With a
            # generator of its own the simulations draw the numbers they would draw without it.
            self.evaluate_leaf(root, self.rng.spawn(1)[0])
        if self.policy is not None and root.prior is None:
            self.ask_policy(root, self.rng.spawn(1)[0])
        if self.root_noise is not None and not tree.has_root_noise:
            self.draw_noise(root, self.rng.spawn(1)[0])
            tree.has_root_noise = True
        if self.recorder is not None:
            self.recorder.start(self, tree, num_simulations)
        grow = self.grow if self.batch_size == 1 else self.grow_in_batches
        grow(tree, num_simulations, stop)
        return tree

    def draw_noise(self, root: Node, rng: np.random.Generator) -> None:
        """Noise goes into the root's prior, or to the tree policy."""
        if self.tree_policy.mixes_noise:
            root.prior = self.root_noise.mixed(root, rng)
        else:
            root.noise = self.root_noise.drawn(root, rng)

    def grow(
        self, tree: Tree, num_simulations: int, stop: Callable[[Tree, int], bool] | None
    ) -> None:
        """The loop: *select*, *expand*, *evaluate*, *backup*, once a simulation; see ``run``."""
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
        """*Select*: follow the highest score down to where the tree, or the game, ends.

        Returns:
            The path, and the node behind its last edge: None where there is none yet.
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
        """What the tree policy says of the moves of a node."""
        return (
            self.tree_policy.root_scores(node, self.simulations_left)
            if node is self.root
            else self.tree_policy(node)
        )

    def candidates(self, node: Node) -> list[int]:
        """The actions to choose from."""
        return node.legal_actions

    def expand_leaf(self, path: Path, leaf: Node | None) -> list[tuple[Path, Node]]:
        """*Expand*: add what is missing behind the path; gives every (path, leaf) to evaluate."""
        if leaf is None:
            leaf = self._add_child(*path[-1])
        elif leaf.outcome is not None:  # the game is over: there is nothing to add
            return [(path, leaf)]
        elif self.expand == "all":
            return [([*path, (leaf, a)], self._add_child(leaf, a)) for a in leaf.legal_actions]
        if self.policy is not None and leaf.prior is None and leaf.outcome is None:
            node, action = path[-1]
            if node.visit_counts[action] + 1 > self.expand_threshold:  # 1: the visit under way
                self.ask_policy(leaf, self.rng)
        return [(path, leaf)]

    def ask_policy(self, node: Node, rng: np.random.Generator) -> None:
        """Gives a node its prior, and so lets simulations through."""
        answer = self.policy(self.game, node.state, rng)
        node.prior = checked(answer, self.game, node.legal_actions).prior

    def evaluate_leaf(self, leaf: Node, rng: np.random.Generator) -> Evaluation:
        """*Evaluate*: the rules decide if the game is over, else the evaluator does."""
        if leaf.outcome is not None:
            return Evaluation(None, leaf.outcome)
        evaluation = self.evaluate(self.game, leaf.state, rng)
        evaluation = checked(evaluation, self.game, leaf.legal_actions)
        self.keep(leaf, evaluation)
        return evaluation

    def keep(self, leaf: Node, evaluation: Evaluation) -> None:
        """Writes an evaluation into its node: the prior if no policy gives it, the first value."""
        if self.policy is None:
            leaf.prior, leaf.raw_value = evaluation.prior, evaluation.value
        elif leaf.raw_value is None:
            leaf.raw_value = evaluation.value

    def backup(self, path: Path, leaf: Node, value: float) -> None:
        """*Backup*: add ``value``, which is for the player to move at ``leaf``, to every edge.

        The search's only change of sign.
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
        """The loop, a batch at a time."""
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
        """*Select*, several times: up to so many (path, leaf) that no answer is needed between.

        It ends early when a descent arrives at a new leaf that waits already. Backed up twice, one
        answer would count for two; a network asked twice would say the same. A shorter batch costs
        less. A game known to be finished needs no answer, so a batch may hold it several times; and
        a leaf below the ``expand_threshold``, decided by N from before the batch, is evaluated anew
        by every visit.

        The virtual losses are gone when this returns: the numbers from before are put back, since
        ``W - 3 + 3`` need not be ``W`` in floating point.
        """
        paths, waiting, before = [], set(), []
        while len(paths) < at_most:
            path, leaf = self.descend(root)
            parent, action = path[-1]
            if leaf is None and (id(parent), action) in waiting:
                break
            waiting.add((id(parent), action))
            paths.append((path, leaf))
            for node, a in path:
                before.append((node, a, node.visit_counts[a], node.value_sum[a]))
                node.visit_counts[a] += self.virtual_loss
                node.value_sum[a] -= self.virtual_loss  # lost for the player to move at the node
        for node, a, visits, value_sum in reversed(before):
            node.visit_counts[a], node.value_sum[a] = visits, value_sum
        return paths

    def evaluate_leaves(self, leaves: list[Node]) -> list[float]:
        """*Evaluate*: a value for each leaf, in one call where the evaluator has a batch form."""
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
