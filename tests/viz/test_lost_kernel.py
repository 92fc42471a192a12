"""A kernel that has gone: every widget says so, and again where something is asked of it."""

import pytest
from playwright.sync_api import expect

CELLS = [
    "from azlearn.games import ConnectFour\n"
    "from azlearn.viz import compare, explore, play\n"
    "game = ConnectFour()\n"
    "explorer = explore(game, num_simulations=100)\n"
    "explorer",
    "play(game)",
    "compare(explore(game, num_simulations=40), explore(game, num_simulations=50))",
]
SESSION = "window.jupyterapp.shell.currentWidget.sessionContext"
ENDS = {
    "restarted": f"() => {{ {SESSION}.session.kernel.restart(); }}",
    "shut down": f"() => {{ {SESSION}.shutdown(); }}",
    "died": f"() => {{ {SESSION}.session.kernel.requestExecute("
    "{ code: 'import os; os._exit(1)' }); }",
}
GONE = "The kernel was restarted or has stopped: run this cell again."
SOON = 20_000  # ms on a busy machine; it takes a moment


def lose(tab, end):
    tab.write_notebook("lost.ipynb", CELLS)
    tab.open("lost.ipynb")
    tab.run_all()
    page = tab.page
    explorer = page.locator(".azl-x[data-ready]").first
    table, both = page.locator(".azl-play[data-ready]"), page.locator(".azl-c[data-ready]")
    for widget in (explorer, table, both):
        widget.wait_for()
    page.evaluate(ENDS[end])
    notice, said = explorer.locator('[data-part="notice"]'), table.locator('[data-part="say"]')
    for place in (notice, said, both.locator('[data-both="verdict"] b').first):
        expect(place).to_have_text(GONE, timeout=SOON)
    if page.locator(".jp-Dialog").count():  # JupyterLab's own word on a kernel that died
        page.keyboard.press("Enter")
    # A control says it beside itself, and goes back to what holds.
    explorer.locator('[data-pop="knobs"]').click()
    explorer.locator('[data-number="num_simulations"]').fill("500")
    page.keyboard.press("Enter")
    expect(explorer.locator('[data-part="silent"]')).to_have_text(GONE, timeout=SOON)
    expect(explorer.locator('[data-number="num_simulations"]')).to_have_value("100")
    table.locator('.azl-hit[data-action="3"]').click()
    expect(said).to_have_text(GONE)
    # What needs no Python goes on.
    explorer.locator('[data-part="tree"]').focus()
    page.keyboard.press("Home")
    expect(explorer).to_have_attribute("data-step", "0")
    expect(page.locator(".azl-error")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDS)
def test_a_lost_kernel_is_said(lab_page, end):
    lose(lab_page, end)


@pytest.mark.slow
def test_a_lost_kernel_is_said_in_notebook_7(notebook7_page):
    lose(notebook7_page, "restarted")
