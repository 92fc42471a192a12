"""Atomic file writing: a file is written whole or not at all.

It is written under another name, synced to the disk, and renamed.
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

# The errors of a disk that cannot sync files.
_NO_SYNC = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
_LONGEST = 60  # characters of the name kept in a partial file: some disks allow only 143 bytes
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
    """An error as a message for the reader: file, reason and remedy, without the error number."""
    if not isinstance(error, OSError) or error.errno is None:
        return str(error)
    names = [os.fsdecode(name) for name in (error.filename, error.filename2) if name]
    said = f"{': '.join([' → '.join(names)] * bool(names) + [str(error.strerror)]).rstrip('.')}."
    return " ".join([said, *filter(None, [_REMEDIES.get(error.errno)])])


def atomic_write(path: Path, content: bytes | str) -> None:
    """Writes a file so that readers see either the old or the new content, never a mix.

    This holds even after a power cut. If two processes write the same file, the last one wins. A
    symbolic link is replaced; its target is not changed.

    Args:
        content: text is written as UTF-8.

    Raises:
        OSError: no space, no permission, or ``path`` is a folder; the error names the file.
            ``path`` is unchanged.
        UnicodeEncodeError: the text cannot be written as UTF-8; ``path`` is unchanged.
    """
    content = content.encode() if isinstance(content, str) else content
    partial = path.with_name(f"{path.name[:_LONGEST]}.{token_hex(8)}.partial")
    try:
        try:
            with partial.open("xb") as file:  # "x" never opens the target of a link
                file.write(content)
                file.flush()
                _sync(file.fileno())
            partial.replace(path)
        except OSError:
            partial.unlink(missing_ok=True)
            raise
    except OSError as error:
        error.filename, error.filename2 = str(path), None  # write() errors have no file name
        raise
    sync_directory(path.parent)


def write_user_path(path: Path, content: bytes | str) -> None:
    """``atomic_write`` for a path that a user has typed.

    It follows links, and writes to devices such as /dev/null or /dev/stdout instead of replacing
    them.

    Raises:
        OSError: as in ``atomic_write``; also if ``path`` is a pipe without a reader.
    """
    if path.is_file() or path.is_dir() or not path.exists():
        return atomic_write(path.resolve(), content)
    content = content.encode() if isinstance(content, str) else content
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)  # do not wait for a pipe's reader
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def free_name(path: Path, name: str) -> Path:
    """The first of ``NAME``, ``NAME2``, … in the folder of ``path`` that does not exist yet."""
    number = 1
    while os.path.lexists(free := path.with_name(f"{name}{number if number > 1 else ''}")):
        number += 1
    return free


def sweep(folder: Path, prefix: str = "") -> None:
    """Deletes the partial files that killed processes left in a folder, and nothing else.

    Call it only if no other process can be writing these files.
    """
    for path in folder.glob(f"{escape(prefix[:_LONGEST])}*.partial"):
        if is_unfinished(path):
            path.unlink(missing_ok=True)


def is_unfinished(path: Path) -> bool:
    """Whether this is the partial file of a writer that is running or was killed."""
    return _UNFINISHED.fullmatch(path.name) is not None and path.is_file()


@contextmanager
def locked(path: Path, patience: float = 0.0) -> Iterator[bool]:
    """Locks a path against other processes that lock it; killing a process releases its lock.

    Yields True, or False if the file system does not support locks.

    Args:
        path: a folder (on a network drive, other machines do not see its lock), or a file used only
            for locking (they do see that lock). The file is created, and deleted at the end.
        patience: seconds to wait for the lock.

    Raises:
        BlockingIOError: another process has the lock.
        OSError: ``path`` cannot be opened, or is a link to a file.
    """
    how = os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    deadline = monotonic() + patience
    while True:
        descriptor = os.open(path, how, 0o666)
        is_locked = _flock(descriptor)
        is_there = os.fstat(descriptor).st_nlink  # 0 if its last owner has deleted it
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
    """Tries to lock. Returns None if another process has the lock, False if locks do not work."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # A Windows drive reports EACCES.
        return None if error.errno in (errno.EAGAIN, errno.EACCES) else False
    return True


def sync_directory(path: Path) -> None:
    """Syncs the names of a folder's files to the disk, if the disk supports that."""
    with suppress(OSError):
        directory = os.open(path, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def _sync(descriptor: int) -> None:
    """``os.fsync``, ignoring disks that do not support it."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
