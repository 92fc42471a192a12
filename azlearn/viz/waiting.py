"""A progress bar for long-running cells."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from azlearn.progress_bar import progress_bar

Item = TypeVar("Item")
_SECONDS_BEFORE = 1.0


def with_bar(items: Iterable[Item], words: str = "", total: int | None = None) -> Iterator[Item]:
    """Yields the items; after one second, a bar shows how many are done. It disappears at the end.

    Args:
        items: the items to loop over.
        words: the text before the bar that says what is counted ("games played").
        total: the number of items, if ``items`` has no length.
    """
    return iter(progress_bar(items, desc=words, total=total, leave=False, delay=_SECONDS_BEFORE))
