"""The replay buffer on a device: it is written and drawn from without anybody knowing how full."""

from typing import Any

import torch
from torch import Tensor

from azlearn.games import RulesGame
from azlearn.learning.replay import ReplayBuffer, Samples, num_words


class Ring:
    """A window over the newest positions, in fixed memory; see ``ReplayBuffer``.

    Args:
        game: gives the number of words and of actions.
        window: how many positions are kept.
        device: where.
        with_ends: see ``ReplayBuffer``.

    Attributes:
        num_added: int64 [], on the device: how many positions were ever added.
    """

    def __init__(
        self,
        game: RulesGame,
        window: int,
        device: str | torch.device,
        with_ends: bool = False,
    ) -> None:
        self.game, self.window, self.device = game, window, torch.device(device)
        self.with_ends = with_ends
        # The last row is a waste bin: what is not to be kept is written there.
        self._store = Samples(
            *(
                torch.zeros(window + 1, *shape, dtype=dtype, device=device)
                for shape, dtype in columns(game, with_ends)
            )
        )
        self.num_added = torch.zeros((), dtype=torch.int64, device=device)

    def __len__(self) -> int:
        """A look at the device."""
        return min(int(self.num_added), self.window)

    @torch.no_grad()
    def write(self, samples: Samples, is_new: Tensor) -> None:
        """Adds those samples for which ``is_new`` [n] is true, in order; the oldest make room.

        No more than ``window`` of them may be new.
        """
        place = (self.num_added + is_new.cumsum(0) - 1) % self.window
        place = torch.where(is_new, place, self.window)
        for stored, new in zip(self._store, samples, strict=True):
            stored[place] = new.to(stored.dtype)
        self.num_added += is_new.sum()

    def draw(self, u: Tensor) -> Samples:
        """The positions that numbers ``u`` [n] in (0, 1) stand for; uniform ones draw uniformly.
        Of an empty ring they are zeros."""
        held = self.num_added.clamp(max=self.window)
        return Samples(*(stored[(u * held).long()] for stored in self._store))

    def state_dict(self) -> dict[str, Any]:
        """As that of a ``ReplayBuffer``: a run may go on with one or the other."""
        held, num_added = len(self), int(self.num_added)
        order = torch.arange(num_added - held, num_added, device=self.device) % self.window
        contents = Samples(*(stored[order].cpu() for stored in self._store))
        return contents._asdict() | {"num_added": num_added}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes the place of the buffer that ``state`` is of, which had the same window.

        Raises:
            ValueError: shapes differ, or a target is no distribution or not in [-1, 1].
        """
        buffer = ReplayBuffer(self.game, self.window, with_ends=self.with_ends)
        buffer.load_state_dict(state)
        for stored, part in zip(self._store, buffer.stored(), strict=True):
            stored[: self.window].copy_(part)
        self.num_added.fill_(state["num_added"])


def columns(game: RulesGame, with_ends: bool = False) -> list[tuple[tuple[int, ...], torch.dtype]]:
    """Shape and dtype of the parts of one sample."""
    return [
        ((num_words(game, with_ends),), torch.int64),
        ((game.num_actions,), torch.float32),
        ((), torch.float32),
    ]
