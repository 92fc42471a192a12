"""`azlearn new-game`: a file to write a game of your own in."""

import re
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from azlearn.cli.output import refused


def new_game(file: Annotated[Positional[Path], arg(metavar="FILE")] = Path("my_game.py")) -> int:
    """Write a whole game into a new file: a template, to be made your own part by part.

    Args:
        file: the new file, such as my_game.py.
    """
    from azlearn.games import template
    from azlearn.whole_file import write_where_told

    with refused():
        if file.suffix != ".py" or re.search(r"\s|#", str(file)):
            raise ValueError(f"{file} must end in .py and hold no blank and no #, as my_game.py.")
        if file.exists():
            raise ValueError(f"{file} is there already: name a new file.")
        text = Path(template.__file__).read_text(encoding="utf-8")
        write_where_told(file, text.replace("my_game.py", str(file)))
    print(
        f"{file} has a whole game, Snort on 5x5, to be made yours part by part.\n"
        f"Check it: python {file}\n"
        f"Train it: azlearn train --game {file}:MyGame --minutes 10"
    )
    return 0
