"""Plays the self-play games of a rank and takes its training steps."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from azlearn.learning.augment import apply_symmetry, num_images
from azlearn.learning.device_evaluator import DeviceEvaluator
from azlearn.learning.evaluator import NetworkEvaluator
from azlearn.learning.loss import Batch, augmented_batch, loss
from azlearn.learning.network import ResNet
from azlearn.learning.optimizers import make_optimizer
from azlearn.learning.ranks import Ranks
from azlearn.learning.recorded import Recorded
from azlearn.learning.replay import ReplayBuffer
from azlearn.learning.self_play import SelfPlay, Statistics
from azlearn.learning.settings import TrainSettings

_LEARN = 2  # part of a seed; marks random numbers for training, not self-play
STEPS_AT_ONCE = 8  # between two reports of progress

Progress = Callable[[float], None]  # called with the fraction of the work done, 0 to 1


def no_progress(share: float) -> None:
    """A progress callback that does nothing."""


class Worker:
    """Plays and trains, with the network on any device and the search on the settings' backend.

    With ``backend="cuda"`` trees, games, replay buffer and training are on the GPU, where steps
    are recorded (see ``recorded``; training steps only with one rank). Otherwise trees, games and
    replay buffer are on the CPU, and the device receives planes. ``self_play`` and ``replay`` have
    the same ``state_dict`` in both cases, so a resumed run can switch from one to the other.

    Args:
        settings: with the backend resolved; see ``hardware``.
        network: the network to train.
        device: where the network is.
        announce: called with a line on any feature that does not work here.
    """

    def __init__(
        self,
        settings: TrainSettings,
        network: ResNet,
        ranks: Ranks,
        device: str,
        announce: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.settings, self.network, self.ranks, self.device = settings, network, ranks, device
        self.dtype, on_gpu = getattr(torch, settings.precision), settings.backend == "cuda"
        game, with_ends = settings.make_game(), settings.ownership_weight > 0
        self.replay = ReplayBuffer(
            game, settings.window, device if on_gpu else "cpu", with_ends=with_ends
        )
        among = settings, ranks.rank, ranks.world_size, self.replay
        if on_gpu:
            from azlearn.learning.kernel_self_play import KernelSelfPlay  # needs numba-cuda

            self.self_play = KernelSelfPlay(*among, device=device)
            self._evaluator = DeviceEvaluator(
                game, network, dtype=self.dtype, symmetry=settings.symmetry, seed=settings.seed,
                is_compiled=torch.device(device).type == "cuda", announce=announce,
            )  # fmt: skip
        else:
            # If the network is on a GPU, the search has this process's cores to itself.
            num_threads = 1 if device == "cpu" else torch.get_num_threads()
            self.self_play = SelfPlay(*among, num_threads=num_threads)
        self._is_recorded = on_gpu and ranks.world_size == 1
        self.optimizer = make_optimizer(
            network.parameters(), settings.optimizer, settings.learning_rate,
            settings.weight_decay, is_recorded=self._is_recorded,
        )  # fmt: skip
        self._rng, self._num_images = np.random.default_rng(settings.seed), num_images(game)
        self._losses = torch.zeros(4, device=device)
        self._take_batches(settings.batch_size)

    def play(
        self, player: ResNet, num_moves: int, simulations: int, progress: Progress = no_progress
    ) -> Statistics:
        """Plays ``num_moves`` more moves with a network; finished games go to the replay buffer."""
        settings, num_added = self.settings, self.replay.num_added
        if settings.backend == "cuda":
            self._evaluator.learn_from(player, num_added)
            evaluate = self._evaluator
        else:
            evaluate = NetworkEvaluator(
                self.self_play.game, player, device=self.device, dtype=self.dtype,
                symmetry=settings.symmetry, rng=np.random.default_rng([settings.seed, num_added]),
            ).batch  # fmt: skip
        return self.self_play.play(evaluate, num_moves, simulations, progress)[1]

    def learn(
        self,
        num_steps: int,
        batch_size: int,
        rate: float,
        iteration: int,
        progress: Progress = no_progress,
    ) -> Tensor:
        """Takes ``num_steps`` steps; returns the sums of their losses, float [4], as in ``Loss``.

        Args:
            batch_size: the batch size of this rank.
            rate: the learning rate.
            iteration: the run's iteration.
        """
        seed = [self.settings.seed, _LEARN, self.ranks.rank, iteration]
        self._rng = np.random.default_rng(seed)
        if batch_size != len(self._chosen):
            self._take_batches(batch_size)
        for group in self.optimizer.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)  # a recorded step reads it
            else:
                group["lr"] = rate
        self.network.train()
        self._losses.zero_()
        for number in range(num_steps):
            if number % STEPS_AT_ONCE == 0:
                progress(number / num_steps)
            self._draw()
            self._step()
        return self._losses

    def batch(self) -> Batch:
        """Returns random samples for one step, each rotated or mirrored at random."""
        self._draw()
        return self._drawn_batch()

    def _take_batches(self, batch_size: int) -> None:
        self._chosen, self._images = torch.zeros(
            2, batch_size, dtype=torch.int64, device=self.replay.device
        )
        step = self._one_step
        self._step = Recorded(step, self.device) if self._is_recorded else step

    def _draw(self) -> None:
        """Chooses the next positions, and a symmetric image of each."""
        size = len(self._chosen)
        chosen = self.replay.draw(size, self._rng)
        self._chosen.copy_(torch.from_numpy(chosen))
        images = self._rng.integers(self._num_images, size=size)
        self._images.copy_(torch.from_numpy(images))

    def _one_step(self) -> None:
        """Computes the loss, averages and clips the gradients, and takes an optimizer step.

        Nothing in it waits for the device, so it can be recorded.
        """
        settings, network, batch = self.settings, self.network, self._drawn_batch()
        kind, is_low = torch.device(self.device).type, self.dtype != torch.float32
        with torch.autocast(kind, self.dtype, enabled=is_low):
            owners = batch.owner_target, settings.ownership_weight
            parts = loss(network, *batch[:4], settings.l2, *owners)
        self.optimizer.zero_grad()
        parts.total.backward()
        self.ranks.average_gradients(network)
        torch.nn.utils.clip_grad_norm_(network.parameters(), settings.gradient_norm)
        self.optimizer.step()
        self._losses += torch.stack(tuple(parts)).detach()

    @torch.no_grad()
    def _drawn_batch(self) -> Batch:
        game, samples = self.replay.game, self.replay.at(self._chosen)
        words = samples.words.split(len(game.State._fields), dim=1)
        # The positions, and the last positions of their games if owners are trained.
        states, *ends = (game.State(*part.unbind(1)) for part in words)
        legal_mask = self.self_play.legal_mask(states)
        rows = torch.stack([samples.policy_target, legal_mask.float()], dim=1)
        planes = game.batch_encode(states)
        for end in ends:  # a plane that is transformed with the others
            owners = game.batch_owners(end)  # for the player to move at the end
            same = game.batch_to_play(states) == game.batch_to_play(end)
            owners = torch.where(same[:, None, None], owners, -owners)
            planes = torch.cat([planes, owners[:, None]], dim=1)
        planes, rows = apply_symmetry(game, planes, rows, self._images)
        there = (part.to(self.device) for part in (planes, rows, samples.value_target))
        planes, rows, value_target = there
        return augmented_batch(planes, rows, value_target, game.num_planes)
