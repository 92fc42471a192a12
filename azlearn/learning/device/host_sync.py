"""What a GPU would be waited for, found without one.

Operations on a GPU are queued, and Python runs ahead of them, until it wants to know a number: then
it waits for the whole queue, and afterwards the GPU waits for Python. ``NoHostSync`` looks at every
operation of PyTorch inside it and refuses four kinds:

- *read*: a number of the device is wanted on the host (``if tensor:``, ``.item()``, ``.cpu()``);
- *shape*: the size of an answer depends on numbers on the device (``nonzero``, a bool mask);
- *upload*: numbers of the host go to the device (``torch.tensor([...], device=...)``);
- *mix*: tensors of two devices in one operation, even where CUDA would take a single number.

Tensors on the CPU show the first three. ``fake_cuda`` gives tensors that say they are on a GPU:
they show all four, and ``.numpy()`` and ``.tolist()`` fail on them, which otherwise nobody sees.
"""

import ctypes
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from linecache import getline
from pathlib import Path

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

READS = {
    "_local_scalar_dense", "item", "equal", "is_nonzero", "allclose", "multinomial", "histc",
    "_linalg_check_errors",
}  # fmt: skip
SHAPES = {
    "nonzero", "masked_select", "unique_dim", "_unique2", "unique_consecutive", "bincount",
    "repeat_interleave",
}  # fmt: skip
INDEXED = {"index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index"}
MASKS = {torch.bool, torch.uint8}
COPIES = {"_to_copy", "copy_", "_copy_from", "device_put", "to"}
_TORCH = Path(torch.__path__[0])
_CUDA, _META = 1, 14  # in c10::DeviceType


class HostSync(AssertionError):
    """An operation would make the host wait for the device."""


class NoHostSync(TorchDispatchMode):
    """A context in which nothing may make the host wait for the device.

    Args:
        collect: count what is found, go on.
        within: name the innermost line in a file whose path holds this; "": outside of torch.

    Attributes:
        found: (kind, operation, line) -> how often, with ``collect``.
        operations: name -> how often.

    Raises:
        HostSync: at the first operation that does, without ``collect``; names the line.
    """

    def __init__(self, collect: bool = False, within: str = "") -> None:
        super().__init__()
        self.collect, self.within = collect, within
        self.found: Counter[tuple[str, str, str]] = Counter()
        self.operations: Counter[str] = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Looks at one operation, then runs it."""
        name, kwargs = func.overloadpacket.__name__, kwargs or {}
        self.operations[name] += 1
        if kind := _kind(name, args, kwargs):
            line = self._line()
            if not self.collect:
                raise HostSync(f"{name} ({kind}) in {line}")
            self.found[kind, name, line] += 1
        return func(*args, **kwargs)

    def _line(self) -> str:
        """Whose doing it is: ``"search.py:12: if is_over.any():"``."""
        frame = innermost = sys._getframe(2)
        while frame:
            path = Path(frame.f_code.co_filename)
            if not path.is_relative_to(_TORCH):
                innermost = frame
                if self.within in str(path):
                    break
            frame = frame.f_back
        path, number = innermost.f_code.co_filename, innermost.f_lineno
        return f"{Path(path).name}:{number}: {getline(path, number).strip()}"


def _kind(name: str, args: tuple, kwargs: dict) -> str | None:
    """Which of the four kinds the operation is, if any."""
    tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
    if name in READS:
        return "read"
    indices = args[1] if name in INDEXED else ()
    if name in SHAPES or any(i is not None and i.dtype in MASKS for i in indices):
        return "shape"
    if name == "lift_fresh":  # torch.tensor(…); a single number travels with its kernel
        return "upload" if tensors[0].dim() else None
    if name in COPIES:
        to = torch.device(kwargs.get("device") or args[0].device).type
        if any(t.device.type != to for t in tensors):
            return "read" if to == "cpu" else "upload"
        return None
    return "mix" if len({t.device for t in tensors}) > 1 else None


@contextmanager
def fake_cuda() -> Iterator[FakeTensorMode]:
    """Tensors made in here on ``"cuda:0"`` have a shape, a dtype and a device, but no numbers.

    PyTorch puts a device guard that does nothing in the place of CUDA's, but only if it was built
    with CUDA. A build for CPUs has none there: it borrows that of the device "meta".

    Raises:
        RuntimeError: this PyTorch has neither.
    """
    if not torch.backends.cuda.is_built():
        try:
            library = ctypes.CDLL(f"{torch.__path__[0]}/lib/libc10.so")
            name = "_ZN3c104impl26device_guard_impl_registryE"
            guards = (ctypes.c_void_p * 20).in_dll(library, name)
        except (OSError, ValueError) as error:
            raise RuntimeError(f"This PyTorch has no room for a fake GPU ({error}).") from None
        guards[_CUDA] = guards[_CUDA] or guards[_META]
    with FakeTensorMode() as mode, warnings.catch_warnings():
        mode.__deepcopy__ = lambda memo: mode  # copied tensors, of a network, stay in this mode
        warnings.filterwarnings("ignore", "Accessing the data pointer of FakeTensor")
        yield mode
