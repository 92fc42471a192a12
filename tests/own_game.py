"""A custom game, as a reader would write it: in a single file."""

SOURCE = '''
"""A race: steps of 1, 2 or 3 along a track of 8 squares; the first at its end wins."""

from typing import NamedTuple

from azlearn.games import RulesGame
from azlearn.games.bits import one_like

ROWS, COLS, NUM_ACTIONS, MAX_PLIES = 2, 8, 3, 16


class State(NamedTuple):
    """How far each player has come on a track of 8, and who is to move."""

    first: int
    second: int
    mover: int


INITIAL = State(0, 0, 0)


def play(state, action):
    """A step of 1, 2 or 3; who lands on the other's square moves again."""
    step = action + 1
    mine = state.first * (1 - state.mover) + state.second * state.mover + step
    other = state.second * (1 - state.mover) + state.first * state.mover
    hit = (mine == other) * one_like(state.mover)
    first = mine * (1 - state.mover) + other * state.mover
    second = other * (1 - state.mover) + mine * state.mover
    mover = state.mover * hit + (1 - state.mover) * (1 - hit)
    return State(first, second, mover)


def options(state):
    return state.first * (1 - state.mover) + state.second * state.mover


def is_legal(options, action):
    """Not beyond the last square."""
    return options + action + 1 <= COLS


def outcome(state):
    """Who stands on the last square has won."""
    first, second = state.first >= COLS, state.second >= COLS
    value = (1 * first - 1 * second) * (1 - 2 * state.mover)
    return first | second, value


def to_play(state):
    return state.mover


class Race(RulesGame):
    name, num_planes = "race", 2

    def num_plies(self, state):
        return state.first + state.second

    def cell(self, state, action):
        mine = state.second if state.mover else state.first
        return state.mover * COLS + mine + action

    def cells(self, state):
        board = [0] * 2 * COLS
        for who, at in enumerate((state.first, state.second)):
            if at:
                board[who * COLS + at - 1] = who + 1
        return board

    def bit_planes(self, state, like):
        table = like(self.cell_bits)
        mine = state.first * (1 - state.mover) + state.second * state.mover
        other = state.second * (1 - state.mover) + state.first * state.mover
        my_row, other_row = COLS * state.mover, COLS * (1 - state.mover)
        return [
            ((table == my_row + mine - 1) & (mine > 0)) * 1,
            ((table == other_row + other - 1) & (other > 0)) * 1,
        ]

    @property
    def cell_bits(self):
        import numpy as np

        return np.arange(ROWS * COLS).reshape(ROWS, COLS)
'''
