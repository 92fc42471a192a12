"""A pipeline made stage by stage, each kept when it is done.

A stage reads what the stages before it have left in the folder, writes its own files and returns
its figures. These are written last, as ``NAME.json``: where that file is, the stage is done. A kill
at any instant loses the stage under way and nothing else; the next call goes on.
"""

import json
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from azlearn.atomic_io import atomic_write
from azlearn.json_validation import CorruptFileError, read_json

FORMAT = "azlearn stage 1"

# Called with the folder and the settings of the pipeline; returns figures, JSON-able.
Stage = Callable[[Path, Any], dict[str, Any]]


def is_done(folder: Path, name: str) -> bool:
    """Whether a stage's figures are in ``folder``."""
    return (folder / f"{name}.json").is_file()


def read_stage(folder: Path, name: str) -> dict[str, Any]:
    """The figures of a stage, and how long it took: ``{"seconds": 3.2, "figures": {…}}``.

    Raises:
        FileNotFoundError: it is not done.
        CorruptFileError: its file is cut short or foreign.
    """
    path = folder / f"{name}.json"
    if not path.is_file():
        raise FileNotFoundError(f"{folder} does not hold the stage {name!r}, or not yet.")
    stage = read_json(path, {"format": str, "seconds": float, "figures": {}})
    if stage["format"] != FORMAT:
        raise CorruptFileError(f"{path} is of another kind: {stage['format']!r}, not {FORMAT!r}.")
    return {"seconds": float(stage["seconds"]), "figures": stage["figures"]}


def run_stages(
    stages: dict[str, Stage],
    folder: Path,
    settings: Any,
    started: Callable[[str], None] = lambda name: None,
    finished: Callable[[str, float], None] = lambda name, seconds: None,
) -> None:
    """Makes the stages that ``folder`` does not hold yet, one after the other.

    Args:
        stages: by name, in an order in which each finds what it needs.
        settings: handed to every stage.
        started, finished: told the stage's name, and its seconds.

    Raises:
        CorruptFileError: the figures of a stage that is done cannot be read.
        ValueError, OSError: of the stage; those before it are kept.
    """
    missing = [name for name in stages if not is_done(folder, name)]
    for name in stages.keys() - set(missing):
        read_stage(folder, name)
    for name in missing:
        started(name)
        begun = monotonic()
        figures = stages[name](folder, settings)
        seconds = round(monotonic() - begun, 1)
        content = {"format": FORMAT, "seconds": seconds, "figures": figures}
        atomic_write(folder / f"{name}.json", json.dumps(content, indent=1).encode() + b"\n")
        finished(name, seconds)
