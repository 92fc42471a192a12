"""How far a long loop is: a bar of text, in a notebook as in a terminal."""

import io
import sys

from tqdm.std import tqdm

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
