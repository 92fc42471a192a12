"""Filters and units that have died: the network is as if smaller.

A filter dies when its weights shrink to nothing, a unit of the value head when it is below zero on
every board: ReLU then passes neither answers nor gradients. A loss can fall and a player grow
stronger all the same, so nothing else tells.
"""

import torch
from torch import Tensor, nn

from azlearn.learning.network import ConvNorm, ResNet

ALIVE = 0.01  # of the largest norm in its layer: a filter below is dead
ENOUGH = 0.9  # of all filters of the network together should live
FEW_ALIVE = (
    "Only {:.0%} of the network's filters are alive: the weights of the others have shrunk to"
    " nothing. A smaller l2 or weight_decay keeps them."
)
ENOUGH_UNITS = 0.25  # of the value head's hidden units
FEW_UNITS = (
    "Only {:.0%} of the value head's hidden units answer to any board: it is as if smaller. A new"
    " run with value_norm=True, a lower learning_rate or another seed keeps more."
)


@torch.no_grad()
def filter_norms(network: nn.Module) -> dict[str, Tensor]:
    """How much each filter counts, by layer, in the order of the network.

    The norm of a filter's weights, with the scale that its batch norm gives it in eval mode: what
    inference computes with. Without that scale a filter could shrink and count no less.

    Returns:
        Name of the layer, such as ``"tower.2.first"``, to float [filters].
    """
    norms = {}
    for name, layer in network.named_modules():
        if isinstance(layer, ConvNorm):
            convolution, norm = layer
            scale = norm.weight / (norm.running_var + norm.eps).sqrt()
            norms[name] = convolution.weight.flatten(1).norm(dim=1) * scale.abs()
    return norms


def living_by_layer(network: nn.Module) -> dict[str, float]:
    """The share of the filters that live, by layer: in [0, 1]."""
    return {
        name: float((norms > ALIVE * norms.max()).float().mean())
        for name, norms in filter_norms(network).items()
    }


def living_share(network: nn.Module) -> float:
    """The share of all filters that live, in [0, 1]."""
    living = [norms > ALIVE * norms.max() for norms in filter_norms(network).values()]
    return float(torch.cat(living).float().mean())


@torch.no_grad()
def living_units(network: ResNet, planes: Tensor) -> float:
    """The share of the value head's hidden units that ReLU lets through on some board, in [0, 1].

    Args:
        planes: float [B, num_planes, rows, cols]; a hundred boards will do.

    Leaves the network in eval mode.
    """
    answers = []
    handle = network.value_norm.register_forward_hook(lambda *call: answers.append(call[2]))
    network.eval()(planes)
    handle.remove()
    return float((answers[0] > 0).any(0).float().mean())
