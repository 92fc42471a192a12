"""What the commands share: how they read changes, how they refuse and how they print."""


class CommandError(Exception):
    """One sentence for the reader: printed to stderr, exit code 2."""


def check_seed(seed: int) -> None:
    """CommandError unless it can be one."""
    if seed < 0:
        raise CommandError(f"seed must be 0 or more, not {seed}.")


def read_changes(texts: tuple[str, ...]) -> dict[str, str]:
    """``{"seed": "1"}`` of ``("seed=1",)``, as --set takes them; ValueError without an "="."""
    pairs = [text.partition("=") for text in texts]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise ValueError(f"--set takes NAME=VALUE, such as seed=1, not {wrong[0]!r}.")
    return {name: value for name, _, value in pairs}


def show(renderable) -> None:
    """Print without cutting lines to 80 columns where the output is a file or a pipe."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console.width = 200
    console.print(renderable)
