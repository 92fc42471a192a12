"""Gating: tests whether a new player is better than the old one, with stated error rates."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from azlearn.arena.match import Match, play_match
from azlearn.arena.openings import random_openings
from azlearn.arena.players import Player
from azlearn.arena.rating import expected_score

NOBODY_PASSES = (
    "{:,} gate games are too few: even a player that wins all of them cannot pass."
    " Allow more games."
)


@dataclass(frozen=True)
class GateSettings:
    """Settings of a gate: the Elo differences to tell apart, and the allowed error rates.

    Args:
        elo0: a new player at most this much stronger should be rejected.
        elo1: a new player at least this much stronger should be accepted.
        alpha: how often a player at ``elo0`` may be accepted.
        beta: how often a player at ``elo1`` may be rejected if games are unlimited.
        max_games: after this many, an open decision becomes a rejection: alpha still holds, but
            beta grows. AlphaGo Zero played 400 and required 55%, which is 35 Elo (Silver et al.
            2017, Methods, "Evaluator").
        games_at_once: the number of games between two tests. Games come in pairs: if the number is
            odd, the last game is not played.

    Raises:
        ValueError: a value is out of range.
    """

    elo0: float = 0.0
    elo1: float = 100.0
    alpha: float = 0.05
    beta: float = 0.05
    max_games: int = 400
    games_at_once: int = 40

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 must be below elo1, not {self.elo0} and {self.elo1}.")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name} must be between 0 and 0.5, not {getattr(self, name)}.")
        for name in ("max_games", "games_at_once"):
            if getattr(self, name) < 2:
                raise ValueError(f"{name} must be 2 or more, not {getattr(self, name)}.")

    @property
    def can_be_passed(self) -> bool:
        """Whether a player that wins all ``max_games`` games passes."""
        return self.verdict([1.0] * (self.max_games // 2)) == "better"

    def verdict(self, opening_scores: Sequence[float]) -> Literal["better", "not better", "open"]:
        """Returns the result of Wald's sequential test (1945) after the openings played so far.

        Args:
            opening_scores: the new player's mean score in the pair of games of each opening.
        """
        ratio = log_likelihood_ratio(
            opening_scores, expected_score(self.elo0), expected_score(self.elo1)
        )
        if ratio >= log((1 - self.beta) / self.alpha):
            return "better"
        return "not better" if ratio <= log(self.beta / (1 - self.alpha)) else "open"


@dataclass(frozen=True)
class GateResult:
    """The result of a gate; ``match`` contains the games, with the new player as ``a``."""

    accepted: bool
    verdict: Literal["better", "not better", "open"]
    match: Match


def gate(
    new: Player, old: Player, settings: GateSettings | None = None, seed: int = 0
) -> GateResult:
    """Plays until it is clear whether ``new`` is better than ``old``, or the games run out.

    Each opening is used for only two games, with colors swapped; a small game may run out of
    openings first.

    Warns if even a player that wins all ``max_games`` games would be rejected.

    Raises:
        ValueError: as in ``play_match``.
    """
    settings, rng = settings or GateSettings(), np.random.default_rng(seed)
    if not settings.can_be_passed:
        warnings.warn(NOBODY_PASSES.format(settings.max_games), stacklevel=2)
    openings = random_openings(new.game, settings.max_games // 2, rng=rng, or_fewer=True)
    match, step = Match(new.name, old.name, ()), settings.games_at_once // 2
    verdict = "open"
    for first in range(0, len(openings), step):
        part = openings[first : first + step]
        played = play_match(new, old, 2 * len(part), int(rng.integers(2**32)), part)
        match = Match(new.name, old.name, match.games + played.games)
        verdict = settings.verdict(match.opening_scores)
        if verdict != "open":
            break
    return GateResult(verdict == "better", verdict, match)


def log_likelihood_ratio(opening_scores: Sequence[float], score0: float, score1: float) -> float:
    """Returns the log-likelihood ratio of two mean scores, ``score1`` against ``score0``.

    The two games of an opening score 0, 1/4, 1/2, 3/4 or 1 per game. For each mean, the scores have
    the probabilities with this mean that fit the counts best (M. Van den Bergh, "The generalized
    likelihood ratio for the expectation value of a multinomial distribution", proposition 1.1, as
    in Stockfish's tests). So draws and the luck of openings need no model. A thousandth replaces a
    count of 0, because a rare score is not impossible.
    """
    values = np.arange(5) / 4
    quarters = (4 * np.asarray(opening_scores)).round().astype(int)
    counts = np.maximum(np.bincount(quarters, minlength=5), 1e-3)
    share = counts / counts.sum()
    return float(counts @ np.log(_tilted(share, values, score1) / _tilted(share, values, score0)))


def _tilted(share: np.ndarray, values: np.ndarray, mean: float) -> np.ndarray:
    """Returns the probabilities with this ``mean`` that make ``share`` most likely."""
    away = values - mean
    low, high = -1 / away.max(), -1 / away.min()
    margin = 1e-9 * (high - low)
    tilt = brentq(lambda t: float(share @ (away / (1 + t * away))), low + margin, high - margin)
    return share / (1 + tilt * away)
