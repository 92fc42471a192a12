"""Small networks for tests: fresh ones, and one whose batch norms have seen something."""

from copy import deepcopy
from functools import cache

import torch

from azlearn.games import Game
from azlearn.learning import SIZES, ResNet, loss


def fresh(game: Game, size: str = "tiny", seed: int = 0) -> ResNet:
    """A network with its first weights, which are those of ``seed``."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return ResNet(game, **SIZES[size])


def some_planes(game: Game, n: int, seed: int = 1) -> torch.Tensor:
    """float32 [n, 2, rows, cols] of random zeros and ones."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 2, (n, 2, game.rows, game.cols), generator=generator).float()


def trained(game: Game) -> ResNet:
    """A network, in train mode, whose weights and running statistics training has moved."""
    return deepcopy(_trained(game))


@cache
def _trained(game: Game) -> ResNet:
    network, generator = fresh(game), torch.Generator().manual_seed(5)
    optimizer = torch.optim.Adam(network.parameters(), 1e-2)
    for step in range(15):
        pi = torch.rand(32, game.num_actions, generator=generator).softmax(1)
        z = torch.rand(32, generator=generator) * 2 - 1
        parts = loss(network, some_planes(game, 32, step), torch.ones_like(pi).bool(), pi, z)
        optimizer.zero_grad()
        parts.total.backward()
        optimizer.step()
    return network
