"""How far a long loop is: a bar of text, in a notebook as in a terminal."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm.std import tqdm

Progress = Callable[[float], None]  # takes the share of the work that is done, 0 to 1
_WIDTH = 80


class _InACell(tqdm):
    """A bar in a cell's output, whose text is replaced in its place.

    A bar of widgets ends as "Error displaying widget" when its page is loaded again.
    """

    def __init__(self, *args, **kwargs) -> None:
        self._shown = None
        super().__init__(*args, file=io.StringIO(), ncols=_WIDTH, ascii=False, **kwargs)

    def display(self, msg: str | None = None, pos: int | None = None) -> None:
        """Show ``msg``, or how far the loop is; "" takes the bar away."""
        from IPython.display import display

        bundle = {"text/plain": str(self) if msg is None else msg}
        if self._shown is None:
            self._shown = display(bundle, raw=True, display_id=True)
        else:
            self._shown.update(bundle, raw=True)


def progress_bar(*args, **kwargs) -> tqdm:
    """A ``tqdm`` with these arguments, drawn for where the program runs."""
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    return (_InACell if hasattr(shell, "kernel") else tqdm)(*args, **kwargs)


@contextmanager
def shown(progress: bool | Progress, words: str) -> Iterator[Progress]:
    """``progress`` itself, if it takes shares; else a bar if it is true, for the time within.

    The bar's clock starts with the first report: what is compiled before it takes its time once.
    The time left follows from the mean pace since then.
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
