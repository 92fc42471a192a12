"""Sliders in JupyterLab: a turned one reruns the search in the kernel, and Stop gets through."""

import pytest
from playwright.sync_api import expect

CELLS = [
    "import time\n"
    "from azlearn.games import ConnectFour\n"
    "from azlearn.viz import compare, explore\n"
    "game, pace = ConnectFour(), [0]\n"
    "def paced(game, state, rng):\n"
    "    time.sleep(pace[0])\n"
    "    return None, 0.1 * (len(game.legal_actions(state)) % 2)",
    "explorer = explore(game, game.from_moves('44443'), evaluate=paced, num_simulations=150)\n"
    "explorer",
    "print(explorer.record['rule']['c'], explorer.step, explorer.selected, explorer.running)",
    "pace[0] = 0.01",
    "from azlearn.viz.record import remark\n"
    "print(remark(explorer.record), explorer.step == len(explorer.recording.rows))",
    "pace[0] = 0\nprint(explorer.rerun(c=3.0, num_simulations=90).step)",
    "time.sleep(2)",
    "both = compare(explorer, explore(game, game.from_moves('44443'), num_simulations=60))\nboth",
    "print(both.simulation, both.phase, both.line)",
]


@pytest.mark.slow
def test_sliders_in_jupyterlab(lab_page):
    lab_page.write_notebook("knobs.ipynb", CELLS)
    lab_page.open("knobs.ipynb")
    page = lab_page.page
    for cell in range(2):
        lab_page.run_cell(cell)
    widget = page.locator(".azl-x[data-ready]").first
    widget.wait_for()
    # A node is chosen, the slider turned by keys: Python has the new tree, and the same node.
    widget.locator('.azl-node[data-node="2"]').click()
    widget.locator('[data-pop="knobs"]').click()
    slider = widget.locator('[data-slide="c"]')
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(widget.locator('[data-part="settings"]')).to_contain_text("c = 2")
    expect(widget).to_have_attribute("data-selected", "2")
    assert page.evaluate("document.activeElement.dataset.slide") == "c"
    # Letters and digits of a focused slider or number do not reach the notebook.
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    for key in ("x", "d", "d", "a"):
        page.keyboard.press(key)
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells
    lab_page.run_cell_until(2, "2 150 2 False")
    # A slow search shows its progress, and Stop ends it: the kernel hears while it searches.
    lab_page.run_cell(3)
    widget.locator('[data-pop="knobs"]').click()
    number = widget.locator('[data-number="num_simulations"]')
    number.fill("5000")
    page.keyboard.press("Enter")
    stop, bar = widget.get_by_role("button", name="Stop"), widget.locator('[data-part="progress"]')
    expect(stop).to_be_visible()
    expect(bar).not_to_have_attribute("aria-valuenow", "0")
    expect(widget).to_have_attribute("data-step", "150")
    stop.click()
    expect(widget.locator('[data-part="notice"]')).to_contain_text("of 5,000 simulations.")
    expect(stop).to_be_hidden()
    steps = int(widget.get_attribute("data-step"))
    assert 1 <= steps < 5000
    lab_page.run_cell_until(4, f"stopped after {steps:,} of 5,000 simulations. True")
    # Python's own rerun, in a cell, moves the sliders.
    lab_page.run_cell(5)
    expect(lab_page.output(5)).to_contain_text("90")
    expect(widget).to_have_attribute("data-step", "90")
    expect(widget.locator('[data-number="c"]')).to_have_value("3")
    expect(widget.locator('[data-part="notice"]')).to_be_empty()

    # While a cell runs the kernel may answer late, but it does.
    page.locator(".jp-Notebook .jp-Cell").nth(6).locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    widget.locator('[data-pop="knobs"]').click()
    widget.locator('[data-slide="num_simulations"]').focus()
    page.keyboard.press("ArrowRight")
    expect(widget).to_have_attribute("data-step", "100")
    # Two searches beside each other: keys in the one widget, numbers in Python, a rerun in both.
    lab_page.run_cell(7)
    two = page.locator(".azl-c[data-ready]")
    two.wait_for()
    two.locator('[data-both="table"]').focus()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(two).to_have_attribute("data-phase", "select")
    two.locator('[data-into="3"]').click()
    page.keyboard.press("x")
    expect(two).to_have_attribute("data-line", "4")
    lab_page.run_cell_until(8, "2 select [3]")
    lab_page.run_cell(5)
    expect(two.locator('[data-both="left"] .azl-x')).to_have_attribute("data-step", "2")
    expect(two.locator('[data-both="left"] [data-part="when"]')).to_have_text("simulation 2 of 90")
