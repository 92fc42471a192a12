"""Small networks for tests: new ones, and one whose batch norms have changed."""

import numpy as np
import torch

from azlearn.games import Game
from azlearn.learning import SIZES, ResNet


def fresh(game: Game, size: str = "tiny", seed: int = 0) -> ResNet:
    """A network with the initial weights of ``seed``."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return ResNet(game, **SIZES[size])


def some_planes(game: Game, n: int, seed: int = 1) -> torch.Tensor:
    """float32 [n, num_planes, rows, cols] of random zeros and ones."""
    generator = torch.Generator().manual_seed(seed)
    shape = (n, game.num_planes, game.rows, game.cols)
    return torch.randint(0, 2, shape, generator=generator).float()


def trained(game: Game) -> ResNet:
    """A network in train mode whose scales, shifts and running statistics have changed."""
    network, generator = fresh(game), torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=generator)
        for step in range(15):
            network(some_planes(game, 32, step))
    return network


def by_hand(game, network, state, image=0):
    """(p, v) of the network in eval mode for one symmetric image, computed per position."""
    actions = np.arange(game.num_actions)
    planes, moved = game.symmetries(game.encode(state), actions)[image]
    with torch.no_grad():
        logits, value = network.eval()(torch.from_numpy(planes.copy())[None])
    p, legal = np.zeros(game.num_actions), game.legal_actions(state)
    for place, action in enumerate(moved):
        if action in legal:
            p[action] = np.exp(float(logits[0, place]))
    return p / p.sum(), float(value)
