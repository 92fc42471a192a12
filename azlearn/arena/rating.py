"""Elo: strength estimated from scores, with confidence intervals.

A difference of d Elo means an expected score of ``1 / (1 + 10**(-d / 400))`` per game, where draws
count half (Elo 1978): the model of Bradley and Terry (1952). Two games of one opening, with colors
swapped, are not independent, so all intervals here count openings, not games.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log, log10
from typing import Protocol

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm

ELO = 400 / log(10)  # Elo points in one unit of log odds


def expected_score(elo_difference: float) -> float:
    """Returns the expected score per game, in [0, 1], of a player with this lead in Elo."""
    return 1 / (1 + 10 ** (-elo_difference / 400))


def elo_difference(score: float) -> float:
    """Returns the Elo difference at which ``score`` per game is expected; infinite for 0 and 1.

    Raises:
        ValueError: score is not in [0, 1].
    """
    if not 0 <= score <= 1:
        raise ValueError(f"A score per game must be in [0, 1], not {score}.")
    return -400 * log10(1 / score - 1) if 0 < score < 1 else (inf if score else -inf)


class Result(Protocol):
    """The part of a match that ``elo`` needs; see ``Match``."""

    a: str
    b: str

    @property
    def opening_scores(self) -> Sequence[float]:
        """The mean score of ``a`` in the games of each opening, in [0, 1]."""


@dataclass(frozen=True)
class Rating:
    """A player's Elo with the bounds of its interval, which has no width for the anchor."""

    name: str
    elo: float
    low: float
    high: float


def elo(
    matches: Sequence[Result],
    anchor: str | None = None,
    confidence: float = 0.95,
    pseudo_games: float = 0.5,
) -> list[Rating]:
    """Returns the Elo of every player in ``matches``, the strongest first.

    These are the maximum-likelihood ratings of the Bradley–Terry model, with draws as half points.
    Intervals come from the sandwich covariance (Huber 1967) with openings as clusters (Liang and
    Zeger 1986), which needs no model of draws or of the correlation between an opening's games.

    Args:
        anchor: the player whose rating is 0; None: the mean rating is 0.
        pseudo_games: this many won and this many lost games are added to each match; above 0. They
            keep ratings finite after a clean sweep, and then they alone determine the difference:
            compare two values. For two players and independent games, 0.5 is Firth's bias
            reduction (1993).

    Raises:
        ValueError: no matches, an unknown anchor, players not linked by matches, or pseudo_games
            is not above 0.
    """
    names = sorted({name for match in matches for name in (match.a, match.b)})
    _check_comparable(matches, names, anchor)
    if not pseudo_games > 0:
        raise ValueError(f"pseudo_games must be above 0, not {pseudo_games}.")
    design, scores, weights = _observations(matches, names, pseudo_games)

    # Ratings are known only up to a common shift, so remove the anchor's column, or the last one.
    fixed = len(names) - 1 if anchor is None else names.index(anchor)
    free = np.delete(design, fixed, axis=1)
    theta = _most_likely(free, scores, weights)
    p = expit(free @ theta)
    information = free.T @ (free * (weights * p * (1 - p))[:, None])
    influence = free * (np.sqrt(weights) * (scores - p))[:, None] @ np.linalg.inv(information)

    # From the free parameters back to all the players, and to a mean of 0 if there is no anchor.
    back = np.insert(np.eye(len(theta)), fixed, 0.0, axis=0)
    if anchor is None:
        back -= back.mean(axis=0)
    ratings = ELO * back @ theta
    half = norm.ppf((1 + confidence) / 2) * ELO * np.linalg.norm(back @ influence.T, axis=1)
    columns = (names, ratings.tolist(), (ratings - half).tolist(), (ratings + half).tolist())
    return sorted(map(Rating, *columns), key=lambda rating: -rating.elo)


def _observations(
    matches: Sequence[Result], names: list[str], pseudo_games: float
) -> tuple[np.ndarray, ...]:
    """``(design [n, players], scores [n], weights [n])``: a row per opening, +1 for a, -1 for b."""
    design, scores, weights = [], [], []
    for match in matches:
        row = np.zeros(len(names))
        row[names.index(match.a)], row[names.index(match.b)] = 1, -1
        played = list(match.opening_scores)
        design += [row] * (len(played) + 2)
        scores += [*played, 0.0, 1.0]
        weights += [1.0] * len(played) + [pseudo_games / 2] * 2  # an opening is two games
    return np.array(design), np.array(scores), np.array(weights)


def _most_likely(design: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Returns the log odds that fit best."""

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        eta = design @ theta
        likelihood = weights @ (scores * eta - np.logaddexp(0, eta))
        return -likelihood, design.T @ (weights * (expit(eta) - scores))

    start = np.zeros(design.shape[1])
    return minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-8}).x


def _check_comparable(matches: Sequence[Result], names: list[str], anchor: str | None) -> None:
    if not names:
        raise ValueError("Ratings need at least one match.")
    for match in matches:
        if match.a == match.b:
            raise ValueError(f"{match.a} played itself: give the two players different names.")
    if anchor is not None and anchor not in names:
        raise ValueError(f"The anchor {anchor!r} played no match; players: {', '.join(names)}.")
    reached = {names[0]}
    for _ in names:
        linked = [{m.a, m.b} for m in matches if reached & {m.a, m.b}]
        reached = reached.union(*linked)
    if missing := [name for name in names if name not in reached]:
        raise ValueError(
            f"No matches link {', '.join(missing)} to {names[0]}: their ratings cannot be compared."
        )
