"""Steps of training on a device, with batches that are drawn there."""

import torch
from torch import Tensor

from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device import hashed_draws as draws
from azlearn.learning.device.replayed import Replayed
from azlearn.learning.device.ring import Ring
from azlearn.learning.network import ResNet
from azlearn.learning.ranks import Ranks
from azlearn.learning.settings import TrainSettings
from azlearn.learning.step import Batch, for_mover, states_of, training_step, turned_batch


class DeviceLearner:
    """Learns from a ring; nothing of a step waits for the device, so it can be replayed.

    Args:
        settings: of the run.
        network: is trained.
        optimizer: of the network, made with ``on_device``.
        ring: positions to draw from; not empty when a step is made.
        ranks: average their gradients. With more than one, a step is never recorded.
        how: see ``Replayed``.
    """

    def __init__(
        self,
        settings: TrainSettings,
        network: ResNet,
        optimizer: torch.optim.Optimizer,
        ring: Ring,
        ranks: Ranks | None = None,
        how: str = "python",
    ) -> None:
        self.settings, self.network, self.optimizer, self.ring = settings, network, optimizer, ring
        self.ranks = ranks or Ranks()
        self._game = TensorGame(ring.game, ring.device)
        self._places = torch.arange(settings.batch_size, device=ring.device)
        self._num_steps = torch.zeros((), dtype=torch.int64, device=ring.device)
        self._losses = torch.zeros(4, device=ring.device)
        self._step_once = Replayed(self._step, how if self.ranks.world_size == 1 else "python")

    def learn(self, num_steps: int, rate: float, num_done: int) -> Tensor:
        """Some steps; the sums of their losses, float [4] on the device: see ``training_step``.

        Args:
            rate: the learning rate.
            num_done: steps of the run before these; decides which batches are drawn.
        """
        self._num_steps.fill_(num_done)
        self._losses.zero_()
        for group in self.optimizer.param_groups:
            group["lr"].fill_(rate)  # a tensor: a replay reads it
        self.network.train()
        for _ in range(num_steps):
            self._step_once()
        return self._losses

    def _step(self) -> None:
        self._losses += training_step(
            self.network, self.optimizer, self.batch(), self.settings, self.ranks
        )
        self._num_steps += 1

    @torch.no_grad()
    def batch(self) -> Batch:
        """Samples drawn from the ring, each turned at random."""
        seed, place = self.settings.seed, (self._num_steps, self._places + self._first_place)
        samples = self.ring.draw(draws.uniform(seed, draws.SAMPLE, *place))
        turn = draws.uniform(seed, draws.TURN, *place) * self._game.num_symmetries
        game = self._game
        states, ends = states_of(self.ring.game, samples.words)
        rows = torch.stack([samples.policy_target, game.legal_mask(states).float()], dim=1)
        planes = game.encode(states)
        if ends is not None:
            same = game.to_play(states) == game.to_play(ends)
            planes = torch.cat([planes, for_mover(game.owners(ends), same)], dim=1)
        planes, rows = game.turned(planes, rows, turn.long())
        return turned_batch(planes, rows, samples.value_target, self.ring.game.num_planes)

    @property
    def _first_place(self) -> int:
        """Every rank draws a part of the batch of its own."""
        return self.ranks.rank * self.settings.batch_size
