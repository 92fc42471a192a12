"""A network as JSON, from which ``static/network.js`` computes its outputs without Python."""

import base64
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from azlearn.games import Game
from azlearn.learning import (
    NetworkEvaluator,
    ResNet,
    load_network,
    resolve_evaluator,
    shipped_networks,
)
from azlearn.learning.denormals import SMALLEST

_TOGETHER = 8  # outputs that static/product.js computes at once, from adjacent weights
_LARGEST = 32767  # of a 16-bit integer


def network_spec(game: Game, given: Any) -> dict[str, Any]:
    """A network as JSON: its sizes and its weights.

    Batch norms are folded into the weights, and the ownership head is left out. A layer's weights
    are 16-bit integers, its scales and biases float32:
    ``output[o] = scale[o] * Σ input * weight + bias[o]``. Every output uses all of the 16 bits, so
    results come ten times closer to PyTorch's than with float16 weights of the same size.

    Args:
        game: the game it plays.
        given: a network, in any form that ``learning.resolve_evaluator`` takes. The page evaluates
            each position as it is, whatever the evaluator's ``symmetry``.

    Returns:
        ``num_planes``, ``rows``, ``cols``, ``num_actions``, ``channels`` (rounded up to a multiple
        of 8), ``blocks``, ``policy_filters``, ``value_filters``, ``value_hidden``, ``value_norm``;
        ``integers``, the weights of all layers, and ``fractions``, their scales and biases, both
        little-endian in base64, in the order in which ``static/network.js`` reads them.

    Raises:
        ValueError: this is not an azlearn network, it is for another game, or a weight is not a
            finite number.
        FileNotFoundError, CorruptFileError: as ``load_network``.
    """
    evaluator = resolve_evaluator(given, game)
    if not isinstance(evaluator, NetworkEvaluator):
        raise ValueError(f"Only azlearn's own networks can run in a page, not {given!r:.80}.")
    network = deepcopy(evaluator.network).float().cpu()
    layers = list(_layers(network))
    if not all(bool(x.isfinite().all()) for layer in layers for x in layer):
        raise ValueError("This network's weights are damaged or diverged: some are not finite.")
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
        "integers": _base64([layer.integers for layer in layers], "<i2"),
        "fractions": _base64([x for layer in layers for x in layer[1:]], "<f4"),
    }


def shipped_name(evaluator: NetworkEvaluator) -> str | None:
    """The name of the shipped network that has these weights, None if there is none."""
    weights = evaluator.network.state_dict()
    for name, shipped in _shipped_weights().items():
        if weights.keys() == shipped.keys() and all(
            x.shape == shipped[key].shape and bool((x.cpu() == shipped[key]).all())
            for key, x in weights.items()
        ):
            return name
    return None


@cache
def _shipped_weights() -> dict[str, dict[str, Tensor]]:
    """The weights of every shipped network, as its evaluator stores them."""
    loaded = {name: load_network(name) for name in shipped_networks()}
    evaluators = {name: NetworkEvaluator(x.game, x.network) for name, x in loaded.items()}
    return {name: evaluator.network.state_dict() for name, evaluator in evaluators.items()}


class _Layer(NamedTuple):
    integers: Tensor  # in the order of network.js, whole numbers up to 32767
    scale: Tensor  # [outputs]
    bias: Tensor  # [outputs]


def _layers(network: ResNet) -> Iterator[_Layer]:
    """The layers of a folded network in the order in which they are computed."""
    yield _layer(network.stem[0], lambda x: x.permute(1, 2, 3, 0))  # [planes, y, x, channels]
    for block in network.tower:
        yield _layer(block.first[0], _eights)
        yield _layer(block.second[0], _eights)
    yield _layer(_side_by_side(network.policy_conv[0], network.value_conv[0]), _eights)
    cells = network.planes_shape[1] * network.planes_shape[2]
    for head in (network.policy, network.value_hidden):
        # From [outputs, filters * cells] to [cells, filters, outputs].
        yield _layer(head, lambda x: x.unflatten(1, (-1, cells)).permute(2, 1, 0))
    if isinstance(network.value_norm, nn.LayerNorm):
        yield _Layer(torch.empty(0), network.value_norm.weight, network.value_norm.bias)
    yield _layer(network.value, torch.flatten)


def _layer(module: nn.Module, ordered: Callable[[Tensor], Tensor]) -> _Layer:
    weight, bias = module.weight, module.bias
    if isinstance(module, nn.Conv2d):
        weight, bias = _padded(weight, 0), _padded(bias, 0)
    scale = weight.flatten(1).abs().amax(1).clamp_min(SMALLEST) / _LARGEST
    steps = weight / scale.view(-1, *[1] * (weight.dim() - 1))
    return _Layer(ordered(steps.round()), scale, bias)


def _eights(weight: Tensor) -> Tensor:
    """From [outputs, inputs, y, x] to [outputs / 8, y, x, inputs, 8]; missing inputs get 0."""
    return _padded(weight, 1).unflatten(0, (-1, _TOGETHER)).permute(0, 3, 4, 2, 1)


def _side_by_side(*heads: nn.Conv2d) -> nn.Conv2d:
    """Merges several convolutions into one that computes all their outputs."""
    first, outputs = heads[0], sum(head.out_channels for head in heads)
    both = nn.Conv2d(first.in_channels, outputs, first.kernel_size)
    both.weight = nn.Parameter(torch.cat([head.weight for head in heads]))
    both.bias = nn.Parameter(torch.cat([head.bias for head in heads]))
    return both


def _padded(x: Tensor, dim: int) -> Tensor:
    """Pads the end of one dimension with zeros, up to a multiple of 8."""
    shape = list(x.shape)
    shape[dim] = -shape[dim] % _TOGETHER
    return torch.cat([x, x.new_zeros(shape)], dim)


def _base64(parts: list[Tensor], dtype: str) -> str:
    numbers = torch.cat([part.detach().flatten() for part in parts]).numpy().astype(dtype)
    return base64.b64encode(numbers.tobytes()).decode()
