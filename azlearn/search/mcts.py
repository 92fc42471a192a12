"""Monte Carlo tree search: one loop with two slots, the selection rule and the evaluator.

Fill the slots with ``uct`` and ``random_rollout`` and you have UCT (Kocsis and Szepesvári 2006);
with PUCT and a network, AlphaZero. A third slot, the policy, can be left empty: with it a node's
prior is asked for apart from its value, and later, as in AlphaGo (Silver et al. 2016).
"""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from azlearn.games import Game, State
from azlearn.search.evaluators import Evaluation, Evaluator, checked, random_rollout
from azlearn.search.plans import Plan, SelectionRule, as_plan
from azlearn.search.root_noise import RootNoise
from azlearn.search.selection import check_budget, check_count, puct, uct
from azlearn.search.tree import Node, Tree

Path = list[tuple[Node, int]]  # the edges (node, action) from the root down


class MCTS:
    """The readable search. Every phase is a short method, and a subclass may replace any of them.

    Args:
        game: the rules.
        select: a plan such as ``uct()``, or just a rule that scores the moves of a node; the search
            follows the highest. See ``Plan``.
        evaluate: says what a new node is worth; see ``evaluators``.
        expand: ``"one"`` adds the node behind the chosen edge; ``"all"`` adds every child of a leaf
            and evaluates each (one simulation then counts one visit a child).
        ties: of equal scores take the ``"first"`` or a ``"random"`` one.
        root_noise: mixed into the root's prior, once for each root; None for none.
        policy: an evaluator asked for the prior of a node when that node is expanded; its value is
            not looked at. None: ``evaluate`` gives both.
        expand_threshold: a node is expanded by the visit that takes N of the edge to it above this
            number. The visits before end at that node and evaluate it anew: worth it where
            ``evaluate`` draws a rollout and the policy is slow. 0 expands at the first visit;
            AlphaGo has ``n_thr = 40`` (Silver et al. 2016, Methods and Extended Data Table 5).
        recorder: told of every evaluation and backup; see ``Recorder``. None costs nothing.
    """

    def __init__(
        self,
        game: Game,
        select: Plan | SelectionRule,
        evaluate: Evaluator,
        *,
        expand: Literal["one", "all"] = "one",
        ties: Literal["first", "random"] = "first",
        root_noise: RootNoise | None = None,
        policy: Evaluator | None = None,
        expand_threshold: int = 0,
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
        if expand_threshold and policy is None:
            raise ValueError("An expand_threshold above 0 needs a policy, such as constant().")
        if policy is not None and expand == "all":
            raise ValueError("A policy is asked node by node: it needs expand='one', not 'all'.")
        self.game = game
        self.select = select
        self.plan = as_plan(select)
        self.root: Node | None = None  # of the tree that is searched
        self.evaluate = evaluate
        self.expand = expand
        self.ties = ties
        self.root_noise = root_noise
        self.policy = policy
        self.expand_threshold = expand_threshold
        self.recorder = recorder
        self.rng = np.random.default_rng(0)

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
            stop: asked after every simulation with the tree and the number of simulations left;
                the first true answer ends the search.

        Raises:
            ValueError: no simulations, a finished game, a tree of another position, or an evaluator
                that answers nonsense.
        """
        check_budget(num_simulations)
        if tree is not None and tree.root.state != state:
            raise ValueError("The tree's root is another position than the state to search from.")
        self.rng = np.random.default_rng(rng)
        tree = tree or Tree(self.game, Node(self.game, state))
        tree.plan = self.plan
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
            root.prior = self.root_noise.mixed(root, self.rng.spawn(1)[0])
            tree.has_root_noise = True
        if self.recorder is not None:
            self.recorder.start(self, tree, num_simulations)
        self.grow(tree, num_simulations, stop)
        return tree

    def grow(
        self, tree: Tree, num_simulations: int, stop: Callable[[Tree, int], bool] | None
    ) -> None:
        """The loop: *select*, *expand*, *evaluate*, *backup*, once a simulation; see ``run``."""
        for num_left in range(num_simulations - 1, -1, -1):
            for path, leaf in self.expand_leaf(*self.descend(tree.root)):
                evaluation = self.evaluate_leaf(leaf, self.rng)
                if self.recorder is not None:
                    self.recorder.evaluated(path, leaf, evaluation)
                self.backup(path, leaf, evaluation.value)
                if self.recorder is not None:
                    self.recorder.backed_up(path)
            if self.recorder is not None:
                self.recorder.simulated()
            if stop is not None and stop(tree, num_left):
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

    def scores(self, node: Node) -> Sequence[float]:
        """[num_actions]: what the plan makes of the moves of ``node``, at the root or below."""
        return self.plan.at_root(node) if node is self.root else self.plan(node)

    def choose(self, node: Node) -> int:
        """The legal action with the highest score."""
        scores = self.scores(node)
        if self.ties == "first":
            return max(node.legal_actions, key=scores.__getitem__)
        highest = max(scores[action] for action in node.legal_actions)
        tied = [action for action in node.legal_actions if scores[action] == highest]
        return tied[int(self.rng.random() * len(tied))]

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

    def _add_child(self, node: Node, action: int) -> Node:
        child = Node(self.game, self.game.next_state(node.state, action))
        node.children[action] = child
        return child
