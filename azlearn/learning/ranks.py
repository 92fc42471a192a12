"""Several processes that train one network: each plays its own games, gradients are averaged.

Every process is a *rank*. A laptop is one rank a core, a GPU is one rank, a cluster is many under
``torchrun``; one rank alone needs none of this. Several machines need one folder that all share for
the run: the first rank reads the checkpoint files of all.
"""

import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn


@dataclass(frozen=True)
class Ranks:
    """This process among all: ``rank`` of ``world_size``."""

    rank: int = 0
    world_size: int = 1

    @classmethod
    def join(cls, device: str) -> "Ranks":
        """Meets the other processes, if ``WORLD_SIZE`` (set by ``torchrun``) says there are any."""
        world_size = int(os.environ.get("WORLD_SIZE", "1"))
        if world_size == 1:
            return cls()
        dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")
        return cls(dist.get_rank(), world_size)

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def sum(self, *numbers: float) -> list[float]:
        """The numbers, each added up over the ranks."""
        return self._together(dist.ReduceOp.SUM, numbers)

    def lowest(self, *numbers: float) -> list[float]:
        """The numbers, each the lowest of any rank."""
        return self._together(dist.ReduceOp.MIN, numbers)

    def highest(self, *numbers: float) -> list[float]:
        """The numbers, each the highest of any rank."""
        return self._together(dist.ReduceOp.MAX, numbers)

    def average_gradients(self, network: nn.Module) -> None:
        """Replaces every gradient by its mean over the ranks."""
        self._average([p.grad for p in network.parameters() if p.grad is not None])

    def average_buffers(self, network: nn.Module) -> None:
        """Replaces batch norm's running statistics by their mean over the ranks."""
        self._average([b for b in network.buffers() if b.dtype.is_floating_point])

    def wait(self) -> None:
        """Until every rank is here."""
        if self.world_size > 1:
            dist.barrier()

    def leave(self) -> None:
        if self.world_size > 1:
            dist.destroy_process_group()

    def _average(self, tensors: list[Tensor]) -> None:
        if self.world_size == 1 or not tensors:
            return
        flat = torch.cat([tensor.flatten() for tensor in tensors])  # one message, not one a tensor
        dist.all_reduce(flat)
        flat /= self.world_size
        parts = flat.split([tensor.numel() for tensor in tensors])
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.copy_(part.view_as(tensor))

    def _together(self, operation, numbers) -> list[float]:
        if self.world_size == 1:
            return list(numbers)
        device = "cuda" if dist.get_backend() == "nccl" else "cpu"
        tensor = torch.tensor(numbers, dtype=torch.float64, device=device)
        dist.all_reduce(tensor, operation)
        return tensor.tolist()
