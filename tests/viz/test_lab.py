"""The explorer in JupyterLab: what is clicked arrives in Python, and the reverse."""

import pytest
from playwright.sync_api import expect

EXPLORE = [
    "from azlearn.games import ConnectFour\nfrom azlearn.viz import explore\ngame = ConnectFour()",
    "explorer = explore(game, game.from_moves('44443'), num_simulations=150)\nexplorer",
    "print(explorer.step, explorer.phase, explorer.selected, explorer.selected_node.num_visits)",
    "explorer.step, explorer.phase, explorer.selected = 40, 'select', 3",
]


def change_theme(page, name):
    theme = f"JupyterLab {name}"
    page.evaluate(
        "theme => { window.jupyterapp.commands.execute('apputils:change-theme', { theme }); }",
        theme,
    )
    page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=theme)
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    page.wait_for_timeout(500)  # two changes at once make JupyterLab stumble


@pytest.mark.slow
def test_explorer_in_jupyterlab(lab_page, tmp_path):
    lab_page.write_notebook("explorer.ipynb", EXPLORE)
    lab_page.open("explorer.ipynb")
    lab_page.run_all()
    page = lab_page.page
    widget = page.locator(".azl-x[data-ready]")
    widget.wait_for()
    # Python's last cell has moved the viewer.
    expect(widget).to_have_attribute("data-step", "40")
    expect(widget).to_have_attribute("data-phase", "select")
    expect(widget).to_have_attribute("data-selected", "3")
    # A click and two phases change Python's state.
    node = widget.locator(".azl-node").nth(1)
    index = node.get_attribute("data-node")
    node.click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(widget).to_have_attribute("data-phase", "evaluate")
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    page.keyboard.press("x")  # would cut the cell if it leaked into JupyterLab
    page.keyboard.press("d")
    page.keyboard.press("d")
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells
    lab_page.run_cell_until(2, f"40 evaluate {index} ")
    visits = int(lab_page.output(2).inner_text().split()[-1])
    assert visits > 0
    # The theme follows JupyterLab, whichever an earlier test left behind.
    fill = "getComputedStyle(document.querySelector('.azl-x')).backgroundColor"
    change_theme(page, "Light")
    light = page.evaluate(fill)
    change_theme(page, "Dark")
    page.wait_for_function(f"() => {fill} !== {light!r}")
    page.screenshot(path=tmp_path / "explorer.png")
    sheet, root = (widget.locator(x).bounding_box() for x in (".azl-tree", '[data-node="0"]'))
    middle = root["x"] + root["width"] / 2 - sheet["x"]
    assert 0.1 * sheet["width"] < middle < 0.9 * sheet["width"]  # the tree survived the change
    assert (tmp_path / "explorer.png").stat().st_size > 20_000
    change_theme(page, "Light")
