"""What can come out of exercise 6.6, "one position a game".

In tic-tac-toe p_σ takes the first empty cell and p_ρ the last, so all that can come back is found
by counting. How often it comes back is looked at in a game of three moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from azlearn.course.probe_games import Row, TableGame
from azlearn.games import State, TicTacToe

GAME = TicTacToe()

Chooser = Callable[[list[int]], list[int]]  # legal actions -> those that may be played


def low_cell(legal: list[int]) -> list[int]:
    """The first."""
    return legal[:1]


def high_cell(legal: list[int]) -> list[int]:
    """The last."""
    return legal[-1:]


def any_cell(legal: list[int]) -> list[int]:
    """Each of them."""
    return legal


def policy(choose: Chooser) -> Callable[[State], np.ndarray]:
    """p(state), float [9]: 1 for the cell that is chosen."""

    def p(state: State) -> np.ndarray:
        if GAME.outcome(state) is not None:
            raise ValueError("A policy was asked about a finished game.")
        return np.eye(9)[choose(GAME.legal_actions(state))[0]]

    return p


SL, RL = policy(low_cell), policy(high_cell)  # p_σ, p_ρ


# --- what can come out ---------------------------------------------------------------------------


def _games(states: list[State], chooser: Callable[[int], Chooser]) -> Iterator[list[State]]:
    """Every game that can be played on from the last of `states`."""
    if GAME.outcome(states[-1]) is not None:
        yield states
        return
    for action in chooser(len(states) - 1)(GAME.legal_actions(states[-1])):
        yield from _games([*states, GAME.next_state(states[-1], action)], chooser)


def _z(game: list[State], ply: int) -> int:
    """The result for the player to move after `ply` moves."""
    result = GAME.outcome(game[-1])
    return result if (len(game) - 1 - ply) % 2 == 0 else -result


def possible(
    u: int,
    *,
    before: Chooser = low_cell,
    after: Chooser = high_cell,
    random_at: int = 0,
    keep: int = 0,
    z: Callable[[list[State], int], int] = _z,
) -> set:
    """What can come back: (me, opp, z), and None where the game was over.

    Args:
        before, after: who plays the moves before and after the random one.
        random_at: by how much too late the random move comes.
        keep: by how much too late the position is kept.
        z: takes the game and the ply that is kept.
    """
    drawn = max(u + random_at, 1)

    def chooser(ply: int) -> Chooser:
        return before if ply < drawn - 1 else any_cell if ply == drawn - 1 else after

    kept, found = drawn + keep, set()
    for game in _games([GAME.initial_state()], chooser):
        if len(game) - 1 > kept:
            found.add((*game[kept], z(game, kept)))
        if len(game) - 1 <= max(kept, u):
            found.add(None)
    return found


@cache
def right(u: int) -> frozenset:
    """What can come back from the right function."""
    return frozenset(possible(u))


# name; what `possible` is given, in one or more ways; message
FAULTS = (
    (
        "z for the wrong player",
        ({"z": lambda game, ply: -_z(game, ply)},),
        "The sign is the wrong way round everywhere. `game.outcome(final)` is for the player to "
        "move at the *end*; is that the one to move in your position?",
    ),
    (
        "z for the first player",
        ({"z": lambda game, ply: _z(game, 0)},),
        "That is the first player's result. The value network is asked by whoever is to move, and "
        "must answer for that player.",
    ),
    (
        "z of the final position",
        ({"z": lambda game, ply: GAME.outcome(game[-1])},),
        "`game.outcome(final)` is for the player to move at the *end*. Turn the sign where another "
        "player is to move in your position.",
    ),
    (
        "the position before the random move",
        ({"keep": -1}, {"keep": -1, "z": lambda game, ply: -_z(game, ply)}),
        "Keep the one *after* it. Before it z would belong to a game in which a random move was "
        "made, and that says less about p_ρ.",
    ),
    (
        "a move of p_ρ too late",
        ({"keep": 1}, {"keep": 1, "z": lambda game, ply: -_z(game, ply)}),
        "Keep the position right after the random move, before p_ρ's first.",
    ),
    (
        "the random move comes too late",
        ({"random_at": 1},),
        "p_σ makes U − 1 moves, and move U is the random one: then U stones are on the board.",
    ),
    (
        "the random move comes too early",
        ({"random_at": -1}, {"random_at": -1, "keep": 1}),
        "p_σ makes U − 1 moves, and move U is the random one: then U stones are on the board.",
    ),
    (
        "p_σ plays to the end",
        ({"after": low_cell},),
        "After the random move p_ρ plays both sides: it is p_ρ whose results v is to predict.",
    ),
    (
        "p_ρ plays from the start",
        ({"before": high_cell},),
        "The moves before the random one are p_σ's, whose games are more varied as a rule.",
    ),
    (
        "p_σ and p_ρ have changed places",
        ({"before": high_cell, "after": low_cell},),
        "p_σ plays before the random move, p_ρ after it.",
    ),
)

# --- how often -----------------------------------------------------------------------------------

# The first player's move, the second's, the first's again: 0 wins then, 1 loses.
THREE_MOVES = TableGame(
    "a game of three moves",
    2,
    (
        Row(0, ((0, 1), (1, 2))),
        Row(1, ((0, 3), (1, 4))),
        Row(1, ((0, 5), (1, 6))),
        *[Row(0, ((0, 7), (1, 8)))] * 4,
        Row(1, value=-1),
        Row(1, value=+1),
    ),
)


def three_sl(state: State) -> np.ndarray:
    """p_σ there, for every position that is not over."""
    return np.array([0.75, 0.25] if state.me == 0 else [0.1, 0.9])


def three_rl(state: State) -> np.ndarray:
    """p_ρ there."""
    return np.array([0.7, 0.3] if state.me > 2 else [0.2, 0.8])
