"""Players: anything with a ``name`` and ``choose(state, rng)`` can play."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from azlearn.games import Game, State, minimax_actions, minimax_value
from azlearn.games.line_game import LineGame
from azlearn.games.solver import move_scores, optimal_actions
from azlearn.search import (
    MCTS,
    CompiledRollout,
    Tree,
    check_budget,
    compiled_uct,
    random_rollout,
    uct,
)

UCT_C = 2 * 2**0.5  # UCB1's sqrt(2) for values in [0, 1] (Auer et al. 2002), doubled for [-1, 1]


class Player(Protocol):
    """Chooses moves.

    If a player is faster with many positions at once, it may also have ``choose_batch(states,
    rngs)``. This takes lists of states and generators, and returns a list of the same actions that
    ``choose`` would return.
    """

    game: Game
    name: str

    def choose(self, state: State, rng: np.random.Generator) -> int:
        """Returns a legal action; raises ValueError if the game is over, Forfeit to give up."""


def choose_all(
    player: Player, states: Sequence[State], rngs: Sequence[np.random.Generator]
) -> list[int]:
    """Returns the player's action in each position, all chosen at once if the player can.

    Raises:
        ValueError: the player did not return one action per position.
    """
    if not hasattr(player, "choose_batch"):
        return [player.choose(state, rng) for state, rng in zip(states, rngs, strict=True)]
    actions = player.choose_batch(states, rngs)
    if len(actions) != len(states):
        raise ValueError(f"{player.name} chose {len(actions)} actions in {len(states)} positions.")
    return actions


@dataclass
class RandomPlayer:
    """Plays a uniformly random legal move: the weakest player there is."""

    game: Game
    name: str = "random"

    def choose(self, state: State, rng: np.random.Generator) -> int:
        return _any_of(self.game.legal_actions(state), rng)


@dataclass
class TacticalPlayer:
    """Looks one move ahead: wins if it can, else blocks an immediate win, else plays at random."""

    game: Game
    name: str = "tactical"

    def __post_init__(self) -> None:
        if not isinstance(self.game, LineGame):
            raise ValueError(
                "The tactical player supports only line games such as Connect Four, not"
                f" {self.game.name}."
            )

    def choose(self, state: State, rng: np.random.Generator) -> int:
        legal = self.game.legal_actions(state)
        theirs = state._replace(me=state.opp, opp=state.me)  # as if the opponent were to move
        wins = legal and (self._wins(state) or self._wins(theirs))
        return _any_of(wins or legal, rng)

    def _wins(self, state: State) -> list[int]:
        actions = self.game.legal_actions(state)
        return [a for a in actions if self.game.outcome(self.game.next_state(state, a)) == -1]


@dataclass
class MinimaxPlayer:
    """Plays a random move among those that preserve the value, in games as small as tic-tac-toe."""

    game: Game
    name: str = "minimax"

    def __post_init__(self) -> None:
        self._known: dict[State, int] = {}

    def choose(self, state: State, rng: np.random.Generator) -> int:
        return _any_of(minimax_actions(self.game, state, self._known), rng)

    def exact_value(self, state: State) -> int:
        """The value of ``state`` under perfect play, for the player to move."""
        return minimax_value(self.game, state, self._known)


@dataclass
class SolverPlayer:
    """Plays a random move among those that win soonest, or else draw, or else lose latest.

    In Connect Four it needs the optional solver ``bitbully``, else it raises ``SolverMissing``.
    """

    game: Game
    name: str = "solver"

    def choose(self, state: State, rng: np.random.Generator) -> int:
        return _any_of(optimal_actions(self.game, state), rng)

    def exact_value(self, state: State) -> int:
        """The value of ``state`` under perfect play, for the player to move."""
        outcome = self.game.outcome(state)
        if outcome is not None:
            return outcome
        best = max(score for score in move_scores(self.game, state) if score is not None)
        return (best > 0) - (best < 0)


@dataclass
class UCTPlayer:
    """The readable UCT: plays the most visited move after a number of simulations.

    Args:
        stop: as in ``MCTS.run``; the move is then chosen from the tree so far.
    """

    game: Game
    num_simulations: int = 200
    c: float = UCT_C
    stop: Callable[[Tree, int], bool] | None = None

    def __post_init__(self) -> None:
        check_budget(self.num_simulations, self.c)
        self.last_tree: Tree | None = None  # its last search
        self._mcts = MCTS(self.game, uct(self.c), random_rollout())

    @property
    def name(self) -> str:
        return f"UCT {self.num_simulations:,}"

    def choose(self, state: State, rng: np.random.Generator) -> int:
        self.last_tree = self._mcts.run(state, self.num_simulations, rng, stop=self.stop)
        return self.last_tree.best_action()


@dataclass
class CompiledUCTPlayer:
    """The compiled UCT, for many thousands of simulations per move.

    Args:
        evaluator: as in ``compiled_uct``: ``"rollout"`` for uniformly random games, or a policy
            that plays them, such as one made by ``compiled_patterns``.
        label: the start of the name.
        stop: as in ``compiled_uct``; the move is then chosen from the tree so far.
    """

    game: Game
    num_simulations: int = 20_000
    c: float = UCT_C
    evaluator: str | CompiledRollout = "rollout"
    label: str = "compiled UCT"
    stop: Callable[[Tree, int], bool] | None = None

    def __post_init__(self) -> None:
        check_budget(self.num_simulations, self.c)
        self.last_tree: Tree | None = None

    @property
    def name(self) -> str:
        return f"{self.label} {self.num_simulations:,}"

    def choose(self, state: State, rng: np.random.Generator) -> int:
        self.last_tree = compiled_uct(
            self.game, state, self.num_simulations, self.c, rng, self.evaluator, self.stop
        )
        return self.last_tree.best_action()


def _any_of(actions: list[int], rng: np.random.Generator) -> int:
    if not actions:
        raise ValueError("The game is over: there is no move to choose.")
    return int(rng.choice(actions))
