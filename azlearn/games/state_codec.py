"""A state as a row of int64 words in an array, and back."""

from collections.abc import Callable
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import numpy as np


def rows_of(rules: ModuleType, states) -> np.ndarray:
    """Positions in batch form as int64 [B, W], for compiled loops to read.

    Raises:
        ValueError: they have another number of words, and loops would read past the end of a row.
    """
    if len(states) != (num_words := len(rules.State._fields)):
        raise ValueError(
            f"A position of this game has {num_words} words, not {len(states)}: game.stack(states)"
            " makes a batch of positions."
        )
    return np.stack(states, axis=1)


@cache
def state_reader(rules: ModuleType, jit: Callable[[FunctionType], Any]) -> Any:
    """``read(row)``: the ``State`` of ``rules`` in a row of words, int64 [W], which is not checked.

    Args:
        jit: what the function goes through, such as ``numba.njit``.
    """
    words = ", ".join(f"int(row[{w}])" for w in range(len(rules.State._fields)))
    names = {"State": rules.State}
    # Compilers want each word named, and the number of words is the game's.
    exec(f"def read(row):\n    return State({words})\n", names)
    return jit(names["read"])
