"""Programs that speak the Go Text Protocol: ours, GNU Go, and some faulty ones."""

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest

PYTHON = shlex.quote(sys.executable)
ENGINE = f"{PYTHON} -m azlearn gtp random --game go5"
GNUGO = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/games")
needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")

# A program that follows the protocol, except for the code inserted at its start, at every command,
# and at genmove.
_PROGRAM = """
import os, sys, time
{start}
for line in sys.stdin:
    command = line.split()[0]
    if command == "genmove":
        {move}
    {every}
    answer = "list_commands\\nboardsize\\nkomi" if command == "list_commands" else ""
    print("= " + answer + "\\n", flush=True)
"""


def write_program(folder: Path, move: str = "pass", start: str = "", every: str = "pass") -> str:
    """The command of a program that runs some lines of Python."""
    path = folder / "program.py"
    path.write_text(_PROGRAM.format(move=move, start=start, every=every))
    return shlex.join([sys.executable, str(path)])


def says(answer: str) -> str:
    """The line of Python that answers ``genmove`` with this text."""
    return f"print({answer!r} + chr(10), flush=True); continue"
