"""One network for policy and value: the residual tower of AlphaGo Zero, sized for small boards."""

from copy import deepcopy

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from azlearn.games import Game
from azlearn.learning.denormals import without_tiny

# The sizes of networks by name, as arguments of ``ResNet``.
SIZES = {
    "tiny": {
        "channels": 16, "blocks": 2, "policy_filters": 8, "value_filters": 8, "value_hidden": 32
    },
    "small": {"channels": 32, "blocks": 6},
    "medium": {"channels": 64, "blocks": 4},
    "large": {"channels": 128, "blocks": 6},
    # AlphaGo Zero's two networks; no preset trains them.
    "paper": {
        "channels": 256, "blocks": 19, "policy_filters": 2, "value_filters": 1, "value_hidden": 256
    },
    "paper39": {
        "channels": 256, "blocks": 39, "policy_filters": 2, "value_filters": 1, "value_hidden": 256
    },
}  # fmt: skip


class ResNet(nn.Module):
    """Maps planes to a logit for every action and one value (Silver et al. 2017, Methods).

    Args:
        game: determines the shapes of planes and policy.
        channels: filters of every 3x3 convolution; 256 in the paper.
        blocks: residual blocks of two convolutions each; 19 or 39 in the paper.
        policy_filters, value_filters: filters of the heads' 1x1 convolutions; 2 and 1 in the paper,
            where a board has about nine times as many cells as in Connect Four.
        value_hidden: units between value filters and value; 256 in the paper.
        owners: add a third head that predicts who owns each point at the end, see ``with_owners``;
            none in the paper.
        value_norm: layer normalization of the hidden units, which the paper does not have. With
            many value filters a unit has over a thousand inputs, none negative. Without the norm,
            Adam's first steps push most units below zero on every board, and ReLU keeps them there.

    Raises:
        ValueError: a number below 1.
    """

    def __init__(
        self,
        game: Game,
        channels: int,
        blocks: int,
        *,
        policy_filters: int = 32,
        value_filters: int = 32,
        value_hidden: int = 64,
        value_norm: bool = False,
        owners: bool = False,
    ) -> None:
        super().__init__()
        self.size = {
            "channels": channels, "blocks": blocks, "policy_filters": policy_filters,
            "value_filters": value_filters, "value_hidden": value_hidden,
        }  # fmt: skip
        for name, number in self.size.items():
            if number < 1:
                raise ValueError(f"{name} must be at least 1, not {number}.")
        self.size["value_norm"] = bool(value_norm)
        if owners:
            self.size["owners"] = True
        self.planes_shape = (game.num_planes, game.rows, game.cols)
        cells = game.rows * game.cols
        self.stem = ConvNorm(game.num_planes, channels, 3)
        self.tower = nn.Sequential(*(Block(channels) for _ in range(blocks)))
        self.policy_conv = ConvNorm(channels, policy_filters, 1)
        self.policy = nn.Linear(policy_filters * cells, game.num_actions)
        self.value_conv = ConvNorm(channels, value_filters, 1)
        self.value_hidden = nn.Linear(value_filters * cells, value_hidden)
        self.value_norm = nn.LayerNorm(value_hidden) if value_norm else nn.Identity()
        self.value = nn.Linear(value_hidden, 1)
        if owners:  # last, so that it does not change the other initial weights
            self.owners = nn.Conv2d(channels, 1, 1)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluates a batch of positions.

        Args:
            planes: float [B, num_planes, rows, cols], as ``game.batch_encode`` returns them.

        Returns:
            ``(logits, value)``: float [B, num_actions], illegal moves not yet masked; float [B] in
            (-1, 1), for the player to move.

        Raises:
            ValueError: planes of another shape.
        """
        return self._heads(self._body(planes))

    def with_owners(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Like ``forward``, but also predicts the owner of each point; needs ``owners=True``.

        Returns:
            ``(logits, value, owners)``, the last one float [B, rows, cols] in (-1, 1) as in KataGo
            (Wu 2019, section 4.1): +1 if the player to move now will own a point, -1 if the
            opponent will.

        Raises:
            ValueError: planes of another shape; a network without that head.
        """
        if "owners" not in self.size:
            raise ValueError("This network has no ownership head: it was made without owners=True.")
        x = self._body(planes)
        return *self._heads(x), torch.tanh(self.owners(x)).squeeze(1)

    def _body(self, planes: Tensor) -> Tensor:
        if planes.shape[1:] != self.planes_shape:
            wanted = ", ".join(map(str, self.planes_shape))
            raise ValueError(f"planes must be [B, {wanted}], not {list(planes.shape)}.")
        return self.tower(F.relu(self.stem(planes), inplace=True))

    def _heads(self, x: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.policy(F.relu(self.policy_conv(x), inplace=True).flatten(1))
        hidden = self.value_hidden(F.relu(self.value_conv(x), inplace=True).flatten(1))
        hidden = F.relu(self.value_norm(hidden), inplace=True)
        return logits, torch.tanh(self.value(hidden)).squeeze(1)

    def folded(self, dtype: torch.dtype = torch.float32) -> "ResNet":
        """Returns a copy for inference, with each batch norm folded into its convolution.

        In eval mode a batch norm is only a scale and a shift. The copy is stored channels-last, as
        CPUs and GPUs then convolve faster, and its weights have no denormals (see ``denormals``).
        """
        copy = deepcopy(self).eval()
        for module in copy.modules():
            if isinstance(module, ConvNorm):
                module[0], module[1] = fuse_conv_bn_eval(module[0], module[1]), nn.Identity()
        for module in copy.modules():
            weights = without_tiny(dict(module.named_parameters(recurse=False)))
            for name, weight in weights.items():
                is_kernel = weight.dim() == 4
                layout = torch.channels_last if is_kernel else torch.contiguous_format
                weight = weight.detach().to(dtype).contiguous(memory_format=layout)
                setattr(module, name, nn.Parameter(weight, requires_grad=False))
        return copy


class ConvNorm(nn.Sequential):
    """A convolution without a bias, and the batch normalization that adds one."""

    def __init__(self, channels_in: int, channels_out: int, kernel: int) -> None:
        super().__init__(
            nn.Conv2d(channels_in, channels_out, kernel, padding=kernel // 2, bias=False),
            nn.BatchNorm2d(channels_out),
        )


class Block(nn.Module):
    """``relu(x + f(x))``, with two convolutions in ``f``."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = ConvNorm(channels, channels, 3)
        self.second = ConvNorm(channels, channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.second(F.relu(self.first(x), inplace=True)), inplace=True)


def seeded_network(game: Game, size: str, seed: int, **heads: bool) -> ResNet:
    """Returns a new network with the weights that a training run with this seed starts from.

    Args:
        size: a name in ``SIZES``.
        heads: arguments of ``ResNet``.
    """
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return ResNet(game, **SIZES[size], **heads)
