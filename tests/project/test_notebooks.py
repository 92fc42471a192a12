"""The committed notebooks: no dead link, no picture without words, no output of older code."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest

from tools.notebooks import count_open_lines, count_words, faults, summary

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted(ROOT.glob("notebooks/*.ipynb"))
MOST_WORDS, MOST_OPEN_LINES = 2400, 200
KEPT = [*CHAPTERS, *sorted(ROOT.glob("solutions/*.ipynb"))]


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_notebook_has_no_faults(path):
    print(summary(path))
    assert faults(path) == []


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_is_short_and_its_code_is_what_a_reader_should_read(path):
    assert "more than" not in summary(path)  # lines in a cell
    words, lines = count_words(path), count_open_lines(path)
    assert words < MOST_WORDS, f"{path.stem} has {words} words: cut some"
    assert lines < MOST_OPEN_LINES, f"{path.stem} shows {lines} lines of code: fold what draws"


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_it_imports_todays_names(path):
    """An old name still works, and shows the reader a DeprecationWarning."""
    cells = nbformat.read(path, as_version=4).cells
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    old = [
        f"{node.module}.{name.name}"
        for source in sources
        if "from azlearn" in source and not source.lstrip().startswith(("%", "!"))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("azlearn")
        for name in node.names
        if name.name not in vars(import_module(node.module))
        and not find_spec(f"{node.module}.{name.name}")
    ]
    assert not old


def test_no_two_notebooks_have_the_same_name():
    """A tab of JupyterLab shows a file's name alone, without its folder."""
    folders = ("notebooks", "exercises", "solutions")
    names = [path.name for folder in folders for path in (ROOT / folder).glob("*.ipynb")]
    assert len(set(names)) == len(names)


def test_each_chapter_with_a_solution_notebook_has_its_exercise_notebook():
    # A folder there holds runs of a reader.
    files = [path for path in (ROOT / "solutions").iterdir() if path.is_file()]
    solutions = {path.stem[:2] for path in files if path.suffix != ".md"}
    exercises = {path.stem[:2] for path in (ROOT / "exercises").glob("*.ipynb")}
    assert solutions == exercises
