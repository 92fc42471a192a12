"""How far a run has come, and how far it is to go."""

from dataclasses import dataclass
from math import inf
from numbers import Real
from time import monotonic, process_time

from azlearn.search.selection import check_count


@dataclass
class Counters:
    """How far a run has come. Numbers of games and so on are of all ranks together."""

    iteration: int = 0
    minutes: float = 0.0
    games: int = 0
    moves: int = 0
    evaluations: int = 0
    cached: int = 0
    samples: int = 0
    steps: int = 0
    owed: float = 0.0  # samples still to be drawn for training
    last_measured: float = 0.0  # in minutes
    grown: int = 0  # the iteration in which the network grew; 0: it has not


class Clock:
    """Minutes of a run, those of earlier parts included."""

    def __init__(self, minutes: float) -> None:
        self._started = monotonic() - 60 * minutes

    @property
    def minutes(self) -> float:
        return (monotonic() - self._started) / 60


class CoreClock(Clock):
    """Minutes that this process has computed: others on the machine take none of them."""

    def __init__(self, minutes: float) -> None:
        self._started = process_time() - 60 * minutes

    @property
    def minutes(self) -> float:
        return (process_time() - self._started) / 60


@dataclass(frozen=True)
class Budget:
    """When a run ends: after so many minutes or so many iterations, whichever comes first.

    With iterations alone (the learning rate follows them), a precision set and the same seed, a run
    gives the same network again, bit for bit: on the same kind of processor, with as many ranks and
    threads and the same torch. Elsewhere sums round otherwise, and games soon differ.

    Raises:
        ValueError: no limit; one that is not above 0; iterations that are no whole number.
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
            raise ValueError("Say how long to train: minutes or iterations.")

    def spent(self, counters: Counters) -> float:
        """The share of the budget used up: 1 or more at the end."""
        shares = [counters.minutes / self.minutes] if self.minutes else []
        shares += [counters.iteration / self.iterations] if self.iterations else []
        return max(shares)
