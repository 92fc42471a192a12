"""Augmentation: another picture of the same position, with π and mask where they belong."""

import numpy as np
import pytest
import torch

from azlearn.games import ConnectFour, TicTacToe
from azlearn.learning import augment


@pytest.mark.parametrize("game", [TicTacToe(), ConnectFour()], ids=lambda game: game.name)
def test_planes_and_policy_move_together_and_every_symmetry_comes_equally_often(game):
    """Chi-square over 4,000 copies of one position without symmetry: 99.9 % quantile 24.3, 10.8."""
    planes = game.encode(game.from_moves("12"))
    images = game.symmetries(planes, np.arange(game.num_actions, dtype=np.float32))
    stacked = torch.from_numpy(planes).expand(4000, -1, -1, -1)
    rows = torch.arange(game.num_actions).float().expand(4000, 2, -1)
    moved, moved_rows = augment(game, stacked, rows, np.random.default_rng(11))
    pairs = [
        (image.tobytes(), row[0].tobytes())
        for image, row in zip(moved.numpy(), moved_rows.numpy(), strict=True)
    ]
    assert torch.equal(moved_rows[:, 0], moved_rows[:, 1])
    counts = np.array([pairs.count((image.tobytes(), row.tobytes())) for image, row in images])
    assert counts.sum() == 4000
    expected = 4000 / len(images)
    assert ((counts - expected) ** 2 / expected).sum() < {8: 24.3, 2: 10.8}[len(images)]
