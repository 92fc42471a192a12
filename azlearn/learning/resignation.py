"""When to give up a game: rarely enough that few games are given up that were not lost."""

from collections import deque
from collections.abc import Sequence

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
        self.lowest: deque[float] = deque(maxlen=memory)  # of those who did not lose, a game each

    def resigns(self, root_value: float) -> bool:
        """Whether the player to move, for whom the search found ``root_value``, gives up."""
        return self.rate > 0 and root_value < self.threshold

    def observe(self, root_values: Sequence[float], results: Sequence[int]) -> bool:
        """Takes in a game that was played out.

        Args:
            root_values: of every move, for its mover.
            results: how the game ended, for the same players.

        Returns:
            Whether a side that did not lose it would have resigned, by the threshold so far, which
            has not seen this game.
        """
        kept = [value for value, z in zip(root_values, results, strict=True) if z >= 0]
        if not kept:
            return False
        self.lowest.append(min(kept))
        return self.resigns(min(kept))

    def calibrate(self) -> None:
        """Moves the threshold to where at most ``rate`` of those games would have been given up."""
        if self.rate > 0 and len(self.lowest) >= 50:
            self.threshold = float(np.quantile(self.lowest, self.rate, method="lower"))
