"""The host's self-play with the device's dice: what a ``DeviceSelfPlay`` must do, move by move."""

import numpy as np
import torch

from azlearn.learning.device import hashed_draws as draws
from azlearn.learning.self_play import GameUnderWay, SelfPlay
from azlearn.search import BatchedPUCT


class Lockstep(BatchedPUCT):
    """The host's engine, whose games wait for each other before they move; plain Python, which is
    faster than compiling for few games."""

    @property
    def idle(self):
        idle = super().idle
        return idle if len(idle) == self.num_games else idle[:0]


class Dice:
    """In the place of NumPy's generator: the hashed draws of one game and ply."""

    def __init__(self, settings, legal_mask, number: int, ply: int) -> None:
        self.settings, self.legal_mask = settings, legal_mask
        self.place = torch.tensor([number]), torch.tensor([ply])

    def dirichlet(self, alphas):
        legal = torch.from_numpy(self.legal_mask)[None]
        total = self.settings.noise_total
        np.testing.assert_allclose(sum(alphas), total)
        draw = draws.dirichlet(total, legal, self.settings.seed, *self.place)
        return draw[0].numpy()[self.legal_mask]

    def gumbel(self, size):
        legal = torch.from_numpy(self.legal_mask)[None]
        draw = draws.gumbel(legal, self.settings.seed, *self.place)[0].numpy()[self.legal_mask]
        assert len(draw) == size
        return draw

    def spawn(self, n):
        return [self] * n

    def choice(self, n, p):
        u = float(draws.uniform(self.settings.seed, draws.MOVE, *self.place))
        shares = np.cumsum(p)
        return int(np.argmax(shares > u * shares[-1]))


class HostTwin(SelfPlay):
    """Trees, moves, results, resignation, samples and counts as on the host, in lockstep."""

    def __init__(self, settings, openings, rank=0, world_size=1) -> None:
        self._openings = [column.tolist() for column in openings]
        self._seed = settings.seed
        engine = Lockstep(
            settings.make_game(), settings.num_games, settings.simulations, settings.plan(),
            noise_fraction=settings.noise_fraction, compiled=False,
        )  # fmt: skip
        super().__init__(settings, rank, world_size, engine=engine)

    def _random(self, purpose, number, ply=0):
        game = next(game for game in self.games if game.number == number)
        return Dice(self.settings, self.game.legal_mask(game.state), number, ply)

    def _new_game(self):
        if self.waiting:
            return self.waiting.pop(0)
        number = self.next_number
        self.next_number += self.world_size
        states, plies = self._openings
        u = float(draws.uniform(self._seed, draws.START, torch.tensor(number)))
        which = int(u * len(plies))
        return GameUnderWay(number, self.game.state_of(states[which]), plies[which])
