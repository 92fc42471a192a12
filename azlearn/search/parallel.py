"""One tree, several leaves a network call: virtual loss keeps the descents apart.

A network answers eight positions in far less than eight times the time of one. But a search looks
at one leaf at a time, and which leaf comes next depends on the last answer. So guess: until a leaf
has its answer, count its path as lost a few times over. The next descent then looks elsewhere, and
a batch fills. When it is full the guesses are taken back, the network is asked once, and the
answers go up.

AlphaGo counts ``n_vl = 3`` lost games on every edge of a path under way (Silver et al. 2016,
Methods and Extended Data Table 5); AlphaGo Zero evaluates a queue of leaves 8 at a time (Silver et
al. 2017, Methods). There many threads search at once; here one does their work in turn, and the
same seed gives the same tree.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from azlearn.games import Game, State
from azlearn.search.evaluators import Evaluation, Evaluator, checked
from azlearn.search.mcts import MCTS, Path
from azlearn.search.plans import SelectionRule
from azlearn.search.root_noise import RootNoise
from azlearn.search.selection import check_count
from azlearn.search.tree import Node, Tree

BatchEvaluator = Callable[[State], tuple]  # int64 [n] -> (prior [n, num_actions], value [n])


class ParallelMCTS(MCTS):
    """``MCTS`` with batches of leaves. With ``batch_size=1`` it is ``MCTS``, visit for visit.

    A larger batch is a weaker search of as many simulations: its leaves are chosen without knowing
    each other's values. It pays where the network, not the search, is what takes the time.

    Args:
        game: the rules.
        select: as in ``MCTS``.
        evaluate_batch: many positions at once: ``(prior, value)``, float [n, num_actions] and [n].
        batch_size: the most leaves a call; 8 in AlphaGo Zero.
        virtual_loss: how many lost games a path under way counts for; 3 in AlphaGo. 0 counts none:
            then the next descent ends at the same leaf, and the batch with it.
        ties, root_noise, policy, expand_threshold: as in ``MCTS``. The policy is asked about one
            position at a time; whether a leaf is expanded is decided by N from before the batch.

    Raises:
        ValueError: a batch or a virtual loss of an impossible size.
    """

    def __init__(
        self,
        game: Game,
        select: SelectionRule,
        evaluate_batch: BatchEvaluator,
        *,
        batch_size: int = 8,
        virtual_loss: int = 3,
        ties: Literal["first", "random"] = "first",
        root_noise: RootNoise | None = None,
        policy: Evaluator | None = None,
        expand_threshold: int = 0,
    ) -> None:
        check_count(batch_size, "batch_size")
        check_count(virtual_loss, "virtual_loss", least=0)
        super().__init__(
            game,
            select,
            self._evaluate_one,
            ties=ties,
            root_noise=root_noise,
            policy=policy,
            expand_threshold=expand_threshold,
        )
        self.evaluate_batch = evaluate_batch
        self.batch_size, self.virtual_loss = batch_size, virtual_loss

    def grow(
        self, tree: Tree, num_simulations: int, stop: Callable[[Tree, int], bool] | None
    ) -> None:
        """The loop, a batch at a time; ``stop`` is asked after every batch."""
        num_left = num_simulations
        while num_left:
            paths = self.collect(tree.root, min(self.batch_size, num_left))
            leaves = [self.expand_leaf(path, leaf)[0][1] for path, leaf in paths]
            values = self.evaluate_leaves(leaves)
            for (path, _), leaf, value in zip(paths, leaves, values, strict=True):
                self.backup(path, leaf, value)
            num_left -= len(paths)
            if stop is not None and stop(tree, num_left):
                break

    def collect(self, root: Node, at_most: int) -> list[tuple[Path, Node | None]]:
        """*Select*, several times: up to so many (path, leaf) that no answer is needed between.

        It ends early when a descent arrives at a new leaf that waits already. Backed up twice, one
        answer would count for two; a network asked twice would say the same. A shorter batch costs
        less. A game known to be finished needs no answer, so a batch may hold it several times; and
        a leaf below the ``expand_threshold`` is evaluated anew by every visit.

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
        """*Evaluate*, in one call: a value for each leaf; the rules decide finished games."""
        values = [leaf.outcome for leaf in leaves]  # None where the game goes on
        asked = [i for i, outcome in enumerate(values) if outcome is None]
        if asked:
            evaluations = self._evaluations([leaves[i].state for i in asked])
            for i, evaluation in zip(asked, evaluations, strict=True):
                evaluation = checked(evaluation, self.game, leaves[i].legal_actions)
                self.keep(leaves[i], evaluation)
                values[i] = evaluation.value
        return values

    def _evaluations(self, states: list[State]) -> list[Evaluation]:
        """The batch evaluator's answers, one for each state."""
        answers = self.evaluate_batch(self.game.stack(states))
        prior, value = (np.asarray(answer) for answer in answers)
        shape = (len(states), self.game.num_actions)
        if prior.shape != shape or value.shape != shape[:1]:
            raise ValueError(
                f"A batch evaluator must answer {len(states)} positions with a prior {shape} and a"
                f" value {shape[:1]}, not {prior.shape} and {value.shape}."
            )
        return [Evaluation(p, float(v)) for p, v in zip(prior, value, strict=True)]

    def _evaluate_one(self, game: Game, state: State, rng: np.random.Generator) -> Evaluation:
        """The evaluator of ``MCTS``; the root is evaluated by itself."""
        return self._evaluations([state])[0]
