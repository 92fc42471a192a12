"""An unfinished exercise notebook runs from top to bottom; a solved one is right everywhere."""

import re

import nbformat
import pytest
from nbclient import NotebookClient

from azlearn.course.exercises import CHAPTERS, EXERCISES
from tools.build_exercises import ROOT

VERDICT = re.compile(r"^. (\d+\.\d+) .*: (not attempted|error|wrong|right)\b", re.M)


def _verdicts(notebook):
    texts = [
        output.get("data", {}).get("text/plain", "")
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.source.startswith("check(")
        for output in cell.outputs
    ]
    return [match.groups() for text in texts if (match := VERDICT.search(text))]


def _ids(stem):
    return [e.id for e in EXERCISES.values() if CHAPTERS[e.chapter].startswith(stem[:2])]


@pytest.mark.parametrize("path", sorted((ROOT / "exercises").glob("*.ipynb")), ids=lambda p: p.stem)
def test_minutes_add_up_to_what_the_first_cell_says(path):
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    headings = re.findall(r"^## (\d+\.\d+) [^\n]+\n\n\*\*(\d+) minutes · ", text, re.M)
    assert headings == [(i, str(EXERCISES[i].minutes)) for i in _ids(path.stem)]
    (said,) = re.findall(r"About (\d+) minutes", " ".join(text.split()))
    assert abs(int(said) - sum(int(minutes) for _, minutes in headings)) < 5  # said in tens


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((ROOT / "exercises").glob("*.ipynb")), ids=lambda p: p.stem)
def test_unfinished_notebook_runs_and_nothing_is_attempted(path):
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(
        notebook, timeout=120, resources=resources, store_widget_state=False, allow_errors=True
    )
    client.execute()
    errors = [
        output.ename
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "error"
    ]
    assert errors == []
    assert _verdicts(notebook) == [
        (exercise_id, "not attempted") for exercise_id in _ids(path.stem)
    ]


def test_the_repairs_come_after_the_clinic_and_do_not_name_its_cases():
    """Whoever does 4.1 before the clinic reads past them."""
    cells = nbformat.read(ROOT / "exercises" / "04_exercises.ipynb", as_version=4).cells
    texts = [cell.source for cell in cells]
    texts += [hint for i in ("4.2", "4.3") for hint in EXERCISES[i].hints]
    assert not [text for text in texts if re.search(r"\b[Cc]ase [A-G]\b", text)]
    assert "after the bug clinic, section 9" in " ".join(texts[0].split())
    for title in ("## 4.2", "## 4.3"):
        (text,) = (text for text in texts if text.startswith(title))
        assert "after the bug clinic, section 9" in text


@pytest.mark.parametrize("path", sorted((ROOT / "solutions").glob("*.ipynb")), ids=lambda p: p.stem)
def test_stored_outputs_of_the_solutions_are_right(path):
    notebook = nbformat.read(path, as_version=4)
    assert "widgets" not in notebook.metadata
    assert _verdicts(notebook) == [(exercise_id, "right") for exercise_id in _ids(path.stem)]
