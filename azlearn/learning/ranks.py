"""Several processes that train one network: each plays its own games, gradients are averaged.

Every process is a *rank*. A laptop is one rank a core, a GPU is one rank, a cluster is many under
``torchrun``; one rank alone needs none of this. Machines need not share a folder: who sees whose
files is found out by ``sharing``, and where a folder lacks a file, ``pass_on`` brings it there.
"""

import json
import os
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import torch
import torch.distributed as dist

# Its functions keep the group that there is at its import, as a default argument. Torch imports it
# when an optimiser is made: then the group would never end, and its threads may abort the process.
import torch.distributed.nn.functional
from torch import Tensor, nn

from azlearn.whole_file import write_whole

MEETING_FILE = "AZLEARN_MEETING_FILE"  # a variable of the environment
_PIECE = 1 << 23  # bytes of a file that travel, and are held in memory, at once


def number_told(name: str, default: int, least: int = 0) -> int:
    """A number that torchrun, or who started this rank, has put into the environment.

    Raises:
        ValueError: it is none, or below ``least``.
    """
    text = os.environ.get(name, str(default))
    if not text.isdecimal() or int(text) < least:
        raise ValueError(
            f"{name} must be a whole number, at least {least}, not {text!r}: unset it in the"
            " environment, or start with torchrun."
        )
    return int(text)


@dataclass(frozen=True)
class Ranks:
    """This process among all: ``rank`` of ``world_size``.

    One that is made by hand, not by ``join``, has nobody to talk to: it looks at a run, such as
    ``Training.resumed(out, ranks=Ranks(1, 2))``, as that rank would.

    Args:
        folders: the ranks that share a folder, for each folder; none: all share one. See
            ``sharing``.
    """

    rank: int = 0
    world_size: int = 1
    folders: tuple[tuple[int, ...], ...] = ()
    _firsts_group: Any = field(default=None, compare=False, repr=False)

    @classmethod
    def join(cls, device: str) -> "Ranks":
        """Meets the other processes, if ``WORLD_SIZE`` (set by ``torchrun``) says there are any.

        They meet in the file ``AZLEARN_MEETING_FILE`` if there is one, else as torch is told.

        Raises:
            ValueError: the environment holds no such numbers.
        """
        world_size = number_told("WORLD_SIZE", 1, least=1)
        if world_size == 1:
            return cls()
        rank = number_told("RANK", 0)
        # Numbers and files go over gloo on any machine; gradients are where the network is.
        backend = "cpu:gloo,cuda:nccl" if device.startswith("cuda") else "gloo"
        if file := os.environ.get(MEETING_FILE):
            store = dist.FileStore(file, world_size)
        else:
            store, rank, world_size = next(dist.rendezvous("env://"))
        dist.init_process_group(backend, store=store, rank=rank, world_size=world_size)
        return cls(rank, world_size)

    @property
    def _is_alone(self) -> bool:
        return self.world_size == 1 or not dist.is_initialized()

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    @property
    def firsts(self) -> tuple[int, ...]:
        """The first rank of every folder; rank 0 is one of them."""
        return tuple(folder[0] for folder in self.folders) or (0,)

    @property
    def is_first_here(self) -> bool:
        """Of the ranks that share this one's folder."""
        return self.rank in self.firsts

    def sharing(self, out: Path) -> "Ranks":
        """These ranks, knowing who shares the folder ``out``; it is made where there is none.

        Every rank leaves a mark in its folder and looks whose marks it sees: two machines share a
        network drive, or one path is two disks, and no name tells.

        Raises:
            OSError: a folder cannot be made or written to.
        """
        if self._is_alone:
            out.mkdir(parents=True, exist_ok=True)
            return self
        run = self.tell(uuid4().hex)[0]
        mark = out / f"{run}.{self.rank}.partial"  # so it is swept away if this process is killed
        out.mkdir(parents=True, exist_ok=True)
        mark.touch()
        try:
            self.wait()
            seen = [int(path.name.split(".")[1]) for path in out.glob(f"{run}.*.partial")]
            lowest = self.tell(min(seen))
        finally:
            mark.unlink()
        folders = tuple(
            tuple(rank for rank, its in enumerate(lowest) if its == one)
            for one in sorted(set(lowest))
        )
        firsts = [folder[0] for folder in folders]
        group = dist.new_group(firsts, backend="gloo") if len(firsts) > 1 else None
        return replace(self, folders=folders, _firsts_group=group)

    def sum(self, *numbers: float) -> list[float]:
        """The numbers, each added up over the ranks."""
        return self._together(dist.ReduceOp.SUM, numbers)

    def lowest(self, *numbers: float) -> list[float]:
        """The numbers, each the lowest of any rank."""
        return self._together(dist.ReduceOp.MIN, numbers)

    def highest(self, *numbers: float) -> list[float]:
        """The numbers, each the highest of any rank."""
        return self._together(dist.ReduceOp.MAX, numbers)

    def tell(self, what: Any) -> list[Any]:
        """What every rank tells the others, JSON-able, in their order."""
        text = json.dumps(what).encode()
        if self._is_alone:
            return [json.loads(text)]
        length = int(self.highest(len(text))[0])
        own = torch.frombuffer(bytearray(text.ljust(length)), dtype=torch.uint8)
        texts = [torch.empty_like(own) for _ in range(self.world_size)]
        dist.all_gather(texts, own)
        return [json.loads(text.numpy().tobytes()) for text in texts]

    def pass_on(self, path: Path, owner: int, wanted: bool = True) -> None:
        """Brings a file from the folder of rank ``owner`` to the others; the firsts alone call it.

        Pieces travel one after the other. A file that the owner lacks is passed over.

        Args:
            path: the same in all folders, whatever their own paths are; its own folder is there.
            wanted: whether to write it here, whole or not at all.

        Raises:
            OSError: it cannot be written.
        """
        if len(self.firsts) == 1:
            return
        is_here = self.rank == owner
        size = torch.tensor([path.stat().st_size if is_here and path.is_file() else -1])
        dist.broadcast(size, owner, group=self._firsts_group)
        pieces = self._pieces(path, int(size), owner)
        if size >= 0 and wanted and not is_here:
            write_whole(path, pieces)
        else:
            for _ in pieces:
                pass

    def average_gradients(self, network: nn.Module) -> None:
        """Replaces every gradient by its mean over the ranks."""
        self._average([p.grad for p in network.parameters() if p.grad is not None])

    def average_buffers(self, network: nn.Module) -> None:
        """Replaces batch norm's running statistics by their mean over the ranks."""
        self._average([b for b in network.buffers() if b.dtype.is_floating_point])

    def wait(self) -> None:
        """Until every rank is here."""
        self.sum(0.0)

    def leave(self) -> None:
        if self.world_size > 1:
            dist.destroy_process_group()

    def _pieces(self, path: Path, size: int, owner: int) -> Iterator[memoryview]:
        """The file's bytes as they come from ``owner``, or from the disk here if it is this one."""
        with path.open("rb") if self.rank == owner and size > 0 else nullcontext() as file:
            for start in range(0, size, _PIECE):
                piece = torch.empty(min(_PIECE, size - start), dtype=torch.uint8)
                if file is not None:
                    file.readinto(piece.numpy())
                dist.broadcast(piece, owner, group=self._firsts_group)
                yield piece.numpy().data

    def _average(self, tensors: list[Tensor]) -> None:
        if self._is_alone or not tensors:
            return
        flat = torch.cat([tensor.flatten() for tensor in tensors])  # one message, not one a tensor
        dist.all_reduce(flat)
        flat /= self.world_size
        parts = flat.split([tensor.numel() for tensor in tensors])
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.copy_(part.view_as(tensor))

    def _together(self, operation, numbers) -> list[float]:
        if self._is_alone:
            return list(numbers)
        tensor = torch.tensor(numbers, dtype=torch.float64)
        dist.all_reduce(tensor, operation)
        return tensor.tolist()
