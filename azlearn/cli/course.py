"""`azlearn course`: the notebooks, for who installed the package without the clone."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from azlearn.cli.output import command_errors, shell_line

_FOLDERS = ("notebooks", "exercises")


def course(folder: Annotated[Positional[Path], arg(metavar="FOLDER")]) -> int:
    """Write the course's notebooks into a folder: the chapters, the exercises, a README.

    Args:
        folder: a new one, or one that has none of these files yet.
    """
    from azlearn.course.copy_course import unpack

    with command_errors():
        files = unpack(folder)
    chapters, exercises = (sum(f.parts[0] == name for f in files) for name in _FOLDERS)
    print(f"{folder}: {chapters} chapters, {exercises} notebooks of exercises.")
    first = folder / "notebooks" / "00_welcome.ipynb"
    print(f"Begin with: {shell_line('jupyter', 'lab', first)}")
    return 0
