"""Chapter 00 as a reader meets it: opened in JupyterLab, run from top to bottom."""

import shutil
from pathlib import Path

import nbformat

from tests.browser import error_outputs

ROOT = Path(__file__).resolve().parents[2]
WELCOME = nbformat.read(ROOT / "notebooks" / "00_welcome.ipynb", as_version=4)


def test_the_welcome_notebook_runs_in_jupyterlab(lab_page, tmp_path):
    folder = lab_page.notebook_dir / "notebooks"
    shutil.copytree(ROOT / "notebooks", folder, dirs_exist_ok=True)
    lab_page.open("notebooks/00_welcome.ipynb")
    lab_page.run_all()
    page = lab_page.page
    assert error_outputs(page) == []
    widgets = page.locator("[data-ready]")
    widgets.nth(3).wait_for()  # two explorers and two play tables
    assert page.get_by_text("Everything the course needs is here.").is_visible()
    assert page.get_by_text("Error displaying widget").count() == 0
    picture = tmp_path / "welcome.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size > 20_000


def test_it_opens_with_a_board_and_a_search_and_ends_with_the_doctor():
    codes = [cell.source for cell in WELCOME.cells if cell.cell_type == "code"]
    assert "show_board(" in codes[0]
    assert "explore(" in codes[1]
    assert "doctor()" in codes[-1]


def test_words_of_the_field_are_spelt_out_before_the_tables_use_them():
    text = " ".join(" ".join(cell.source for cell in WELCOME.cells).split())
    for word in ("leaf", "rollout", "W", "UCT", "Monte Carlo tree search"):
        assert text.index(f"**{word}**") < text.index("| chapter |"), word
