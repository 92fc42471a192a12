"""Boards of bits as planes of numbers, for networks and pictures."""

from functools import cache, cached_property
from types import ModuleType
from typing import ClassVar

import numpy as np

from azlearn.games.game import check_state


class BitBoards:
    """What ``RulesGame`` shows cell by cell: planes, and whose the cells are."""

    num_planes: ClassVar[int] = 2
    has_owners: ClassVar[bool] = False

    rules: ModuleType
    rows: int
    cols: int
    State: type

    def encode(self, state) -> np.ndarray:
        """float32 [num_planes, rows, cols], row 0 at the top, for the player to move."""
        check_state(self, state)
        words = np.array(state, np.int64)[:, None, None]
        return np.array(self.bit_planes(self.State(*words), np.asarray), np.float32)

    def batch_encode(self, states):
        """float32 [B, num_planes, rows, cols], as ``encode``."""
        words = self.State(*(word[:, None, None] for word in states))
        planes = self.bit_planes(words, lambda table: alike(table, states[0]))
        if isinstance(states[0], np.ndarray):
            return np.stack(planes, axis=1).astype(np.float32)
        import torch  # a tensor came in, so torch is loaded already

        return torch.stack(planes, dim=1).to(torch.float32)

    def batch_owners(self, states):
        """float32 [B, rows, cols], whose the cells are if the game ends here: +1 where the player's
        to move, -1 where the other's, 0 where nobody's. For games with ``has_owners``."""
        words = self.State(*(word[:, None, None] for word in states))
        mine, theirs = self.bit_owners(words, lambda table: alike(table, states[0]))
        owners = mine - theirs
        return owners.astype(np.float32) if isinstance(owners, np.ndarray) else owners.float()

    # What a game gives.

    @cached_property
    def cell_bits(self) -> np.ndarray:
        """int64 [rows, cols], the bit of every cell; here the rules' ``cell_bit``."""
        return self.rules.cell_bit(*np.indices((self.rows, self.cols), dtype=np.int64))

    def plane_boards(self, state) -> tuple:
        """A word for every plane, whose bits say 1 or 0 of every cell: the mover's stones first."""
        return state.me, state.opp

    def bit_planes(self, state, like) -> list:
        """0 or 1 for every plane and cell.

        Args:
            state: words that broadcast with a table [rows, cols], arrays or tensors.
            like: makes such a table of an int64 array.
        """
        return self.bits_of(self.plane_boards(state), like)

    def owner_boards(self, state) -> tuple:
        """``(mine, theirs)``, boards as in ``plane_boards``: whose a cell is if play ends here."""
        raise NotImplementedError

    def bit_owners(self, state, like) -> list:
        """``[mine, theirs]``, 0 or 1 for every cell; the arguments are those of ``bit_planes``."""
        return self.bits_of(self.owner_boards(state), like)

    def bits_of(self, boards, like) -> list:
        """0 or 1 for every board and cell."""
        bits = like(self.cell_bits)
        return [(board >> bits) & 1 for board in boards]

    @cached_property
    def all_cells(self) -> int:
        """The bits of every cell."""
        return sum(1 << int(bit) for bit in self.cell_bits.ravel())


def alike(table: np.ndarray, array):
    """An int64 ``table`` as the same kind of array as ``array``, on its device: sent there once."""
    if isinstance(array, np.ndarray):
        return table
    return _on_device(table.astype(np.int64).tobytes(), table.shape, array.device)


@cache
def _on_device(table: bytes, shape: tuple[int, ...], device):
    """Kept for good: a recorded GPU program goes on reading it where it lies."""
    import torch  # a tensor came in, so torch is loaded already

    with torch.inference_mode(False):  # else gradients could not be taken through what it indexes
        return torch.tensor(np.frombuffer(table, np.int64).reshape(shape), device=device)
