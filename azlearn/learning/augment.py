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
    chosen = torch.from_numpy(rng.integers(num_images(game), size=len(planes)))
    return apply_symmetry(game, planes, policy, chosen.to(planes.device))


def num_images(game: Game) -> int:
    """How many mirror images a position has, itself among them."""
    return len(game.symmetries(np.zeros((game.rows, game.cols)), np.zeros(game.num_actions)))


def apply_symmetry(
    game: Game, planes: Tensor, policy: Tensor, chosen: Tensor
) -> tuple[Tensor, Tensor]:
    """Each sample in one of its mirror images; the first two arguments are those of ``augment``.

    Args:
        chosen: int64 [B], numbers of images.
    """
    images = zip(*game.symmetries(planes, policy), strict=True)
    planes, moved = (torch.stack(each) for each in images)
    samples = torch.arange(len(chosen), device=chosen.device)
    return planes[chosen, samples], moved[chosen, samples]
