"""Programs that speak the Go Text Protocol, each with a fault of its own."""

import shlex
import sys
from pathlib import Path

# A program that keeps to the protocol, but for what it does at its start, at every command, and as
# its move is asked for.
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
    """The command of a program that does some lines of Python."""
    path = folder / "program.py"
    path.write_text(_PROGRAM.format(move=move, start=start, every=every))
    return shlex.join([sys.executable, str(path)])


def says(answer: str) -> str:
    """The line of Python that gives this answer to ``genmove``."""
    return f"print({answer!r} + chr(10), flush=True); continue"
