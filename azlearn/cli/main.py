"""The commands of `azlearn`, and the two shortest of them.

Heavy imports wait until a command needs them, so that `azlearn --help` answers at once.
"""

import importlib.metadata
import os
import sys

import tyro

from azlearn.cli.alphago import alphago
from azlearn.cli.output import CommandError, show
from azlearn.cli.play import play
from azlearn.cli.strength import evaluate, match
from azlearn.cli.train import train

_DESCRIPTION = (
    "azlearn: build AlphaZero step by step. Start with `make lab`. The version: --version."
)


def doctor() -> int:
    """Check Python, packages, graphviz, widgets, CPU, GPU, disk: a line each, with the remedy."""
    try:
        from azlearn.course.doctor import doctor as examine
    except ImportError as error:
        raise CommandError(f"{error}. Install the course again: make install.") from error
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
    "progress": progress,
    "train": train,
    "alphago": alphago,
    "evaluate": evaluate,
    "match": match,
    "play": play,
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code (2: something you asked for cannot be done)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments == ["--version"]:
        print(f"azlearn {importlib.metadata.version('azlearn')}")
        return 0
    try:
        return tyro.extras.subcommand_cli_from_dict(
            _COMMANDS, prog="azlearn", description=_DESCRIPTION, args=arguments or ["--help"]
        )
    except CommandError as error:
        print(f"azlearn: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("azlearn: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `azlearn … | head`: nobody reads on, so say no more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
