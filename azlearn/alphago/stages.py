"""A pipeline made stage by stage, each in a process of its own, and kept when it is done.

A stage reads what the stages before it have left in the folder, writes its own files and returns
its figures. These are written last, as ``NAME.json``: where that file is, the stage is done. A kill
at any instant loses the stages under way and nothing else; the next call goes on.
"""

import json
import multiprocessing
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from time import monotonic
from typing import Any

from azlearn.foreign_json import DamagedFile, read_json
from azlearn.learning.launch import deaf_to_ctrl_c, end_with_the_first, keep_freed_memory
from azlearn.whole_file import in_words, write_whole

FORMAT = "azlearn stage 1"


@dataclass(frozen=True)
class Stage:
    """One step of a pipeline."""

    name: str
    # Called with the folder and the settings of the pipeline; returns figures, JSON-able. It is
    # handed to another process, so it stands at the top of a module.
    make: Callable[[Path, Any], dict[str, Any]]
    needs: tuple[str, ...] = ()  # stages that must be done before


class StageFailed(Exception):
    """A stage could not be made; the message says which and why. Those that are done are kept."""


def is_done(folder: Path, name: str) -> bool:
    """Whether a stage's figures are in ``folder``."""
    return (folder / f"{name}.json").is_file()


def read_stage(folder: Path, name: str) -> dict[str, Any]:
    """The figures of a stage, and how long it took: ``{"seconds": 3.2, "figures": {…}}``.

    Raises:
        FileNotFoundError: it is not done.
        DamagedFile: its file is cut short or foreign.
    """
    path = folder / f"{name}.json"
    if not path.is_file():
        raise FileNotFoundError(f"{folder} does not hold the stage {name!r}, or not yet.")
    stage = read_json(path, {"format": str, "seconds": float, "figures": {}})
    if stage["format"] != FORMAT:
        raise DamagedFile(f"{path} is of another kind: {stage['format']!r}, not {FORMAT!r}.")
    return {"seconds": float(stage["seconds"]), "figures": stage["figures"]}


def run_stages(
    stages: Sequence[Stage],
    folder: Path,
    settings: Any,
    processes: int,
    started: Callable[[str], None] = lambda name: None,
    finished: Callable[[str, float], None] = lambda name, seconds: None,
) -> None:
    """Makes the stages that ``folder`` does not hold yet, several at a time.

    Those first on which most others wait; of equals, in the order given.

    Args:
        stages: those needed by others must be among them.
        settings: handed to every stage; it is pickled on its way to the other process.
        processes: stages at once, a thread each.
        started, finished: told the stage's name, and its seconds.

    Raises:
        ValueError: a stage needs one that is not there, or processes is below 1.
        StageFailed: with the sentence of the stage. Others under way are given up.
        DamagedFile: the figures of a stage that is done cannot be read.
    """
    if processes < 1:
        raise ValueError(f"processes must be at least 1, not {processes}.")
    names = {stage.name for stage in stages}
    for stage in stages:
        if missing := set(stage.needs) - names:
            raise ValueError(f"The stage {stage.name!r} needs {', '.join(sorted(missing))}.")
    waiting = []
    for stage in stages:
        if is_done(folder, stage.name):
            read_stage(folder, stage.name)
        else:
            waiting.append(stage)
    running: dict[Any, _Running] = {}
    try:
        while waiting or running:
            ready = [s for s in waiting if all(is_done(folder, name) for name in s.needs)]
            ready.sort(key=lambda stage: -_num_after(stage, waiting))  # the longest way first
            if not ready and not running:
                raise ValueError(
                    f"The stages {', '.join(s.name for s in waiting)} need each other."
                )
            for stage in ready[: processes - len(running)]:
                waiting.remove(stage)
                one = _Running.start(stage, folder, settings)
                running[one.process.sentinel] = one
                started(stage.name)
            for sentinel in wait(list(running)):
                one = running.pop(sentinel)
                one.check()
                finished(one.name, read_stage(folder, one.name)["seconds"])
    finally:
        for one in running.values():
            one.process.kill()
            one.process.join()


def _num_after(stage: Stage, stages: Sequence[Stage]) -> int:
    """How many of ``stages`` wait for this one, or for one that waits for it, and so on."""
    after = {stage.name}
    while more := {s.name for s in stages if after & set(s.needs)} - after:
        after |= more
    return len(after) - 1


@dataclass(frozen=True)
class _Running:
    name: str
    process: multiprocessing.Process
    complaint: Any  # a connection: one sentence, if the stage fails

    @classmethod
    def start(cls, stage: Stage, folder: Path, settings: Any) -> "_Running":
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe(duplex=False)
        process = spawn.Process(target=_make, args=(stage, folder, settings, theirs), daemon=True)
        with deaf_to_ctrl_c():  # this process hears it, and ends the others
            process.start()
        theirs.close()
        return cls(stage.name, process, ours)

    def check(self) -> None:
        """Returns if the stage is done."""
        self.process.join()
        if self.process.exitcode:
            try:
                why = self.complaint.recv()
            except EOFError:
                why = f"its process ended with exit code {self.process.exitcode}."
            raise StageFailed(f"The stage {self.name!r} failed: {why}")


def _make(stage: Stage, folder: Path, settings: Any, complaint: Any) -> None:
    """What the other process does."""
    end_with_the_first()
    keep_freed_memory()
    begun = monotonic()
    try:
        figures = stage.make(folder, settings)
        content = {"format": FORMAT, "seconds": round(monotonic() - begun, 1), "figures": figures}
        write_whole(folder / f"{stage.name}.json", json.dumps(content, indent=1).encode() + b"\n")
    except (ValueError, OSError, MemoryError) as error:
        complaint.send(in_words(error) or "there is not enough memory.")
        sys.exit(1)
