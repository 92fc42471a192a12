"""Another program, in a process of its own, that is asked in the Go Text Protocol."""

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
_LAST_WORDS = 0.5  # seconds for what a program says as it ends
_GAMES = "/usr/games"  # where Debian has GNU Go, and root's PATH does not lead
_ANSWER = re.compile(r"[=?]\d*(\s|$)")  # and no line of a banner, such as "====="
_TAIL = 1000  # bytes of stderr that are kept


class ProgramFault(Exception):
    """A program that did not start, ended, or fell silent; one sentence or two say which."""


class Refusal(ProgramFault):
    """A program that answers a command with ``?``."""


class GTPProgram:
    """A program that is asked and answers.

    It has a session of its own, so that Ctrl-C reaches this process alone. It ends with this
    object.

    Args:
        command: as typed in a shell, such as ``"gnugo --mode gtp --level 1"``; no shell reads it.

    Raises:
        ProgramFault: it cannot be started.
    """

    def __init__(self, command: str) -> None:
        self.command = command
        try:
            words = [os.path.expanduser(word) for word in shlex.split(command)]
        except ValueError:
            raise ProgramFault(f"{command!r} does not start: a quotation mark is open.") from None
        if not words:
            raise ProgramFault(f"{command!r} does not start: it names no program.")
        found = shutil.which(words[0]) or shutil.which(words[0], path=_GAMES) or words[0]
        try:
            self._process = subprocess.Popen(
                [found, *words[1:]],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                bufsize=0, start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:  # ValueError: a NUL in it
            raise ProgramFault(f"{command!r} does not start: {_why(error, words[0])}.") from error
        self._heard, self._tail = b"", b""  # of stdout, what is not read yet; of stderr, the end
        self._pipes = {self._process.stdout, self._process.stderr}  # those that are open
        self._end = weakref.finalize(self, _end, self._process)

    def ask(self, command: str, patience: float) -> str:
        """The answer to one command, without the ``=``.

        Args:
            patience: seconds to wait for it.

        Raises:
            Refusal: it refuses.
            ProgramFault: it has ended, or says nothing for too long: then it is ended.
        """
        self._listen(self._process.stdout, 0)
        self._heard = b""  # nobody had asked
        deadline, is_deaf = monotonic() + patience, False
        try:
            self._process.stdin.write(f"{command}\n".encode())
        except OSError:  # what it says as it ends tells more
            deadline, is_deaf = monotonic() + _LAST_WORDS, True
        lines: list[str] = []
        while (line := self._line(deadline)) or not lines:
            if line is None:
                raise self._fault(command, patience, is_deaf)
            if lines or _ANSWER.match(line):
                lines.append(line)
        if line is None and self._process.stdout in self._pipes:
            raise self._fault(command, patience, is_deaf, " with an empty line at its end")
        first = _ANSWER.sub("", lines[0], count=1).strip()
        if lines[0][0] == "?":
            raise Refusal(f"{self.command!r} refuses {command!r}: {first or 'it says no more'}.")
        return "\n".join([first, *lines[1:]]).strip()

    def end(self) -> None:
        """Ends the program: by closing its input, and after half a second by force."""
        self._end()

    def _line(self, deadline: float) -> str | None:
        """The next line of stdout, without blanks at its end; None if it does not come in time, or
        there are no more."""
        while b"\n" not in self._heard:
            seconds = deadline - monotonic()
            if seconds < 0 or not self._listen(self._process.stdout, seconds):
                break
        if b"\n" not in self._heard and (not self._heard or self._process.stdout in self._pipes):
            return None
        line, _, self._heard = self._heard.partition(b"\n")
        return line.decode(errors="replace").rstrip()

    def _listen(self, pipe: BinaryIO, seconds: float) -> bool:
        """Waits until ``pipe`` says something; False if it does not in time, or is at its end.

        What comes on the other one is read as well: nobody who writes much has to wait for us.
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
        """Ends it, and says why there is no answer, with its last line on stderr."""
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
    """In words, why the system did not start it."""
    if isinstance(error, FileNotFoundError):
        return f"there is no program {program!r} on this machine"
    if isinstance(error, PermissionError):
        return f"{program!r} may not be executed, or is no program"
    return str(getattr(error, "strerror", None) or error).lower()


def _end(process: subprocess.Popen) -> None:
    """Leaves no process behind, not even a dead one."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
    try:
        process.wait(_LAST_WORDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its children, too
        process.wait()
