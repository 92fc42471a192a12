"""Denormal numbers: so small that some processors compute slowly with them.

A float32 whose absolute value is below 1.2e-38 is *denormal*. Intel processors take many times as
long to add or multiply such numbers; AMD processors do not. Weights that decay toward 0 become
denormal and stay denormal. None is large enough to change a result, so they are treated as 0 here.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

# This is far above the denormal numbers, because weights are also multiplied by small numbers. It
# is too small to change a sum: adding less than 6e-8 to 1 changes nothing in float32.
SMALLEST = 1e-30

_DENORMAL = 5e-324  # in float64, like Python's floats


def without_tiny(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Returns the tensors with 0 for every absolute value below ``SMALLEST``; NaN stays."""
    return {
        name: x.masked_fill(x.abs() < SMALLEST, 0.0) if x.is_floating_point() else x
        for name, x in tensors.items()
    }


@contextmanager
def flushed_denormals() -> Iterator[None]:
    """Inside the block, this thread, and any thread it starts, treats denormal numbers as 0.

    This is a setting of the processor, one per thread, so PyTorch and compiled searches both follow
    it. PyTorch's worker threads keep the setting that was active when they got their first task.
    Afterward the previous setting is restored, since other code may rely on denormal numbers. On a
    processor without this setting, nothing happens.
    """
    for dtype in (np.float32, np.float64):
        np.finfo(dtype)  # cached now: NumPy before 2.3 warns if its smallest number is 0
    before = _DENORMAL * 1.0 == 0.0
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)
