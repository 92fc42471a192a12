"""The one way in which files are written: whole or not at all."""

import os
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, content: bytes | str | Iterable[bytes]) -> None:
    """Writes a file so that a reader, or a power cut, meets the old content or all of the new.

    Two processes that write the same file do not meet: the last one's content stays. Where the path
    is a link, what it leads to is replaced; a device is written to as it is.

    Args:
        content: text is written as UTF-8; of pieces only one is in memory at a time.

    Raises:
        OSError: no space, no permission; with the file's name. ``path`` is as it was.
    """
    content = content.encode() if isinstance(content, str) else content
    pieces = [content] if isinstance(content, bytes) else content
    try:
        whole = path.resolve()
        if whole.exists() and not whole.is_file():  # such as /dev/stdout; of a folder this tells
            with whole.open("wb") as file:
                for piece in pieces:
                    file.write(piece)
            return
        partial = whole.with_name(f"{whole.name}.{os.getpid()}.partial")
        try:
            with partial.open("wb") as file:
                for piece in pieces:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(whole)
        except OSError:
            partial.unlink(missing_ok=True)
            raise
        sync_directory(whole.parent)
    except OSError as error:
        error.filename = str(path)  # a write does not say where it failed
        raise


def sync_directory(path: Path) -> None:
    """Returns when the names of its files, too, are on the disk."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
