"""Players: anything with a ``name`` and ``choose(state, rng)`` can sit at a board."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from azlearn.games import Game, State, minimax_actions, minimax_value
from azlearn.search import MCTS, Tree, check_budget, compiled_uct, random_rollout, uct

UCT_C = 2 * 2**0.5  # sqrt(2) for values in [0, 1] (Kocsis and Szepesvári 2006), doubled for [-1, 1]


class Player(Protocol):
    """Chooses moves."""

    name: str

    def choose(self, state: State, rng: np.random.Generator) -> int:
        """A legal action. ValueError if the game is over."""


@dataclass
class RandomPlayer:
    """Plays uniformly among the legal moves: the bottom rung."""

    game: Game
    name: str = "random"

    def choose(self, state: State, rng: np.random.Generator) -> int:
        legal = self.game.legal_actions(state)
        if not legal:
            raise ValueError("The game is over: there is no move to choose.")
        return int(rng.choice(legal))


@dataclass
class MinimaxPlayer:
    """Plays perfectly, any of the moves that keep the value; for games as small as tic-tac-toe."""

    game: Game
    name: str = "minimax"

    def __post_init__(self) -> None:
        self._known: dict[State, int] = {}

    def choose(self, state: State, rng: np.random.Generator) -> int:
        actions = minimax_actions(self.game, state, self._known)
        if not actions:
            raise ValueError("The game is over: there is no move to choose.")
        return int(rng.choice(actions))

    def exact_value(self, state: State) -> int:
        """The value of ``state`` under perfect play, for the player to move."""
        return minimax_value(self.game, state, self._known)


@dataclass
class UCTPlayer:
    """The readable UCT: most visited move after a number of simulations.

    Args:
        stop: as in ``MCTS.run``; the move is then chosen from the tree so far.
    """

    game: Game
    num_simulations: int = 200
    c: float = UCT_C
    stop: Callable[[Tree, int], bool] | None = None

    def __post_init__(self) -> None:
        check_budget(self.num_simulations, self.c)
        self.last_tree: Tree | None = None  # what it was thinking
        self._mcts = MCTS(self.game, uct(self.c), random_rollout())

    @property
    def name(self) -> str:
        return f"UCT {self.num_simulations:,}"

    def choose(self, state: State, rng: np.random.Generator) -> int:
        self.last_tree = self._mcts.run(state, self.num_simulations, rng, stop=self.stop)
        return self.last_tree.best_action()


@dataclass
class CompiledUCTPlayer:
    """The compiled UCT, for many thousands of simulations a move."""

    game: Game
    num_simulations: int = 20_000
    c: float = UCT_C

    def __post_init__(self) -> None:
        check_budget(self.num_simulations, self.c)
        self.last_tree: Tree | None = None

    @property
    def name(self) -> str:
        return f"compiled UCT {self.num_simulations:,}"

    def choose(self, state: State, rng: np.random.Generator) -> int:
        self.last_tree = compiled_uct(self.game, state, self.num_simulations, self.c, rng)
        return self.last_tree.best_action()
