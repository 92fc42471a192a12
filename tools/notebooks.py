"""Run the notebooks and keep their outputs; check what is committed.

``python tools/notebooks.py execute FILES…`` runs each from top to bottom and writes it
back with its outputs, without what changes from run to run. ``… check FILES…`` finds faults that a
reader would meet: pictures without words, dead links, outputs of another version of a cell.
``… html FILES…`` writes each as a page beside it, for who hands out pages: what is folded in the
notebook is folded there.

A saved notebook has no kernel, and a widget's own state carries all of its code. So of an explorer
or a comparison only what ``to_html`` puts into a file is kept, packed into a cell's output; a
notebook's program passes over that kind of output, and the site draws it again.
"""

import argparse
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

from azlearn.atomic_io import write_user_path
from azlearn.course.exercises import EXERCISES
from azlearn.viz import Bandit, Comparison, Explorer

KIND = "application/vnd.azlearn.widget+json"  # of output: what a widget showed

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
_LONGEST_FOLDED_LINE = 100
# JupyterLab shows the first line of folded code; nbconvert's pages know nothing of folding.
_FOLDED_PAGE = """{% extends "lab/index.html.j2" %}
{% block input %}{% if cell.metadata.get("jupyter", {}).get("source_hidden") %}
<details><summary>{{ cell.source.splitlines()[0].lstrip("# ") | e }}</summary>
{{ super() }}</details>
{% else %}{{ super() }}{% endif %}{% endblock %}"""

_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)
_FENCED = re.compile(r"```.*?```", re.S)
# What begins with one of these tags stays as it is written, up to the next empty line.
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
    """Run the notebook at ``path`` and write it back with its outputs; returns the seconds it took.

    Progress of exercises is kept out of your own file. The file is left alone if a cell fails.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell fails which has no tag ``raises-exception``.
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
    """Pack into the outputs, in place, what the notebook's widgets showed in the end."""
    states = notebook.metadata.get("widgets", {}).get(_STATES, {}).get("state", {})
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    for data in (output["data"] for output in outputs if "data" in output):
        state = states.get(data.get(_WIDGET, {}).get("model_id"), {}).get("state", {})
        for kind, names in _KEPT.items():
            if set(names) <= set(state):
                data[KIND] = {"kind": kind, "state": _packed({name: state[name] for name in names})}


def kept_state(data: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """(kind of widget, what ``to_html`` would show) of an output's bundle, or None."""
    if KIND not in data:
        return None
    text = zlib.decompress(base64.b64decode(data[KIND]["state"]))
    return data[KIND]["kind"], json.loads(text)


def _packed(state: dict[str, Any]) -> str:
    """The same state, the same text."""
    text = json.dumps(state, separators=(",", ":"), sort_keys=True)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def clean(notebook: nbformat.NotebookNode) -> None:
    """Remove in place what changes from run to run: widget state, timestamps, versions.

    Of a cell's metadata its tags stay, and that its source is folded (``jupyter.source_hidden``).
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
    """Join what was printed in pieces; a widget that has a picture leaves only the picture.

    A bar of progress leaves nothing.
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
    """Write the notebook with one space of indentation and a newline at the end."""
    nbformat.validate(notebook)
    write_user_path(path, nbformat.writes(notebook, indent=1).rstrip("\n") + "\n")


def source_hash(source: str) -> str:
    """Short fingerprint of a cell's source, kept beside its output to see when it is stale."""
    return hashlib.sha256(source.strip().encode()).hexdigest()[:_HASH_LENGTH]


# --- check -------------------------------------------------------------------------------------


def faults(path: Path) -> list[str]:
    """One sentence per fault of the notebook at ``path``, each with the cell's number (from 0)."""
    notebook = nbformat.read(path, as_version=4)
    found = []
    if "widgets" in notebook.metadata:
        found.append("holds widget state: run `make notebooks`")
    if path.stat().st_size > _LARGEST_FILE:
        found.append(f"is {path.stat().st_size / 1e6:.1f} MB: outputs should stay small")
    ids = [cell.get("id") for cell in notebook.cells]
    if None in ids or len(set(ids)) < len(ids):
        found.append("has cells without an id of their own")
    for number, cell in enumerate(notebook.cells):
        inspect = _markdown_faults if cell.cell_type == "markdown" else _code_faults
        found += [f"cell {number}: {fault}" for fault in inspect(cell, path.parent)]
    return found


def _markdown_faults(cell: nbformat.NotebookNode, folder: Path) -> Iterator[str]:
    text = _CODE.sub("", cell.source)
    pictures = _PICTURE.findall(text)
    if any(not alt.strip() for alt, _ in pictures) or not _all_described(text):
        yield "a picture without alt text"
    for block in _HTML_BLOCK.findall(_FENCED.sub("", cell.source)):
        if raw := _MARKDOWN.search(block):
            line = block[raw.start() :].splitlines()[0]
            yield f"Markdown is shown raw, inside HTML that no empty line has ended: {line}"
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
        yield f"folded, and its first line, all that is seen of it, is no comment: {first}"
    elif is_folded(cell) and len(first) > _LONGEST_FOLDED_LINE:
        yield f"folded, and its first line is too long to be seen: {first}"
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
        yield f"progress over {total[1]} exercises, where the course has {len(EXERCISES)}"
    local = _LOCAL_PATH.search(_BASE64.sub("", text))
    if local and not expects_error:
        yield f"an output names a path of the machine it ran on: {local[0]}"


def _all_described(page: str) -> bool:
    return all(_ALT.search(tag) for tag in _HTML_PICTURE.findall(page))


def is_dead_link(target: str, folder: Path) -> bool:
    """Whether a link relative to ``folder`` leads to no file; addresses on the net are left."""
    if "://" in target or target.startswith(_ELSEWHERE):
        return False
    return not (folder / unquote(target.split("#")[0].split("?")[0])).exists()


def is_folded(cell: nbformat.NotebookNode) -> bool:
    """Whether JupyterLab shows only the first line of the cell's source."""
    return bool(cell.metadata.get("jupyter", {}).get("source_hidden"))


def count_words(path: Path) -> int:
    """Words of the Markdown cells, without code."""
    cells = nbformat.read(path, as_version=4).cells
    return sum(len(_CODE.sub(" ", c.source).split()) for c in cells if c.cell_type == "markdown")


def count_open_lines(path: Path) -> int:
    """Lines of code that a reader sees at once: not folded, not empty."""
    cells = nbformat.read(path, as_version=4).cells
    shown = [c for c in cells if c.cell_type == "code" and not is_folded(c)]
    return sum(bool(line.strip()) for cell in shown for line in cell.source.splitlines())


def summary(path: Path) -> str:
    """Numbers an author looks at: '03_uct: 38 cells, 1432 words, 180 open lines of code, …'."""
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
    """Exit code 0, or 1 after a list of what is wrong."""
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
                print(f"failed   {path}: left as it was\n{error}", file=sys.stderr)
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
