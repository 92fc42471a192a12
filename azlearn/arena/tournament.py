"""Tournaments: every player plays every other, at equal simulations or at equal time per move.

AlphaGo's variants were rated by a tournament with the same time for every move (Silver et al. 2016,
Methods, "Evaluation", 5 seconds; figure 4).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from azlearn.arena.match import Match, play_match
from azlearn.arena.players import Player, choose_all
from azlearn.arena.rating import Rating, elo
from azlearn.games import State

START = 16  # the number of simulations that is timed second, after 1
ROUNDS = 12  # the most measurements to find a number of simulations that fits the time
CLOSE = 0.05  # the relative error of the time that is close enough
LARGEST_STEP = 16  # the largest factor at once: a short search says little about a long one


@dataclass(frozen=True)
class Tournament:
    """The matches of a tournament, one for every pair of players."""

    players: tuple[str, ...]
    matches: tuple[Match, ...]

    def ratings(self, anchor: str | None = None, confidence: float = 0.95) -> list[Rating]:
        """Returns the Elo of every player, the strongest first; see ``elo``.

        Raises:
            ValueError: an unknown anchor.
        """
        return elo(self.matches, anchor, confidence)

    def table(self, anchor: str | None = None, confidence: float = 0.95) -> dict[str, Any]:
        """Returns everything to print about the tournament, ready for JSON.

        Args:
            anchor: the player whose Elo is 0; None: the mean Elo is 0.

        Returns:
            ``ratings``, the strongest first: each a dict of ``player``, ``elo``, ``elo_interval``
            and, over all its games, ``games`` and ``score``, the mean points per game; ``pairs``:
            the ``Match.table`` of every pair; ``anchor``; ``confidence``.

        Raises:
            ValueError: an unknown anchor.
        """
        return {
            "ratings": [
                {
                    "player": rating.name,
                    "elo": rating.elo,
                    "elo_interval": (rating.low, rating.high),
                    **self._points(rating.name),
                }
                for rating in self.ratings(anchor, confidence)
            ],
            "pairs": [match.table(confidence) for match in self.matches],
            "anchor": anchor,
            "confidence": confidence,
        }

    def _points(self, name: str) -> dict[str, Any]:
        points = [game.score for match in self.matches if match.a == name for game in match.games]
        points += [
            1 - game.score for match in self.matches if match.b == name for game in match.games
        ]
        return {"games": len(points), "score": float(np.mean(points))}


def round_robin(
    players: Sequence[Player],
    games: int = 400,
    seed: int = 0,
    done: Callable[[Match], None] | None = None,
) -> Tournament:
    """Plays every player against every other, with ``play_match``.

    Every pair has its own random openings, because the intervals of ``elo`` treat matches as
    independent. A pair's match depends on the seed and on the two players' places in ``players``,
    so a player added at the end does not change earlier matches.

    Args:
        games: per pair; an even number.
        seed: determines the openings and every player's generators.
        done: called with every finished match, for instance to save it.

    Raises:
        ValueError: fewer than two players, two of the same name, players of different games, or as
            in ``play_match``.
    """
    names = check_names(players)
    for player in players[1:]:
        if player.game != players[0].game:
            raise ValueError(
                f"{names[0]} plays {players[0].game.name}, but {player.name} plays"
                f" {player.game.name}."
            )
    matches = []
    for i, j in combinations(range(len(players)), 2):
        pair_seed = int(np.random.default_rng([seed, i, j]).integers(2**32))
        matches.append(play_match(players[i], players[j], games, pair_seed))
        if done is not None:
            done(matches[-1])
    return Tournament(names, tuple(matches))


def check_names(players: Sequence[Player]) -> tuple[str, ...]:
    """Returns the players' names.

    Raises:
        ValueError: fewer than two players, or two of the same name.
    """
    names = tuple(player.name for player in players)
    if len(names) < 2:
        raise ValueError(f"A tournament needs at least two players, not {len(names)}.")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"Two players are called {twice!r}: give them different names.")
    return names


def seconds_per_move(
    player: Player, positions: Sequence[State], rng: np.random.Generator | int = 0
) -> float:
    """Returns the median time, in seconds, that ``player`` takes to move, one position at a time.

    It is measured now, so other running programs distort it. A first move, which may compile, is
    not counted. A network takes far less time per move when many games are played in lockstep.

    Args:
        positions: unfinished games, both early and late, because late searches are short.
        rng: a generator, or the seed of one.

    Raises:
        ValueError: no positions, or a finished game.
    """
    if not positions:
        raise ValueError("At least one position is needed to measure the time per move.")
    rng, seconds = np.random.default_rng(rng), []
    choose_all(player, positions[:1], [rng])
    for state in positions:
        started = perf_counter()
        choose_all(player, [state], [rng])
        seconds.append(perf_counter() - started)
    return float(np.median(seconds))


class Timed(NamedTuple):
    """A player, and the time it takes."""

    player: Player
    seconds: float  # per move, the median


def equal_time(
    players: Sequence[Player],
    milliseconds: float,
    positions: Sequence[State],
    rng: np.random.Generator | int = 0,
) -> list[Timed]:
    """Returns the same players, with enough simulations to take ``milliseconds`` per move.

    The number is found by measuring: after the first simulation, the time grows in proportion, so a
    few steps come close. The minimum is one simulation, and a player without ``num_simulations``
    stays as it is, so check the ``seconds``.

    Args:
        players: those with ``num_simulations`` must be dataclasses, as all players here are.
        positions, rng: as in ``seconds_per_move``.

    Raises:
        ValueError: milliseconds is not above 0, or as in ``seconds_per_move``.
    """
    if not 0 < milliseconds < inf:
        raise ValueError(f"milliseconds must be a finite number above 0, not {milliseconds!r}.")
    rng = np.random.default_rng(rng)
    return [_timed(player, milliseconds / 1000, positions, rng) for player in players]


def _timed(
    player: Player, seconds: float, positions: Sequence[State], rng: np.random.Generator
) -> Timed:
    """Tries several numbers of simulations; returns the player whose time is closest."""
    if not hasattr(player, "num_simulations"):
        return Timed(player, seconds_per_move(player, positions, rng))

    def measured(number: int) -> Timed:
        candidate = replace(player, num_simulations=number)
        return Timed(candidate, seconds_per_move(candidate, positions, rng))

    least = measured(1)
    tried, number = {1: least}, START
    # The first simulation takes extra time; after it, time grows in proportion to the number.
    missing = seconds - least.seconds
    while missing > 0 and number not in tried and len(tried) < ROUNDS:
        tried[number] = measured(number)
        taken = tried[number].seconds
        if abs(taken / seconds - 1) <= CLOSE:
            break
        factor = missing / max(taken - least.seconds, missing / LARGEST_STEP)
        number = 1 + max(1, round((number - 1) * factor))
    return min(tried.values(), key=lambda timed: abs(timed.seconds - seconds))
