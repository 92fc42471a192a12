"""The entry point of `azlearn`, and its two shortest commands.

Heavy imports wait until a command needs them, so that `azlearn --help` is fast.
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
from azlearn.cli.grade import grade
from azlearn.cli.gtp import gtp
from azlearn.cli.league import league
from azlearn.cli.new_game import new_game
from azlearn.cli.output import CommandError, checked, show
from azlearn.cli.play import play
from azlearn.cli.review import review
from azlearn.cli.strength import evaluate, match
from azlearn.cli.train import train

_DESCRIPTION = (
    "azlearn: build AlphaZero step by step. Start with `make lab`. --version shows the version."
)
_FORMAT = warnings.formatwarning


def doctor() -> int:
    """Check Python, packages, graphviz, widgets, CPU, GPU and disk, and say how to fix problems."""
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
    "grade": grade,
    "train": train,
    "alphago": alphago,
    "evaluate": evaluate,
    "match": match,
    "league": league,
    "play": play,
    "review": review,
    "explore": explore,
    "gtp": gtp,
    "new-game": new_game,
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit code (2 if the command could not do what you asked)."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # notebook streams lack it
            stream.reconfigure(errors="replace")
    warnings.formatwarning = _format_warning
    try:
        try:
            return _run(sys.argv[1:] if arguments is None else arguments)
        finally:
            print(end="", flush=True)  # flush here, where an error can still be caught
    except BrokenPipeError:  # `azlearn … | head` has closed the pipe: stop without a message
        _silence(sys.stdout, sys.stderr)
        return 141
    except OSError as error:  # for example, the output goes to a full disk
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
        said = str(error).partition("\n")[0].rstrip(".")  # numba may add more lines
        why = f": {said}" if said else ""
        print(f"azlearn: There is not enough memory{why}.", file=sys.stderr)
        return 2
    except ImportError as error:
        why = str(error).partition("\n")[0].rstrip(".")
        print(f"azlearn: {why}. Reinstall the course with: make install.", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:  # the exception may say how to resume
        print(f"azlearn: stopped. {stop}".rstrip(), file=sys.stderr)
        return 130


def _format_warning(message, category, *where) -> str:
    """Formats azlearn's own warnings without the line of code that raised them."""
    return (
        f"azlearn: {message}\n" if category is UserWarning else _FORMAT(message, category, *where)
    )


def _check_folder() -> None:
    """Raises if the current folder is gone: imports would fail later with an unclear error."""
    try:
        os.getcwd()
    except OSError as error:
        raise CommandError("The current folder no longer exists. Change to another one.") from error


def _silence(*streams: TextIO) -> None:
    """Discards what is still in the buffers, so that flushing them at exit does not fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())
