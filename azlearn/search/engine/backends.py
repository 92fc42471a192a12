"""Where the engine's loops run: in Python, compiled for the CPU, or with a GPU thread a game.

The functions of the engine work on one game ``g`` of many, on arrays of all of them. They are
written once, for three readers: Python, to step through them; numba, for the cores of a CPU; and
numba-cuda, for a GPU. What the last cannot do is not done: nothing is allocated and no exception
raised in them.
"""

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numba


def jit_of(backend: str) -> Callable[[FunctionType], Any]:
    """What a function of one game goes through, so that others of the back end may call it.

    Args:
        backend: "python", "cpu" or "cuda".
    """
    return {"python": _plain, "cpu": numba.njit, "cuda": _on_device}[backend]


def inner_jit_of(backend: str) -> Callable[[FunctionType], Any]:
    """The same for functions that take whole tables: they become part of what calls them, which on
    a CPU a search is a third faster for."""
    return numba.njit(inline="always") if backend == "cpu" else jit_of(backend)


def _plain(function: FunctionType) -> FunctionType:
    return function


def _on_device(function: FunctionType):
    from numba import cuda  # which only a machine with a GPU, or its simulator, needs

    _round_as_a_cpu()
    return cuda.jit(device=True)(function)


@cache
def _round_as_a_cpu() -> None:
    """Keeps NVVM from fusing ``a * b + c``, which rounds once where a CPU rounds twice: two moves
    with nearly equal scores could change places. Numba has no option of its own for it."""
    from numba.cuda.cudadrv import nvvm

    compile_ir = getattr(nvvm, "compile_ir", None)  # the simulator has none
    if compile_ir is not None:
        nvvm.compile_ir = lambda ir, **options: compile_ir(ir, **options | {"fma": False})
