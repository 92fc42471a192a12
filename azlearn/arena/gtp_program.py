"""Another program, in its own process, that answers commands of the Go Text Protocol."""

import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import weakref
from time import monotonic
from typing import BinaryIO

PATIENCE = 120.0, 900.0  # seconds for an answer, and for the first: KataGo tunes itself for minutes
_LAST_WORDS = 0.5  # seconds to read a program's last output
_GAMES = "/usr/games"  # where Debian installs GNU Go; not in root's PATH
_ANSWER = re.compile(r"[=?]\d*(\s|$)")  # does not match a banner, such as "====="
_TAIL = 1000  # bytes of stderr that are kept


class ProgramFault(Exception):
    """A program did not start, ended, or stopped answering; the message says which."""


class Refusal(ProgramFault):
    """A program answered a command with ``?``."""


class GTPProgram:
    """A running program that answers commands.

    It has its own session, so that Ctrl-C reaches only our process. It ends when this object is
    deleted.

    Args:
        command: as typed in a shell, such as ``"gnugo --mode gtp --level 1"``; no shell runs it.

    Raises:
        ProgramFault: it cannot be started.
    """

    def __init__(self, command: str) -> None:
        self.command = command
        try:
            words = [os.path.expanduser(word) for word in shlex.split(command)]
        except ValueError:
            raise ProgramFault(f"{command!r} does not start: it has an unclosed quote.") from None
        if not words:
            raise ProgramFault(f"{command!r} does not start: it does not name a program.")
        found = shutil.which(words[0]) or shutil.which(words[0], path=_GAMES) or words[0]
        try:
            self._process = subprocess.Popen(
                [found, *words[1:]],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                bufsize=0, start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:  # ValueError: a NUL in the command
            raise ProgramFault(f"{command!r} does not start: {_why(error, words[0])}.") from error
        self._heard, self._tail = b"", b""  # the part of stdout not used yet; the end of stderr
        self._pipes = {self._process.stdout, self._process.stderr}  # those still open
        self._end = weakref.finalize(self, _end, self._process)

    def ask(self, command: str, patience: float) -> str:
        """Sends a command and returns its answer, without the ``=``.

        Args:
            patience: seconds to wait for it.

        Raises:
            Refusal: the program refuses the command.
            ProgramFault: it has ended, or does not answer in time, and is then ended.
        """
        self._listen(self._process.stdout, 0)
        self._heard = b""  # output that nobody asked for
        deadline, is_deaf = monotonic() + patience, False
        try:
            self._process.stdin.write(f"{command}\n".encode())
        except OSError:  # the program's last output says why
            deadline, is_deaf = monotonic() + _LAST_WORDS, True
        lines: list[str] = []
        while (line := self._line(deadline)) or not lines:
            if line is None:
                raise self._fault(command, patience, is_deaf)
            if lines or _ANSWER.match(line):
                lines.append(line)
        if line is None and self._process.stdout in self._pipes:
            raise self._fault(command, patience, is_deaf, " with a final empty line")
        first = _ANSWER.sub("", lines[0], count=1).strip()
        if lines[0][0] == "?":
            raise Refusal(f"{self.command!r} rejected {command!r}: {first or 'no reason given'}.")
        return "\n".join([first, *lines[1:]]).strip()

    def end(self) -> None:
        """Ends the program: by closing its input, and after half a second by force."""
        self._end()

    def _line(self, deadline: float) -> str | None:
        """Returns the next line of stdout, without trailing blanks; None if none comes in time."""
        while b"\n" not in self._heard:
            seconds = deadline - monotonic()
            if seconds < 0 or not self._listen(self._process.stdout, seconds):
                break
        if b"\n" not in self._heard and (not self._heard or self._process.stdout in self._pipes):
            return None
        line, _, self._heard = self._heard.partition(b"\n")
        return line.decode(errors="replace").rstrip()

    def _listen(self, pipe: BinaryIO, seconds: float) -> bool:
        """Waits for output on ``pipe``; returns False if none comes in time, or the pipe has ended.

        It also reads output on the other pipe, so that a program with a lot of output never blocks.
        """
        deadline = monotonic() + seconds
        while pipe in self._pipes:
            with selectors.DefaultSelector() as selector:
                for one in self._pipes:
                    selector.register(one, selectors.EVENT_READ)
                ready = [key.fileobj for key, _ in selector.select(max(deadline - monotonic(), 0))]
            for one in ready:
                said = os.read(one.fileno(), 1 << 16)
                if not said:
                    self._pipes.remove(one)
                elif one is self._process.stdout:
                    self._heard += said
                else:
                    self._tail = (self._tail + said)[-_TAIL:]
            if pipe in ready or monotonic() >= deadline:
                return pipe in ready and pipe in self._pipes
        return False

    def _fault(self, command: str, patience: float, is_deaf: bool, how: str = "") -> ProgramFault:
        """Ends the program; returns an error with the reason and the last line of its stderr."""
        stdout, stderr = self._process.stdout, self._process.stderr
        deadline = monotonic() + _LAST_WORDS
        while stdout not in self._pipes and self._listen(stderr, deadline - monotonic()):
            pass
        try:
            code = self._process.wait(0 if stdout in self._pipes else _LAST_WORDS)
            what = f"ended (exit code {code}) at {command!r}."
        except subprocess.TimeoutExpired:
            if is_deaf or stdout not in self._pipes:
                what = f"has closed its {'input' if is_deaf else 'output'} at {command!r}."
            else:
                what = f"did not answer {command!r}{how} in {patience:g} s."
                what += " Give it more time with --patience."
        self.end()
        lines = [line for line in self._tail.decode(errors="replace").splitlines() if line.strip()]
        last = f" Its last line on stderr: {lines[-1].strip()!r}." if lines else ""
        return ProgramFault(f"{self.command!r} {what}{last}")


def _why(error: Exception, program: str) -> str:
    """Says why the system did not start the program."""
    if isinstance(error, FileNotFoundError):
        return f"there is no program {program!r} on this machine"
    if isinstance(error, PermissionError):
        return f"{program!r} is not executable, or is not a program"
    return str(getattr(error, "strerror", None) or error).lower()


def _end(process: subprocess.Popen) -> None:
    """Ends a process without leaving anything behind, not even a zombie."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
    try:
        process.wait(_LAST_WORDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its children, too
        process.wait()
