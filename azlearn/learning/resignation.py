"""The resignation threshold, which keeps the fraction of false resignations low."""

from collections import deque

import numpy as np

MEMORY = 500  # how many of the latest played-out games are used


class Resignation:
    """A threshold for the root's value, set from games that are always played to the end.

    AlphaGo Zero plays a tenth of its games to the end. It keeps the fraction of false resignations
    (the side that would have resigned did not lose) below 5% (Silver et al. 2017, Methods,
    "Self-play").

    Args:
        rate: the fraction of false resignations to aim for; 0 = never resign.
    """

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.threshold = -1.0  # no resignations before enough games have been played out
        # For every played-out game, the lowest root value seen by a side that did not lose.
        self.lowest: deque[float] = deque(maxlen=MEMORY)

    def calibrate(self) -> None:
        """Sets the threshold so that at most ``rate`` of these games are falsely resigned."""
        if self.rate > 0 and len(self.lowest) >= 50:
            self.threshold = float(np.quantile(self.lowest, self.rate, method="lower"))
