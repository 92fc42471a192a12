"""Rulers for Connect Four that others use too: games against perfect play, and decisive positions.

A player that never errs wins every game as first player (Allis 1988). As second player it loses
every game against perfect play, at the latest with its opponent's last stone, the 41st of the game.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from scipy.stats import sem, t

from azlearn.arena.match import Match, PlayedGame, play_match
from azlearn.arena.measuring import accuracy
from azlearn.arena.players import Player, SolverPlayer
from azlearn.arena.positions import Position
from azlearn.games import ConnectFour
from azlearn.games.notation import read_moves
from azlearn.intervals import wilson_interval
from azlearn.progress_bar import Progress

LONGEST_LOSS = 41  # plies until the first player wins, if both play perfectly


def against_perfect_play(
    player: Player, games: int = 100, seed: int = 0, progress: bool | Progress = False
) -> dict[Literal["first", "second"], dict[str, Any]]:
    """Plays from the empty board against perfect play, on both sides.

    Args:
        games: on each side.

    Returns:
        For both sides ``games``, ``distinct_games``, ``wins``, ``draws``, ``losses`` of the player;
        ``won``, its share of won games, in [0, 1]; ``plies``, the mean length of the games that it
        lost (None if it lost none); and ``as_long``, how many of these lasted ``LONGEST_LOSS``
        plies. ``won_interval`` and ``plies_interval`` are 95% intervals. The perfect player's
        random choices make the games different; intervals treat them as independent.

    Raises:
        ValueError: the player plays another game, or an illegal move.
        ImportError: the solver is not installed.
    """
    match = play_match(
        player, SolverPlayer(ConnectFour()), 2 * games, seed, openings=[""], progress=progress
    )
    sides = {"first": True, "second": False}
    return {side: _row(match, first) for side, first in sides.items()}


def _row(match: Match, first: bool) -> dict[str, Any]:
    games = [game for game in match.games if game.a_first is first]
    counts = Counter(game.score for game in games)
    lost = [_plies(game) for game in games if game.score == 0]
    wins = counts[1.0]
    return {
        "games": len(games),
        "distinct_games": len({game.moves for game in games}),
        "wins": wins,
        "draws": counts[0.5],
        "losses": counts[0.0],
        "won": wins / len(games),
        "won_interval": wilson_interval(wins, len(games)),
        "plies": float(np.mean(lost)) if lost else None,
        "plies_interval": _mean_interval(lost) if lost else None,
        "as_long": lost.count(LONGEST_LOSS),
    }


def _mean_interval(values: Sequence[int]) -> tuple[float, float]:
    """A 95% interval for a mean, by Student's t."""
    if len(set(values)) == 1:
        return float(values[0]), float(values[0])
    low, high = t.interval(0.95, len(values) - 1, np.mean(values), sem(values))
    return float(low), float(high)


def _plies(game: PlayedGame) -> int:
    return len(read_moves(ConnectFour(), game.moves)[0])


def decisive(
    player: Player,
    positions: Sequence[Position],
    seed: int = 0,
    progress: bool | Progress = False,
) -> dict[str, Any]:
    """The ``accuracy`` in the positions in which the choice of the move decides the result.

    In these, not all moves have the same result (win, draw or loss).

    Raises:
        ValueError: none of the positions is decisive, or the player chose an illegal action.
    """
    if not (chosen := [position for position in positions if is_decisive(position)]):
        raise ValueError(
            "In none of these positions does the move decide the result. Use other positions."
        )
    return accuracy(player, chosen, seed, progress)


def is_decisive(position: Position) -> bool:
    """Whether not all moves have the same result."""
    results = {np.sign(position.scores[action]) for action in position.legal_actions}
    return len(results) > 1
