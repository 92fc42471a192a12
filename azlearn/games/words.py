"""A state as a row of int64 words in an array, and back."""

from functools import cache
from types import FunctionType, ModuleType

import numba
from numba.np.unsafe.ndarray import to_fixed_tuple


@cache
def state_reader(rules: ModuleType, compiled: bool) -> FunctionType:
    """``read(row)``: the ``State`` of ``rules`` in int64 [W]; for compiled loops or plain ones.

    Compiled, it raises ValueError for a row of another length, where it would read what lies behind
    the row.
    """
    State, num_words = rules.State, len(rules.State._fields)
    if not compiled:
        return lambda row: State(*row.tolist())
    fault = f"A position of this game has {num_words} words: game.stack(states) makes such rows."

    @numba.njit
    def read(row):
        if len(row) != num_words:
            raise ValueError(fault)
        return State(*to_fixed_tuple(row, num_words))

    return read
