"""What self-play and players need of a search for many games at once, whatever it runs on."""

from typing import Any, Protocol

import numpy as np

from azlearn.games import RulesGame
from azlearn.search.plans import Edges, Plan


class Engine(Protocol):
    """A search in each of B games, which wait together for their evaluations::

        engine.start(states, num_simulations=64)
        while len((leaves := engine.select())[0]):
            engine.update(*evaluator.batch(leaves))
        moves = [plan.best_action(root) for root in engine.roots(range(num_games))]

    ``BatchedPUCT`` and ``TorchPUCT`` are engines.
    """

    game: RulesGame
    plan: Plan
    num_games: int
    num_cached: int  # evaluations that it has answered itself

    def start(self, states, num_simulations, noise=None, rows=None) -> None:
        """New searches in the games ``rows``, None for all, from ``states`` [n].

        Args:
            num_simulations: a number, or int [n].
            noise: float [n, num_actions], mixed into the roots' priors, or for the plan (see
                ``Plan.mixes_noise``); None for none.
            rows: int [n], of those that are ``idle``. Where the games go in lockstep it is all of
                them.
        """

    def select(self) -> Any:
        """The positions that wait for an evaluation: a state of int64 [n]; n = 0 when all are done.

        Where a game is over among them, its evaluation is not looked at.
        """

    def update(self, prior, value) -> None:
        """The evaluations: [n, num_actions], and [n] for the player to move."""

    @property
    def idle(self) -> np.ndarray:
        """int64 [n], the games whose search is complete, or was never started."""

    def roots(self, rows) -> list[Edges]:
        """The roots of these games, for the plan to make a move of and to learn from."""

    def forget(self) -> None:
        """The evaluator has changed: evaluations that were kept are void."""
