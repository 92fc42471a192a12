"""Your progress: one local JSON file. Nothing leaves the machine.

The file is ``~/.azlearn/progress.json``, or the path in the environment variable AZLEARN_PROGRESS.
It is written to a temporary file and renamed, so that it is never half written; a file that
cannot be read is kept beside it as ``.bak``.
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
FAULT = "fault: "  # then its name: how often a check saw it. Versions without it pass over it.

_PATIENCE = 5  # seconds, for another notebook's entry: it takes milliseconds
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
            str: (str, bool, float, None),  # of another version
        }
    },
}


def progress_path() -> Path:
    """Where progress is kept for the current user.

    Raises:
        ValueError: there is no home folder, or not that of the user whom the variable names.
    """
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    try:
        return Path(named).expanduser() if named else Path.home() / ".azlearn" / "progress.json"
    except RuntimeError:
        home = f"{ENVIRONMENT_VARIABLE} is {named!r}" if named else "Your home folder is unknown"
        raise ValueError(
            f"{home}, so there is no place for progress: set {ENVIRONMENT_VARIABLE} to a file."
        ) from None


@dataclass
class Progress:
    """The content of the file: one entry per exercise id that was touched.

    An entry has ``outcome`` (the last one), ``solved`` (True from the first right answer on),
    ``attempts`` (checks that were not "not attempted"), ``hints`` (the highest level read),
    ``solution_seen``, ``last`` (UTC time) and, for each fault that was seen, ``fault: its name``
    (how often).
    """

    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    note: str = ""

    def state(self, exercise_id: str) -> str:
        """One word for the grid: "right", "wrong", "error", "not attempted" or "new"."""
        entry = self.entries.get(exercise_id, {})
        return "right" if entry.get("solved") else entry.get("outcome", "new")


def load() -> Progress:
    """Read the file; a missing one is empty progress, a broken one is moved aside and named."""
    try:
        path = progress_path()
    except ValueError as problem:
        return Progress(note=str(problem))
    with _alone(path):
        return _read(path)


def entries_of(path: Path) -> dict[str, dict[str, Any]]:
    """The entries of somebody's file, which is left as it is.

    Raises:
        OSError: it cannot be read.
        CorruptFileError: it is no progress file, one of another version, or counts below 0.
    """
    content = read_json(path, _CONTENT)
    if content["version"] != VERSION:
        raise CorruptFileError(f"{path} is of version {content['version']}, and this is {VERSION}.")
    for name, entry in content["exercises"].items():
        for what in ("attempts", "hints"):
            if (count := entry.get(what, 0)) < 0:
                raise CorruptFileError(
                    f"{path} counts {count} {what} at {name!r:.20}, and 0 is the least."
                )
    return content["exercises"]


def record_outcome(exercise_id: str, outcome: str, fault: str = "") -> str:
    """Note a check's outcome, and the name of the fault that it saw; never the answer itself.

    Returns:
        "" or one sentence for the card.
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
    """The id of a case of the bug clinic in the file."""
    return f"case {letter}"


def record_help(exercise_id: str, *, hint: int = 0, solution: bool = False) -> str:
    """Note a hint or the solution; returns "" or one sentence."""

    def change(entry: dict[str, Any]) -> None:
        entry.setdefault("outcome", "not attempted")
        if hint:
            entry["hints"] = max(hint, entry.get("hints", 0))
        if solution:
            entry["solution_seen"] = True

    return _record(exercise_id, change)


def _record(exercise_id: str, change: Callable[[dict[str, Any]], None]) -> str:
    """What two notebooks note at once is in the file in the end, one after the other.

    Returns:
        "" or what happened to the file: an unreadable one was moved aside, nothing was saved.
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
    """While no other process changes the file; where a disk knows no locks, without."""
    with ExitStack() as lock:
        with suppress(OSError):
            if lock.enter_context(locked(path.parent, _PATIENCE)):
                sweep(path.parent, path.name)
        yield


def _read(path: Path) -> Progress:
    if path.exists() and not path.is_file() and not path.is_dir():
        return Progress()  # a device, such as /dev/null: nothing is to be kept
    try:
        content = read_json(path, _CONTENT)
        outcomes = [entry.get("outcome", "right") for entry in content["exercises"].values()]
        if content["version"] == VERSION and set(outcomes) <= set(OUTCOMES):
            return Progress(content["exercises"])
    except FileNotFoundError:
        return Progress()
    except OSError as problem:
        return Progress(note=f"Progress could not be read from {path}: {problem.strerror}.")
    except CorruptFileError:
        pass  # as one of another version
    try:
        backup = path.rename(free_name(path, f"{path.name}.bak"))
    except OSError as problem:
        return Progress(note=f"{path} is not a progress file and stays: {problem.strerror}.")
    return Progress(
        note=f"{path} is not a readable progress file; it is kept as {backup.name}, "
        "and progress starts anew."
    )


_LOOKS = {**OUTCOMES, "new": NEW}

Item = tuple[str, str, int]  # id, title, minutes; of a case of the clinic the id alone


@dataclass(frozen=True, repr=False)
class ProgressGrid:
    """Exercises by chapter; text in a terminal, a grid in a notebook.

    ``chapters`` is a list of (chapter title, [(id, title, minutes), ...]), ``clinics`` of (title,
    letters of the cases).
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
        """Cases of the bug clinics that were named."""
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
        """Chapters and clinics: the title, and what is in it."""
        yield from self.chapters
        for title, letters in self.clinics:
            yield title, [(case_id(letter), "", 0) for letter in letters]

    def _word(self, item_id: str) -> str:
        """The state and the help that was used; "" for a new one."""
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
        """The title of the chapter that was touched last, else of the first with work left."""
        entries = self.progress.entries
        when = {
            title: max((entries.get(i, {}).get("last", "") for i, *_ in items), default="")
            for title, items in self.chapters
        }
        left = [title for title, items in self.chapters if self._right(items) < len(items)]
        latest = max(when, key=when.__getitem__, default="")
        return latest if when.get(latest) else next(iter(left), "")

    def _repr_html_(self) -> str:
        """A line with a bar for each chapter and clinic, which opens to the tiles."""
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
