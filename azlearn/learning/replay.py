"""The replay buffer: positions of the latest games, on which the network is trained."""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from azlearn.games import RulesGame
from azlearn.search.engine.columns import new_table, ring_columns


class Samples(NamedTuple):
    """Positions, with targets from a search and from the end of their game."""

    words: Tensor  # int64 [n, W], states, one word per field; [n, 2W] with their game's last state
    policy_target: Tensor  # float32 [n, num_actions], π: 0 on illegal moves, sum 1
    value_target: Tensor  # float32 [n], z: in [-1, 1], for the player to move


def zeros_on(device: str | torch.device):
    """Returns a function that makes zeros on ``device`` from a shape and a NumPy dtype."""

    def zeros(shape, dtype) -> Tensor:
        like = torch.from_numpy(np.zeros(0, dtype)).dtype
        return torch.zeros(shape, dtype=like, device=device)

    return zeros


class ReplayBuffer:
    """A window over the newest positions; it grows up to its size, then slides.

    AlphaGo Zero sampled uniformly from the positions of its last 500,000 games (Silver et al. 2017,
    Methods, "Optimisation"). Here the window counts positions, not games.

    Args:
        game: determines the number of words and of actions.
        window: how many positions are stored.
        device: where positions are stored and samples are returned.
        with_ends: store the words of the game's last position after those of each position.

    Attributes:
        num_added: the total number of positions added so far. If a run resumes with another number
            of ranks, the count starts again with the positions that this rank receives.

    Raises:
        ValueError: ``window`` is below 1.
    """

    def __init__(
        self, game: RulesGame, window: int, device: str = "cpu", with_ends: bool = False
    ) -> None:
        if window < 1:
            raise ValueError(f"window must be at least 1, not {window}.")
        self.game, self.window, self.num_added = game, window, 0
        self.device = torch.device(device)
        columns = ring_columns(game, with_ends)
        self._store = new_table(Samples, columns, window, zeros_on(device))

    def __len__(self) -> int:
        return min(self.num_added, self.window)

    def add(self, samples: Samples) -> None:
        """Adds positions in order, overwriting the oldest. Fields may also be NumPy arrays.

        Raises:
            ValueError: shapes differ, a policy is not a distribution, or a value not in [-1, 1].
        """
        samples = Samples(*(torch.as_tensor(field, device=self.device) for field in samples))
        n = len(samples.words)
        for name, stored, new in zip(Samples._fields, self._store, samples, strict=True):
            if new.shape != (n, *stored.shape[1:]):
                raise ValueError(
                    f"{name} must be {[n, *stored.shape[1:]]}, not {tuple(new.shape)}."
                )
        sums_to_one = (samples.policy_target.sum(1) - 1).abs() < 1e-3
        if not (sums_to_one & (samples.policy_target >= 0).all(1)).all():
            raise ValueError("Every policy_target must be 0 or more and sum to 1.")
        if not (samples.value_target.abs() <= 1).all():
            raise ValueError("Every value_target must be in [-1, 1].")
        at = self._places(self.num_added + n - min(n, self.window), self.num_added + n)
        for stored, new in zip(self._store, samples, strict=True):
            stored[at] = new[-self.window :].to(stored.dtype)
        self.num_added += n

    def sample(self, n: int, rng: np.random.Generator) -> Samples:
        """Returns ``n`` positions, sampled uniformly with replacement.

        Raises:
            ValueError: the buffer is empty.
        """
        return self.at(torch.from_numpy(self.draw(n, rng)).to(self.device))

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Returns row numbers for ``at``, int64 [n], sampled uniformly with replacement.

        Raises:
            ValueError: the buffer is empty.
        """
        if not len(self):
            raise ValueError("The replay buffer is empty: play some games first.")
        return rng.integers(len(self), size=n)

    def at(self, rows: Tensor) -> Samples:
        """Returns the positions in these rows of the storage, int64 [n] on ``device``."""
        return Samples(*(stored[rows] for stored in self._store))

    def latest(self, n: int) -> Samples:
        """Returns the last ``n`` positions added, or as many as are stored, the oldest first."""
        order = self._places(self.num_added - min(n, len(self)), self.num_added)
        return Samples(*(stored[order] for stored in self._store))

    def contents(self) -> Samples:
        """Returns all stored positions, the oldest first."""
        return self.latest(len(self))

    def stored(self) -> Samples:
        """Returns the storage, [window, …]; position number ``i`` is in row ``i % window``."""
        return self._store

    def state_dict(self) -> dict[str, Any]:
        """Returns the data that a checkpoint stores: the positions and ``num_added``."""
        return self.contents()._asdict() | {"num_added": self.num_added}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores the state of a buffer with the same window.

        Raises:
            ValueError: the number of positions does not match ``num_added`` and the window.
        """
        samples = Samples(*(state[name] for name in Samples._fields))
        n, expected = len(samples.words), min(state["num_added"], self.window)
        if n != expected:
            raise ValueError(
                f"After {state['num_added']:,} positions, a replay buffer with a window of"
                f" {self.window:,} has {expected:,}, not {n:,}: load the state into a buffer with"
                " the window that it was saved with."
            )
        # The oldest position returns to its row, so an index still refers to the same position.
        self.num_added = state["num_added"] - n
        self.add(samples)

    def _places(self, start: int, stop: int) -> Tensor:
        """Returns the rows of positions number ``start`` to ``stop - 1``, int64."""
        return torch.arange(start, stop, device=self.device) % self.window
