"""A GPU's timeline, told from the operations that a step of PyTorch launches; no GPU is needed.

The operations, their bytes and their arithmetic are counted as the step runs. How long a device
would take for each is a model, the roofline (Williams, Waterman, Patterson 2009, "Roofline: an
insightful visual performance model for multicore architectures") over a least time for a kernel.
Every number of it is an argument: what was not measured can be said to be assumed.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from azlearn.learning.device.host_sync import NoHostSync
from azlearn.viz import colors

# These touch the rows that they are asked for, not the whole table they take them from.
_OF_ROWS = {"index", "gather", "index_select", "index_put_", "_index_put_impl_", "_unsafe_index"}
_LEGEND = "host: launches", "host: waits", "device: works"
_NO_WORK = {"empty", "empty_like", "detach", "lift_fresh", "_unsafe_view"}


class Operation(NamedTuple):
    """One operation on the device.

    Attributes:
        name: PyTorch's.
        num_bytes: read and written.
        flops: floating-point operations of convolutions and matrix products; of others 0.
        wait: what makes the host wait for it: "read", "shape", "upload", "mix"; "" for nothing.
        line: whose doing that is.
    """

    name: str
    num_bytes: int
    flops: int
    wait: str = ""
    line: str = ""


class Span(NamedTuple):
    """A stretch of time, in microseconds."""

    begin: float
    end: float


class _Listing(TorchDispatchMode):
    """Lists the operations inside it that are work for the device; views are none."""

    def __init__(self, guard: NoHostSync) -> None:
        super().__init__()
        self.guard, self.before = guard, guard.found.copy()
        self.listed: list[Operation] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Runs one operation and notes what it was; the guard has seen it just before."""
        kwargs = kwargs or {}
        answer = func(*args, **kwargs)
        name = func.overloadpacket.__name__
        wait, _, line = next(iter(self.guard.found - self.before), ("", "", ""))
        self.before = self.guard.found.copy()
        aliases = [each.alias_info for each in func._schema.returns]
        is_view = any(alias is not None and not alias.is_write for alias in aliases)
        if wait or not (is_view or name in _NO_WORK):
            flops = flop_registry.get(func.overloadpacket)
            flops = flops(*args, **kwargs, out_val=answer) if flops else 0
            self.listed.append(
                Operation(name, _moved(name, args, kwargs, answer), flops, wait, line)
            )
        return answer


def recorded(step: Callable[[], Any], within: str = "") -> list[Operation]:
    """The operations of one call of ``step``, in order; ``within`` as for ``NoHostSync``."""
    guard = NoHostSync(collect=True, within=within)
    with _Listing(guard) as listing, guard:
        step()
    return listing.listed


def _moved(name: str, args: tuple, kwargs: dict, answer: Any) -> int:
    """The bytes that an operation reads and writes."""
    given = tree_leaves((args[1:] if name in _OF_ROWS else args, kwargs))
    tensors = [x for x in (*given, *tree_leaves(answer)) if isinstance(x, torch.Tensor)]
    if name in ("index_put_", "_index_put_impl_"):
        tensors = [x for x in given if isinstance(x, torch.Tensor)]  # read, and written
    if name == "copy_":
        tensors = tensors[1:]
    return sum(x.numel() * x.element_size() for x in tensors)


def durations(
    operations: Sequence[Operation], least: float, peak: float, bandwidth: float
) -> list[float]:
    """Microseconds that each operation takes on a device.

    Args:
        least: microseconds that any kernel takes.
        peak: floating-point operations a second.
        bandwidth: bytes a second.
    """
    return [
        max(least, 1e6 * one.flops / peak, 1e6 * one.num_bytes / bandwidth) for one in operations
    ]


def draw_timelines(rows: dict[str, tuple[list[Span], list[Span], list[Span]]], until: float):
    """A figure: for every name the launches of the host, its waits, the work of the device.

    The fuller a stretch of time, the darker.

    Args:
        rows: name -> (launches, waits, work).
        until: where the time axis ends, in microseconds.
    """
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(9.4, 0.75 + 0.78 * len(rows)))
    edges = np.linspace(0, until, 321)
    for y, lanes in enumerate(rows.values()):
        for spans, top, shade in zip(lanes, (-0.34, -0.34, 0.02), "WzN", strict=True):
            full = colors.mix("#ffffff", colors.LIGHT[shade], 0.4 if shade == "W" else 1)
            for left, right, share in zip(edges, edges[1:], shares(spans, edges), strict=False):
                if share > 0.01 and (shade != "z" or share > 0.2):
                    color = full if shade == "z" else colors.mix("#ffffff", full, share)
                    ax.broken_barh([(left, right - left)], (y + top, 0.32), color=color, lw=0)
    for x, shade, text in zip((0, 0.2, 0.37), "WzN", _LEGEND, strict=True):
        color = colors.LIGHT[shade]
        ax.text(x, 1.02, f"■ {text}", color=color, transform=ax.transAxes, va="bottom")
    ax.set(yticks=range(len(rows)), yticklabels=rows, xlim=(0, until), xlabel="microseconds")
    ax.set_ylim(len(rows) - 0.4, -0.5)
    ax.grid(axis="y", visible=False)
    return fig


def shares(spans: Sequence[Span], edges: np.ndarray) -> np.ndarray:
    """float64 [n], of each stretch between n + 1 edges the share that spans, in order, cover."""
    if not spans:
        return np.zeros(len(edges) - 1)
    begins, ends = np.array(spans).T
    before = [np.clip(edge - begins, 0, ends - begins).sum() for edge in edges]
    return np.diff(before) / np.diff(edges)
