"""`azlearn course`: the notebooks, for readers who installed the package without cloning it."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from azlearn.cli.output import command_errors, shell_line

_FOLDERS = ("notebooks", "exercises")


def course(folder: Annotated[Positional[Path], arg(metavar="FOLDER")]) -> int:
    """Copy the course's notebooks into a folder: the chapters, the exercises and a README.

    Args:
        folder: a new folder, or one that does not contain any of these files yet.
    """
    from azlearn.course.copy_course import unpack

    with command_errors():
        files = unpack(folder)
    chapters, exercises = (sum(f.parts[0] == name for f in files) for name in _FOLDERS)
    print(f"Copied {chapters} chapters and {exercises} exercise notebooks to {folder}.")
    first = folder / "notebooks" / "00_welcome.ipynb"
    print(f"Start with: {shell_line('jupyter', 'lab', first)}")
    return 0
