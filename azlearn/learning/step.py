"""One step of training, the same on the host and on a device."""

from typing import NamedTuple

import torch
from torch import Tensor

from azlearn.games import RulesGame
from azlearn.learning.loss import loss
from azlearn.learning.network import ResNet
from azlearn.learning.ranks import Ranks
from azlearn.learning.settings import TrainSettings


class Batch(NamedTuple):
    """What ``loss`` is worked out from."""

    planes: Tensor  # float [B, num_planes, rows, cols]
    legal_mask: Tensor  # bool [B, num_actions], True = legal
    policy_target: Tensor  # float [B, num_actions], π
    value_target: Tensor  # float [B], z
    owner_target: Tensor | None = None  # float [B, rows, cols], o; None: it is not learnt


def states_of(game: RulesGame, words: Tensor) -> tuple:
    """The positions in the words of samples, and the last ones of their games, None without."""
    width = len(game.State._fields)
    parts = [game.State(*part.unbind(1)) for part in words.split(width, dim=1)]
    return parts[0], parts[1] if len(parts) > 1 else None


def for_mover(owners: Tensor, same: Tensor) -> Tensor:
    """A plane [B, 1, rows, cols] of who owns each point, for the player to move in a sample.

    Args:
        owners: float [B, rows, cols], for the player to move at the end.
        same: bool [B], it is the same one.
    """
    return torch.where(same[:, None, None], owners, -owners)[:, None]


def turned_batch(planes: Tensor, rows: Tensor, value_target: Tensor, num_planes: int) -> Batch:
    """A batch of what was turned together.

    Args:
        planes: float [B, num_planes, rows, cols], or one more, of the owners.
        rows: float [B, 2, num_actions], π and the legal moves.
    """
    policy_target, legal_mask = rows.unbind(1)
    owners = planes[:, num_planes] if planes.shape[1] > num_planes else None
    planes = planes[:, :num_planes].contiguous(memory_format=torch.channels_last)
    return Batch(planes, legal_mask.bool(), policy_target, value_target, owners)


def training_step(
    network: ResNet,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    settings: TrainSettings,
    ranks: Ranks,
) -> Tensor:
    """Loss, gradients averaged over the ranks and limited, and a step of the optimiser.

    Nothing of it waits for the device, so it can be recorded.

    Args:
        batch: of this rank.

    Returns:
        float [4]: value, policy, l2 and owners' loss of the batch.
    """
    dtype = getattr(torch, settings.precision)
    with torch.autocast(batch.planes.device.type, dtype, enabled=dtype != torch.float32):
        owners = batch.owner_target, settings.owner_weight
        parts = loss(network, *batch[:4], settings.l2, *owners)
    optimizer.zero_grad()
    parts.total.backward()
    ranks.average_gradients(network)
    torch.nn.utils.clip_grad_norm_(network.parameters(), settings.gradient_norm)
    optimizer.step()
    return torch.stack(tuple(parts)).detach()
