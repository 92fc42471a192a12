"""What all commands share: how they print, and how they refuse."""


class CommandError(Exception):
    """One sentence for the reader: printed to stderr, exit code 2."""


def check_seed(seed: int) -> None:
    """CommandError unless it can be one."""
    if seed < 0:
        raise CommandError(f"seed must be 0 or more, not {seed}.")


def show(renderable) -> None:
    """Print without cutting lines to 80 columns where the output is a file or a pipe."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console.width = 200
    console.print(renderable)
