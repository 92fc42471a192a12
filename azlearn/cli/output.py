"""Shared by all commands: options, error messages, checks of arguments, and tables."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff, arg

from azlearn.atomic_io import in_words

if TYPE_CHECKING:
    from rich.console import Console

# Options that several commands share.
Flag = Annotated[bool, FlagCreatePairsOff]
Count = Annotated[int | None, arg(metavar="N")]
Game = Annotated[
    str | None,
    arg(
        metavar="GAME",
        help="connect4, tictactoe, othello:6, hex:5, go7, dots_and_boxes:2x2, …, or a custom game"
        " such as my_game.py:MyGame. If not given, the network's game; without a network, connect4"
        " (go7 for GTP programs).",
    ),
]
Patience = Annotated[
    tuple[float, ...],
    arg(
        metavar="S [S]",
        help="seconds to wait for each answer of a GTP program; a second number is for its first"
        " answer.",
    ),
]
PATIENCE = (120.0, 900.0)  # copied, because arena.gtp_program takes long to import


class CommandError(Exception):
    """An error whose message is printed to stderr; the exit code is 2."""


def announce(line: str) -> None:
    """Prints a command's first step before the imports, which take seconds."""
    print(line, flush=True)


def shell_line(*words: object) -> str:
    """Returns a command to copy into a shell; words with blanks or quotes are quoted."""
    return shlex.join(map(str, words))


@contextmanager
def command_errors(*also: type[Exception]) -> Iterator[None]:
    """Turns ValueError, OSError, OverflowError and the types in ``also`` into CommandError."""
    try:
        yield
    except BrokenPipeError:  # the output was closed: not an error of the command
        raise
    except (ValueError, OSError, OverflowError, *also) as error:
        raise CommandError(in_words(error) or "There is not enough memory.") from error


def checked(command: Callable[..., int]) -> Callable[..., int]:
    """Makes a command reject empty values and a negative seed."""

    @wraps(command)
    def run(**given) -> int:
        if empty := [name for name, value in given.items() if value == ""]:
            raise CommandError(f"{empty[0]} is empty. Give it a value or omit it.")
        if given.get("seed", 0) < 0:
            raise CommandError(f"seed must be 0 or more, not {given['seed']}.")
        return command(**given)

    # The terminal wraps help texts, so join the continuation lines of each argument.
    command.__doc__ = re.sub(r"\n {12}(?=\S)", " ", command.__doc__ or "")
    return run


def check_is_new(file: Path, option: str) -> None:
    """Checks, before any work is done, that ``file`` is new and can be written.

    Raises:
        ValueError: the file exists, or its folder does not.
        OSError: no permission, no space.
    """
    if file.exists():
        raise ValueError(f"{file} already exists. Choose another file with {option}.")
    if not file.parent.is_dir():
        raise ValueError(f"{file.parent} is not a folder. Choose another file with {option}.")
    file.touch()
    file.unlink()


def read_changes(texts: Iterable[str]) -> dict[str, str]:
    """Parses the values of --set: ``("seed=1",)`` gives ``{"seed": "1"}``.

    Raises:
        ValueError: a text has no "=".
    """
    pairs = [text.partition("=") for text in texts]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise ValueError(f"--set takes NAME=VALUE, such as seed=1, not {wrong[0]!r}.")
    return {name: value for name, _, value in pairs}


def number(value: float, form: str) -> str:
    """Returns ``format(value, form)``, but 0 rather than -0 if the value is rounded to zero."""
    text = format(value, form)
    return text if any(digit in text for digit in "123456789") else format(0.0, form)


@contextmanager
def report_on_interrupt(rows: list, tell: Callable[[], None]) -> Iterator[None]:
    """If an error or Ctrl-C ends the block, calls ``tell`` to report the ``rows`` so far."""
    try:
        yield
    except BaseException:
        if rows:
            tell()
        raise


def console(**options) -> "Console":
    """A rich console that prints text as it is: names may look like markup or emoji codes."""
    from rich.console import Console

    return Console(markup=False, emoji=False, **options)


def show(renderable) -> None:
    """Prints with rich, without wrapping at 80 columns if the output is a file or a pipe."""
    printer = console()
    if not printer.is_terminal:
        printer.width = 200
    printer.print(renderable)


def show_table(
    title: str, columns: Iterable[str], rows: Iterable[Iterable[object]], words: Iterable[str] = ()
) -> None:
    """Prints a table of numbers.

    Args:
        words: the columns of text, which are left-aligned as the first column always is.
    """
    from rich.table import Table

    table = Table(title=title)
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place and column not in words else "left")
    for row in rows:
        table.add_row(*map(str, row))
    show(table)
