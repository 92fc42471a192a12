"""Where the engine's loops run: in Python, compiled for the CPU, or with a GPU thread a game.

The functions of the engine work on one game ``g`` of many, on arrays of all of them. They are
written once, for three readers: Python, to step through them; numba, for the cores of a CPU; and
numba-cuda, for a GPU. What the last cannot do is not done: nothing is allocated and no exception
raised in them.
"""

from collections.abc import Callable
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import numba

BACKENDS = ("python", "cpu", "cuda")
# On a CPU Python calls the loops alone, so that nothing else needs a way in from there; and what
# works on tables allocates nothing, so that no references are counted: there is less to compile.
CALLED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
UNCOUNTED = {"_nrt": False}


def jit_of(backend: str) -> Callable[[FunctionType], Any]:
    """What rules, plans and other functions of numbers and rows go through, so that compiled ones
    may call them."""
    return {"python": _plain, "cpu": numba.njit(**CALLED), "cuda": _on_device}[backend]


def table_jit_of(backend: str) -> Callable[[FunctionType], Any]:
    """The same for functions that take whole tables."""
    return numba.njit(**CALLED, **UNCOUNTED) if backend == "cpu" else jit_of(backend)


def inner_jit_of(backend: str) -> Callable[[FunctionType], Any]:
    """The same for what a search does at every simulation: on a CPU it becomes part of what calls
    it, which makes a search faster, but is compiled anew in every place."""
    return numba.njit(inline="always") if backend == "cpu" else jit_of(backend)


def loop_jit_of(backend: str) -> Callable[[FunctionType], Any]:
    """What a loop over games goes through, for Python to call; on a CPU other threads go on."""
    return numba.njit(nogil=True, **UNCOUNTED) if backend == "cpu" else jit_of(backend)


def _plain(function: FunctionType) -> FunctionType:
    return function


def _on_device(function: FunctionType):
    from numba import cuda  # which only a machine with a GPU, or its simulator, needs

    return cuda.jit(device=True)(function)


@cache
def reader_of(rules: ModuleType, backend: str):
    """``read(row)``: the ``State`` of ``rules`` in a row of words, int64 [W]."""
    words = ", ".join(f"int(row[{w}])" for w in range(len(rules.State._fields)))
    names = {"State": rules.State}
    # Compilers want each word named, and the number of words is the game's.
    exec(f"def read(row):\n    return State({words})\n", names)
    return jit_of(backend)(names["read"])
