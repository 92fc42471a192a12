"""Runs the notebooks and stores their outputs; checks the stored notebooks.

``python tools/notebooks.py execute FILES…`` runs each notebook from top to bottom and writes it
back with its outputs, without output that differs between runs. ``… check FILES…`` finds faults
that a reader would notice: pictures without alt text, dead links, outputs older than their cell.
``… html FILES…`` writes each notebook as an HTML page beside it, to hand out; code that is folded
in the notebook is folded in the page.

A saved notebook has no kernel, and a widget's own state contains all of its code. So for an
explorer or a comparison only the data that ``to_html`` writes is stored, packed into a cell's
output. Notebook programs ignore that kind of output; the site draws the widget from it.
"""

import argparse
import ast
import base64
import hashlib
import json
import os
import re
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import nbformat
from IPython.core.inputtransformer2 import TransformerManager

from azlearn.atomic_io import write_user_path
from azlearn.course.exercises import EXERCISES
from azlearn.viz import Bandit, Comparison, Explorer

KIND = "application/vnd.azlearn.widget+json"  # the MIME type of a widget's stored state

_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
_WIDGET = "application/vnd.jupyter.widget-view+json"
_STATES = "application/vnd.jupyter.widget-state+json"
_KEPT = {
    "explorer": Explorer.IN_A_FILE,
    "comparison": Comparison.IN_A_FILE,
    "bandit": Bandit.IN_A_FILE,
}
_HASH_LENGTH = 12
_LONGEST_CELL = 25
_LARGEST_FILE = 3_000_000
_WITH_FUNCTIONS = ("with_controls", "explore")  # these call a function again later
_LONGEST_FOLDED_LINE = 100
# JupyterLab shows the first line of folded code; nbconvert's own pages do not fold code.
_FOLDED_PAGE = """{% extends "lab/index.html.j2" %}
{% block input %}{% if cell.metadata.get("jupyter", {}).get("source_hidden") %}
<details><summary>{{ cell.source.splitlines()[0].lstrip("# ") | e }}</summary>
{{ super() }}</details>
{% else %}{{ super() }}{% endif %}{% endblock %}"""

_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)
_UNCOUNTED = re.compile(r"^\|[^\n]*$|^(?:## |\*\*)Sources.*?(?=^## |^\*?\*?Next|\Z)", re.M | re.S)
_FENCED = re.compile(r"```.*?```", re.S)
# Markdown in a block that starts with one of these tags is not rendered, up to the next empty line.
_HTML_BLOCK = re.compile(
    r"^ {0,3}</?(?:details|div|figure|li|ol|p|summary|table|ul)\b.*?(?:\n[ \t]*\n|\Z)",
    re.I | re.M | re.S,
)
_MARKDOWN = re.compile(r"^ {0,3}(?:#{1,6} |[-*+] |\d+[.)] |\||>)|\*\*|`|\]\(|\$[^$\n]+\$", re.M)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)[^)]*\)")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)[^)]*\)")
_HTML_PICTURE = re.compile(r"<img\b[^>]*>", re.I)
_ALT = re.compile(r"\balt\s*=\s*(\"[^\"]*[^\s\"][^\"]*\"|'[^']*[^\s'][^']*')", re.I)
_SOURCE = re.compile(r"<img\b[^>]*?\bsrc\s*=\s*[\"']([^\"']+)", re.I)
_BAR = re.compile(r"|.*\[(?:\d+:)+\d\d[<,].*\]")  # nothing, or tqdm's "… [00:01<00:03, 9.93it/s]"
_BASE64 = re.compile(r"base64,[A-Za-z0-9+/=\s]+")
_LOCAL_PATH = re.compile(r"(?<![\w./:<-])/(?:[\w.@-]+/){2,}[\w.@-]+")
_TO_CHAPTER = re.compile(r"(href=\"\d\d_\w+)\.ipynb")
_ELSEWHERE = ("mailto:", "attachment:", "data:", "#")


# --- execute -----------------------------------------------------------------------------------


def execute(path: Path, timeout: int = 600) -> float:
    """Runs the notebook at ``path`` and writes it back with outputs; returns the seconds it took.

    Your own progress file is not changed. If a cell fails, the notebook is left unchanged.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell without the tag ``raises-exception`` fails.
    """
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name=_KERNEL["name"],
        resources={"metadata": {"path": str(path.parent)}},
        record_timing=False,
        store_widget_state=True,
    )
    start = time.perf_counter()
    client.execute()
    seconds = time.perf_counter() - start
    keep_states(notebook)
    clean(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.metadata["azlearn"] = {"source": source_hash(cell.source)}
    write(notebook, path)
    return seconds


def keep_states(notebook: nbformat.NotebookNode) -> None:
    """Packs the final state of the notebook's widgets into the outputs, in place."""
    states = notebook.metadata.get("widgets", {}).get(_STATES, {}).get("state", {})
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    for data in (output["data"] for output in outputs if "data" in output):
        state = states.get(data.get(_WIDGET, {}).get("model_id"), {}).get("state", {})
        for kind, names in _KEPT.items():
            if set(names) <= set(state):
                data[KIND] = {"kind": kind, "state": _packed({name: state[name] for name in names})}


def kept_state(data: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """(kind of widget, the data that ``to_html`` would show) of an output, or None."""
    if KIND not in data:
        return None
    text = zlib.decompress(base64.b64decode(data[KIND]["state"]))
    return data[KIND]["kind"], json.loads(text)


def _packed(state: dict[str, Any]) -> str:
    """Packs a state into text, deterministically."""
    text = json.dumps(state, separators=(",", ":"), sort_keys=True)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def clean(notebook: nbformat.NotebookNode) -> None:
    """Strips data that differs between runs, in place: widget state, timestamps, versions.

    Of a cell's metadata, only its tags and its folding (``jupyter.source_hidden``) stay.
    """
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    )
    for cell in notebook.cells:
        kept = {
            "azlearn": cell.metadata.get("azlearn"),
            "jupyter": {"source_hidden": True} if is_folded(cell) else None,
            "tags": cell.metadata.get("tags"),
        }
        cell.metadata = nbformat.from_dict({key: value for key, value in kept.items() if value})
        if cell.cell_type == "code":
            cell.outputs = list(_clean_outputs(cell.outputs))


def _clean_outputs(outputs: list) -> Iterator[nbformat.NotebookNode]:
    """Joins printed output; keeps only the picture of a widget that has one.

    Progress bars are removed.
    """
    previous = None
    for output in outputs:
        if output.output_type == "stream":
            if previous is not None and previous.get("name") == output.name:
                previous.text += output.text
                continue
        elif "data" in output:
            if set(output.data) == {"text/plain"} and _BAR.fullmatch(output.data["text/plain"]):
                continue
            if _WIDGET in output.data and len(output.data) > 1:
                del output.data[_WIDGET]
            output.metadata = nbformat.from_dict(
                {key: value for key, value in output.metadata.items() if key in output.data}
            )
        previous = output
        yield output


def write(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Writes the notebook with one space of indentation and a newline at the end."""
    nbformat.validate(notebook)
    write_user_path(path, nbformat.writes(notebook, indent=1).rstrip("\n") + "\n")


def source_hash(source: str) -> str:
    """Short hash of a cell's source, stored with its output to detect outdated outputs."""
    return hashlib.sha256(source.strip().encode()).hexdigest()[:_HASH_LENGTH]


# --- check -------------------------------------------------------------------------------------


def faults(path: Path) -> list[str]:
    """One sentence per fault of the notebook at ``path``, each with the cell's number (from 0)."""
    notebook = nbformat.read(path, as_version=4)
    found = []
    if "widgets" in notebook.metadata:
        found.append("contains widget state: run `make notebooks`")
    if path.stat().st_size > _LARGEST_FILE:
        found.append(f"is {path.stat().st_size / 1e6:.1f} MB: outputs should stay small")
    ids = [cell.get("id") for cell in notebook.cells]
    if None in ids or len(set(ids)) < len(ids):
        found.append("has cells without a unique id")
    for number, cell in enumerate(notebook.cells):
        inspect = _markdown_faults if cell.cell_type == "markdown" else _code_faults
        found += [f"cell {number}: {fault}" for fault in inspect(cell, path.parent)]
    return [*found, *_overwritten(notebook)]


def _overwritten(notebook: nbformat.NotebookNode) -> Iterator[str]:
    """Names that a control's function uses and a later cell gives another value.

    After Run All, such a control would fail or draw something else.
    """
    trees = {
        number: ast.parse(TransformerManager().transform_cell(cell.source))
        for number, cell in enumerate(notebook.cells)
        if cell.cell_type == "code"
    }
    stored: dict[str, list[int]] = {}
    functions: dict[str, ast.AST] = {}
    for number, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                functions[node.name] = node
                names = {node.name}
            else:
                names = _names(node, ast.Store) - _names_of_loops(node)
            for name in names:
                stored.setdefault(name, []).append(number)
    for number, tree in trees.items():
        for call in ast.walk(tree):
            if getattr(getattr(call, "func", None), "id", "") not in _WITH_FUNCTIONS:
                continue
            waiting = {name for name in _names(call, ast.Load) if name in functions}
            waiting |= {
                x
                for part in ast.walk(call)
                if isinstance(part, ast.Lambda)
                for x in _names(part, ast.Load)
            }
            used: set[str] = set()
            while waiting:
                used.add(name := waiting.pop())
                if name in functions and min(stored[name]) <= number:
                    inside = functions[name]
                    own = _names(inside, ast.Store) | {
                        part.arg for part in ast.walk(inside) if isinstance(part, ast.arg)
                    }
                    waiting |= _names(inside, ast.Load) - own - used
            for name in sorted(used):
                again = [later for later in stored.get(name, []) if later > number]
                if again and min(stored[name]) <= number:
                    yield f"cell {number}: its control uses {name}, which cell {again[0]} replaces"


def _names(node: ast.AST, context: type) -> set[str]:
    parts = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in parts if isinstance(part.ctx, context)}


def _names_of_loops(node: ast.AST) -> set[str]:
    """The names inside comprehensions, which do not reach the notebook."""
    parts = (part for part in ast.walk(node) if isinstance(part, ast.comprehension))
    return set().union(*(_names(part.target, ast.Store) for part in parts))


def _markdown_faults(cell: nbformat.NotebookNode, folder: Path) -> Iterator[str]:
    text = _CODE.sub("", cell.source)
    pictures = _PICTURE.findall(text)
    if any(not alt.strip() for alt, _ in pictures) or not _all_described(text):
        yield "a picture without alt text"
    for block in _HTML_BLOCK.findall(_FENCED.sub("", cell.source)):
        if raw := _MARKDOWN.search(block):
            line = block[raw.start() :].splitlines()[0]
            yield f"Markdown is not rendered inside HTML; end it with an empty line: {line}"
    targets = [target for _, target in pictures] + _LINK.findall(text) + _SOURCE.findall(text)
    for target in targets:
        if is_dead_link(target, folder):
            yield f"dead link {target}"


def _code_faults(cell: nbformat.NotebookNode, folder: Path) -> Iterator[str]:
    if cell.cell_type != "code" or not cell.source.strip():
        return
    stored = cell.metadata.get("azlearn", {}).get("source")
    if stored is None or cell.execution_count is None:
        yield "never run: run `make notebooks`"
    elif stored != source_hash(cell.source):
        yield "edited after its output was made: run `make notebooks`"
    first = cell.source.splitlines()[0]
    if is_folded(cell) and not first.startswith("# "):
        yield f"folded, but its first line, the only visible one, is not a comment: {first}"
    elif is_folded(cell) and len(first) > _LONGEST_FOLDED_LINE:
        yield f"folded, but its first line is too long to be visible: {first}"
    expects_error = "raises-exception" in cell.metadata.get("tags", [])
    for output in cell.outputs:
        yield from _output_faults(output, expects_error)


def _output_faults(output: nbformat.NotebookNode, expects_error: bool) -> Iterator[str]:
    if output.output_type == "error" and not expects_error:
        yield f"a stored error: {output.ename}"
    data = output.get("data", {})
    page = data.get("text/html", "")
    if any(kind in data for kind in ("image/png", "image/jpeg", "image/svg+xml")) and not page:
        yield "a picture without a text/html twin that carries its alt text"
    if not _all_described(page):
        yield "an <img> without alt text"
    text = "\n".join([output.get("text", ""), page, data.get("text/plain", "")])
    total = re.search(r"of (\d+) exercises right", text)
    if total and int(total[1]) != len(EXERCISES):
        yield f"progress over {total[1]} exercises, but the course has {len(EXERCISES)}"
    local = _LOCAL_PATH.search(_BASE64.sub("", text))
    if local and not expects_error:
        yield f"an output contains a path of the machine it ran on: {local[0]}"


def _all_described(page: str) -> bool:
    return all(_ALT.search(tag) for tag in _HTML_PICTURE.findall(page))


def is_dead_link(target: str, folder: Path) -> bool:
    """Whether a link relative to ``folder`` leads to no file; web addresses are not checked."""
    if "://" in target or target.startswith(_ELSEWHERE):
        return False
    return not (folder / unquote(target.split("#")[0].split("?")[0])).exists()


def is_folded(cell: nbformat.NotebookNode) -> bool:
    """Whether JupyterLab shows only the first line of the cell's source."""
    return bool(cell.metadata.get("jupyter", {}).get("source_hidden"))


def count_words(path: Path) -> int:
    """The number of words in Markdown cells, without code, tables and sources."""
    cells = nbformat.read(path, as_version=4).cells
    words = "\n\n".join(_CODE.sub(" ", c.source) for c in cells if c.cell_type == "markdown")
    return len(_UNCOUNTED.sub(" ", words).split())


def count_open_lines(path: Path) -> int:
    """The number of visible lines of code: not folded, not empty."""
    cells = nbformat.read(path, as_version=4).cells
    shown = [c for c in cells if c.cell_type == "code" and not is_folded(c)]
    return sum(bool(line.strip()) for cell in shown for line in cell.source.splitlines())


def summary(path: Path) -> str:
    """Numbers for the author: '03_uct: 38 cells, 1432 words, 180 open lines of code, …'."""
    cells = nbformat.read(path, as_version=4).cells
    shown = [c for c in cells if c.cell_type == "code" and not is_folded(c)]
    longest = max((len(cell.source.splitlines()) for cell in shown), default=0)
    too_long = f" (more than {_LONGEST_CELL})" if longest > _LONGEST_CELL else ""
    return (
        f"{path.parent.name}/{path.stem}: {len(cells)} cells, {count_words(path)} words, "
        f"{count_open_lines(path)} open lines of code, "
        f"longest open cell {longest} lines{too_long}, {path.stat().st_size // 1000} kB"
    )


# --- the command -------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns 1 after a list of faults, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=tuple(_COMMANDS))
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args(arguments)
    missing = [path for path in options.files if not path.is_file()]
    if missing:
        print(f"There is no notebook {missing[0]}.", file=sys.stderr)
        return 1
    return _COMMANDS[options.command](options.files)


def _execute_all(paths: list[Path]) -> int:
    import tempfile

    from nbclient.exceptions import CellExecutionError

    from azlearn.course.progress_file import ENVIRONMENT_VARIABLE

    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ[ENVIRONMENT_VARIABLE] = str(Path(folder) / "progress.json")
        for path in paths:
            try:
                print(f"{execute(path):6.1f} s  {summary(path)}", flush=True)
            except CellExecutionError as error:
                failed += 1
                print(f"failed   {path}: not changed\n{error}", file=sys.stderr)
    return int(failed > 0)


def _clean_all(paths: list[Path]) -> int:
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        clean(notebook)
        write(notebook, path)
    return 0


def _check_all(paths: list[Path]) -> int:
    num_faults = 0
    for path in paths:
        print(summary(path))
        for fault in faults(path):
            num_faults += 1
            print(f"  {fault}")
    print(f"{len(paths)} notebooks, {num_faults} faults")
    return int(num_faults > 0)


def _write_pages(paths: list[Path]) -> int:
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(raw_template=_FOLDED_PAGE)
    for path in paths:
        page, (text, _) = path.with_suffix(".html"), exporter.from_filename(str(path))
        write_user_path(page, _TO_CHAPTER.sub(r"\1.html", text))
        print(page)
    return 0


_COMMANDS = {
    "execute": _execute_all,
    "clean": _clean_all,
    "check": _check_all,
    "html": _write_pages,
}

if __name__ == "__main__":
    sys.exit(main())
