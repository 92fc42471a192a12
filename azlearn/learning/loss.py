"""The loss of AlphaGo Zero: ``(z - v)² - π · log p + c‖θ‖²`` (Silver et al. 2017, equation 1).

An optional part covers the ownership of each point at the end, as in KataGo.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Loss(NamedTuple):
    """The parts of the loss, each a scalar; training minimizes ``total``."""

    value: Tensor  # (z - v)², mean over the batch
    policy: Tensor  # -π · log p, mean over the batch; its floor is the entropy of π
    l2: Tensor  # c‖θ‖²
    owners: Tensor | float = 0.0  # weighted (o - ô)², mean over the points of the batch

    @property
    def total(self) -> Tensor:
        """The sum of all parts, a scalar []."""
        return self.value + self.policy + self.l2 + self.owners


class Batch(NamedTuple):
    """The inputs of ``loss``."""

    planes: Tensor  # float [B, num_planes, rows, cols]
    legal_mask: Tensor  # bool [B, num_actions], True = legal
    policy_target: Tensor  # float [B, num_actions], π
    value_target: Tensor  # float [B], z
    owner_target: Tensor | None = None  # float [B, rows, cols], o; None: owners are not trained


def augmented_batch(planes: Tensor, rows: Tensor, value_target: Tensor, num_planes: int) -> Batch:
    """Makes a batch from planes and rows that were transformed together.

    Args:
        planes: float [B, num_planes, rows, cols], or with one more plane, of the owners.
        rows: float [B, 2, num_actions], π and the legal moves.
    """
    policy_target, legal_mask = rows.unbind(1)
    owners = planes[:, num_planes] if planes.shape[1] > num_planes else None
    planes = planes[:, :num_planes].contiguous(memory_format=torch.channels_last)
    return Batch(planes, legal_mask.bool(), policy_target, value_target, owners)


def masked_log_softmax(logits: Tensor, legal_mask: Tensor) -> Tensor:
    """Returns log p over the legal moves: float [B, num_actions], -inf on illegal ones.

    Illegal logits are masked *before* the softmax, so that the legal p sum to 1.

    Args:
        logits: float [B, num_actions].
        legal_mask: bool [B, num_actions], True = legal; at least one per row.
    """
    return logits.masked_fill(~legal_mask, -float("inf")).log_softmax(1)


def loss(
    network: nn.Module,
    planes: Tensor,
    legal_mask: Tensor,
    policy_target: Tensor,
    value_target: Tensor,
    l2: float = 1e-4,
    owner_target: Tensor | None = None,
    ownership_weight: float = 0.0,
) -> Loss:
    """Returns the loss of one batch.

    Args:
        planes: float [B, num_planes, rows, cols].
        legal_mask: bool [B, num_actions].
        policy_target: float [B, num_actions], π: 0 on illegal moves, sum 1.
        value_target: float [B], z: in [-1, 1], for the player to move.
        l2: c; 1e-4 in the paper.
        owner_target: float [B, rows, cols], o: +1 where the player to move owns the point at the
            end of the game, -1 where the opponent does, else 0. None: this part is left out.
        ownership_weight: weight of this part; KataGo (Wu 2019, section 4.1): 1.5 (cross-entropy).
    """
    if owner_target is None:
        logits, value = network(planes)
        owners = value.new_zeros(())
    else:
        logits, value, found = network.with_owners(planes)
        owners = ownership_weight * (owner_target - found.float()).square().mean()
    log_p = masked_log_softmax(logits.float(), legal_mask).masked_fill(~legal_mask, 0.0)
    return Loss(
        value=(value_target - value.float()).square().mean(),
        policy=-(policy_target * log_p).sum(1).mean(),
        l2=l2 * sum(x.square().sum() for x in network.parameters()) if l2 else value.new_zeros(()),
        owners=owners,
    )
