"""A network for a page without Python: what ``static/network.js`` computes its answers from."""

import base64
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from azlearn.games import Game
from azlearn.learning import NetworkEvaluator, ResNet, resolve_evaluator

_TOGETHER = 8  # outputs that static/product.js computes at once; their weights lie side by side


def network_spec(game: Game, given: Any) -> dict[str, Any]:
    """A network as JSON: its sizes, and its weights as float16 in base64.

    Batch norms are folded away. The weights are those of the layers in the order in which they are
    computed, each layer's weights before its biases, and within a layer in the order in which
    ``static/network.js`` reads them. The head for owners is left out.

    Args:
        game: the game it plays.
        given: a network, in any form that ``learning.resolve_evaluator`` takes. The page asks it
            about positions as they are, whatever its ``symmetry``.

    Returns:
        ``num_planes``, ``rows``, ``cols``, ``num_actions``, ``channels``, ``blocks``,
        ``policy_filters``, ``value_filters``, ``value_hidden``, ``value_norm`` and ``weights``.
        ``channels`` is rounded up to a multiple of 8.

    Raises:
        ValueError: this is not a network of azlearn, or one for another game; a weight is not a
            number or too large for float16.
        FileNotFoundError, CorruptFileError: as ``load_network``.
    """
    evaluator = resolve_evaluator(given, game)
    network = getattr(evaluator, "network", None)
    if not (isinstance(evaluator, NetworkEvaluator) and isinstance(network, ResNet)):
        raise ValueError(f"Only networks of azlearn run in a page, not {given!r:.80}.")
    numbers = torch.cat([x.float().cpu().flatten() for x in _weights(network)])
    halves = numbers.numpy().astype("<f2")
    if not np.isfinite(halves).all():
        raise ValueError(
            "A weight of this network is not a number or too large for float16: the weights are"
            " damaged or diverged."
        )
    num_planes, rows, cols = network.planes_shape
    size = network.size
    return {
        "num_planes": num_planes,
        "rows": rows,
        "cols": cols,
        "num_actions": network.policy.out_features,
        "channels": size["channels"] + -size["channels"] % _TOGETHER,
        "blocks": size["blocks"],
        "policy_filters": size["policy_filters"],
        "value_filters": size["value_filters"],
        "value_hidden": size["value_hidden"],
        "value_norm": size["value_norm"],
        "weights": base64.b64encode(halves.tobytes()).decode(),
    }


def _weights(network: ResNet) -> list[Tensor]:
    """The weights of a folded network in the page's order."""
    stem = network.stem[0]
    kernels, bias = _padded(stem.weight, 0), _padded(stem.bias, 0)
    weights = [kernels.permute(1, 2, 3, 0), bias]  # [num_planes, y, x, channels]
    for block in network.tower:
        for convolution in (block.first[0], block.second[0]):
            weights += _convolution(convolution.weight, convolution.bias)
    heads = network.policy_conv[0], network.value_conv[0]
    weights += _convolution(*(torch.cat(parts) for parts in zip(*map(_both, heads), strict=True)))
    cells = network.planes_shape[1] * network.planes_shape[2]
    for layer in (network.policy, network.value_hidden):
        by_filter = layer.weight.unflatten(1, (-1, cells))  # [outputs, filters, cells]
        weights += [by_filter.permute(2, 1, 0), layer.bias]
    if isinstance(network.value_norm, nn.LayerNorm):
        weights += [network.value_norm.weight, network.value_norm.bias]
    return [*weights, network.value.weight, network.value.bias]


def _both(layer: nn.Conv2d) -> tuple[Tensor, Tensor]:
    return layer.weight, layer.bias


def _convolution(weight: Tensor, bias: Tensor) -> list[Tensor]:
    """Weights [outputs / 8, y, x, inputs, 8], and biases; as many zeros as are missing."""
    eights = _padded(_padded(weight, 0), 1).unflatten(0, (-1, _TOGETHER))
    return [eights.permute(0, 3, 4, 2, 1), _padded(bias, 0)]


def _padded(x: Tensor, dim: int) -> Tensor:
    """Zeros at its end in one dimension, up to a multiple of 8."""
    shape = list(x.shape)
    shape[dim] = -shape[dim] % _TOGETHER
    return torch.cat([x, x.new_zeros(shape)], dim)
