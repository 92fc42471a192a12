"""The two ways to play and to learn: trees on the host, or everything on the device."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from azlearn.games.tensor_game import TensorGame
from azlearn.learning.augment import augment
from azlearn.learning.device.evaluator import DeviceEvaluator
from azlearn.learning.device.learner import DeviceLearner
from azlearn.learning.device.ring import Ring
from azlearn.learning.device.self_play import DeviceSelfPlay
from azlearn.learning.evaluator import NetworkEvaluator
from azlearn.learning.network import ResNet
from azlearn.learning.optimizers import make_optimizer
from azlearn.learning.ranks import Ranks
from azlearn.learning.replay import ReplayBuffer, Samples
from azlearn.learning.self_play import SelfPlay, Statistics
from azlearn.learning.settings import TrainSettings
from azlearn.learning.step import Batch, for_mover, states_of, training_step, turned_batch

_LEARN = 2  # what a random draw is for: part of its seed, beside those of self-play
STEPS_AT_ONCE = 8  # between two reports

Progress = Callable[[float], None]  # takes a share of the work done, 0 to 1


def unheard(share: float) -> None:
    """For work whose progress nobody follows."""


class Worker(Protocol):
    """What a training asks of the one who plays its games and makes its steps.

    ``self_play`` and ``replay`` have the same ``state_dict`` in both, so that a run may change
    from one to the other when it is resumed.
    """

    optimizer: torch.optim.Optimizer

    def play(
        self, player: ResNet, num_moves: int, simulations: int, progress: Progress = unheard
    ) -> Statistics:
        """Plays on with a network until so many moves have been made, into the replay buffer.

        Args:
            progress: told by trees on the host alone.
        """

    def learn(
        self,
        num_steps: int,
        batch_size: int,
        rate: float,
        num_done: int,
        iteration: int,
        progress: Progress = unheard,
    ) -> Tensor:
        """So many steps at a learning rate; the sums of their losses, float [4] as one gives them.

        Args:
            batch_size: of this rank; on a device always that of the settings.
            num_done: steps of the run so far.
            iteration: of the run.
            progress: as in ``play``.
        """

    def batch(self) -> Batch:
        """Samples drawn from the buffer, ``settings.batch_size``, each turned at random."""


class HostWorker:
    """Trees in one thread of the CPU, compiled; the network on any device."""

    def __init__(self, settings: TrainSettings, network: ResNet, ranks: Ranks, device: str) -> None:
        self.settings, self.network, self.ranks, self.device = settings, network, ranks, device
        self.dtype = getattr(torch, settings.precision)
        self.optimizer = make_optimizer(
            network.parameters(), settings.optimizer, settings.learning_rate, settings.weight_decay
        )
        # Where the trees are, for the games to write to it.
        there = device if settings.trees == "kernels" else "cpu"
        game, with_ends = settings.make_game(), settings.owner_weight > 0
        self.replay = ReplayBuffer(game, settings.window, there, with_ends)
        self.self_play = self._new_self_play()
        self._rng = np.random.default_rng(settings.seed)

    def _new_self_play(self) -> SelfPlay:
        return SelfPlay(self.settings, self.ranks.rank, self.ranks.world_size, self.replay)

    def play(
        self, player: ResNet, num_moves: int, simulations: int, progress: Progress = unheard
    ) -> Statistics:
        """See ``Worker``."""
        evaluator = NetworkEvaluator(
            self.self_play.game, player, device=self.device, dtype=self.dtype,
            symmetry=self.settings.symmetry,
            rng=np.random.default_rng([self.settings.seed, self.replay.num_added]),
        )  # fmt: skip
        return self.self_play.play(evaluator.batch, num_moves, simulations, progress)[1]

    def learn(
        self,
        num_steps: int,
        batch_size: int,
        rate: float,
        num_done: int,
        iteration: int,
        progress: Progress = unheard,
    ) -> Tensor:
        """See ``Worker``."""
        seed = [self.settings.seed, _LEARN, self.ranks.rank, iteration]
        self._rng = np.random.default_rng(seed)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.network.train()
        losses = torch.zeros(4, device=self.device)
        for number in range(num_steps):
            if number % STEPS_AT_ONCE == 0:
                progress(number / num_steps)
            batch = self.batch(batch_size)
            losses += training_step(self.network, self.optimizer, batch, self.settings, self.ranks)
        return losses

    def batch(self, size: int | None = None) -> Batch:
        """See ``Worker``; None: that of the settings."""
        game = self.self_play.game
        samples = self.replay.sample(size or self.settings.batch_size, self._rng)
        samples = Samples(*(column.to(self.device) for column in samples))
        states, ends = states_of(game, samples.words)
        rows = torch.stack([samples.policy_target, game.batch_legal_mask(states).float()], dim=1)
        planes = game.batch_encode(states)
        if ends is not None:  # a plane that turns with the others
            owners = game.batch_owners(ends)
            same = game.batch_to_play(states) == game.batch_to_play(ends)
            planes = torch.cat([planes, for_mover(owners, same)], dim=1)
        planes, rows = augment(game, planes, rows, self._rng)
        return turned_batch(planes, rows, samples.value_target, game.num_planes)


class KernelWorker(HostWorker):
    """Trees, games and positions on a GPU, a thread for every game; needs numba-cuda."""

    def _new_self_play(self) -> SelfPlay:
        from azlearn.learning.kernel_self_play import KernelSelfPlay

        game, settings = self.replay.game, self.settings
        self._evaluator = DeviceEvaluator(
            TensorGame(game, self.device), self.network, dtype=self.dtype,
            symmetry=settings.symmetry, seed=settings.seed,
        )  # fmt: skip
        ranks = self.ranks.rank, self.ranks.world_size
        return KernelSelfPlay(settings, *ranks, self.replay, device=self.device)

    def play(
        self, player: ResNet, num_moves: int, simulations: int, progress: Progress = unheard
    ) -> Statistics:
        """See ``Worker``."""
        self._evaluator.learn_from(player)
        return self.self_play.play(self._evaluator, num_moves, simulations, progress)[1]


class DeviceWorker:
    """Trees, games, positions and learning on one device."""

    def __init__(self, settings: TrainSettings, network: ResNet, ranks: Ranks, device: str) -> None:
        how = "cuda" if torch.device(device).type == "cuda" else "python"
        game = settings.make_game()
        self.optimizer = make_optimizer(
            network.parameters(), settings.optimizer, settings.learning_rate,
            settings.weight_decay, on_device=True,
        )  # fmt: skip
        self.replay = Ring(game, settings.window, device, settings.owner_weight > 0)
        self._evaluator = DeviceEvaluator(
            TensorGame(game, device), network, dtype=getattr(torch, settings.precision),
            symmetry=settings.symmetry, seed=settings.seed,
        )  # fmt: skip
        self.self_play = DeviceSelfPlay(
            settings, self._evaluator, self.replay, ranks.rank, ranks.world_size, how=how,
            compiled=settings.trees == "compiled",
        )  # fmt: skip
        self._learner = DeviceLearner(
            settings, network, self.optimizer, self.replay, ranks, how=how
        )

    def play(
        self, player: ResNet, num_moves: int, simulations: int, progress: Progress = unheard
    ) -> Statistics:
        """See ``Worker``."""
        self._evaluator.learn_from(player)
        return self.self_play.play(num_moves, simulations)

    def learn(
        self,
        num_steps: int,
        batch_size: int,
        rate: float,
        num_done: int,
        iteration: int,
        progress: Progress = unheard,
    ) -> Tensor:
        """See ``Worker``."""
        return self._learner.learn(num_steps, rate, num_done)

    def batch(self) -> Batch:
        """See ``Worker``."""
        return self._learner.batch()


def make_worker(
    settings: TrainSettings, network: ResNet, ranks: Ranks, device: str
) -> HostWorker | KernelWorker | DeviceWorker:
    """The one that ``settings.trees`` names."""
    kind = KernelWorker if settings.trees == "kernels" else HostWorker
    kind = DeviceWorker if settings.on_device else kind
    return kind(settings, network, ranks, device)
