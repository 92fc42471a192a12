"""The same rules, compiled: a copy of a rules module with every function decorated anew."""

import importlib.util
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any


def compiled_rules(
    rules: ModuleType,
    decorate: Callable[[FunctionType], Any],
    constant: Callable[[int], Any] = lambda value: value,
) -> ModuleType:
    """A fresh copy of ``rules`` whose functions have gone through ``decorate``.

    The functions of a rules module call each other by name. A compiler must find its *own* version
    behind each name, so the whole module is loaded a second time and decorated from top to bottom.

    Args:
        rules: a rules module, such as ``azlearn.games.connect_four_rules``.
        decorate: ``numba.njit``, ``triton.jit``, …
        constant: wraps the module's integers for compilers that demand it (``tl.constexpr``).
    """
    spec = importlib.util.spec_from_file_location(f"{rules.__name__}_compiled", rules.__file__)
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    for name, value in list(vars(copy).items()):
        if isinstance(value, FunctionType):
            setattr(copy, name, decorate(value))
        elif isinstance(value, int) and name.isupper():
            setattr(copy, name, constant(value))
    return copy
