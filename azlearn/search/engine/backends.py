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

# Nothing of the engine makes an array on the way, so nobody need count who still uses one: that
# makes compiling a fifth shorter. A reader's tree policy may make some.
COUNTED = "cpu, counted"
_OF_CPU: dict[str, dict] = {"cpu": {"_nrt": False}, COUNTED: {}}


def cpu_backend(tree_policy: type) -> str:
    """``COUNTED`` for a tree policy that is not the package's, else "cpu"."""
    return "cpu" if tree_policy.__module__.startswith("azlearn.") else COUNTED


def jit_of(backend: str) -> Callable[[FunctionType], Any]:
    """What a function of one game goes through, so that others of the back end may call it.

    Args:
        backend: "python", "cuda", or what ``cpu_backend`` says.
    """
    if backend in _OF_CPU:  # Python calls the loops alone: others need no way in from there
        options = _OF_CPU[backend] | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        return numba.njit(**options)
    return {"python": _plain, "cuda": _on_device}[backend]


def inner_jit_of(backend: str) -> Callable[[FunctionType], Any]:
    """The same for what a search does at every simulation: on a CPU it becomes part of what calls
    it, which makes a search faster, but is compiled anew in every place."""
    if backend in _OF_CPU:
        return numba.njit(inline="always", **_OF_CPU[backend])
    return jit_of(backend)


def loop_jit_of(backend: str) -> Callable[[FunctionType], Any]:
    """What a loop over games goes through, for Python to call; on a CPU other threads go on."""
    if backend in _OF_CPU:
        return numba.njit(nogil=True, **_OF_CPU[backend])
    return jit_of(backend)


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
