"""Chapter 00 as a reader meets it: opened in JupyterLab, run from top to bottom."""

import shutil
from pathlib import Path

from tests.browser import error_outputs

ROOT = Path(__file__).resolve().parents[2]


def test_the_welcome_notebook_runs_in_jupyterlab(lab_page, tmp_path):
    folder = lab_page.notebook_dir / "notebooks"
    shutil.copytree(ROOT / "notebooks", folder, dirs_exist_ok=True)
    lab_page.open("notebooks/00_welcome.ipynb")
    lab_page.run_all()
    page = lab_page.page
    assert error_outputs(page) == []
    widgets = page.locator("[data-ready]")
    widgets.nth(1).wait_for(timeout=30_000)  # the explorer and a play table
    assert page.get_by_text("Everything the course needs is here.").is_visible()
    assert page.get_by_text("Error displaying widget").count() == 0
    picture = tmp_path / "welcome.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size > 20_000
