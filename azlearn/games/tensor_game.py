"""The rules of a game on one device: nothing is sent there after the start."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from azlearn.games.rules_game import RulesGame


class TensorGame:
    """A game whose tables lie on a device: the batch methods of ``RulesGame`` for tensors there.

    ``RulesGame`` makes a tensor of its tables at every call, which a GPU would be waited for. Here
    each table is sent once, so that no method waits for the device or sends it anything.

    Args:
        game: the rules.
        device: where the positions are.
    """

    def __init__(self, game: RulesGame, device: str | torch.device = "cpu") -> None:
        self.game, self.device = game, torch.device(device)
        self.num_actions, self.num_words = game.num_actions, len(game.State._fields)
        self._actions = self._there(np.arange(game.num_actions, dtype=np.int64))
        pairs = game.symmetries(
            np.arange(game.rows * game.cols).reshape(game.rows, game.cols),
            np.arange(game.num_actions),
        )
        self.moved_cells = self._there(np.stack([cells.ravel() for cells, _ in pairs]))
        self.moved_actions = self._there(np.stack([actions for _, actions in pairs]))
        self.num_symmetries = len(pairs)
        words = self.game.State(*(word[:, None, None] for word in self.initial_states(1)))
        self._plane_tables: list[Tensor] = []  # in the order in which the planes ask for them
        game.bit_planes(words, lambda table: self._kept(table, self._plane_tables))
        self._owner_tables: list[Tensor] = []
        if game.has_owners:
            game.bit_owners(words, lambda table: self._kept(table, self._owner_tables))

    def initial_states(self, n: int) -> Any:
        """A ``State`` of int64 [n], all of them the first position."""
        return self.game.State(
            *(torch.full((n,), word, device=self.device) for word in self.game.initial_state())
        )

    def play(self, states, actions: Tensor):
        """The positions after legal ``actions``, int64 [B]; nothing is checked."""
        return self.game.rules.play(states, actions)

    def outcome(self, states) -> tuple[Tensor, Tensor]:
        """``(is_over, value)``: bool [B], int64 [B] for the player to move; 0 if it goes on."""
        return self.game.batch_outcome(states)

    def to_play(self, states) -> Tensor:
        """int64 [B]: 0 where the first player is to move, 1 where the second is."""
        return self.game.batch_to_play(states)

    def legal_mask(self, states, is_over: Tensor | None = None) -> Tensor:
        """bool [B, num_actions], True = legal; a finished game's row is all False.

        Args:
            is_over: bool [B], of ``outcome``, if it is known already.
        """
        rules = self.game.rules
        columns = self.game.State(*(word[:, None] for word in states))
        if is_over is None:
            is_over = self.outcome(states)[0]
        return rules.is_legal(rules.options(columns), self._actions) & ~is_over[:, None]

    def encode(self, states) -> Tensor:
        """float32 [B, num_planes, rows, cols], as ``RulesGame.encode``."""
        tables = iter(self._plane_tables)
        words = self.game.State(*(word[:, None, None] for word in states))
        return torch.stack(self.game.bit_planes(words, lambda _: next(tables)), dim=1).float()

    def owners(self, states) -> Tensor:
        """float32 [B, rows, cols], as ``RulesGame.batch_owners``; for games with ``has_owners``."""
        tables = iter(self._owner_tables)
        words = self.game.State(*(word[:, None, None] for word in states))
        mine, theirs = self.game.bit_owners(words, lambda _: next(tables))
        return (mine - theirs).float()

    def turned(self, planes: Tensor, rows: Tensor, turn: Tensor) -> tuple[Tensor, Tensor]:
        """Each sample in the mirror image of its number.

        Args:
            planes: [B, num_planes, rows, cols].
            rows: [B, ..., num_actions]; they move with the board.
            turn: int64 [B], below ``num_symmetries``; 0 leaves a sample as it is.
        """
        cells, actions = self.moved_cells[turn], self.moved_actions[turn]
        cells = cells[:, None].expand(-1, planes.shape[1], -1)
        between = (1,) * (rows.dim() - 2)
        actions = actions.view(len(rows), *between, -1).expand(rows.shape)
        return planes.flatten(2).gather(2, cells).view_as(planes), rows.gather(-1, actions)

    def _kept(self, table: np.ndarray, tables: list[Tensor]) -> Tensor:
        tables.append(self._there(table))
        return tables[-1]

    def _there(self, table: np.ndarray) -> Tensor:
        # From a list: fake tensors, of a device that is not there, take no arrays.
        return torch.tensor(table.tolist(), dtype=torch.int64, device=self.device)
