"""The notebooks that come with the package, written into a reader's folder."""

import shutil
from pathlib import Path

HANDOUT = Path(__file__).with_name("handout")

_FILES = ("README.md", "notebooks/*.ipynb", "exercises/*.ipynb")


def unpack(folder: Path) -> list[Path]:
    """Write chapters, exercises (without solutions) and a README into ``folder``.

    Returns:
        The files, relative to it, in order.

    Raises:
        FileExistsError: a file of that name is there; nothing was written.
        OSError: the folder cannot be written.
    """
    files = [path.relative_to(HANDOUT) for name in _FILES for path in sorted(HANDOUT.glob(name))]
    if there := [file for file in files if (folder / file).exists()]:
        more = f" and {len(there) - 1} more are" if len(there) > 1 else " is"
        raise FileExistsError(
            f"{folder / there[0]}{more} there already, and may be yours: name another folder."
            " Nothing was written."
        )
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(HANDOUT / file, folder / file)
    return files
