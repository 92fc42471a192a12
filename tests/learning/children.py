"""Runs commands in separate processes that start quickly.

They are forked from a server that has imported everything (``warm_up``), because a cold start takes
seconds, and they play in plain Python.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from functools import partial
from multiprocessing import forkserver
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from azlearn.learning import read_log
from tests.learning.disk import Disk

ROOT = Path(__file__).parents[2]
PATIENCE = 240  # seconds, on a busy machine


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class Command:
    """`azlearn …` in its own process group.

    Args:
        arguments: as typed; may be numbers or paths.
        file_size: the most bytes that a file can have, as if the disk were full.
        unread: its output is not read.
        kill_at: the number of the file operation (see ``Disk``) at which it kills its whole group.
    """

    def __init__(
        self,
        *arguments,
        file_size: int | None = None,
        unread: bool = False,
        kill_at: int | None = None,
    ) -> None:
        self._folder = TemporaryDirectory(prefix="azlearn-command-")
        self._streams = [Path(self._folder.name) / name for name in ("out", "err")]
        start_server()
        self._process = multiprocessing.get_context("forkserver").Process(
            target=_azlearn,
            args=([*map(str, arguments)], self._streams, file_size, unread, kill_at),
        )
        self._process.start()
        self.wait_until(self._leads_its_group)

    @property
    def pid(self) -> int:
        """The id of its first process, and of the group."""
        return self._process.pid

    def kill(self, *, all_ranks: bool = True) -> None:
        """Kills the group with SIGKILL, as the kernel does when memory runs out."""
        (os.killpg if all_ranks else os.kill)(self._process.pid, signal.SIGKILL)
        self._process.join()

    def interrupt(self, *, all_ranks: bool = True) -> None:
        """Ctrl-C: SIGINT for all processes of the group."""
        (os.killpg if all_ranks else os.kill)(self._process.pid, signal.SIGINT)

    def wait(self, seconds: float) -> None:
        self._process.join(seconds)

    def wait_until_gone(self) -> None:
        """Waits until its last process has ended."""
        deadline = time.monotonic() + PATIENCE
        while living := self.processes():
            assert time.monotonic() < deadline, f"{living} live on: {self.said()}"
            time.sleep(0.02)

    def wait_for_rows(self, out: Path, number: int) -> None:
        """Waits until it has logged this many more iterations."""
        before = len(read_log(out))
        self.wait_until(lambda: len(read_log(out)) >= before + number)

    def wait_until(self, condition) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert self._process.is_alive(), self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.005)

    def finish(self) -> Done:
        """Waits until all its processes have ended; returns its output and exit code."""
        self._process.join(PATIENCE)
        if self._process.exitcode is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            raise AssertionError(f"It does not end: {self.said()}")
        self.wait_until_gone()
        return Done(self._process.exitcode, *self.said())

    def processes(self) -> list[int]:
        return living(self.pid)

    def _leads_its_group(self) -> bool:
        try:
            return os.getpgid(self.pid) == self.pid
        except ProcessLookupError:  # it has ended already
            return True

    def said(self) -> tuple[str, str]:
        """Its output so far, on stdout and on stderr."""
        return tuple(path.read_text() if path.exists() else "" for path in self._streams)


def living(group: int) -> list[int]:
    """The live processes of a group; a zombie counts only while threads of it are still running."""
    command = ["ps", "-A", "-o", "pid=,pgid=,stat="]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listing.splitlines()]
    is_gone = lambda stat: stat[0] == "Z" and "l" not in stat  # noqa: E731
    return [int(pid) for pid, pgid, stat in rows if int(pgid) == group and not is_gone(stat)]


def start_server() -> None:
    """Starts the process that all commands are forked from, once."""
    multiprocessing.set_forkserver_preload(["tests.learning.warm_up"])
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), before]))
    try:
        forkserver.ensure_running()
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before


def _azlearn(
    arguments: list[str],
    streams: list[Path],
    file_size: int | None,
    unread: bool,
    kill_at: int | None,
) -> None:
    """Runs the command in the child."""
    from azlearn.cli import main
    from azlearn.learning import SelfPlay, launch, worker

    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, path in enumerate(streams, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    if unread:
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, 1)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - the old one believes in a file
    fork = multiprocessing.get_context("fork")
    launch.multiprocessing.get_context = lambda method: fork  # the other ranks are warm, too
    worker.SelfPlay = partial(SelfPlay, compiled=False)
    launch.num_cores = lambda: 1  # one thread per process: more are slower on a busy machine
    if file_size is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, resource.RLIM_INFINITY))
    with _Killer(kill_at).in_use() if kill_at is not None else nullcontext():
        sys.exit(main(arguments))


class _Killer(Disk):
    """Kills all processes of the group at a given step; the last line of output names the step."""

    def fail(self) -> None:
        os.write(1, f"\n{self.steps[-1]}\n".encode())
        os.killpg(0, signal.SIGKILL)
