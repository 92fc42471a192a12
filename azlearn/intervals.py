"""Confidence intervals of rates and mean scores, for independent or clustered observations."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from scipy.stats import binomtest, norm


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a rate (Wilson 1927).

    Raises:
        ValueError: n is below 1, or successes are not between 0 and n.
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"A rate needs 0 <= successes <= n and n >= 1, not {successes} of {n}.")
    interval = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    return float(interval.low), float(interval.high)


def score_interval(scores: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """The interval of the mean of independent ``scores`` in [0, 1], such as one per opening.

    Args:
        scores: float [n].

    Raises:
        ValueError: there are no scores, or one is not in [0, 1].
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.size == 0 or not ((x >= 0) & (x <= 1)).all():
        raise ValueError("A score interval needs at least one score, and all of them in [0, 1].")
    return clustered_interval(x, np.arange(x.size), confidence)


def clustered_interval(
    hits: np.ndarray, clusters: np.ndarray, confidence: float = 0.95
) -> tuple[float, float]:
    """The interval of a rate when observations are clustered, such as the positions of each game.

    This is Wilson's interval (1927) for the number of independent coin flips with this variance,
    the effective sample size of survey statistics (Korn and Graubard 1998). The variance is that of
    a ratio estimator (Cochran 1977, chapter 6): it uses each game's hits minus the number expected
    from its size. For the variance only, half a game of hits and half a game of misses, of mean
    size, are added, because identical games would give a variance of 0. With few games the interval
    tends to be too wide.

    Args:
        hits: float [n], each in [0, 1].
        clusters: int64 [n], the game number of each position.
    """
    _, games = np.unique(clusters, return_inverse=True)
    sizes, sums = np.bincount(games), np.bincount(games, hits)
    n, size = len(sizes), sizes.mean()
    center = (sums.sum() + size / 2) / (sizes.sum() + size)
    surplus = (((sums - center * sizes) / size) ** 2).sum()
    scatter = (surplus + (center**2 + (1 - center) ** 2) / 2) / (n + 1)
    flips = n * center * (1 - center) / scatter
    z, p = norm.ppf((1 + confidence) / 2), sums.sum() / sizes.sum()
    middle = (p + z**2 / (2 * flips)) / (1 + z**2 / flips)
    half = z / (1 + z**2 / flips) * sqrt(p * (1 - p) / flips + z**2 / (4 * flips**2))
    # At 0 and 1 the bound is exact; computing it would only add rounding errors.
    low, high = float(middle - half) if p > 0 else 0.0, float(middle + half) if p < 1 else 1.0
    return max(0.0, low), min(1.0, high)
