"""The one way in which files are written: whole or not at all.

A file is written under another name, brought to the disk, and renamed.
"""

import errno
import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from secrets import token_hex
from time import monotonic, sleep

# What a disk says that cannot sync a file.
_NO_SYNC = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
_LONGEST = 60  # characters of a file's name in that of its unfinished one: disks allow 143 bytes
_UNFINISHED = re.compile(r".+\.[0-9a-f]{16}\.partial")

_REMEDIES = {
    errno.EEXIST: "Choose another name.",
    errno.EISDIR: "Choose a file, not a folder.",
    errno.ENOENT: "Check the name, and whether its folder exists.",
    errno.ENOTDIR: "Choose a folder, not a file, or a path through folders.",
    errno.ENOSPC: "Make room on the disk.",
    errno.EDQUOT: "Delete files that you no longer need, or ask for more room.",
    errno.EROFS: "Choose another folder.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
}


def in_words(error: BaseException) -> str:
    """What an error says, for a reader: of the system's, the file and the reason, no number."""
    if not isinstance(error, OSError) or error.errno is None:
        return str(error)
    names = [os.fsdecode(name) for name in (error.filename, error.filename2) if name]
    said = f"{': '.join([' → '.join(names)] * bool(names) + [str(error.strerror)]).rstrip('.')}."
    return " ".join([said, *filter(None, [_REMEDIES.get(error.errno)])])


def atomic_write(path: Path, content: bytes | str) -> None:
    """Writes a file so that a reader, or a power cut, meets the old content or all of the new.

    Two processes that write the same file do not meet: the last one's content stays. A link is
    replaced; nothing is written where it leads.

    Args:
        content: text is written as UTF-8.

    Raises:
        OSError: no space, no permission, or a folder is there; with the file's name. ``path`` is
            as it was.
    """
    partial = path.with_name(f"{path.name[:_LONGEST]}.{token_hex(8)}.partial")
    try:
        try:
            with partial.open("xb") as file:  # fresh: what a link leads to is not opened
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                _sync(file.fileno())
            partial.replace(path)
        except OSError:
            partial.unlink(missing_ok=True)
            raise
    except OSError as error:
        error.filename, error.filename2 = str(path), None  # a write does not say where it failed
        raise
    sync_directory(path.parent)


def write_user_path(path: Path, content: bytes | str) -> None:
    """``atomic_write`` for a path that the reader has typed: a link is followed, as its maker meant
    it, and a device such as /dev/null or /dev/stdout is written to and stays what it is.

    Raises:
        OSError: as in ``atomic_write``; of a pipe also that nobody reads it.
    """
    if path.is_file() or path.is_dir() or not path.exists():
        return atomic_write(path.resolve(), content)
    content = content.encode() if isinstance(content, str) else content
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)  # nothing here waits for a reader
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def free_name(path: Path, name: str) -> Path:
    """The first of ``NAME``, ``NAME2``, … beside ``path`` that is free, to keep something in."""
    number = 1
    while os.path.lexists(free := path.with_name(f"{name}{number if number > 1 else ''}")):
        number += 1
    return free


def sweep(folder: Path, prefix: str = "") -> None:
    """Deletes what killed writers of files in a folder have left unfinished, and nothing else.

    Only who has the folder, or those files, for itself may call it.
    """
    for path in folder.glob(f"{escape(prefix[:_LONGEST])}*.partial"):
        if is_unfinished(path):
            path.unlink(missing_ok=True)


def is_unfinished(path: Path) -> bool:
    """Whether this is a file that is being written, or was when its writer was killed."""
    return _UNFINISHED.fullmatch(path.name) is not None and path.is_file()


@contextmanager
def locked(path: Path, patience: float = 0.0) -> Iterator[bool]:
    """Keeps all others out who lock this path; a kill frees it. False where a disk knows no locks.

    Args:
        path: a folder, whose lock other machines do not see on a network drive; or a file for this
            alone, whose lock they do see. It is made, and deleted in the end.
        patience: seconds to wait.

    Raises:
        BlockingIOError: another process has it.
        OSError: it cannot be opened, or is a link.
    """
    how = os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    deadline = monotonic() + patience
    while True:
        descriptor = os.open(path, how, 0o666)
        is_locked = _flock(descriptor)
        is_there = os.fstat(descriptor).st_nlink  # else who had it has deleted it meanwhile
        if is_locked is not None and (is_there or monotonic() > deadline + 1):
            break
        os.close(descriptor)
        if is_locked is None and monotonic() >= deadline:
            raise BlockingIOError(errno.EAGAIN, "another process has the lock", str(path))
        sleep(0.002)
    try:
        yield is_locked
    finally:
        if not path.is_dir():
            with suppress(OSError):
                path.unlink()
        os.close(descriptor)


def _flock(descriptor: int) -> bool | None:
    """Whether it is locked now: None where another process has it, False where no lock is known."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # EACCES on a drive of Windows.
        return None if error.errno in (errno.EAGAIN, errno.EACCES) else False
    return True


def sync_directory(path: Path) -> None:
    """Returns when the names of its files, too, are on the disk, if the disk can promise that."""
    with suppress(OSError):
        directory = os.open(path, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def _sync(descriptor: int) -> None:
    """``os.fsync``; on a disk that knows none the system writes when it likes."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
