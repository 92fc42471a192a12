"""Which packages break when they are imported, and which come from outside of this Python.

A variable of the environment, or a file beside a notebook, may put another version in front of the
one that is installed.
"""

import importlib
import json
import os
import site
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from pathlib import Path
from traceback import walk_tb
from typing import NamedTuple

_MARK = "azlearn found: "  # packages may print lines of their own
_SCRIPT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from azlearn.origins import tell; tell(sys.argv[2:])"
)
_PATIENCE = 300  # seconds


class Imported(NamedTuple):
    """What importing some modules has shown."""

    broken: dict[str, str]  # by module: the error
    outside: dict[str, str]  # by package: the folder that it comes from, not of this Python


def imported(modules: Iterable[str]) -> Imported:
    """Imports modules as this process would, in another one, which may crash."""
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, json.dumps(sys.path), *modules],
        capture_output=True, text=True, errors="replace", timeout=_PATIENCE, check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    found = Imported({}, {})
    for line in lines:
        name, error, outside = json.loads(line.removeprefix(_MARK))
        found.broken.pop(name, None)
        if error:
            found.broken[name] = error
        found.outside.update(outside)
    return found


def tell(modules: list[str]) -> None:
    """What the other process does: a line before each module, in case it crashes, and one after."""
    for name in modules:
        _tell(name, "it ends Python", {})
        try:
            importlib.import_module(name)
            _tell(name, "", {})
        except BaseException as error:
            _tell(name, f"{type(error).__name__}: {error}".partition("\n")[0], outside(error))
    _tell("", "", outside())


def _tell(*what) -> None:
    print(_MARK + json.dumps(what), flush=True)


def broken_package(error: BaseException) -> str:
    """The package that raised an error while it was imported; "" if none did."""
    found = ""
    for frame, _ in walk_tb(error.__traceback__):
        name = frame.f_globals.get("__name__", "").partition(".")[0]
        if frame.f_code.co_name == "<module>" and name not in ("azlearn", "__main__"):
            found = name
    if not found and isinstance(error, ImportError) and error.name:
        found = error.name.partition(".")[0]
    return found


def outside(error: BaseException | None = None) -> dict[str, str]:
    """The packages that are imported from outside of this Python, with their folders.

    A reader's own modules are no packages: nobody has installed them, and they hide nothing.

    Args:
        error: the files that it came from count, too: what breaks is imported no longer.
    """
    installed = {*sys.stdlib_module_names, *packages_distributions()}
    modules = {name: getattr(sys.modules.get(name), "__file__", None) for name in installed}
    for frame, _ in walk_tb(error.__traceback__ if error else None):
        name = frame.f_globals.get("__name__", "").partition(".")[0]
        modules[name] = frame.f_code.co_filename
    own = ("azlearn", "__main__", "")
    folders = {n: folder_of(file) for n, file in modules.items() if file and n not in own}
    return {name: folder for name, folder in folders.items() if folder}


def folder_of(file: str) -> str:
    """The folder on the path of imports that a file is in; "" if it belongs to this Python."""
    paths = sysconfig.get_paths()
    own = [sys.prefix, sys.base_prefix, *site.getsitepackages(), *map(paths.get, _LIBRARIES)]
    at = Path(file).resolve()
    if not at.is_file() or any(at.is_relative_to(Path(folder).resolve()) for folder in own):
        return ""
    on_path = [Path(folder or os.curdir).resolve() for folder in sys.path]
    holding = [folder for folder in on_path if at.is_relative_to(folder)]
    return str(max(holding, key=lambda folder: len(folder.parts), default=""))


_LIBRARIES = ("stdlib", "platstdlib", "purelib", "platlib")


def explained(outside: dict[str, str]) -> tuple[str, str]:
    """What is outside of this Python, in words, and what to do about it; "" and "" if nothing."""
    folders: dict[str, list[str]] = {}
    for package, folder in outside.items():
        folders.setdefault(folder, []).append(package)
    said = (f"{', '.join(names)} from {folder}" for folder, names in folders.items())
    said = f"outside of this Python: {', '.join(said)}" if folders else ""
    return said, "; ".join(dict.fromkeys(map(_remedy, folders)))


def _remedy(folder: str) -> str:
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if any(name and Path(name).resolve() == Path(folder) for name in named):
        return "It is in PYTHONPATH: unset PYTHONPATH"
    if Path(site.getusersitepackages()).resolve() == Path(folder):
        return "To leave your user's packages out: export PYTHONNOUSERSITE=1"
    return "Rename or move it: it hides the installed package of the same name"
