"""Several processes that train one network: each plays its own games, and gradients are averaged.

Each process is a *rank*. A laptop runs one rank per core, a GPU one rank, a cluster many ranks
under ``torchrun``; a single rank does not communicate. All ranks use the same folder, so several
machines share one on a network drive.
"""

import json
import os
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist

# Imported early, because its functions store the current process group as a default argument. If
# PyTorch imported it later, to make an optimizer, the group would never be freed and could crash.
import torch.distributed.nn.functional
from torch import Tensor, nn

MEETING_FILE = "AZLEARN_MEETING_FILE"  # an environment variable


def env_int(name: str, default: int, least: int = 0) -> int:
    """Reads an integer that torchrun (or another launcher) has set in the environment.

    Raises:
        ValueError: it is not an integer, or is below ``least``.
    """
    text = os.environ.get(name, str(default))
    if not text.isdecimal() or int(text) < least:
        raise ValueError(
            f"{name} must be a whole number, at least {least}, not {text!r}. Unset it in the"
            " environment, or start with torchrun."
        )
    return int(text)


@dataclass(frozen=True)
class Ranks:
    """This process's place among all processes: ``rank`` of ``world_size``.

    An object that was not made by ``join`` does not communicate. Use one to view a run as that rank
    sees it, as in ``Training.resumed(out, ranks=Ranks(1, 2))``.
    """

    rank: int = 0
    world_size: int = 1

    @classmethod
    def join(cls, device: str) -> "Ranks":
        """Connects to the other processes, if ``WORLD_SIZE`` (set by ``torchrun``) is above 1.

        They meet in the file that ``AZLEARN_MEETING_FILE`` names, or through torchrun's variables.

        Raises:
            ValueError: one of these variables is not a valid number.
        """
        world_size = env_int("WORLD_SIZE", 1, least=1)
        if world_size == 1:
            return cls()
        rank = env_int("RANK", 0)
        # Numbers go through gloo on any machine; gradients are on the network's device.
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
        """Whether this is rank 0."""
        return self.rank == 0

    def all_reduce_sum(self, *numbers: float) -> list[float]:
        """Returns each number's sum over the ranks."""
        return self._together(dist.ReduceOp.SUM, numbers)

    def all_reduce_min(self, *numbers: float) -> list[float]:
        """Returns each number's minimum over the ranks."""
        return self._together(dist.ReduceOp.MIN, numbers)

    def all_reduce_max(self, *numbers: float) -> list[float]:
        """Returns each number's maximum over the ranks."""
        return self._together(dist.ReduceOp.MAX, numbers)

    def all_gather(self, what: Any) -> list[Any]:
        """Returns ``what`` (JSON-serializable) from every rank, in the order of the ranks."""
        text = json.dumps(what).encode()
        if self._is_alone:
            return [json.loads(text)]
        length = int(self.all_reduce_max(len(text))[0])
        own = torch.frombuffer(bytearray(text.ljust(length)), dtype=torch.uint8)
        texts = [torch.empty_like(own) for _ in range(self.world_size)]
        dist.all_gather(texts, own)
        return [json.loads(text.numpy().tobytes()) for text in texts]

    def average_gradients(self, network: nn.Module) -> None:
        """Replaces every gradient by its mean over the ranks."""
        self._average([p.grad for p in network.parameters() if p.grad is not None])

    def average_buffers(self, network: nn.Module) -> None:
        """Replaces batch norm's running statistics by their mean over the ranks."""
        self._average([b for b in network.buffers() if b.dtype.is_floating_point])

    def barrier(self) -> None:
        """Waits until every rank has called it."""
        self.all_reduce_sum(0.0)

    def leave(self) -> None:
        """Closes the connections to the other ranks."""
        if self.world_size > 1:
            dist.destroy_process_group()

    def _average(self, tensors: list[Tensor]) -> None:
        if self._is_alone or not tensors:
            return
        flat = torch.cat([tensor.flatten() for tensor in tensors])  # one message for all
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
