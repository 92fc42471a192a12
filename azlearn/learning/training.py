"""AlphaZero's loop: self-play, replay buffer, training, checkpoint, and again.

The same program runs in one process or in many (see ``ranks``): every rank plays its own games and
keeps its own replay buffer, and all ranks average their gradients.
"""

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from azlearn.atomic_io import in_words
from azlearn.learning.budget import Budget, Clock, Counters
from azlearn.learning.checkpoint import (
    SUMMARY_FILE,
    read_checkpoint,
    read_summary,
    what_is_left,
    write_checkpoint,
)
from azlearn.learning.denormals import flushed_denormals
from azlearn.learning.evaluator import NetworkEvaluator
from azlearn.learning.files import write_network
from azlearn.learning.hardware import resolve_backend, resolve_precision
from azlearn.learning.interruption import heard_once, say_that_it_finishes
from azlearn.learning.launch import cpu_memory_errors
from azlearn.learning.living_filters import living_share, living_units
from azlearn.learning.network import ResNet, seeded_network
from azlearn.learning.optimizers import learning_rate
from azlearn.learning.ranks import Ranks
from azlearn.learning.settings import TrainSettings, read_settings
from azlearn.learning.snapshots import delete_snapshots_after, should_keep_snapshot, snapshot_path
from azlearn.learning.worker import Worker


class TrainingStopped(Exception):
    """The run cannot continue; the message says why, and whether the last checkpoint is intact."""


@dataclass
class Hooks:
    """Callbacks that report a run's numbers and progress, measure strength and gate networks.

    Args:
        report: called after every iteration with a row of numbers (JSON-serializable).
        progress: called within an iteration with a name for the current work and its fraction done.
        measure: plays with the evaluator and returns numbers for the row.
        gate: returns whether the first of two evaluators, the new one, replaces the second in
            self-play; called if ``gate_games`` is above 0.
        stopping: called by one rank at the first Ctrl-C, at any moment.
        measure_minutes: minutes between two calls of ``measure``.
    """

    report: Callable[[dict[str, Any]], None] = lambda row: None
    progress: Callable[[str, float], None] = lambda what, share: None
    measure: Callable[[NetworkEvaluator], dict[str, float]] | None = None
    gate: Callable[[NetworkEvaluator, NetworkEvaluator, TrainSettings], bool] | None = None
    stopping: Callable[[], None] = say_that_it_finishes
    measure_minutes: float = 5.0


@dataclass
class Training:
    """A training run, new or resumed.

    Args:
        out: its folder.
        device: where the network computes, such as ``"cpu"`` or ``"cuda"``.
        checkpoint_minutes: minutes between two checkpoints; there is always one at the end.
        clock: given the minutes so far, returns the clock that measures the budget's minutes.
        announce: called with lines on how a GPU is used and how much of its memory is taken.
        counters: the progress so far.

    Attributes:
        stopping: set it to end ``run`` after the current iteration, on all ranks, as Ctrl-C does.
        saved: the iteration of the current checkpoint; None: there is none yet.
    """

    settings: TrainSettings
    budget: Budget
    out: Path
    device: str = "cpu"
    ranks: Ranks = field(default_factory=Ranks)
    hooks: Hooks = field(default_factory=Hooks)
    checkpoint_minutes: float = 2.0
    clock: Callable[[float], Clock] = Clock
    announce: Callable[[str], None] = lambda line: None
    counters: Counters = field(default_factory=Counters)

    def __post_init__(self) -> None:
        self.game = self.settings.make_game()
        network = self._new_network(self.settings.network)
        self.settings = settings = resolve_precision(
            self.settings, network, self.ranks, self.device
        )
        self.dtype = getattr(torch, settings.precision)
        first = "" if self.counters.grown else settings.first_network
        self._begin_with(self._new_network(first) if first else network)
        self.saved: int | None = None
        self.stopping = False

    @classmethod
    def resumed(
        cls, out: Path, budget: Budget | None = None, ranks: Ranks | None = None, **others
    ) -> "Training":
        """Restores the run in ``out`` from its last checkpoint.

        Args:
            budget: None: the one that the run was started with.
            others: the remaining arguments of ``Training``.

        Raises:
            FileNotFoundError, CorruptFileError, ValueError: as in ``checkpoint``.
        """
        ranks = ranks or Ranks()
        summary = read_summary(out, ranks)
        budget = budget or Budget(**summary["budget"])
        settings = read_settings(summary["settings"])
        counters = Counters(**summary["counters"])
        training = cls(settings, budget, out, ranks=ranks, counters=counters, **others)
        training.saved = training.counters.iteration
        read_checkpoint(out, summary, ranks, *training._state())
        return training

    def run(self) -> Counters:
        """Trains until the budget is spent, or until Ctrl-C ends it after the current iteration.

        The result is saved. A second call continues the run.

        Raises:
            KeyboardInterrupt: at once, at a second Ctrl-C; the message names the last checkpoint.
            TrainingStopped: the loss is NaN, memory is full, or a file cannot be written or read.
            ValueError: ``gate_games`` is above 0, but ``hooks`` has no gate; or this run is new,
                but its folder already contains one.
        """
        if self.settings.gate_games and self.hooks.gate is None:
            raise ValueError("gate_games needs a gate. Set hooks.gate, or set gate_games to 0.")
        if self.saved is None and (self.out / SUMMARY_FILE).exists():
            raise ValueError(
                f"{self.out} already contains a run. Continue it with Training.resumed, or choose"
                " another folder."
            )
        try:
            with heard_once(self._ask_to_stop), cpu_memory_errors(), flushed_denormals():
                self._iterate()
        except KeyboardInterrupt:
            raise KeyboardInterrupt(self._what_is_left()) from None
        except BrokenPipeError:  # nobody reads the reports anymore
            raise
        # The disk is full, the network returns NaN, …
        except (OSError, ValueError, MemoryError, torch.OutOfMemoryError) as error:
            why = in_words(error).rstrip(".") or "there is not enough memory"
            message = f"The run cannot continue ({why}). {self._what_is_left()}"
            raise TrainingStopped(message) from error
        finally:
            self.stopping = False
        return self.counters

    def _ask_to_stop(self) -> None:
        self.stopping = True
        if self.ranks.is_first:
            self.hooks.stopping()

    def _all_stop(self) -> bool:
        """Returns whether to stop, the same on all ranks; every one of them must call it."""
        return self.ranks.all_reduce_max(float(self.stopping)) == [1.0]

    def _new_network(self, size: str) -> ResNet:
        settings = self.settings
        network = seeded_network(self.game, size, settings.seed, **settings.heads())
        return network.to(self.device, memory_format=torch.channels_last)

    def _begin_with(self, network: ResNet) -> None:
        """Sets up self-play, the replay buffer and the optimizer for this network."""
        self.network = network
        # The network that plays. With a gate it is a copy, replaced when a better one is accepted.
        self.best = deepcopy(network) if self.settings.gate_games else network
        # Open settings are resolved each time, because a run may resume on another device.
        self.placed = resolve_backend(self.settings, self.ranks, self.device, self.announce)
        self.worker = Worker(self.placed, network, self.ranks, self.device, self.announce)
        self.optimizer, self.self_play = self.worker.optimizer, self.worker.self_play
        self.replay = self.worker.replay

    def _grow(self) -> None:
        """Switches to the larger network.

        It inherits the unfinished games and the replay buffer, and catches up on the training steps
        for those positions as if they were new.
        """
        games, positions = self.self_play.state_dict(), self.replay.state_dict()
        self.worker = self.optimizer = self.self_play = self.replay = None
        self._begin_with(self._new_network(self.settings.network))
        self.self_play.load_state_dict(games)
        self.replay.load_state_dict(positions)
        (num_kept,) = self.ranks.all_reduce_sum(len(self.replay))
        self.counters.owed += num_kept * self.settings.samples_per_position
        self.counters.grown = self.counters.iteration

    def _iterate(self) -> None:
        clock, last_saved = self.clock(self.counters.minutes), self.counters.minutes
        if self.saved is None:
            self.save()  # fails now if there is no room
        if self.ranks.is_first:
            delete_snapshots_after(self.out, self.counters.iteration)
        while self.budget.spent(self.counters) < 1 and not self._all_stop():
            self._keep_network()
            row = self._iteration(clock)
            if self.ranks.is_first:
                self.hooks.report(asdict(self.counters) | row | {"spent": self._spent})
            if self.counters.minutes - last_saved >= self.checkpoint_minutes:
                self.save()
                last_saved = self.counters.minutes
        if self.saved != self.counters.iteration:
            self.save()

    def _iteration(self, clock: Clock) -> dict[str, Any]:
        """Runs one iteration and returns its row of numbers."""
        is_small, seconds = self.settings.first_network and not self.counters.grown, 0.0
        if is_small and self._spent >= self.settings.growth_fraction:
            self._grow()
            seconds = self._learn()["learn_seconds"]
            self.best.load_state_dict(self.network.state_dict())  # with a gate, it is a copy
        row = self._play() | self._learn()
        row["learn_seconds"] += seconds
        (self.counters.minutes,) = self.ranks.all_reduce_max(clock.minutes)
        self.counters.iteration += 1
        if self.settings.gate_games and self.counters.iteration % self.settings.gate_every == 0:
            row |= self._gate()
        if self._is_measure_due():
            row |= self._measured()
        return row

    def _play(self) -> dict[str, Any]:
        """Plays an iteration's moves on every rank; the samples go to its replay buffer."""
        started = time.monotonic()
        num_moves = self.settings.moves_per_iteration
        told = partial(self.hooks.progress, "self-play")
        played = self.worker.play(self.best, num_moves, self.simulations(), told)
        totals = dict(
            zip(asdict(played), self.ranks.all_reduce_sum(*asdict(played).values()), strict=True)
        )
        for name in ("games", "moves", "evaluations", "cached", "samples"):
            setattr(self.counters, name, getattr(self.counters, name) + int(totals[name]))
        self.counters.owed += totals["samples"] * self.settings.samples_per_position
        return play_figures(totals, time.monotonic() - started) | {
            "resign_threshold": self.self_play.resignation.threshold,  # on this rank; -1: none
            "replay": len(self.replay),
        }

    def _learn(self) -> dict[str, Any]:
        """Takes the training steps that are due for the new samples."""
        settings, counters, started = self.settings, self.counters, time.monotonic()
        (smallest,) = self.ranks.all_reduce_min(len(self.replay))
        batch_size = settings.batch_size_at(self._spent)
        a_step = batch_size * self.ranks.world_size
        num_steps = int(counters.owed / a_step) if smallest >= settings.first_window else 0
        counters.owed -= num_steps * a_step
        rate = learning_rate(settings, self._spent)
        told = partial(self.hooks.progress, "training")
        parts = self.worker.learn(num_steps, batch_size, rate, counters.iteration, told)
        self.ranks.average_buffers(self.network)
        counters.steps += num_steps
        parts = [x / self.ranks.world_size for x in self.ranks.all_reduce_sum(*parts.tolist())]
        # The last step may have corrupted the weights although its loss was still finite.
        sums = [x.float().square().sum() for x in self.network.state_dict().values()]
        if not np.isfinite([*parts, *map(float, sums)]).all():
            raise TrainingStopped(
                f"The loss became NaN in iteration {counters.iteration + 1:,}."
                f" {self._what_is_left()} A new run with a lower learning_rate may"
                " avoid this."
            )
        row: dict[str, Any] = {
            "learn_seconds": time.monotonic() - started,
            "learning_rate": rate,
            "living_filters": living_share(self.network),
        }
        if num_steps:
            names = ("value_loss", "policy_loss", "l2_loss")
            names += ("owner_loss",) if settings.ownership_weight else ()
            row |= {name: x / num_steps for name, x in zip(names, parts, strict=False)}
            row["living_units"] = living_units(self.network, self.worker.batch().planes)
        return row

    def simulations(self) -> int:
        """Returns the current simulations per move, which rise linearly over the run."""
        first, last = self.settings.first_simulations, self.settings.simulations
        return first + int((last - first) * self._spent)

    @property
    def _spent(self) -> float:
        return min(self.budget.spent(self.counters), 1.0)

    def _is_measure_due(self) -> bool:
        since = self.counters.minutes - self.counters.last_measured
        return self.hooks.measure is not None and since >= self.hooks.measure_minutes

    def _measured(self) -> dict[str, float]:
        self.counters.last_measured, figures = self.counters.minutes, {}
        self.hooks.progress("measuring strength", 0.0)
        if self.ranks.is_first:
            figures = self.hooks.measure(self._evaluator(self.best))
        self.ranks.barrier()
        return figures

    def _gate(self) -> dict[str, float]:
        """Lets the new network play from now on if the gate accepts it."""
        accepted = False
        self.hooks.progress("gating", 0.0)
        if self.ranks.is_first:
            new, old = self._evaluator(self.network), self._evaluator(self.best)
            accepted = self.hooks.gate(new, old, self.settings)
        (accepted,) = self.ranks.all_reduce_max(float(accepted))
        if accepted:
            self.best.load_state_dict(self.network.state_dict())
        return {"accepted": accepted}

    def _evaluator(self, network: ResNet) -> NetworkEvaluator:
        return NetworkEvaluator(self.game, network, device=self.device, dtype=self.dtype)

    def save(self) -> None:
        """Writes the network and a checkpoint; every rank must call it, and all wait for it.

        Raises:
            OSError: a file cannot be written; the previous checkpoint stays valid.
        """
        write_checkpoint(self.out, self._about(), self.ranks, *self._state())
        self.saved = self.counters.iteration

    def _what_is_left(self) -> str:
        return what_is_left(self.out, self.saved, self.ranks)

    def _keep_network(self) -> None:
        """Saves a snapshot of the network that plays now, if one is due (see ``snapshots``)."""
        iteration = self.counters.iteration
        if self.ranks.is_first and should_keep_snapshot(
            iteration, self.settings.snapshots_per_doubling
        ):
            path, weights = snapshot_path(self.out, iteration), self.best.state_dict()
            write_network(path, self.settings.game, self.best.size, weights, self._about())

    def _about(self) -> dict[str, Any]:
        parts = {"settings": self.settings, "budget": self.budget, "counters": self.counters}
        return {name: asdict(part) for name, part in parts.items()}

    def _state(self) -> tuple:
        """Returns the other parts of a checkpoint, as ``checkpoint`` takes them."""
        modules = {"network": self.network}
        modules |= {"best": self.best} if self.best is not self.network else {}
        return modules, self.optimizer, self.self_play, self.replay


def play_figures(totals: dict[str, float], seconds: float) -> dict[str, float]:
    """Returns the part of a log row that describes ``seconds`` of self-play.

    Args:
        totals: by name, the ``Statistics`` summed over all ranks.
    """
    games = max(totals["games"], 1)
    return {
        "play_seconds": seconds,
        "games_per_second": totals["games"] / seconds,
        "moves_per_second": totals["moves"] / seconds,
        "evaluations_per_second": totals["evaluations"] / seconds,
        "cached_share": totals["cached"] / (totals["cached"] + totals["evaluations"]),
        "first_player_wins": totals["wins"] / games,
        "draws": totals["draws"] / games,
        "plies": totals["plies"] / games,
        "resigned": totals["resigned"] / games,
        "decided": totals["decided"] / games,
        "false_resignations": totals["false_resignations"] / max(totals["played_out"], 1),
        "target_entropy": totals["entropy"] / max(totals["samples"], 1),
    }
