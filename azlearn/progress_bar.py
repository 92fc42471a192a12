"""Progress bars for long loops: plain text, in notebooks and in terminals."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm.std import tqdm

Progress = Callable[[float], None]  # takes the fraction of the work that is done, 0 to 1
_WIDTH = 80


class _InACell(tqdm):
    """A bar in a cell's output that updates its text in place.

    (tqdm's widget bar shows "Error displaying widget" when the page is reloaded.)
    """

    def __init__(self, *args, **kwargs) -> None:
        self._shown = None
        super().__init__(*args, file=io.StringIO(), ncols=_WIDTH, ascii=False, **kwargs)

    def display(self, msg: str | None = None, pos: int | None = None) -> None:
        """Shows ``msg``, or the progress if it is None; "" removes the bar."""
        from IPython.display import display

        bundle = {"text/plain": str(self) if msg is None else msg}
        if self._shown is None:
            self._shown = display(bundle, raw=True, display_id=True)
        else:
            self._shown.update(bundle, raw=True)


def progress_bar(*args, **kwargs) -> tqdm:
    """Returns a ``tqdm`` bar with these arguments, for a notebook or for a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    return (_InACell if hasattr(shell, "kernel") else tqdm)(*args, **kwargs)


@contextmanager
def shown(progress: bool | Progress, words: str) -> Iterator[Progress]:
    """Yields ``progress`` itself if it is a function; else shows a bar if ``progress`` is true.

    The bar's clock starts with the first report, so that time spent compiling before it does not
    distort the estimate. The remaining time is estimated from the mean pace since then.
    """
    if callable(progress):
        yield progress
        return
    with progress_bar(
        total=1.0, desc=words, disable=not progress, smoothing=0, miniters=1e-9,
        bar_format="{l_bar}{bar}| [{elapsed}<{remaining}]",
    ) as bar:  # fmt: skip

        def report(share: float) -> None:
            if not bar.n and not bar.disable:
                bar.unpause()
                bar.initial = share
            bar.update(share - bar.n)

        yield report
