"""Converts states to rows of int64 words in an array, and back."""

from collections.abc import Callable
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import numpy as np


def rows_of(rules: ModuleType, states) -> np.ndarray:
    """Converts positions in batch form to int64 [B, W], for compiled loops to read.

    Raises:
        ValueError: they have the wrong number of words, so loops would read past the end of a row.
    """
    if len(states) != (num_words := len(rules.State._fields)):
        raise ValueError(
            f"A position of this game has {num_words} words, not {len(states)}. Make a batch of"
            " positions with game.stack(states)."
        )
    return np.stack(states, axis=1)


@cache
def state_reader(rules: ModuleType, jit: Callable[[FunctionType], Any]) -> Any:
    """Returns a function ``read(row)``: row of words int64 [W] → ``State`` of ``rules``, unchecked.

    Args:
        jit: compiles the function; such as ``numba.njit``.
    """
    words = ", ".join(f"int(row[{w}])" for w in range(len(rules.State._fields)))
    names = {"State": rules.State}
    # Compilers need each word named, and the number of words depends on the game.
    exec(f"def read(row):\n    return State({words})\n", names)
    return jit(names["read"])
