"""`azlearn new-game`: a file to write a game of your own in."""

import shlex
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from azlearn.cli.output import command_errors, shell_line


def new_game(file: Annotated[Positional[Path], arg(metavar="FILE")] = Path("my_game.py")) -> int:
    """Write a whole game into a new file: a template, to be made your own part by part.

    Args:
        file: the new file, such as my_game.py.
    """
    from azlearn.atomic_io import write_user_path
    from azlearn.games import template

    with command_errors():
        if file.suffix != ".py":
            raise ValueError(f"{file} must end in .py, as my_game.py.")
        if file.exists():
            raise ValueError(f"{file} is there already: name a new file.")
        text = Path(template.__file__).read_text(encoding="utf-8")
        # Its docstring says commands, to be copied into a shell, and a quote must not end it.
        quoted = shlex.quote(str(file)).replace("\\", r"\\").replace('"', r"\"")
        write_user_path(file, text.replace("my_game.py", quoted))
    print(
        f"{file} has a whole game, Snort on 5x5, to be made yours part by part.\n"
        f"Check it: {shell_line('python', file)}\n"
        f"Train it: {shell_line('azlearn', 'train', '--game', f'{file}:MyGame', '--minutes', 10)}"
    )
    return 0
