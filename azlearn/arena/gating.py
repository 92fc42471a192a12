"""Gating: whether a new player is better than the old one, with stated error rates."""

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

NOBODY_PASSES = "Of {:,} games even a player that wins them all cannot pass the gate: allow more."


@dataclass(frozen=True)
class GateSettings:
    """What a gate calls better, and how often it may be wrong.

    Args:
        elo0: a new player this much stronger, or less, should be refused.
        elo1: a new player this much stronger, or more, should be accepted.
        alpha: how often one at ``elo0`` may be accepted.
        beta: how often one at ``elo1`` may be refused, were there no end of games.
        max_games: after so many an open question is answered with no: alpha still holds, while
            beta grows. AlphaGo Zero played 400 and asked for 55 %, which is 35 Elo (Silver et al.
            2017, Methods, "Evaluator").
        games_at_once: the rule is asked after each such number of games. Games come in pairs: of an
            odd number the last one is not played.

    Raises:
        ValueError: a value outside its range.
    """

    elo0: float = 0.0
    elo1: float = 100.0
    alpha: float = 0.05
    beta: float = 0.05
    max_games: int = 400
    games_at_once: int = 40

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 must lie below elo1, not {self.elo0} and {self.elo1}.")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name} must lie between 0 and 0.5, not {getattr(self, name)}.")
        for name in ("max_games", "games_at_once"):
            if getattr(self, name) < 2:
                raise ValueError(f"{name} must be 2 or more, not {getattr(self, name)}.")

    @property
    def can_be_passed(self) -> bool:
        """Whether ``max_games`` are enough for a player that wins them all."""
        return self.verdict([1.0] * (self.max_games // 2)) == "better"

    def verdict(self, opening_scores: Sequence[float]) -> Literal["better", "not better", "open"]:
        """Wald's sequential test (1945): what the openings played so far decide.

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
    """What a gate found; ``match`` holds the games, the new player as ``a``."""

    accepted: bool
    verdict: Literal["better", "not better", "open"]
    match: Match


def gate(
    new: Player, old: Player, settings: GateSettings | None = None, seed: int = 0
) -> GateResult:
    """Plays until it is clear whether ``new`` is better than ``old``, or the games run out.

    Each opening is played twice, colours swapped, and a new one is used every time; a small game
    may run out of openings first.

    Warns where nobody can pass: where even a player that wins all ``max_games`` would be refused.

    Raises:
        ValueError: as ``play_match``.
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
    """How much likelier the scores are if their mean is ``score1`` than if it is ``score0``.

    The two games of an opening score 0, 1/4, 1/2, 3/4 or 1 a game. Under each hypothesis these
    have the probabilities that fit the counts best among those of its mean (M. Van den Bergh, "The
    generalized likelihood ratio for the expectation value of a multinomial distribution",
    proposition 1.1; Stockfish's changes are tested so). The share of draws and the luck of openings
    then need no model. A count of 0 is taken for a thousandth: rare is not impossible.
    """
    values = np.arange(5) / 4
    quarters = (4 * np.asarray(opening_scores)).round().astype(int)
    counts = np.maximum(np.bincount(quarters, minlength=5), 1e-3)
    share = counts / counts.sum()
    return float(counts @ np.log(_tilted(share, values, score1) / _tilted(share, values, score0)))


def _tilted(share: np.ndarray, values: np.ndarray, mean: float) -> np.ndarray:
    """The probabilities nearest to ``share`` in likelihood among those with this ``mean``."""
    away = values - mean
    low, high = -1 / away.max(), -1 / away.min()
    margin = 1e-9 * (high - low)
    tilt = brentq(lambda t: float(share @ (away / (1 + t * away))), low + margin, high - margin)
    return share / (1 + tilt * away)
