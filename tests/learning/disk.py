"""A disk that fails at a step of your choice."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from azlearn.learning.files import LOCK_FILE


class Disk:
    """Counts a process's disk operations; raises ``error`` at step number ``fails_at``.

    A step is creating a folder, opening a file to write, a write (if it fails, half gets through),
    an fsync, a rename or a deletion. Deleting the lock file does not count, because failing there
    does no harm.

    Attributes:
        steps: the operations, such as "write rank0.safetensors.partial".
    """

    def __init__(self, fails_at: int | None = None, error: BaseException | None = None) -> None:
        self.steps: list[str] = []
        self._fails_at, self._error = fails_at, error

    @contextmanager
    def in_use(self) -> Iterator["Disk"]:
        with (
            patch.object(os, "fsync", self._counted("fsync", os.fsync)),
            patch.object(Path, "mkdir", self._counted("mkdir", Path.mkdir)),
            patch.object(Path, "replace", self._counted("replace", Path.replace)),
            patch.object(Path, "open", self._open(Path.open)),
            patch.object(Path, "unlink", self._counted("unlink", Path.unlink)),
            patch.object(Path, "rmdir", self._counted("rmdir", Path.rmdir)),
        ):
            yield self

    def step(self, what: str, on) -> None:
        name = (
            re.sub(r"\.[0-9a-f]{16}\.partial$", ".partial", on.name) if isinstance(on, Path) else ""
        )
        self.steps.append(f"{what} {name}".strip())
        if len(self.steps) - 1 == self._fails_at:
            self.fail()

    def fail(self) -> None:
        raise self._error

    def _counted(self, what: str, function):
        def counted(on, *args, **kwargs):
            if getattr(on, "name", "") != LOCK_FILE:
                self.step(what, on)
            return function(on, *args, **kwargs)

        return counted

    def _open(self, really_open):
        def opened(path, mode="r", *args, **kwargs):
            if mode[0] not in "wax":
                return really_open(path, mode, *args, **kwargs)
            self.step("open", path)
            return _File(self, path, really_open(path, mode, *args, **kwargs))

        return opened


class _File:
    def __init__(self, disk: Disk, path: Path, file) -> None:
        self._disk, self._path, self._file = disk, path, file

    def __enter__(self) -> "_File":
        return self

    def __exit__(self, *_) -> None:
        self._file.close()

    def __getattr__(self, name: str):
        return getattr(self._file, name)

    def write(self, content) -> None:
        self._file.write(content[: len(content) // 2])
        self._disk.step("write", self._path)
        self._file.write(content[len(content) // 2 :])
