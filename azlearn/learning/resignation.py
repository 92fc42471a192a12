"""When to give up a game: rarely enough that few games are given up that were not lost."""

from collections import deque

import numpy as np

MEMORY = 500


class Resignation:
    """A threshold for the root's value, set from games that are always played out.

    AlphaGo Zero plays a tenth of its games to the end and keeps the share of false resignations,
    games that the side which would have resigned did not lose, below 5 % (Silver et al. 2017,
    Methods, "Self-play").

    Args:
        rate: the share of false resignations aimed at; 0 = nobody ever resigns.
        memory: how many played-out games are looked at.
    """

    def __init__(self, rate: float, memory: int = MEMORY) -> None:
        self.rate = rate
        self.threshold = -1.0  # nobody resigns before there is something to judge by
        # How bad it looked to one who did not lose, of every game that was played out.
        self.lowest: deque[float] = deque(maxlen=memory)

    def calibrate(self) -> None:
        """Moves the threshold to where at most ``rate`` of those games would have been given up."""
        if self.rate > 0 and len(self.lowest) >= 50:
            self.threshold = float(np.quantile(self.lowest, self.rate, method="lower"))
