"""Writing checkpoints, while training goes on.

A checkpoint is written in two steps, each in a thread of its own: every rank writes its files; when
all have done so, the first rank of every folder makes the checkpoint count. The ranks meet after
every iteration anyway, and there they agree on the next step (``Saving.advance``). So a kill, or a
full disk, at any instant and of any rank leaves the checkpoint before, or the new one, whole.
"""

import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from azlearn.learning.checkpoint import (
    CHECKPOINT_FOLDER,
    CHECKPOINT_PART,
    CHECKSUM,
    FORMAT,
    SUMMARY_FILE,
    checksum_of,
    pack,
    pack_training,
    summary_checksum,
)
from azlearn.learning.files import NETWORK_FILE, write_network, write_tensors
from azlearn.learning.kept import kept_path
from azlearn.learning.network import ResNet
from azlearn.learning.ranks import Ranks
from azlearn.learning.replay import ReplayBuffer
from azlearn.learning.run_log import LOG_FILE
from azlearn.learning.self_play import SelfPlay
from azlearn.whole_file import own_folder, sweep, sync_directory, write_whole


class Saving:
    """The checkpoints of a run, one after the other.

    What goes wrong in a thread is raised by the next call.

    Raises:
        OSError: a file cannot be written; the previous checkpoint still counts.
        RuntimeError: another rank has ended.
    """

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks
        self._counts: int | None = None
        self._out, self._iteration = Path(), 0  # of the checkpoint that is being written
        self._written: tuple[Path, int] | None = None  # the last one
        self._steps: list[Callable[[], None]] = []  # still to be begun
        self._step: Future | None = None  # under way
        self._keeper = ThreadPoolExecutor(1, "kept")
        self._kept: list[Future] = []  # networks for later that are being written

    @property
    def saved(self) -> int | None:
        """The iteration of the checkpoint that counts; one that is about to is waited for."""
        if self._step and not self._steps:
            wait([self._step])
            if not self._step.exception():
                return self._iteration
        return self._counts

    @saved.setter
    def saved(self, iteration: int) -> None:
        self._counts = iteration

    def what_is_left(self, out: Path) -> str:
        """A sentence on the checkpoint that counts, for a run that cannot go on."""
        if (saved := self.saved) is None:
            return "Nothing has been trained yet."
        parts = [
            f"{saved:06d}/{name}.safetensors" for name in ("training", f"rank{self._ranks.rank}")
        ]
        if not all((out / name).is_file() for name in (SUMMARY_FILE, *parts)):
            return f"Files of the checkpoint of iteration {saved:,} in {out} are gone."
        return f"The checkpoint of iteration {saved:,} in {out} is whole."

    def begin(self, out: Path, snapshot: "Snapshot") -> None:
        """Begins to write a checkpoint, after the one before; every rank must call it.

        There is nothing to do if it has just written that of this iteration.
        """
        self._finish_step()
        self._iteration = snapshot.run["counters"]["iteration"]
        if self._written == (out, self._iteration):
            return
        self._out = out
        self._steps = [
            partial(step, out, self._ranks, snapshot) for step in (write_parts, make_it_count)
        ]
        self._next()

    def advance(self) -> None:
        """Goes on to the next step when all ranks have done the last; never waits for a disk.

        Every rank must call it, in the same iteration.
        """
        self._check_kept()
        if self._step is None:
            return
        is_done = self._step.done()
        if is_done and (error := self._step.exception()):
            self._step, self._steps = None, []
            raise error
        if self._ranks.lowest(float(is_done)) == [1.0]:
            self._next()

    def finish(self) -> None:
        """Waits until the checkpoint counts; every rank must call it."""
        self._finish_step()
        wait(self._kept)
        self._check_kept()

    def keep(self, out: Path, run: dict[str, Any], player: ResNet) -> None:
        """Begins to write a network that is kept for later (see ``kept``); no other rank is asked.

        Args:
            run: settings, budget and counters, JSON-able; the iteration names the network.
        """
        path, game = kept_path(out, run["counters"]["iteration"]), run["settings"]["game"]
        weights = _copied(player.state_dict())
        self._kept.append(self._keeper.submit(write_network, path, game, player.size, weights, run))

    def _check_kept(self) -> None:
        for written in [one for one in self._kept if one.done()]:
            self._kept.remove(written)
            written.result()

    def _finish_step(self) -> None:
        while self._step:
            wait([self._step])
            self.advance()

    def _next(self) -> None:
        if not self._steps:
            self._counts, self._step = self._iteration, None
            self._written = self._out, self._iteration
            return
        thread = ThreadPoolExecutor(1, "checkpoint")
        self._step = thread.submit(self._steps.pop(0))
        thread.shutdown(wait=False)  # it ends with its step


@dataclass(frozen=True)
class Snapshot:
    """What a checkpoint is to hold, in host memory: the run may go on meanwhile."""

    run: dict[str, Any]  # settings, budget and counters, JSON-able
    training: dict[str, torch.Tensor]  # weights and optimiser
    player: tuple[dict[str, int], dict[str, torch.Tensor]]  # size and weights of who plays
    own: tuple[dict[str, torch.Tensor], dict[str, Any]]  # of this rank: tensors, plain values

    @classmethod
    def of(
        cls,
        run: dict[str, Any],
        modules: dict[str, ResNet],
        optimizer: torch.optim.Optimizer,
        self_play: SelfPlay,
        replay: ReplayBuffer,
    ) -> "Snapshot":
        """The state of a run as it is now.

        Args:
            run: settings, budget and counters, JSON-able; the iteration names the checkpoint.
            modules: networks by name, the same on all ranks; ``"network"`` is the optimiser's, and
                the last one plays.
        """
        *_, player = modules.values()
        own, about = pack(self_play, replay)
        return cls(
            run,
            _copied(pack_training(modules, optimizer)),
            (player.size, _copied(player.state_dict())),
            (_copied(own), about),
        )

    @property
    def folder(self) -> str:
        return f"{self.run['counters']['iteration']:06d}"


def write_parts(out: Path, ranks: Ranks, snapshot: Snapshot) -> None:
    """Writes this rank's files; the checkpoint does not count yet.

    The player's network goes first: a run that is killed afterwards goes on, while a finished one
    could not make up for a network that is missing.

    Raises:
        OSError: no space, for one.
    """
    if ranks.is_first:
        game, (size, weights) = snapshot.run["settings"]["game"], snapshot.player
        write_network(out / NETWORK_FILE, game, size, weights, snapshot.run)
    folder = own_folder(out / snapshot.folder)
    sync_directory(out)
    write_tensors(folder / f"rank{ranks.rank}.safetensors", *snapshot.own)
    if ranks.is_first:
        write_tensors(folder / "training.safetensors", snapshot.training)


def make_it_count(out: Path, ranks: Ranks, snapshot: Snapshot) -> None:
    """Names the new checkpoint in ``checkpoint.json`` and deletes the old one, in every folder.

    Other files there are a reader's, whatever their names, and stay.

    All ranks have written their parts. Only the first rank of a folder has something to do.

    Raises:
        OSError: no space, for one; the previous checkpoint still counts.
    """
    if not ranks.is_first_here:
        return
    folder = out / snapshot.folder
    for group in ranks.folders:
        for rank in group:
            ranks.pass_on(folder / f"rank{rank}.safetensors", group[0])
    for path in (folder / "training.safetensors", out / NETWORK_FILE, out / LOG_FILE):
        ranks.pass_on(path, 0)
    if ranks.is_first:
        names = ["training", *(f"rank{rank}" for rank in range(ranks.world_size))]
        files = [folder / f"{name}.safetensors" for name in names]
        summary = {
            "format": FORMAT,
            "folder": folder.name,
            "world_size": ranks.world_size,
            **snapshot.run,
            "sha256": {file.name: checksum_of(file) for file in files},
        }
        signed = summary | {CHECKSUM: summary_checksum(summary)}
        write_whole(out / SUMMARY_FILE, json.dumps(signed, indent=1))
    ranks.pass_on(out / SUMMARY_FILE, 0)
    for here in (out, folder):
        sweep(here)
    for old in out.iterdir():
        if CHECKPOINT_FOLDER.fullmatch(old.name) and old != folder:
            with suppress(OSError):
                _delete(old)


def _delete(folder: Path) -> None:
    """Deletes the files of a checkpoint, and their folder where nothing else is in it."""
    if folder.is_symlink() or not folder.is_dir():
        return
    sweep(folder)
    for path in folder.iterdir():
        if CHECKPOINT_PART.fullmatch(path.name):
            path.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def _copied(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """In host memory; what the run changes next is not seen in them."""
    return {name: tensor.detach().to("cpu", copy=True) for name, tensor in tensors.items()}
