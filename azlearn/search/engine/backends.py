"""The engine's back ends: Python, compiled for the CPU, or one GPU thread per game.

The functions of the engine process one game ``g``, in arrays of many games. They are written once
and run in three ways: in Python, to step through them; compiled by numba, for CPU cores; and
compiled by numba-cuda, for a GPU. GPU code cannot allocate memory or raise exceptions, so they do
neither.
"""

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numba

# The engine creates no arrays, so numba need not count references to them: compiling then takes a
# fifth less time. A user's own tree policy may create arrays.
COUNTED = "cpu, counted"
_OF_CPU: dict[str, dict] = {"cpu": {"_nrt": False}, COUNTED: {}}


def cpu_backend(tree_policy: type) -> str:
    """``COUNTED`` for a tree policy from outside this package, otherwise "cpu"."""
    return "cpu" if tree_policy.__module__.startswith("azlearn.") else COUNTED


def jit_of(backend: str) -> Callable[[FunctionType], Any]:
    """The decorator for functions of one game, which other functions of the back end call.

    Args:
        backend: "python", "cuda", or the result of ``cpu_backend``.
    """
    if backend in _OF_CPU:  # Python calls only the loops, so other functions need no wrapper
        options = _OF_CPU[backend] | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        return numba.njit(**options)
    return {"python": _plain, "cuda": _on_device}[backend]


def inner_jit_of(backend: str) -> Callable[[FunctionType], Any]:
    """The decorator for functions that every simulation calls.

    On a CPU they are inlined: the search is faster, but they are compiled again for each caller.
    """
    if backend in _OF_CPU:
        return numba.njit(inline="always", **_OF_CPU[backend])
    return jit_of(backend)


def loop_jit_of(backend: str) -> Callable[[FunctionType], Any]:
    """The decorator for loops over games, which Python calls; on a CPU they release the GIL."""
    if backend in _OF_CPU:
        return numba.njit(nogil=True, **_OF_CPU[backend])
    return jit_of(backend)


def _plain(function: FunctionType) -> FunctionType:
    return function


def _on_device(function: FunctionType):
    from numba import cuda  # needed only with a GPU or its simulator

    _round_as_a_cpu()
    return cuda.jit(device=True)(function)


@cache
def _round_as_a_cpu() -> None:
    """Keeps NVVM from fusing ``a * b + c``, which rounds once where a CPU rounds twice.

    Two moves with nearly equal scores could otherwise swap. Numba has no option for this.
    """
    from numba.cuda.cudadrv import nvvm

    compile_ir = getattr(nvvm, "compile_ir", None)  # the simulator has none
    if compile_ir is not None:
        nvvm.compile_ir = lambda ir, **options: compile_ir(ir, **options | {"fma": False})
