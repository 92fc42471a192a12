"""What all commands share: how they print, and how they refuse."""


class CommandError(Exception):
    """One sentence for the reader: printed to stderr, exit code 2."""


def show(renderable) -> None:
    """Print without cutting lines to 80 columns where the output is a file or a pipe."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console.width = 200
    console.print(renderable)
