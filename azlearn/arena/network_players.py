"""Players with a network: its policy alone, and the search that it guides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from azlearn.games import State
from azlearn.games.rules_game import RulesGame
from azlearn.search import MCTS, Tree, check_budget, puct
from azlearn.search.batched_puct import BatchedPUCT
from azlearn.search.evaluators import Evaluator, as_evaluator, checked, has_batch
from azlearn.search.flat_tree import FlatNode, FlatTree
from azlearn.search.selection import check_weight

MOST_AT_ONCE = 256  # searches side by side; more make a network no faster


@dataclass
class NetworkPlayer:
    """Plays the legal move to which the evaluator's prior gives most, without any search.

    Args:
        evaluator: or a network, in any form that ``learning.evaluator_of`` takes. With ``.batch``
            too, it is asked about many positions at once (not if it shows them in random
            symmetries, whose numbers come from each position's own generator).
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
        stacked = self.game.stack(states)
        legal = self.game.batch_legal_mask(stacked)
        if not legal.any(axis=1).all():
            raise ValueError("The game is over: there is no move to choose.")
        prior, _ = self.evaluator.batch(stacked)
        return [self._pick(*row) for row in zip(prior, legal, rngs, strict=True)]

    def _pick(self, prior: np.ndarray, legal_mask: np.ndarray, rng: np.random.Generator) -> int:
        return int(np.where(legal_mask, prior, -np.inf).argmax())


@dataclass
class SampledPolicyPlayer(NetworkPlayer):
    """Draws its move from the evaluator's prior, without any search.

    So AlphaGo's policies p_σ and p_ρ met, "sampling each move from its output probability
    distribution over actions" (Silver et al. 2016, "Reinforcement learning of policy networks").
    Always playing the likeliest move, as ``NetworkPlayer`` does, makes another player.

    Args:
        evaluator: as in ``NetworkPlayer``.
    """

    name: str = "sampled policy"

    def _pick(self, prior: np.ndarray, legal_mask: np.ndarray, rng: np.random.Generator) -> int:
        p = np.where(legal_mask, prior, 0.0).astype(np.float64)
        return int(rng.choice(len(p), p=p / p.sum()))  # in float32 it sums to 1 only nearly


@dataclass
class PUCTPlayer:
    """PUCT with an evaluator of positions: AlphaZero at the board.

    Args:
        evaluator: as in ``NetworkPlayer``; with ``.batch`` too, many positions are searched side
            by side.
        c, fpu: as in ``puct``; 1.5 as in self-play.
        temperature: of the draw by visits that chooses the first moves of a game, see
            ``Tree.policy``; 0 = always the most visited move.
        opening_plies: for how many plies of the game the temperature holds. Temperature and
            opening_plies need each other: give both or neither.
        stop: as in ``MCTS.run``; the move is then chosen from the tree so far. Positions are then
            searched one by one.
        label: what the name begins with.

    Raises:
        ValueError: an impossible budget, c, fpu, temperature or number of plies.
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

    def __post_init__(self) -> None:
        check_budget(self.num_simulations, self.c)
        check_weight(self.temperature, "temperature")
        if (self.temperature > 0) != (self.opening_plies > 0):
            raise ValueError(
                "A temperature above 0 and a number of opening_plies for which it holds need each"
                f" other: not temperature {self.temperature}, opening_plies {self.opening_plies}."
            )
        self.last_tree: Tree | None = None  # what it was thinking
        self._plan = puct(self.c, self.fpu)
        self._mcts = MCTS(self.game, self._plan, self.evaluator)
        self.evaluator = self._mcts.evaluate

    @property
    def name(self) -> str:
        return f"{self.label} {self.num_simulations:,}"

    def choose(self, state: State, rng: np.random.Generator) -> int:
        tree = self._mcts.run(state, self.num_simulations, rng, stop=self.stop)
        self.last_tree = tree
        return self._move(tree, state, rng)

    def choose_batch(
        self, states: Sequence[State], rngs: Sequence[np.random.Generator]
    ) -> list[int]:
        if self.stop is not None or not has_batch(self.evaluator):
            return [self.choose(state, rng) for state, rng in zip(states, rngs, strict=True)]
        actions = []
        for first in range(0, len(states), MOST_AT_ONCE):
            part = slice(first, first + MOST_AT_ONCE)
            searched = zip(self._search(states[part]), states[part], rngs[part], strict=True)
            actions += [self._move(tree, state, rng) for tree, state, rng in searched]
        return actions

    def _search(self, states: Sequence[State]) -> list[Tree]:
        """A tree of visits and values for each state, searched side by side."""
        engine = BatchedPUCT(self.game, len(states), self.num_simulations, self._plan)
        engine.start(self.game.stack(states), self.num_simulations)
        while len((leaves := engine.select())[0]):
            engine.update(*self.evaluator.batch(leaves))
        columns = (engine.words, engine.visit_counts, engine.value_sum, engine.child)
        return [
            Tree(self.game, FlatNode(self.game, FlatTree(*arrays), 0))
            for arrays in zip(*columns, strict=True)
        ]

    def _move(self, tree: Tree, state: State, rng: np.random.Generator) -> int:
        if self.game.num_plies(state) >= self.opening_plies:
            return tree.best_action()
        return int(rng.choice(self.game.num_actions, p=tree.policy(self.temperature)))
