"""Your progress: one local JSON file. Nothing leaves the machine.

The file is ``~/.azlearn/progress.json``, or the path in the environment variable AZLEARN_PROGRESS.
It is written to a temporary file that is then renamed, so it is never half written. A damaged file
is renamed to ``.bak`` in the same folder.
"""

import html
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from azlearn.atomic_io import free_name, locked, sweep, write_user_path
from azlearn.course.cards import NEW, OUTCOMES, note
from azlearn.json_validation import CorruptFileError, read_json

VERSION = 1
ENVIRONMENT_VARIABLE = "AZLEARN_PROGRESS"
FAULT = "fault: "  # plus its name: how often a check saw it. Older versions ignore these keys.

_PATIENCE = 5  # seconds to wait for another notebook's entry, which takes milliseconds
_CONTENT = {
    "version": int,
    "exercises": {
        str: {
            "outcome?": str,
            "solved?": bool,
            "attempts?": int,
            "hints?": int,
            "solution_seen?": bool,
            "last?": str,
            str: (str, bool, float, None),  # keys of other versions
        }
    },
}


def progress_path() -> Path:
    """Returns the path of the current user's progress file.

    Raises:
        ValueError: the home folder is unknown: yours, or that of the user in AZLEARN_PROGRESS.
    """
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    try:
        return Path(named).expanduser() if named else Path.home() / ".azlearn" / "progress.json"
    except RuntimeError:
        home = f"{ENVIRONMENT_VARIABLE} is {named!r}" if named else "Your home folder is unknown"
        raise ValueError(
            f"{home}, so there is no place to save your progress. Set {ENVIRONMENT_VARIABLE} to a "
            "file."
        ) from None


@dataclass
class Progress:
    """The content of the file: one entry for each exercise that was tried or looked up.

    An entry has ``outcome`` (the last one), ``solved`` (True from the first right answer on),
    ``attempts`` (checks except those with outcome "not attempted"), ``hints`` (the highest level
    read), ``solution_seen``, ``last`` (time of the last change, UTC) and, for each fault that was
    seen, ``fault: its name`` (how often).
    """

    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    note: str = ""

    def state(self, exercise_id: str) -> str:
        """Returns the state for the grid: "right", "wrong", "error", "not attempted" or "new"."""
        entry = self.entries.get(exercise_id, {})
        return "right" if entry.get("solved") else entry.get("outcome", "new")


def load() -> Progress:
    """Reads your progress file; empty if there is none. Moves a damaged file and notes where."""
    try:
        path = progress_path()
        with _alone(path):
            return _read(path)
    except ValueError as problem:
        return Progress(note=str(problem))
    except OSError as problem:
        return Progress(note=f"Progress could not be read from {path}: {problem.strerror}.")


def entries_of(path: Path) -> dict[str, dict[str, Any]]:
    """Returns the entries of a student's file without changing the file.

    Raises:
        OSError: the file cannot be read.
        CorruptFileError: it is not a progress file, has another version, or counts below 0.
    """
    content = read_json(path, _CONTENT)
    if content["version"] != VERSION:
        raise CorruptFileError(
            f"{path} is a progress file of version {content['version']}, not {VERSION}."
        )
    for name, entry in content["exercises"].items():
        for what in ("attempts", "hints"):
            if (count := entry.get(what, 0)) < 0:
                raise CorruptFileError(
                    f"{path} has {count} {what} for {name!r:.20}, but counts cannot be negative."
                )
    return content["exercises"]


def record_outcome(exercise_id: str, outcome: str, fault: str = "") -> str:
    """Records a check's outcome and the name of the fault it found, but never the answer itself.

    Returns:
        "", or a message about a problem with the file.
    """

    def change(entry: dict[str, Any]) -> None:
        if outcome != "not attempted":
            entry["attempts"] = entry.get("attempts", 0) + 1
        if fault:
            name = FAULT + fault
            entry[name] = entry.get(name, 0) + 1
        entry["outcome"] = outcome
        entry["solved"] = bool(entry.get("solved")) or outcome == "right"

    return _record(exercise_id, change)


def case_id(letter: str) -> str:
    """Returns the id that the file uses for a case of the bug clinics."""
    return f"case {letter}"


def record_help(exercise_id: str, *, hint: int = 0, solution: bool = False) -> str:
    """Records that a hint or the solution was read; returns "" or a message about a problem."""

    def change(entry: dict[str, Any]) -> None:
        entry.setdefault("outcome", "not attempted")
        if hint:
            entry["hints"] = max(hint, entry.get("hints", 0))
        if solution:
            entry["solution_seen"] = True

    return _record(exercise_id, change)


def _record(exercise_id: str, change: Callable[[dict[str, Any]], None]) -> str:
    """Changes one entry; if two notebooks do so at once, the file gets both changes.

    Returns:
        "", or a message: a damaged file was moved aside, or the progress was not saved, as when the
        file could not be read.
    """
    said = []
    try:
        path = progress_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path):
            progress = _read(path)
            said.append(progress.note)
            entry = progress.entries.setdefault(exercise_id, {})
            change(entry)
            entry["last"] = datetime.now(timezone.utc).isoformat(timespec="seconds")
            content = {"version": VERSION, "exercises": progress.entries}
            write_user_path(path, json.dumps(content, indent=1, sort_keys=True) + "\n")
    except ValueError as problem:
        said.append(str(problem))
    except OSError as problem:
        said.append(f"Progress was not saved to {path}: {problem.strerror}.")
    return " ".join(filter(None, said))


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keeps other processes from changing the file; does nothing if the disk has no locks."""
    with ExitStack() as lock:
        with suppress(OSError):
            if lock.enter_context(locked(path.parent, _PATIENCE)):
                sweep(path.parent, path.name)
        yield


def _read(path: Path) -> Progress:
    """The content of the file; empty, with a note, after a damaged file was moved aside.

    Raises:
        OSError: the file cannot be read, or is damaged and cannot be moved. To write now would
            delete it.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        return Progress()  # a device such as /dev/null, which stores nothing
    try:
        content = read_json(path, _CONTENT)
        outcomes = [entry.get("outcome", "right") for entry in content["exercises"].values()]
        if content["version"] == VERSION and set(outcomes) <= set(OUTCOMES):
            return Progress(content["exercises"])
    except FileNotFoundError:
        return Progress()
    except CorruptFileError:
        pass  # handled like a file of another version
    try:
        backup = path.rename(free_name(path, f"{path.name}.bak"))
    except OSError as problem:
        text = f"it is not a progress file and could not be renamed ({problem.strerror})"
        raise OSError(problem.errno, text) from problem
    return Progress(
        note=f"{path} is not a readable progress file. It was renamed to {backup.name}, and your "
        "progress starts from scratch."
    )


_LOOKS = {**OUTCOMES, "new": NEW}

Item = tuple[str, str, int]  # id, title, minutes; a case of a clinic only has an id


@dataclass(frozen=True, repr=False)
class ProgressGrid:
    """The exercises by chapter, as text in a terminal and as a grid in a notebook.

    ``chapters`` has entries (chapter title, ((id, title, minutes), ...)), and ``clinics`` has
    entries (title, letters of the cases).
    """

    chapters: tuple[tuple[str, tuple[Item, ...]], ...]
    progress: Progress
    clinics: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def cases(self) -> list[str]:
        """The letters of all cases of the bug clinics."""
        return [letter for _, letters in self.clinics for letter in letters]

    @property
    def num_right(self) -> int:
        return self._right(item for _, items in self.chapters for item in items)

    @property
    def num_solved(self) -> int:
        """The number of solved cases of the bug clinics."""
        return self._right((case_id(letter),) for letter in self.cases)

    def _right(self, items: Iterable[tuple]) -> int:
        return sum(self.progress.state(item[0]) == "right" for item in items)

    @property
    def _head(self) -> str:
        head = (
            f"{self.num_right} of {sum(len(items) for _, items in self.chapters)} exercises right"
        )
        if self.cases:
            head += f", {self.num_solved} of {len(self.cases)} cases of the bug clinics solved"
        return head

    def _groups(self) -> Iterator[tuple[str, Sequence[Item]]]:
        """Yields the title and the items of each chapter and clinic."""
        yield from self.chapters
        for title, letters in self.clinics:
            yield title, [(case_id(letter), "", 0) for letter in letters]

    def _word(self, item_id: str) -> str:
        """Describes an item's state and the help that was used; "" for a new item."""
        entry, state = self.progress.entries.get(item_id, {}), self.progress.state(item_id)
        used = [f"{entry['hints']} of 3 hints"] if entry.get("hints") else []
        used += ["solution seen"] if entry.get("solution_seen") else []
        return "" if state == "new" else ", ".join([state, *used])

    def __str__(self) -> str:
        lines = [self._head]
        for title, items in self._groups():
            lines += ["", title]
            for item_id, name, minutes in items:
                symbol = _LOOKS[self.progress.state(item_id)].symbol
                told = f" {name} ({minutes} min)" if name else ""
                lines.append(f"  {symbol} {item_id}{told}  {self._word(item_id)}".rstrip())
        if self.progress.note:
            lines += ["", self.progress.note]
        return "\n".join(lines)

    __repr__ = __str__

    def _current(self) -> str:
        """The title of the chapter with the latest entry, else of the first unfinished one."""
        entries = self.progress.entries
        when = {
            title: max((entries.get(i, {}).get("last", "") for i, *_ in items), default="")
            for title, items in self.chapters
        }
        left = [title for title, items in self.chapters if self._right(items) < len(items)]
        latest = max(when, key=when.__getitem__, default="")
        return latest if when.get(latest) else next(iter(left), "")

    def _repr_html_(self) -> str:
        """A line with a progress bar for each chapter and clinic; click it to see its items."""
        parts, current = [f"<p><b>{self._head}</b></p>"], self._current()
        for title, items in self._groups():
            done = self._right(items)
            share, color = 100 * done / max(1, len(items)), OUTCOMES["right"].color
            tiles = "".join(self._tile(title, *item) for item in items)
            parts.append(
                f'<details{" open" if title == current else ""} style="margin:.15em 0"><summary>'
                f'<span style="display:inline-block;min-width:15em">{html.escape(title)}</span>'
                '<span style="display:inline-block;width:9em;height:.6em;border:1px solid #8a8a8a;'
                'border-radius:3px;margin:0 .7em;overflow:hidden"><span style="display:block;'
                f'height:100%;width:{share:.0f}%;background:{color}"></span></span>'
                f'{done} of {len(items)}</summary><div style="display:flex;flex-wrap:wrap;'
                f'gap:.4em;margin:.3em 0 .5em 1.2em" role="list">{tiles}</div></details>'
            )
        parts.append(note(self.progress.note).html)
        return f'<div style="max-width:56em">{"".join(parts)}</div>'

    def _tile(self, chapter: str, item_id: str, name: str, minutes: int) -> str:
        symbol, color, _ = _LOOKS[self.progress.state(item_id)]
        place = f"../exercises/{chapter[:2]}_exercises.ipynb#{item_id}-{name}".replace(" ", "-")
        link = f'<a href="{html.escape(place)}">{html.escape(name)}</a>' if name else ""
        word = self._word(item_id) or (f"{minutes} min" if name else "not tried")
        return (
            f'<div role="listitem" style="border:1px solid {color};border-left:6px solid {color};'
            f"border-radius:5px;padding:.25em .6em;width:{12.5 if name else 5.5}em;"
            f'line-height:1.3"><b>{symbol} {html.escape(item_id)}</b> {link}<br>'
            f"<small>{html.escape(word)}</small></div>"
        )
