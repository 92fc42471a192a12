"""How far a long cell is."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from azlearn.progress_bar import progress_bar

Item = TypeVar("Item")
_SECONDS_BEFORE = 1.0


def with_bar(items: Iterable[Item], words: str = "", total: int | None = None) -> Iterator[Item]:
    """The items, one by one; a bar shows how many are done from the second second on, then goes.

    Args:
        items: what the loop runs over.
        words: what is counted, before the bar ("games played").
        total: how many items there are, where ``len(items)`` does not say.
    """
    return iter(progress_bar(items, desc=words, total=total, leave=False, delay=_SECONDS_BEFORE))
