"""Writes exercises/ from solutions/: ``python tools/build_exercises.py [--check]``.

A solution notebook is the single source. The code between ``# BEGIN SOLUTION`` and
``# END SOLUTION`` becomes a stub in exercises/, and is copied to ``azlearn/course/solutions.json``.
From there ``solution("3.3")`` shows it and the checks run it, also in an installed package. Comment
lines between ``# BEGIN FAULT`` and ``# END FAULT``, right after a solution, are code to repair: the
stub contains them, uncommented. A solution that is a single assignment at the left margin, with or
without comments, becomes ``name = ...``.
"""

import argparse
import json
import re
import sys
import textwrap
from pathlib import Path

import nbformat

from azlearn.atomic_io import write_user_path

ROOT = Path(__file__).resolve().parents[1]
SOLUTIONS_JSON = ROOT / "azlearn" / "course" / "solutions.json"

_BLOCK = re.compile(
    r"^([ \t]*)# BEGIN SOLUTION[ \t]*\n(.*?)^[ \t]*# END SOLUTION[ \t]*(?:\n|\Z)"
    r"(?:^[ \t]*# BEGIN FAULT[ \t]*\n(.*?)^[ \t]*# END FAULT[ \t]*(?:\n|\Z))?",
    re.M | re.S,
)
_MARKER = re.compile(r"#[ \t]*(BEGIN|END)[ \t]+(SOLUTION|FAULT)")
_VALUE = re.compile(r"(?:#[^\n]*\n)*(\w+) = [^\n]*\n\Z")
_DEF = re.compile(r"^[ \t]*def \w+\(.*?\)(?: -> [^\n]+)?:$", re.M | re.S)
_CHECK = re.compile(r'^check\("(\d+\.\d+)"', re.M)
_STUB = 'raise NotImplementedError("Your code here.")'
_REPAIR = 'raise NotImplementedError("Repair the lines below, then delete this one.")'
_METADATA = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}


def build_exercises(
    solutions_dir: Path = ROOT / "solutions",
    exercises_dir: Path = ROOT / "exercises",
    solutions_json: Path = SOLUTIONS_JSON,
    *,
    check: bool = False,
) -> list[Path]:
    """Writes every exercise notebook and the solutions' sources, deterministically.

    Args:
        check: write nothing, only compare.

    Returns:
        The files that were missing, different or left over.

    Raises:
        ValueError: a solution notebook's markers or checks do not match.
    """
    wanted, sources, imports = {}, {}, {}
    for path in sorted(solutions_dir.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        for exercise_id, source in block_sources(notebook, path.name).items():
            if exercise_id in sources:
                raise ValueError(f"{path.name}: exercise {exercise_id} has two solutions.")
            sources[exercise_id] = source
        imports[str(int(path.stem[:2]))] = imports_of(notebook)
        stubbed = exercise_notebook(notebook, path.name)
        target = exercises_dir / path.name.replace("solutions", "exercises")
        wanted[target] = nbformat.writes(stubbed, indent=1).rstrip("\n") + "\n"
    content = {"imports": imports, "solutions": sources}
    wanted[solutions_json] = json.dumps(content, indent=1, sort_keys=True) + "\n"
    return _write(wanted, set(exercises_dir.glob("[0-9][0-9]_exercises.ipynb")), check)


def _write(wanted: dict[Path, str], present: set[Path], check: bool) -> list[Path]:
    stale = []
    for path, text in wanted.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_user_path(path, text)
    for path in sorted(present - set(wanted)):
        stale.append(path)
        if not check:
            path.unlink()
    return stale


def exercise_notebook(notebook: nbformat.NotebookNode, name: str) -> nbformat.NotebookNode:
    """The notebook with stubs instead of solutions, without outputs; cell ids and tags stay."""
    cells = []
    for number, cell in enumerate(notebook.cells):
        metadata = {"tags": list(cell.metadata["tags"])} if cell.metadata.get("tags") else {}
        if cell.cell_type == "code":
            source = without_solution(cell.source, f"{name}, cell {number}")
            new = nbformat.v4.new_code_cell(source, metadata=metadata)
        else:
            new = nbformat.v4.new_markdown_cell(cell.source, metadata=metadata)
        new.id = cell.id
        cells.append(new)
    return nbformat.v4.new_notebook(cells=cells, metadata=_METADATA)


def without_solution(source: str, where: str) -> str:
    """``source`` with each solution replaced by a stub that raises NotImplementedError.

    Raises:
        ValueError: a marker has no partner.
    """
    stubbed = _BLOCK.sub(_stub, source)
    left = _MARKER.search(stubbed)
    inside = (part for match in _BLOCK.finditer(source) for part in match.group(2, 3) if part)
    if left or any(_MARKER.search(part) for part in inside):
        marker = left[0] if left else "# BEGIN SOLUTION"
        raise ValueError(
            f"{where}: {marker!r} has no partner. Each '# BEGIN SOLUTION' needs one "
            "'# END SOLUTION' after it, both on separate lines. The same holds for FAULT, which "
            "must follow directly."
        )
    return stubbed.rstrip("\n")


def _stub(match: re.Match[str]) -> str:
    """The stub that replaces a solution."""
    indent, solution, fault = match.groups()
    if fault is not None:
        return f"{indent}{_REPAIR}\n" + re.sub(r"^([ \t]*)# ?", r"\1", fault, flags=re.M)
    value = None if indent else _VALUE.fullmatch(solution)
    return f"{value[1]} = ...\n" if value else f"{indent}{_STUB}\n"


def block_sources(notebook: nbformat.NotebookNode, name: str) -> dict[str, str]:
    """A dict from exercise id to the solution's source; the id is that of the check after it."""
    sources: dict[str, str] = {}
    waiting: tuple[int, str] | None = None
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        without_solution(cell.source, f"{name}, cell {number}")
        blocks = list(_BLOCK.finditer(cell.source))
        if blocks and (waiting or len(blocks) > 1):
            raise ValueError(
                f"{name}, cell {number}: each solution must be followed by its check before the"
                " next solution."
            )
        if blocks:
            waiting = number, _with_signature(cell.source, blocks[0])
        check = _CHECK.search(cell.source)
        if check and waiting:
            sources[check[1]], waiting = waiting[1], None
    if waiting:
        raise ValueError(f'{name}, cell {waiting[0]}: no check("…") follows the solution.')
    return sources


def imports_of(notebook: nbformat.NotebookNode) -> str:
    """The notebook's imports, except those from azlearn.course and azlearn.viz."""
    sources = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    found = re.findall(r"^(?:import|from) .+", sources, re.M)
    ours = ("from azlearn.course ", "from azlearn.viz ")
    return "\n".join(line for line in found if not line.startswith(ours))


def _with_signature(source: str, block: re.Match[str]) -> str:
    """The block with the ``def`` line above it, without the docstring."""
    definitions = _DEF.findall(source[: block.start()])
    head = textwrap.dedent(definitions[-1]) + "\n" if definitions else ""
    body = textwrap.dedent(block[2]).rstrip("\n")
    return head + textwrap.indent(body, "    " if head else "")


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns 1 if files are stale with --check, or a source is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if stale")
    options = parser.parse_args(arguments)
    try:
        stale = build_exercises(check=options.check)
    except ValueError as problem:
        print(problem, file=sys.stderr)
        return 1
    for path in stale:
        done = "written" if path.exists() else "deleted"
        verb = "is stale: run `make exercises`" if options.check else done
        print(f"{path.relative_to(ROOT)} {verb}")
    if not stale:
        print("exercises/ is up to date with solutions/")
    return int(options.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
