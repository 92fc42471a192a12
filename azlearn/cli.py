"""The command `azlearn`: check the machine, see your progress, measure a player.

Heavy imports wait until a command needs them, so that `azlearn --help` answers at once.
"""

from __future__ import annotations

import importlib.metadata
import json as json_format
import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import tyro
from tyro.conf import FlagCreatePairsOff, Positional, arg

_DESCRIPTION = (
    "azlearn: build AlphaZero step by step. Start with `make lab`. The version: --version."
)


class CommandError(Exception):
    """One sentence for the reader: printed to stderr, exit code 2."""


def doctor() -> int:
    """Check Python, packages, graphviz, widgets, CPU, GPU, disk: a line each, with the remedy."""
    from rich.console import Console

    try:
        from azlearn.course.doctor import doctor as examine
    except ImportError as error:
        raise CommandError(f"{error}. Install the course again: make install.") from error
    report = examine()
    _print(report, Console())
    return report.exit_code


def progress() -> int:
    """Show which exercises you have solved."""
    from azlearn.course import progress_text

    print(progress_text())
    return 0


def evaluate(
    player: Annotated[Positional[str], arg(metavar="PLAYER")],
    positions: Annotated[Path | None, arg(metavar="FILE.csv")] = None,
    simulations: Annotated[tuple[int, ...], arg(metavar="N [N ...]")] = (50, 200, 1000),
    engine: Literal["compiled", "readable"] = "compiled",
    seed: int = 0,
    json: Annotated[bool, FlagCreatePairsOff] = False,
) -> int:
    """Measure how often a player's move keeps the exact value of a solved Connect Four position.

    Args:
        player: "uct" or "random".
        positions: csv file of positions with exact scores; the shipped 1,000 if not given.
        simulations: simulations a move; one row of the table for each.
        engine: the search that "uct" uses; both make the same choices on average.
        seed: the same seed gives the same moves.
        json: print the list as JSON, and nothing else.
    """
    from azlearn import arena

    try:
        rows = arena.evaluate(
            player,
            positions,
            list(simulations),
            seed=seed,
            progress=not json,
            readable=engine == "readable",
        )
    except UnicodeDecodeError as error:
        raise CommandError(f"{positions} is not a text file.") from error
    except (ValueError, OSError) as error:
        raise CommandError(str(error)) from error
    if json:
        print(json_format.dumps(rows, indent=2))
    else:
        _print_strength(rows)
    return 0


def _print_strength(rows: list[dict]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="share of moves, with 95 % intervals")
    for title in ("player", "simulations", "positions", "keep the value", "best score"):
        table.add_column(title, justify="left" if title == "player" else "right")
    for row in rows:
        table.add_row(
            str(row["player"]),
            f"{row['simulations']:,}" if row["simulations"] else "",
            f"{row['n']:,}",
            _share(row, "value_preserving"),
            _share(row, "optimal_score"),
        )
    _print(table, Console())


def _share(row: dict, name: str) -> str:
    low, high = row[f"{name}_interval"]
    return f"{row[name]:.1%}  [{low:.1%}, {high:.1%}]"


def _print(renderable, console) -> None:
    """Print without cutting lines to 80 columns where the output is a file or a pipe."""
    if not console.is_terminal:
        console.width = 200
    console.print(renderable)


_COMMANDS = {"doctor": doctor, "progress": progress, "evaluate": evaluate}


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


if __name__ == "__main__":
    sys.exit(main())
