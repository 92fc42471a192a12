"""A square root for tensors on the CPU that is right to the last bit."""

import numpy as np
import torch
from torch import Tensor


@torch.library.custom_op("azlearn::square_root", mutates_args=(), device_types="cpu")
def square_root_on_cpu(x: Tensor) -> Tensor:
    """The root of every number of a float tensor, correctly rounded.

    Torch's own is off in the last bit where Intel's vector library computes it (127 of the whole
    numbers to 20,000); NumPy's is right. As an operation of its own it can be recorded, replayed
    and compiled around like those of torch.
    """
    return torch.from_numpy(np.sqrt(x.numpy()))


@square_root_on_cpu.register_fake
def _(x: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)
