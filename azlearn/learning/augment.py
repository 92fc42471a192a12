"""Every position has mirror images, and they are worth the same."""

import numpy as np
import torch
from torch import Tensor

from azlearn.games import Game


def augment(
    game: Game, planes: Tensor, policy: Tensor, rng: np.random.Generator
) -> tuple[Tensor, Tensor]:
    """Turns or mirrors each sample at random, board and policy alike.

    Args:
        planes: [B, num_planes, rows, cols].
        policy: [B, ..., num_actions]; several rows a sample, such as π and the legal moves, move
            together.
    """
    pairs = game.symmetries(planes, policy)
    samples = torch.arange(len(planes), device=planes.device)
    chosen = torch.from_numpy(rng.integers(len(pairs), size=len(planes))).to(planes.device)
    turned, moved = (torch.stack(images) for images in zip(*pairs, strict=True))
    return turned[chosen, samples], moved[chosen, samples]
