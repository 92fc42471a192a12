"""Runs a pipeline stage by stage and saves each finished stage.

A stage reads files of earlier stages from the folder, writes its own files and returns its results.
The results are written last, as ``NAME.json``; if that file exists, the stage is finished. If the
process is killed, only the current stage is lost, and the next call continues with it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from azlearn.atomic_io import atomic_write
from azlearn.json_validation import CorruptFileError, read_json

FORMAT = "azlearn stage 1"

# Called with the folder and the settings of the pipeline; returns JSON-serializable results.
Stage = Callable[[Path, Any], dict[str, Any]]


def is_done(folder: Path, name: str) -> bool:
    """Whether ``folder`` contains a stage's results."""
    return (folder / f"{name}.json").is_file()


def read_stage(folder: Path, name: str) -> dict[str, Any]:
    """Returns the results of a stage and its duration: ``{"seconds": 3.2, "figures": {…}}``.

    Raises:
        FileNotFoundError: the stage is not finished.
        CorruptFileError: its file is truncated or from another program.
    """
    path = folder / f"{name}.json"
    if not path.is_file():
        raise FileNotFoundError(
            f"The stage {name!r} is not finished in {folder}. Call make_alphago to finish it."
        )
    stage = read_json(path, {"format": str, "seconds": float, "figures": {}})
    if stage["format"] != FORMAT:
        raise CorruptFileError(f"{path} has the format {stage['format']!r}, not {FORMAT!r}.")
    return {"seconds": float(stage["seconds"]), "figures": stage["figures"]}


def run_stages(
    stages: dict[str, Stage],
    folder: Path,
    settings: Any,
    started: Callable[[str], None] = lambda name: None,
    finished: Callable[[str, float], None] = lambda name, seconds: None,
) -> None:
    """Runs the unfinished stages, one after the other.

    Args:
        stages: the stages by name, ordered so that each comes after those that it needs.
        folder: contains the files of all stages.
        settings: passed to every stage.
        started, finished: called with the stage's name; ``finished`` also with its seconds.

    Raises:
        CorruptFileError: the results of a finished stage cannot be read.
        ValueError, OSError: a stage failed; the stages before it are saved.
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
