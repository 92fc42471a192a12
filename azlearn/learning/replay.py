"""The positions of the latest games, from which the network learns."""

from typing import NamedTuple

import numpy as np

from azlearn.games import RulesGame


class Samples(NamedTuple):
    """Positions and what a search and the end of the game said about them."""

    words: np.ndarray  # int64 [n, W], the states, a word for each field
    policy_target: np.ndarray  # float32 [n, num_actions], π: 0 on illegal moves, sum 1
    value_target: np.ndarray  # float32 [n], z: in [-1, 1], for the player to move


class ReplayBuffer:
    """A window over the newest positions; it grows up to its size, then slides.

    AlphaGo Zero drew uniformly from the positions of its last 500,000 games (Silver et al. 2017,
    Methods, "Optimisation"). Here positions are counted.

    Args:
        game: gives the number of words and of actions.
        window: how many positions are kept.

    Attributes:
        num_added: how many positions were ever added.
    """

    def __init__(self, game: RulesGame, window: int) -> None:
        if window < 1:
            raise ValueError(f"window must be at least 1, not {window}.")
        self.window, self.num_added = window, 0
        self._store = Samples(
            np.zeros((window, len(game.State._fields)), np.int64),
            np.zeros((window, game.num_actions), np.float32),
            np.zeros(window, np.float32),
        )

    def __len__(self) -> int:
        return min(self.num_added, self.window)

    def add(self, samples: Samples) -> None:
        """Adds positions, in order; the oldest make room.

        Raises:
            ValueError: shapes differ, or a target is no distribution or not in [-1, 1].
        """
        n = len(samples.words)
        for name, stored, new in zip(Samples._fields, self._store, samples, strict=True):
            if np.shape(new) != (n, *stored.shape[1:]):
                raise ValueError(f"{name} must be {[n, *stored.shape[1:]]}, not {np.shape(new)}.")
        sums_to_one = np.abs(samples.policy_target.sum(1) - 1) < 1e-3
        if not (sums_to_one & (samples.policy_target >= 0).all(1)).all():
            raise ValueError("Every policy_target must be 0 or more and sum to 1.")
        if not (np.abs(samples.value_target) <= 1).all():
            raise ValueError("Every value_target must be in [-1, 1].")
        at = (self.num_added + np.arange(n))[-self.window :] % self.window
        for stored, new in zip(self._store, samples, strict=True):
            stored[at] = new[-self.window :]
        self.num_added += n

    def sample(self, n: int, rng: np.random.Generator) -> Samples:
        """``n`` positions drawn uniformly, with replacement.

        Raises:
            ValueError: the buffer is empty.
        """
        if not len(self):
            raise ValueError("The replay buffer is empty: play some games first.")
        chosen = rng.integers(len(self), size=n)
        return Samples(*(stored[chosen] for stored in self._store))

    def contents(self) -> Samples:
        """All positions held, the oldest first."""
        order = np.arange(self.num_added - len(self), self.num_added) % self.window
        return Samples(*(stored[order] for stored in self._store))
