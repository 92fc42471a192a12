"""The explorer in Jupyter Notebook 7: keys, clicks, and the way to Python and back."""

import pytest
from playwright.sync_api import expect

from tests.axe import assert_accessible
from tests.viz.test_lab import EXPLORE


@pytest.mark.slow
def test_explorer_in_notebook_7(notebook7_page, tmp_path):
    notebook7_page.write_notebook("explorer.ipynb", EXPLORE)
    notebook7_page.open("explorer.ipynb")
    notebook7_page.run_all()
    page = notebook7_page.page
    widget = page.locator(".azl-x[data-ready]")
    widget.wait_for()
    expect(widget).to_have_attribute("data-step", "40")  # the last cell has moved the viewer
    expect(widget).to_have_attribute("data-phase", "select")
    widget.locator('[data-part="tree"]').focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(widget).to_have_attribute("data-step", "41")
    page.keyboard.press("Home")
    expect(widget).to_have_attribute("data-step", "0")
    page.keyboard.press("End")
    expect(widget).to_have_attribute("data-step", "150")
    widget.locator('[data-pop="knobs"]').click()
    slider = widget.locator('[data-slide="c"]')
    slider.focus()
    page.keyboard.press("ArrowRight")  # the kernel searches again
    expect(widget.locator('[data-part="settings"]')).not_to_contain_text("c = 1 ·")
    expect(widget).to_have_attribute("data-step", "150")
    node = widget.locator(".azl-node").nth(1)
    index = node.get_attribute("data-node")
    node.click()
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    # Each of these is a command of the notebook: cut, delete, new cells, to text, run, merge.
    for key in ("x", "d", "d", "a", "b", "m", "Shift+Enter", "Shift+m"):
        page.keyboard.press(key)
    expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(cells)
    expect(page.locator(".jp-MarkdownCell")).to_have_count(0)
    notebook7_page.run_cell_until(2, f"150 backup {index} ")
    assert_accessible(page, "the explorer in Notebook 7", ".azl-x")
    picture = tmp_path / "explorer.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size > 20_000
