"""The optimiser of a run, which of the weights decay, and the learning rate."""

from collections.abc import Iterable
from typing import Protocol

import torch
from torch import nn

MOMENTUM = 0.9  # of SGD, as in AlphaGo Zero
OPTIMIZERS = ("adam", "sgd")


def make_optimizer(
    parameters: Iterable[nn.Parameter],
    name: str,
    learning_rate: float,
    weight_decay: float,
    *,
    is_recorded: bool = False,
) -> torch.optim.Optimizer:
    """An optimiser that also shrinks the weights of convolutions and linear layers.

    The decay is decoupled from the loss (Loshchilov, Hutter 2019, AdamW): a step takes
    ``learning_rate * weight_decay`` of each weight away. What has one dimension, biases and batch
    norm's scales and shifts, does not decay.

    Args:
        parameters: of the network.
        name: in ``OPTIMIZERS``.
        weight_decay: 0 = none.
        is_recorded: a step never looks at the device, so that a graph of it can be replayed. The
            learning rates are tensors then, to be filled.
    """
    parameters = list(parameters)
    groups = [
        {"params": [p for p in parameters if p.ndim > 1], "weight_decay": weight_decay},
        {"params": [p for p in parameters if p.ndim == 1], "weight_decay": 0.0},
    ]
    options: dict = {}
    if is_recorded:
        device, options = parameters[0].device, {"fused": True}
        for group in groups:
            group["lr"] = torch.tensor(learning_rate, device=device)
    if name == "sgd":
        return torch.optim.SGD(groups, lr=learning_rate, momentum=MOMENTUM, **options)
    return torch.optim.AdamW(groups, lr=learning_rate, capturable=is_recorded, **options)


class Rates(Protocol):
    """The settings of a learning rate."""

    learning_rate: float
    constant_lr_fraction: float  # of the steps at that rate, then down in a line …
    final_lr_fraction: float  # … to this share of it


def learning_rate(rates: Rates, spent: float) -> float:
    """The learning rate after a share of the steps, ``spent``."""
    if spent <= rates.constant_lr_fraction:
        return rates.learning_rate
    way = (spent - rates.constant_lr_fraction) / (1 - rates.constant_lr_fraction)
    return rates.learning_rate * (1 - way * (1 - rates.final_lr_fraction))
