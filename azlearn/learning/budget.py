"""The progress of a training run, and its budget."""

from dataclasses import dataclass
from math import inf
from numbers import Real
from time import monotonic, process_time

from azlearn.search.selection import check_count


@dataclass
class Counters:
    """The progress of a run. Counts, such as ``games``, are totals over all ranks."""

    iteration: int = 0
    minutes: float = 0.0
    games: int = 0
    moves: int = 0
    evaluations: int = 0
    cached: int = 0
    samples: int = 0
    steps: int = 0
    owed: float = 0.0  # samples still to be trained on
    last_measured: float = 0.0  # when strength was last measured, in minutes
    grown: int = 0  # the iteration in which the network grew; 0: it has not


class Clock:
    """Measures the minutes of a run, including those before it was resumed."""

    def __init__(self, minutes: float) -> None:
        self._started = monotonic() - 60 * minutes

    @property
    def minutes(self) -> float:
        return (monotonic() - self._started) / 60


class CoreClock(Clock):
    """Measures the CPU minutes of this process, so other programs on the machine do not count."""

    def __init__(self, minutes: float) -> None:
        self._started = process_time() - 60 * minutes

    @property
    def minutes(self) -> float:
        return (process_time() - self._started) / 60


@dataclass(frozen=True)
class Budget:
    """The limits of a run, in minutes, iterations or both; the run ends at the first one reached.

    If only iterations are set (the learning rate then follows them) and the precision is fixed, a
    seed gives the same network, bit for bit, on the same kind of processor, with the same ranks,
    threads and PyTorch version. Otherwise sums round differently, and games soon diverge.

    Raises:
        ValueError: no limit, one that is not above 0, or iterations that are not a whole number.
    """

    minutes: float | None = None
    iterations: int | None = None

    def __post_init__(self) -> None:
        minutes, iterations = self.minutes, self.iterations
        if minutes is not None and not (isinstance(minutes, Real) and 0 < minutes < inf):
            raise ValueError(f"minutes must be a number above 0, not {minutes!r:.80}.")
        if iterations is not None:
            check_count(iterations, "iterations")
        if self.minutes is None and self.iterations is None:
            raise ValueError("Set how long to train: minutes, iterations or both.")

    def spent(self, counters: Counters) -> float:
        """Returns the fraction of the budget that is used: 1 or more at the end."""
        shares = [counters.minutes / self.minutes] if self.minutes else []
        shares += [counters.iteration / self.iterations] if self.iterations else []
        return max(shares)
