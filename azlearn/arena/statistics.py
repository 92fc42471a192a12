"""Intervals, from a library that has them right."""

from scipy.stats import binomtest


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a rate (Wilson 1927).

    Raises:
        ValueError: n is below 1, or successes are not between 0 and n.
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"A rate needs 0 <= successes <= n and n >= 1, not {successes} of {n}.")
    interval = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    return float(interval.low), float(interval.high)
