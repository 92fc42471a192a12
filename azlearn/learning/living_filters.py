"""Detects dead filters and units, which make a network effectively smaller.

A filter dies when its weights shrink to nothing. A unit of the value head dies when it is below
zero on every board, because ReLU then passes neither its output nor a gradient. Since the loss can
still fall and the player can still improve, no other number reveals dead ones.
"""

import torch
from torch import Tensor, nn

from azlearn.learning.network import ConvNorm, ResNet

ALIVE = 0.01  # a filter below this fraction of the largest norm in its layer is dead
ENOUGH = 0.9  # the fraction of all filters in the network that should be alive
FEW_ALIVE = (
    "Only {:.0%} of the network's filters are alive: the weights of the others have shrunk to"
    " nothing. A smaller l2 or weight_decay keeps more of them alive."
)
ENOUGH_UNITS = 0.25  # the same for the value head's hidden units
FEW_UNITS = (
    "Only {:.0%} of the value head's hidden units are active on any board, so the head is"
    " effectively smaller. A new run with value_norm=True, a lower learning_rate or another seed"
    " keeps more of them alive."
)


@torch.no_grad()
def filter_norms(network: nn.Module) -> dict[str, Tensor]:
    """Returns the importance of each filter, by layer, in the order of the network.

    Importance is the norm of the filter's weights times the scale of its batch norm in eval mode,
    as in inference. Without the scale, small weights would wrongly suggest a weak filter.

    Returns:
        A dict from a layer's name, such as ``"tower.2.first"``, to float [filters].
    """
    norms = {}
    for name, layer in network.named_modules():
        if isinstance(layer, ConvNorm):
            convolution, norm = layer
            scale = norm.weight / (norm.running_var + norm.eps).sqrt()
            norms[name] = convolution.weight.flatten(1).norm(dim=1) * scale.abs()
    return norms


def living_share(network: nn.Module) -> float:
    """Returns the fraction of all filters that are alive, in [0, 1]."""
    living = [norms > ALIVE * norms.max() for norms in filter_norms(network).values()]
    return float(torch.cat(living).float().mean())


@torch.no_grad()
def living_units(network: ResNet, planes: Tensor) -> float:
    """Returns the fraction, in [0, 1], of the value head's hidden units active on some board.

    Args:
        planes: float [B, num_planes, rows, cols]; a hundred boards are enough.

    Leaves the network in eval mode.
    """
    answers = []
    handle = network.value_norm.register_forward_hook(lambda *call: answers.append(call[2]))
    network.eval()(planes)
    handle.remove()
    return float((answers[0] > 0).any(0).float().mean())
