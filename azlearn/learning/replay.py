"""The positions of the latest games, from which the network learns."""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from azlearn.games import RulesGame
from azlearn.search.engine.columns import new_table, ring_columns


class Samples(NamedTuple):
    """Positions and what a search and the end of the game said about them."""

    words: Tensor  # int64 [n, W], the states, a word for each field; [n, 2W] with their ends
    policy_target: Tensor  # float32 [n, num_actions], π: 0 on illegal moves, sum 1
    value_target: Tensor  # float32 [n], z: in [-1, 1], for the player to move


def zeros_on(device: str | torch.device):
    """What ``new_table`` makes columns with: a shape and a dtype of NumPy to a tensor there."""

    def zeros(shape, dtype) -> Tensor:
        like = torch.from_numpy(np.zeros(0, dtype)).dtype
        return torch.zeros(shape, dtype=like, device=device)

    return zeros


class ReplayBuffer:
    """A window over the newest positions; it grows up to its size, then slides.

    AlphaGo Zero drew uniformly from the positions of its last 500,000 games (Silver et al. 2017,
    Methods, "Optimisation"). Here positions are counted.

    Args:
        game: gives the number of words and of actions.
        window: how many positions are kept.
        device: where they are kept, and samples of them given.
        with_ends: after the words of a position stand those of its game's last one.

    Attributes:
        num_added: how many positions were ever added.

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
        """Adds positions, in order; the oldest make room. Fields may be NumPy arrays, too.

        Raises:
            ValueError: shapes differ, or a target is no distribution or not in [-1, 1].
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
        """``n`` positions drawn uniformly, with replacement.

        Raises:
            ValueError: the buffer is empty.
        """
        return self.at(torch.from_numpy(self.draw(n, rng)).to(self.device))

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """int64 [n], row numbers for ``at``, drawn uniformly with replacement.

        Raises:
            ValueError: the buffer is empty.
        """
        if not len(self):
            raise ValueError("The replay buffer is empty: play some games first.")
        return rng.integers(len(self), size=n)

    def at(self, rows: Tensor) -> Samples:
        """The positions in some rows of the memory, int64 [n] on ``device``."""
        return Samples(*(stored[rows] for stored in self._store))

    def latest(self, n: int) -> Samples:
        """The last ``n`` positions added, as far as they are held, the oldest first."""
        order = self._places(self.num_added - min(n, self.window), self.num_added)
        return Samples(*(stored[order] for stored in self._store))

    def contents(self) -> Samples:
        """All positions held, the oldest first."""
        return self.latest(len(self))

    def stored(self) -> Samples:
        """The whole memory, [window, …]: position number ``i`` stands in row ``i % window``."""
        return self._store

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps: the positions held, and ``num_added``."""
        return self.contents()._asdict() | {"num_added": self.num_added}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes the place of the buffer that ``state`` is of, which had the same window."""
        samples = Samples(*(state[name] for name in Samples._fields))
        # The oldest position goes where it was, so that drawing by index meets the same positions.
        self.num_added = state["num_added"] - len(samples.words)
        self.add(samples)

    def _places(self, start: int, stop: int) -> Tensor:
        """Where the positions number ``start`` to ``stop - 1`` stand: int64."""
        return torch.arange(start, stop, device=self.device) % self.window
