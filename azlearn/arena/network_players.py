"""Players with a network: its policy without search, and the search that it guides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from azlearn.games import State
from azlearn.games.rules_game import RulesGame
from azlearn.old_names import old_arguments
from azlearn.search import MCTS, Node, Tree, check_budget, puct
from azlearn.search.array_tree import ArrayNode, ArrayTree
from azlearn.search.batched_search import BatchedSearch
from azlearn.search.evaluators import Evaluator, as_evaluator, checked, evaluations, has_batch
from azlearn.search.selection import check_weight
from azlearn.search.tree_policy import TreePolicy, check_tree_policy

MOST_AT_ONCE = 256  # searches side by side; more would make a network no faster
MOST_KNOWN = 4096  # positions whose trees a player stores if it reuses them


@dataclass
class NetworkPlayer:
    """Plays the legal move with the highest prior, without any search.

    Args:
        evaluator: an evaluator or a network, in any form that ``learning.resolve_evaluator`` takes.
            If it has ``.batch``, it evaluates many positions at once, except with random
            symmetries, because these are drawn from each position's own generator.
    """

    game: RulesGame
    evaluator: Evaluator
    name: str = "network"

    def __post_init__(self) -> None:
        self.evaluator = as_evaluator(self.evaluator, self.game)

    def choose(self, state: State, rng: np.random.Generator) -> int:
        legal = self.game.legal_actions(state)
        if not legal:
            raise ValueError("The game is over: there is no move to choose.")
        prior = checked(self.evaluator(self.game, state, rng), self.game, legal).prior
        return self._pick(np.array(prior), self.game.legal_mask(state), rng)

    def choose_batch(
        self, states: Sequence[State], rngs: Sequence[np.random.Generator]
    ) -> list[int]:
        if not has_batch(self.evaluator):
            return [self.choose(state, rng) for state, rng in zip(states, rngs, strict=True)]
        legal = self.game.batch_legal_mask(self.game.stack(states))
        if not legal.any(axis=1).all():
            raise ValueError("The game is over: there is no move to choose.")
        priors = [found.prior for found in evaluations(self.evaluator, self.game, states)]
        if not np.isfinite(priors).all():
            raise ValueError("The evaluator's priors must be finite numbers; at least one is not.")
        return [self._pick(*row) for row in zip(priors, legal, rngs, strict=True)]

    def _pick(self, prior: np.ndarray, legal_mask: np.ndarray, rng: np.random.Generator) -> int:
        return int(np.where(legal_mask, prior, -np.inf).argmax())


@dataclass
class SampledPolicyPlayer(NetworkPlayer):
    """Samples its move from the evaluator's prior, without any search.

    AlphaGo's policies p_σ and p_ρ played each other this way, "sampling each move from its output
    probability distribution over actions" (Silver et al. 2016, "Reinforcement learning of policy
    networks"). ``NetworkPlayer``, which always plays the likeliest move, is a different player.

    Args:
        evaluator: as in ``NetworkPlayer``.
    """

    name: str = "sampled policy"

    def _pick(self, prior: np.ndarray, legal_mask: np.ndarray, rng: np.random.Generator) -> int:
        p = np.where(legal_mask, prior, 0.0).astype(np.float64)
        return int(rng.choice(len(p), p=p / p.sum()))  # in float32 the sum is only nearly 1


@old_arguments(plan="tree_policy", keep_tree="reuse_tree")
@dataclass
class PUCTPlayer:
    """PUCT with an evaluator of positions: AlphaZero as a player.

    Args:
        evaluator: as in ``NetworkPlayer``; if it has ``.batch``, many positions are searched side
            by side.
        c, fpu: as in ``puct``; c is 1.5 as in self-play. Both are ignored with a tree policy.
        temperature: the temperature for sampling the first moves of a game by visits, see
            ``Tree.policy``; 0 = always play the most visited move.
        opening_plies: the number of plies to which the temperature applies. Give both temperature
            and opening_plies, or neither.
        stop: as in ``MCTS.run``; the move is then chosen from the tree so far. With it, positions
            are searched one by one.
        label: the start of the name.
        reuse_tree: start with the subtree of the game's last search, and add only the missing
            simulations. AlphaGo Zero reuses it (Silver et al. 2017, Methods, "Search algorithm")
            and adds the full number; AlphaZero's published pseudocode starts from scratch (Silver
            et al. 2018, Supplementary). With reuse, a move depends on the moves before it.
        tree_policy: used instead of PUCT, such as ``gumbel()``, which plays the best move found,
            because a player adds no noise.
        cache_bits: cache up to ``2**cache_bits`` evaluations of searches side by side, from move
            to move, because consecutive searches share many positions. The moves stay the same,
            except for a network's rounding in batches of another size. Use it only for evaluators
            that always return the same result for a position.

    Raises:
        ValueError: a number of simulations or plies, c, fpu, the temperature or the tree policy is
            invalid.
    """

    game: RulesGame
    evaluator: Evaluator
    num_simulations: int = 200
    c: float = 1.5
    temperature: float = 0.0
    opening_plies: int = 0
    fpu: float | Literal["parent"] = 0.0
    stop: Callable[[Tree, int], bool] | None = None
    label: str = "PUCT"
    reuse_tree: bool = False
    tree_policy: TreePolicy | None = None
    cache_bits: int = 0

    def __post_init__(self) -> None:
        check_budget(self.num_simulations, self.c)
        check_weight(self.temperature, "temperature")
        if (self.temperature > 0) != (self.opening_plies > 0):
            raise ValueError(
                f"Set temperature and opening_plies together, not temperature {self.temperature}"
                f" with opening_plies {self.opening_plies}: a temperature above 0 applies only to"
                " the first opening_plies moves."
            )
        self.last_tree: Tree | None = None  # its last search
        self._tree_policy = (
            puct(self.c, self.fpu)
            if self.tree_policy is None
            else check_tree_policy(self.tree_policy)
        )
        self._mcts = MCTS(self.game, self._tree_policy, self.evaluator)
        self.evaluator = self._mcts.evaluate
        # Subtrees of the next positions in all games, from one-by-one searches. They are changed in
        # place, because copies of a player, one for each board, share them.
        self._below: dict[State, Node] = {}
        self._engine: BatchedSearch | None = None  # runs the searches of choose_batch
        self._rows: dict[State, int] = {}  # with reuse_tree, the row of each possible next position
        self._playing: list[int] = []  # the rows of the last positions

    @property
    def name(self) -> str:
        kept = ", tree reused" if self.reuse_tree else ""
        return f"{self.label} {self.num_simulations:,}{kept}"

    def choose(self, state: State, rng: np.random.Generator) -> int:
        node = self._below.pop(state, None)
        missing = max(self.num_simulations - (node.num_visits if node else 0), 1)
        known = Tree(self.game, node) if node else None
        tree = self._mcts.run(state, missing, rng, tree=known, stop=self.stop)
        self.last_tree = tree
        action = self._move(tree, state, rng)
        if self.reuse_tree and (child := tree.root.children[action]):
            nodes = [node for node in (child, *child.children) if node and node.prior]
            for known in list(self._below)[:-MOST_KNOWN]:
                self._below.pop(known, None)
            self._below.update({node.state: node for node in nodes})
        return action

    def choose_batch(
        self, states: Sequence[State], rngs: Sequence[np.random.Generator]
    ) -> list[int]:
        if self.stop is not None or not has_batch(self.evaluator):
            return [self.choose(state, rng) for state, rng in zip(states, rngs, strict=True)]
        actions, at_once = [], len(states) if self.reuse_tree else MOST_AT_ONCE
        for first in range(0, len(states), at_once):
            part = slice(first, first + at_once)
            searched = zip(self._search(states[part]), states[part], rngs[part], strict=True)
            actions += [self._move(tree, state, rng) for tree, state, rng in searched]
        if self.reuse_tree:
            self._remember(states, actions)
        return actions

    def _search(self, states: Sequence[State]) -> list[Tree]:
        """Searches all states side by side; returns a tree of visits and values for each."""
        engine = self._engine_for(len(states))
        rows = self._rows_of(states) if self.reuse_tree else range(len(states))
        try:
            states = self.game.stack(states)
            engine.start(states, self.num_simulations, rows=rows, keep=self.reuse_tree)
            while len((leaves := engine.select())[0]):
                engine.update(*self.evaluator.batch(leaves))
        except BaseException:  # else the next call would complete these searches first
            self._engine = None
            raise
        columns = (engine.words, engine.visit_counts, engine.value_sum, engine.child)
        trees = []
        for row, edges in zip(rows, engine.roots(rows), strict=True):
            root = ArrayNode(self.game, ArrayTree(*(column[row] for column in columns)), 0)
            root.prior, root.raw_value = edges.prior.tolist(), float(edges.raw_value)
            trees.append(Tree(self.game, root))
            trees[-1].tree_policy = self._tree_policy
        return trees

    def _engine_for(self, num_games: int) -> BatchedSearch:
        """Returns the stored engine with its trees and cache, or a new one if it is too small."""
        kept, size = self._engine, (num_games, self.num_simulations)
        if kept and kept.num_games >= size[0] and kept.max_simulations >= size[1]:
            return kept
        engine = BatchedSearch(self.game, *size, self._tree_policy, cache_bits=self.cache_bits)
        if self.reuse_tree or self.cache_bits:
            self._engine, self._rows = engine, {}
        return engine

    def _rows_of(self, states: Sequence[State]) -> list[int]:
        """Returns an engine row for each position: its game's row if stored, else a free one."""
        free, rows = dict.fromkeys(range(self._engine.num_games)), []
        for state in states:
            row = self._rows.pop(state, None)
            rows.append(row if row in free else None)
            free.pop(row, None)
        rows = [free.popitem()[0] if row is None else row for row in rows]
        self._rows = {state: row for state, row in self._rows.items() if row in free}
        self._playing = rows
        return rows

    def _remember(self, states: Sequence[State], actions: Sequence[int]) -> None:
        """Stores each game's row under the positions that may come next."""
        for state, action, row in zip(states, actions, self._playing, strict=True):
            after, step = self.game.next_state(state, action), self.game.next_state
            self._rows[after] = row
            self._rows |= {step(after, reply): row for reply in self.game.legal_actions(after)}

    def _move(self, tree: Tree, state: State, rng: np.random.Generator) -> int:
        if self.game.num_plies(state) >= self.opening_plies:
            return tree.best_action()
        return int(rng.choice(self.game.num_actions, p=tree.policy(self.temperature)))
