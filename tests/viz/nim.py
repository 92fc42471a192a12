"""A game without a board, as a reader might write it: take one or two of five matches."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Heap(NamedTuple):
    left: int
    player: int


@dataclass(frozen=True)
class Pile:
    """A position that is no tuple."""

    left: int
    player: int


class Nim:
    """Whoever takes the last match wins.

    Args:
        position: the type of a position.
    """

    def __init__(self, position=Heap):
        self.position = position

    name, rows, cols, num_actions = "nim", 0, 0, 2

    def initial_state(self):
        return self.position(5, 0)

    def legal_actions(self, state):
        return [a for a in range(2) if a + 1 <= state.left]

    def legal_mask(self, state):
        return np.array([a in self.legal_actions(state) for a in range(2)])

    def next_state(self, state, action):
        return self.position(state.left - action - 1, 1 - state.player)

    def play(self, state, action):
        if action not in self.legal_actions(state):
            raise ValueError(f"Action {action} is illegal here.")
        return self.next_state(state, action)

    def outcome(self, state):
        return -1 if state.left == 0 else None

    def to_play(self, state):
        return state.player

    def action_label(self, action):
        return ["one", "two"][action]
