"""Players, and how strong they are, measured against the truth."""

from azlearn.arena.measuring import accuracy, evaluate
from azlearn.arena.players import (
    UCT_C,
    CompiledUCTPlayer,
    MinimaxPlayer,
    Player,
    RandomPlayer,
    UCTPlayer,
)
from azlearn.arena.positions import Position, load_positions
from azlearn.arena.statistics import wilson_interval

__all__ = [
    "UCT_C",
    "CompiledUCTPlayer",
    "MinimaxPlayer",
    "Player",
    "Position",
    "RandomPlayer",
    "UCTPlayer",
    "accuracy",
    "evaluate",
    "load_positions",
    "wilson_interval",
]
