"""Runs other people's Python code in a process with limits.

The limits are on time, memory, processes and file sizes. If Bubblewrap (``bwrap``) is installed,
the process also sees the file system read-only, except for a temporary folder of its own; it has no
network, and its child processes end with it. Only a container or a virtual machine can also hide
your files from it and limit its share of the processor.
"""

import os
import resource
import select
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache
from tempfile import TemporaryDirectory
from time import monotonic
from types import TracebackType
from typing import NamedTuple

_LONGEST_LINE = 1 << 20  # bytes


class Limits(NamedTuple):
    """What one process may use.

    Attributes:
        seconds: the time until its next line.
        memory: bytes of address space. PyTorch alone reserves 3 GiB.
        file_size: bytes of each file that it writes.
        new_processes: processes and threads. (The system does not limit root.)
    """

    seconds: float = 60.0
    memory: int = 8 << 30
    file_size: int = 10 << 20
    new_processes: int = 64


class Stopped(Exception):
    """The process exceeded its time, ended, or wrote too long a line.

    The message says which, to follow a name: "was still running after 5 seconds".
    """


@cache
def bubblewrap() -> tuple[str, ...]:
    """The start of a command line that protects files and network; () if there is no Bubblewrap."""
    program = shutil.which("bwrap")
    if not program:
        return ()
    box = (program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all")
    box += ("--die-with-parent", "--new-session")
    works = subprocess.run([*box, "true"], capture_output=True, check=False).returncode == 0
    return box if works else ()


def warn_if_open() -> str:
    """A sentence for the user if there is no Bubblewrap; else ""."""
    if bubblewrap():
        return ""
    return (
        "Bubblewrap (bwrap) is missing or not allowed here, so other people's code could change"
        " your files or use the network. Use a container, or install bubblewrap."
    )


class Sandbox:
    """A process that runs one of azlearn's modules on other people's code.

    The module calls ``enter`` before it runs that code. Lines of text go both ways. Use the sandbox
    in a ``with`` statement, which kills the process at its end.

    Args:
        module: such as "azlearn.course.grading.one_submission".
    """

    def __init__(self, module: str, limits: Limits) -> None:
        self._limits, self._pending = limits, b""
        self._folder = TemporaryDirectory()
        name, box = self._folder.name, bubblewrap()
        if box:
            box = (*box, "--bind", name, name, "--chdir", name)
        own = {"HOME": name, "TMPDIR": name, "AZLEARN_PROGRESS": f"{name}/progress.json"}
        values = ",".join(f"{what}={most}" for what, most in _of_process(limits).items())
        self._process = subprocess.Popen(
            [*box, sys.executable, "-m", module, values],
            cwd=name, env=os.environ | own | {"OMP_NUM_THREADS": "1"}, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def send(self, line: str) -> None:
        """Sends a line.

        Raises:
            Stopped: the process has ended.
        """
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except (BrokenPipeError, OSError):
            raise Stopped("ended its process, or ran out of memory") from None

    def receive(self, seconds: float | None = None) -> bytes:
        """The process's next line.

        Args:
            seconds: how long to wait; None: the limit.

        Raises:
            Stopped: there is none in time, or it is too long.
        """
        seconds = self._limits.seconds if seconds is None else seconds
        end = monotonic() + seconds
        while b"\n" not in self._pending:
            pipe = self._process.stdout
            if not select.select([pipe], [], [], max(0.0, end - monotonic()))[0]:
                raise Stopped(f"was still running after {seconds:g} seconds")
            chunk = os.read(pipe.fileno(), 1 << 16)
            if not chunk:
                raise Stopped("ended its process, or ran out of memory")
            self._pending += chunk
            if len(self._pending) > _LONGEST_LINE:
                raise Stopped("returned too long a line")
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def close(self) -> None:
        """Kills the process and its children."""
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(BrokenPipeError):  # it ended before it read everything
                    pipe.close()
        try:
            self._folder.cleanup()
        except (OSError, RecursionError):  # it is still written to, or nested very deeply
            subprocess.run(["rm", "-rf", self._folder.name], capture_output=True, check=False)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, kind: type | None, error: Exception | None, at: TracebackType | None):
        self.close()


def enter():
    """Sets the limits of this process, and returns the streams from and to the one that started it.

    Other output is discarded, because other people's code may print without end.
    """
    for pair in sys.argv[1].split(","):
        what, _, most = pair.partition("=")
        resource.setrlimit(getattr(resource, what), (int(most), int(most)))
    asked = os.fdopen(os.dup(0), encoding="utf-8")
    told = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    return asked, told


def _of_process(limits: Limits) -> dict[str, int]:
    """The limits as names of ``resource`` and their values."""
    return {
        "RLIMIT_AS": limits.memory,
        "RLIMIT_FSIZE": limits.file_size,
        "RLIMIT_NPROC": _most_processes(limits.new_processes),
    }


def _most_processes(new: int) -> int:
    """The system counts all processes and threads of a user, so those that run now are added."""
    import psutil

    running = 0
    for process in psutil.process_iter(["uids", "num_threads"]):
        uids = process.info["uids"]
        if uids and uids.real == os.getuid():
            running += process.info["num_threads"] or 1
    most = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    return running + new if most < 0 else min(most, running + new)
