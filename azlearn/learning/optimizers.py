"""The optimizer of a run, its weight decay and its learning rate."""

from collections.abc import Iterable
from typing import Protocol

import torch
from torch import nn

MOMENTUM = 0.9  # for SGD, as in AlphaGo Zero
OPTIMIZERS = ("adam", "sgd")


def make_optimizer(
    parameters: Iterable[nn.Parameter],
    name: str,
    learning_rate: float,
    weight_decay: float,
    *,
    is_recorded: bool = False,
) -> torch.optim.Optimizer:
    """Returns an optimizer that also shrinks the weights of convolutions and linear layers.

    With Adam the decay is decoupled from the loss (Loshchilov and Hutter 2019, AdamW): each step
    subtracts ``learning_rate * weight_decay`` times the weight. Parameters of one dimension, which
    are biases and the scales and shifts of batch norms, do not decay.

    Args:
        parameters: the network's parameters.
        name: one of ``OPTIMIZERS``.
        weight_decay: 0 = none.
        is_recorded: let a step read nothing from the device, so that it can be replayed as a graph.
            The learning rates are then tensors, to be updated in place.
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
    constant_lr_fraction: float  # fraction of the run before the rate decays linearly …
    final_lr_fraction: float  # … to this fraction of learning_rate


def learning_rate(rates: Rates, spent: float) -> float:
    """Returns the learning rate after ``spent``, a fraction of the run."""
    if spent <= rates.constant_lr_fraction:
        return rates.learning_rate
    way = (spent - rates.constant_lr_fraction) / (1 - rates.constant_lr_fraction)
    return rates.learning_rate * (1 - way * (1 - rates.final_lr_fraction))
