"""The template's game with loops that are easily translated wrong, as a reader might write it."""

from typing import NamedTuple

from azlearn.games.bits import one_like
from azlearn.games.template import (  # noqa: F401 the rest of the rules
    COLS,
    MAX_PLIES,
    NUM_ACTIONS,
    ROWS,
    MyGame,
    cell_bit,
    is_legal,
    options,
    outcome,
    stone,
    to_play,
)


class State(NamedTuple):
    """The stones, and a number that every loop changes."""

    me: int
    opp: int
    mixed: int


INITIAL = State(0, 0, 1)


def mixed(number):
    """Nested loops that share a variable, and bodies that assign to it and to the bounds."""
    low, high = 1, 3
    for _ in range(2):
        for _ in range(2):
            number = 3 * number + 1  # four times
    for i in range(low, high):
        number = 3 * number + i
        low, high, i = 0, 9, i + 4
        if i == 5:
            continue
        number = 3 * number + low + high
    return (3 * number + i) & 0xFFFF


def play(state, action):
    """The template's move; the number records the moves and the loops."""
    board = state.me | stone(state.me, action)
    return State(state.opp, board, mixed(state.mixed + action * one_like(state.me)))


class Loops(MyGame):
    """Snort with a third word."""
