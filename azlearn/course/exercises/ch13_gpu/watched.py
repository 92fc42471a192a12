"""What is looked at beside an answer: what a GPU would be waited for, and how often torch is called."""

import sys
from collections.abc import Callable
from linecache import getline
from typing import Any

import numpy as np

from azlearn.course.kit import CHANGED

WAITS = "what the guard finds"
_READS = {"_local_scalar_dense", "equal", "is_nonzero", "allclose", "multinomial", "histc"}
_SHAPES = {"nonzero", "masked_select", "_unique2", "bincount", "repeat_interleave"}
_INDEXED = {"index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index"}
_FETCHES = "tolist", "item", "numpy", "__array__", "__int__", "__index__", "__float__", "__bool__"


def watched(answer: Callable, *given: Any) -> tuple[Any, str, list[str]]:
    """What ``answer`` gives, what it made the host wait for, and the functions of torch it called.

    Operations are looked at as they are dispatched; ``tolist`` and ``numpy``, which do not show
    there on a CPU, by their names, in a call of its own with copies.
    """
    import torch
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    class Naming(TorchFunctionMode):
        def __init__(self) -> None:
            super().__init__()
            self.names: list[str] = []

        def __torch_function__(self, func, types, args=(), kwargs=None):
            self.names.append(getattr(func, "__name__", ""))
            return func(*args, **(kwargs or {}))

    class Guard(TorchDispatchMode):
        found = ""

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # otherwise torch imports its compiler, which takes seconds

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            name = func.overloadpacket.__name__
            self.found = self.found or _wait(name, args)
            return func(*args, **(kwargs or {}))

    copies = [one.clone() if isinstance(one, torch.Tensor) else one for one in given]
    with Naming() as naming:
        answer(*copies)
    with Guard() as guard:
        value = answer(*given)
    fetched = next((f"read: `{name}`" for name in naming.names if name in _FETCHES), "")
    return value, guard.found or fetched or "nothing", naming.names


def _wait(name: str, args: tuple) -> str:
    """What makes the host wait in one operation, and whose line does it; "" for nothing."""
    import torch

    indices = args[1] if name in _INDEXED else ()
    is_mask = any(i is not None and i.dtype in (torch.bool, torch.uint8) for i in indices)
    if name in _READS:
        kind = "read"
    elif name in _SHAPES or is_mask:
        kind = "shape"
    elif name == "lift_fresh" and args[0].dim():  # torch.tensor(…)
        kind = "upload"
    else:
        return ""
    frame = sys._getframe(2)
    while "torch" in frame.f_code.co_filename.split("/") and frame.f_back:
        frame = frame.f_back
    line = getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return f"{kind}: `{line or name}`"


def seen_of_tensors(answer: Callable, *given: Any) -> tuple[Any, dict[str, Any]]:
    """What ``answer`` gives for arrays as tensors, as ``numbers``; what else is looked at."""
    import torch

    tensors = [torch.from_numpy(a.copy()) if isinstance(a, np.ndarray) else a for a in given]
    value, waits, _ = watched(answer, *tensors)
    pairs = zip(tensors, given, strict=True)
    changed = not all(np.array_equal(t, a, equal_nan=True) for t, a in pairs)
    return value, {WAITS: waits, CHANGED: changed}
