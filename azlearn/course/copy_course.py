"""Copies the notebooks that ship with the package into a reader's folder."""

import shutil
from pathlib import Path

HANDOUT = Path(__file__).with_name("handout")

_FILES = ("README.md", "notebooks/*.ipynb", "exercises/*.ipynb")


def unpack(folder: Path) -> list[Path]:
    """Copy the chapters, the exercises (without solutions) and a README into ``folder``.

    Returns:
        The paths of the files relative to ``folder``, in order.

    Raises:
        FileExistsError: one of the files already exists; nothing was written.
        OSError: the folder cannot be written.
    """
    files = [path.relative_to(HANDOUT) for name in _FILES for path in sorted(HANDOUT.glob(name))]
    if there := [file for file in files if (folder / file).exists()]:
        exists = f" and {len(there) - 1} more already exist" if there[1:] else " already exists"
        raise FileExistsError(
            f"{folder / there[0]}{exists}, perhaps with your changes. Choose another folder."
            " Nothing was written."
        )
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(HANDOUT / file, folder / file)
    return files
