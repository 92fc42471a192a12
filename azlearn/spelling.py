"""What may have been meant by a name that nobody knows."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`` Did you mean …?``, to follow the sentence that there is no ``word``.

    "" if ``word`` is known, so that something else is wrong with it, or like nothing known.
    """
    known = list(known)
    close = [] if word in known else get_close_matches(word, known, n=1)
    return f" Did you mean {close[0]}?" if close else ""


def folders_beside(path: str | Path) -> list[str]:
    """The folders where ``path`` should be, and those in ``runs``."""
    found = {*Path(path).parent.glob("*/"), *Path("runs").glob("*/")}
    return sorted(map(str, found))
