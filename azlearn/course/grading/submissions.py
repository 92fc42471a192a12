"""Students' notebooks as files: whose they are, and the cells that they contain."""

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from azlearn.atomic_io import in_words
from azlearn.course.results import Result

_FILE_SIZE = 100 << 20  # bytes
_PAUSE = 60.0  # minutes; a longer gap means that the student took a break
_OUTSIDE = re.compile(r"[ _.-]*\d\d[_ -](exercises|solutions)[ _.-]*", re.IGNORECASE)


@dataclass
class Submission:
    """One notebook: its student, the verdicts, and remarks for the teacher.

    ``minutes``: by exercise, the time from the last run of the previous check to that of its own,
    if the notebook stores both. ``modified``: the time of the file's last change, in seconds.
    ``student`` and the sentences about files are valid UTF-8, whatever the names of the files are.
    """

    path: Path
    student: str
    cells: list[str]
    minutes: dict[str, float] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    modified: float = 0.0


def find_submissions(folder: Path) -> tuple[list[Submission], list[str]]:
    """Reads all notebooks in a folder and its subfolders.

    The student is the name of the subfolder, or the name of the file without "03_exercises".

    Returns:
        ``(submissions, one sentence for each file that is not a notebook)``.

    Raises:
        OSError: there is no such folder.
        ValueError: it contains no notebook.
    """
    found, skipped = [], []
    if not folder.is_dir():
        raise NotADirectoryError(20, "Not a folder", str(folder))
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        try:
            if any(part.startswith(".") for part in inside.parts) or path.is_dir():
                continue
            found.append(_submission(path, inside))
        except (OSError, ValueError) as problem:
            skipped.append(in_utf8(in_words(problem)))
    if not found:
        why = f" {skipped[0]}" if skipped else ""
        raise ValueError(f"{folder} contains no notebook that can be graded.{why}")
    return found, skipped


def in_utf8(text: object) -> str:
    """A name or sentence that can be written; names from Windows, for example, may not be UTF-8."""
    return str(text).encode(errors="backslashreplace").decode()


def _submission(path: Path, inside: Path) -> Submission:
    import nbformat

    if path.is_symlink() or not path.is_file():
        raise ValueError(f"{path} is a link or a device, so it was not read.")
    if path.suffix != ".ipynb":
        raise ValueError(f"{path} is not a notebook (.ipynb).")
    if path.stat().st_size > _FILE_SIZE:
        raise ValueError(f"{path} is larger than {_FILE_SIZE >> 20} MB.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # older notebooks lack the ids of cells
            notebook = nbformat.reads(path.read_text(encoding="utf-8-sig"), as_version=4)
            nbformat.validate(notebook)
    except Exception as problem:  # nbformat raises many kinds for a damaged file
        why = str(problem).strip().partition("\n")[0]
        raise ValueError(
            f"{path} is damaged or not a notebook ({type(problem).__name__}: {why:.100})."
        ) from None
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    student = inside.parts[0] if len(inside.parts) > 1 else _OUTSIDE.sub("", path.stem)
    student, sources = in_utf8(student or path.stem), [cell.source for cell in code]
    return Submission(path, student, sources, _minutes(code), modified=path.stat().st_mtime)


def _minutes(cells: Sequence) -> dict[str, float]:
    """Minutes by exercise, from the times at which JupyterLab last ran the cells."""
    found, before = {}, None
    for cell in cells:
        times = cell.metadata.get("execution", {})
        try:
            ran = datetime.fromisoformat(times["iopub.execute_input"].replace("Z", "+00:00"))
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
        ran = ran.replace(tzinfo=ran.tzinfo or timezone.utc)
        check = re.search(r'check\(\s*(?:id\s*=\s*)?["\'](\d+\.\d+)', cell.source)
        if check and before:
            minutes = (ran - before).total_seconds() / 60
            if 0 <= minutes <= _PAUSE:
                found[check[1]] = minutes
        if check or before is None:
            before = ran
    return found
