"""Symmetries: rotated and mirrored images of a position have the same value."""

import numpy as np
import torch
from torch import Tensor

from azlearn.games import Game


def augment(
    game: Game, planes: Tensor, policy: Tensor, rng: np.random.Generator
) -> tuple[Tensor, Tensor]:
    """Rotates or mirrors each sample at random, board and policy together.

    Args:
        planes: [B, num_planes, rows, cols].
        policy: [B, ..., num_actions]; several rows per sample, such as π and the legal moves, are
            transformed together.
    """
    chosen = torch.from_numpy(rng.integers(num_images(game), size=len(planes)))
    return apply_symmetry(game, planes, policy, chosen.to(planes.device))


def num_images(game: Game) -> int:
    """Returns the number of symmetric images of a position, itself included."""
    return len(game.symmetries(np.zeros((game.rows, game.cols)), np.zeros(game.num_actions)))


def apply_symmetry(
    game: Game, planes: Tensor, policy: Tensor, chosen: Tensor
) -> tuple[Tensor, Tensor]:
    """Replaces each sample by one of its images; the first three arguments are as in ``augment``.

    Args:
        chosen: int64 [B], the index of each sample's image.
    """
    images = zip(*game.symmetries(planes, policy), strict=True)
    planes, moved = (torch.stack(each) for each in images)
    samples = torch.arange(len(chosen), device=chosen.device)
    return planes[chosen, samples], moved[chosen, samples]
