"""The commands of `azlearn`, and the two shortest of them.

Heavy imports wait until a command needs them, so that `azlearn --help` answers at once.
"""

import importlib.metadata
import os
import sys
import warnings
from typing import TextIO

import tyro

from azlearn.atomic_io import in_words
from azlearn.cli.alphago import alphago
from azlearn.cli.class_report import class_report
from azlearn.cli.course import course
from azlearn.cli.explore import explore
from azlearn.cli.gtp import gtp
from azlearn.cli.new_game import new_game
from azlearn.cli.output import CommandError, checked, show
from azlearn.cli.play import play
from azlearn.cli.strength import evaluate, match
from azlearn.cli.train import train

_DESCRIPTION = (
    "azlearn: build AlphaZero step by step. Start with `make lab`. The version: --version."
)
_FORMAT = warnings.formatwarning


def doctor() -> int:
    """Check Python, packages, graphviz, widgets, CPU, GPU, disk: a line each, with the remedy."""
    from azlearn.course.doctor import doctor as examine

    report = examine()
    show(report)
    return report.exit_code


def progress() -> int:
    """Show which exercises you have solved."""
    from azlearn.course import progress_text

    print(progress_text())
    return 0


_COMMANDS = {
    "doctor": doctor,
    "course": course,
    "progress": progress,
    "class": class_report,
    "train": train,
    "alphago": alphago,
    "evaluate": evaluate,
    "match": match,
    "play": play,
    "explore": explore,
    "gtp": gtp,
    "new-game": new_game,
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code (2: something you asked for cannot be done)."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what it cannot hold is "?"; a notebook's has it not
            stream.reconfigure(errors="replace")
    warnings.formatwarning = _in_a_sentence
    try:
        try:
            return _run(sys.argv[1:] if arguments is None else arguments)
        finally:
            print(end="", flush=True)  # now: at the interpreter's end nobody catches what it raises
    except BrokenPipeError:  # `azlearn … | head`: nobody reads on, so say no more
        _silence(sys.stdout, sys.stderr)
        return 141
    except OSError as error:  # such as a full disk that the output goes to
        print(f"azlearn: {in_words(error)}", file=sys.stderr)
        _silence(sys.stdout)
        return 2


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        print(f"azlearn {importlib.metadata.version('azlearn')}")
        return 0
    try:
        _check_folder()
        commands = {name: checked(command) for name, command in _COMMANDS.items()}
        return tyro.extras.subcommand_cli_from_dict(
            commands, prog="azlearn", description=_DESCRIPTION, args=arguments or ["--help"]
        )
    except CommandError as error:
        print(f"azlearn: {error}", file=sys.stderr)
        return 2
    except MemoryError as error:
        said = str(error).partition("\n")[0].rstrip(".")  # numba may add lines of its own
        why = f": {said}" if said else ""
        print(f"azlearn: There is not enough memory for that{why}.", file=sys.stderr)
        return 2
    except ImportError as error:
        why = str(error).partition("\n")[0].rstrip(".")
        print(f"azlearn: {why}. Install the course again: make install.", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:  # it may bring a line on how to go on
        print(f"azlearn: stopped. {stop}".rstrip(), file=sys.stderr)
        return 130


def _in_a_sentence(message, category, *where) -> str:
    """Our own warnings are for the reader: no line of code with them."""
    return (
        f"azlearn: {message}\n" if category is UserWarning else _FORMAT(message, category, *where)
    )


def _check_folder() -> None:
    """Else it would fail where a package is imported, without a word on the folder."""
    try:
        os.getcwd()
    except OSError as error:
        raise CommandError("The folder that you are in is gone: go to another one.") from error


def _silence(*streams: TextIO) -> None:
    """What still waits in their buffers goes nowhere, instead of failing once more at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())
