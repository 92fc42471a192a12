"""Suggestions for misspelled names."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns `` Did you mean …?``, to append to an error message about an unknown ``word``.

    Returns "" if ``word`` is known (so that something else is wrong) or resembles no known word.
    """
    known = list(known)
    close = [] if word in known else get_close_matches(word, known, n=1)
    return f" Did you mean {close[0]}?" if close else ""


def folders_beside(path: str | Path) -> list[str]:
    """The folders next to ``path``, and those in ``runs``."""
    found = {*Path(path).parent.glob("*/"), *Path("runs").glob("*/")}
    return sorted(map(str, found))
