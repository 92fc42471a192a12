"""What the commands share: how they announce, read changes, refuse, and print numbers."""

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

# Options that several commands have.
Flag = Annotated[bool, FlagCreatePairsOff]
Count = Annotated[int | None, arg(metavar="N")]
Game = Annotated[
    str | None,
    arg(
        metavar="GAME",
        help="connect4, tictactoe, othello:6, hex:5, go7, dots_and_boxes:2x2, …, or a game of your"
        " own, my_game.py:MyGame; if not given, that of the network, else connect4 (go7 for GTP"
        " programs).",
    ),
]
Patience = Annotated[
    tuple[float, ...],
    arg(
        metavar="S [S]",
        help="seconds to wait for an answer of a GTP program, and for its first.",
    ),
]
PATIENCE = (120.0, 900.0)  # as in arena.gtp_program, which takes long to import


class CommandError(Exception):
    """One sentence for the reader: printed to stderr, exit code 2."""


def announce(line: str) -> None:
    """Says at once what a command is about to do, before it imports what takes seconds."""
    print(line, flush=True)


def shell_line(*words: object) -> str:
    """A command to copy into a shell: a word with blanks or quotes in it stands in quotes."""
    return shlex.join(map(str, words))


@contextmanager
def command_errors(*also: type[Exception]) -> Iterator[None]:
    """A ValueError, an OSError, an OverflowError, or one of ``also``, becomes a CommandError."""
    try:
        yield
    except BrokenPipeError:  # nobody reads on: no refusal
        raise
    except (ValueError, OSError, OverflowError, *also) as error:
        raise CommandError(in_words(error) or "There is not enough memory.") from error


def checked(command: Callable[..., int]) -> Callable[..., int]:
    """A command that refuses what no command can take: an empty word, a negative seed."""

    @wraps(command)
    def run(**given) -> int:
        if empty := [name for name, value in given.items() if value == ""]:
            raise CommandError(f"{empty[0]} is empty: name one, or leave it away.")
        if given.get("seed", 0) < 0:
            raise CommandError(f"seed must be 0 or more, not {given['seed']}.")
        return command(**given)

    return run


def check_is_new(file: Path, option: str) -> None:
    """Before any work for it: there is no such file, and a folder for it.

    Raises:
        ValueError: it could not be written.
    """
    if file.exists():
        raise ValueError(f"{file} is there already: name a new file with {option}.")
    if not file.parent.is_dir():
        raise ValueError(f"{file.parent} is not a folder: name another file with {option}.")


def read_changes(texts: tuple[str, ...]) -> dict[str, str]:
    """``{"seed": "1"}`` of ``("seed=1",)``, as --set takes them; ValueError without an "="."""
    pairs = [text.partition("=") for text in texts]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise ValueError(f"--set takes NAME=VALUE, such as seed=1, not {wrong[0]!r}.")
    return {name: value for name, _, value in pairs}


def number(value: float, form: str) -> str:
    """``format(value, form)``, but what is rounded to nothing has no minus: 0, not -0."""
    text = format(value, form)
    return text if any(digit in text for digit in "123456789") else format(0.0, form)


@contextmanager
def report_on_interrupt(rows: list, tell: Callable[[], None]) -> Iterator[None]:
    """Tells of the ``rows`` that there are when an error or Ctrl-C ends the block."""
    try:
        yield
    except BaseException:
        if rows:
            tell()
        raise


def console(**options) -> "Console":
    """Where rich prints: names are the reader's, so no text is markup or an emoji's name."""
    from rich.console import Console

    return Console(markup=False, emoji=False, **options)


def show(renderable) -> None:
    """Print without cutting lines to 80 columns where the output is a file or a pipe."""
    printer = console()
    if not printer.is_terminal:
        printer.width = 200
    printer.print(renderable)


def show_table(
    title: str, columns: Iterable[str], rows: Iterable[Iterable[object]], words: Iterable[str] = ()
) -> None:
    """Prints a table of figures.

    Args:
        words: the columns that hold words, beside the first: those begin at the left.
    """
    from rich.table import Table

    table = Table(title=title)
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place and column not in words else "left")
    for row in rows:
        table.add_row(*map(str, row))
    show(table)
