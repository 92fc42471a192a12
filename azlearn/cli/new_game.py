"""`azlearn new-game`: writes a template for a custom game."""

import shlex
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from azlearn.cli.output import command_errors, shell_line


def new_game(file: Annotated[Positional[Path], arg(metavar="FILE")] = Path("my_game.py")) -> int:
    """Write a template, which is a complete game, to a new file. Change it into your own game.

    Args:
        file: the new file, such as my_game.py.
    """
    from azlearn.atomic_io import write_user_path
    from azlearn.games import template

    with command_errors():
        if file.suffix != ".py":
            raise ValueError(f"{file} must end in .py, such as my_game.py.")
        if file.exists():
            raise ValueError(f"{file} already exists. Choose another file.")
        text = Path(template.__file__).read_text(encoding="utf-8")
        # Its docstring has shell commands with this name; quotes must not end the docstring.
        quoted = shlex.quote(str(file)).replace("\\", r"\\").replace('"', r"\"")
        write_user_path(file, text.replace("my_game.py", quoted))
    print(
        f"{file} contains a complete game, Snort on 5x5. Change it part by part into your own.\n"
        f"Check it: {shell_line('python', file)}\n"
        f"Train it: {shell_line('azlearn', 'train', '--game', f'{file}:MyGame', '--minutes', 10)}"
    )
    return 0
