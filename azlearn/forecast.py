"""How long work will still take, by what has been measured so far."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from azlearn.progress_bar import progress_bar

Progress = Callable[[float], None]  # takes the share of the work that is done, 0 to 1


class Forecast:
    """A bar for pieces of work that follow each other, with the time that all of them still need.

    The clock starts with the first report: what is compiled or started before it takes its time
    once. From then on the time left follows from the mean pace so far.

    Args:
        weights: of the pieces, in proportion to the time that they should take.
        is_shown: False: nothing is shown.
    """

    def __init__(self, weights: Sequence[float], is_shown: bool = True) -> None:
        self._weights, self._weight, self._before = iter(weights), 0.0, 0.0
        self._bar = progress_bar(
            total=sum(weights), disable=not is_shown, smoothing=0, miniters=1e-9,
            bar_format="{l_bar}{bar}| [{elapsed}<{remaining}]",
        )  # fmt: skip

    def begin(self, words: str) -> Progress:
        """The next piece, by name; what takes the share of it that is done."""
        self._bar.set_description(words)
        self._before, self._weight = self._before + self._weight, next(self._weights)
        return self._report

    def close(self) -> None:
        """Ends the bar."""
        self._bar.close()

    def _report(self, share: float) -> None:
        bar, done = self._bar, self._before + self._weight * share
        if bar.disable:
            return
        if not bar.n:
            bar.unpause()
            bar.initial = done
        bar.update(done - bar.n)


@contextmanager
def shown(progress: bool | Progress, words: str) -> Iterator[Progress]:
    """``progress`` itself, if it takes shares; else a bar if it is true, for the time within."""
    if callable(progress):
        yield progress
        return
    forecast = Forecast([1.0], progress)
    try:
        yield forecast.begin(words)
    finally:
        forecast.close()
