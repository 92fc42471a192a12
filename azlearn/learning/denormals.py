"""Numbers so small that some processors compute with them slowly.

A float32 below 1.2e-38 in size is *denormal*. Intel's processors take many times as long for a sum
or a product of such numbers as for any other, AMD's do not mind. Weights that decay towards 0
become denormal and stay so; none is large enough to change an answer. So they count as 0 here.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

# Far above the denormal numbers, since a weight is multiplied by small numbers too; far below what
# changes a sum: next to 1, float32 does not see less than 6e-8.
SMALLEST = 1e-30

_DENORMAL = 5e-324  # as a float64, as Python's are


def without_tiny(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors with 0 in place of everything smaller than ``SMALLEST``; NaN stays."""
    return {
        name: x.masked_fill(x.abs() < SMALLEST, 0.0) if x.is_floating_point() else x
        for name, x in tensors.items()
    }


@contextmanager
def flushed_denormals() -> Iterator[None]:
    """Within, this thread takes 0 in place of a denormal number; so does a thread started within.

    The setting is the processor's, one for each thread: torch and compiled searches follow it
    alike. Torch's worker threads keep what held when the first work came for them. Afterwards all
    is as before, since others may count on denormal numbers. Where a processor has no such setting
    nothing happens.
    """
    for dtype in (np.float32, np.float64):
        np.finfo(dtype)  # kept by NumPy, which before 2.3 warns of a smallest number that is 0
    before = _DENORMAL * 1.0 == 0.0
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)
