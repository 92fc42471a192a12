"""Finds the legal moves of many positions on a CPU, with compiled rules.

With arrays, every flood fill runs for the maximum number of rounds. A compiled flood fill stops as
soon as it is done, which is 30 times as fast at a network's batch size. No other part of the rules
keeps a network on a CPU waiting.
"""

from collections.abc import Callable
from functools import cache
from types import ModuleType

import numba
import numpy as np

from azlearn.games.specialize import specialize
from azlearn.games.state_codec import state_reader


@cache
def legal_masks(rules: ModuleType) -> Callable[[np.ndarray], np.ndarray]:
    """Returns a function: positions int64 [B, W] → legal moves bool [B, num_actions].

    A finished game's row is all False.
    """
    compiled = specialize(rules, numba.njit)
    read, num_actions = state_reader(rules, numba.njit), rules.NUM_ACTIONS
    options, is_legal, is_over = compiled.options, compiled.is_legal, compiled.is_over

    @numba.njit(nogil=True)
    def masks(words):
        mask = np.zeros((len(words), num_actions), np.bool_)
        for i in range(len(words)):
            state = read(words[i])
            if not is_over(state):
                possible = options(state)
                for action in range(num_actions):
                    mask[i, action] = is_legal(possible, action)
        return mask

    return masks
