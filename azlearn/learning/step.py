"""One step of training, the same on the host and on a device."""

import torch
from torch import Tensor

from azlearn.learning.loss import loss
from azlearn.learning.network import ResNet
from azlearn.learning.ranks import Ranks
from azlearn.learning.settings import TrainSettings


def training_step(
    network: ResNet,
    optimizer: torch.optim.Optimizer,
    batch: tuple[Tensor, Tensor, Tensor, Tensor],
    settings: TrainSettings,
    ranks: Ranks,
) -> Tensor:
    """Loss, gradients averaged over the ranks and limited, and a step of the optimiser.

    Nothing of it waits for the device, so it can be recorded.

    Args:
        batch: ``(planes, legal_mask, policy_target, value_target)``, as ``loss`` takes them.

    Returns:
        float [3]: value, policy and l2 loss of the batch.
    """
    dtype = getattr(torch, settings.precision)
    with torch.autocast(batch[0].device.type, dtype, enabled=dtype != torch.float32):
        parts = loss(network, *batch, settings.l2)
    optimizer.zero_grad()
    parts.total.backward()
    ranks.average_gradients(network)
    torch.nn.utils.clip_grad_norm_(network.parameters(), settings.gradient_norm)
    optimizer.step()
    return torch.stack(tuple(parts)).detach()
