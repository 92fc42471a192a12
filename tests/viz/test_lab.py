"""The widgets in JupyterLab and Notebook 7: what is clicked arrives in Python, and the reverse.

A kernel hears Stop while it searches, keys pressed in a widget are not the notebook's, and every
widget says when its kernel has gone.
"""

import pytest
from playwright.sync_api import expect

from tests.axe import assert_accessible
from tests.viz.page import part
from tests.viz.test_layout import check_in_pane
from tests.viz.test_play_browser import at_turn, button, drop

IMPORTS = (
    "import time\n"
    "from azlearn.games import ConnectFour\n"
    "from azlearn.viz import compare, explore, play\n"
    "from tests.viz.stand_ins import SlowSearch\n"
    "game, pace = ConnectFour(), [0]\n"
    "def paced(game, state, rng):\n"
    "    time.sleep(pace[0])\n"
    "    return None, 0.1 * (len(game.legal_actions(state)) % 2)"
)
EXPLORER = (
    "explorer = explore(game, game.from_moves('44443'), evaluate=paced, num_simulations=150)\n"
    "explorer"
)
MOMENT = "print(explorer.record['rule']['c'], explorer.step, explorer.phase, explorer.selected)"
TABLE = "table = play(game, SlowSearch(game, 3000), moves='44')\ntable"
GAME = "print(table.moves_text, sum(table.line.last_report.visits), 'of', table.explorer.selected)"


def no_command(tab, *keys):
    """Keys that are commands of the notebook, pressed in the widget: nothing comes of them."""
    cells = tab.page.locator(".jp-Notebook .jp-Cell")
    before = cells.count()
    for key in keys:
        tab.page.keyboard.press(key)
    expect(cells).to_have_count(before)
    expect(tab.page.locator(".jp-MarkdownCell")).to_have_count(0)


SEARCHES = [
    IMPORTS,
    EXPLORER,
    MOMENT,
    "explorer.step, explorer.phase = 40, 'select'",
    "pace[0] = 0.01",
    "from azlearn.viz.record import remark\n"
    "print(remark(explorer.record), explorer.step == len(explorer.recording.rows))",
    "pace[0] = 0\nprint(explorer.rerun(c=3.0, num_simulations=90).step)",
    "time.sleep(2)",
    "both = compare(explorer, explore(game, game.from_moves('44443'), num_simulations=60))\nboth",
    "print(both.line)",
]


@pytest.mark.slow
def test_explorer_and_comparison_in_jupyterlab(lab_page):
    lab_page.write_notebook("searches.ipynb", SEARCHES)
    lab_page.open("searches.ipynb")
    page = lab_page.page
    for cell in (0, 1, 3):
        lab_page.run_cell(cell)
    widget = page.locator(".azl-x[data-ready]").first
    expect(widget).to_have_attribute("data-step", "40")  # Python has moved the viewer
    expect(widget).to_have_attribute("data-phase", "select")
    # A node is chosen, the slider turned by keys: Python has the new tree, and the same node.
    widget.locator('[data-part="tree"]').press("End")
    widget.locator('.azl-node[data-node="2"]').click()
    widget.locator('[data-pop="knobs"]').click()
    widget.locator('[data-slide="c"]').focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(widget.locator('[data-part="settings"]')).to_contain_text("c = 2")
    expect(widget).to_have_attribute("data-selected", "2")
    assert page.evaluate("document.activeElement.dataset.slide") == "c"
    no_command(lab_page, "x", "d", "d", "a")
    lab_page.run_cell_until(2, "2 150 backup 2")
    # A slow search shows its progress, and Stop ends it: the kernel hears while it searches.
    lab_page.run_cell(4)
    widget.locator('[data-pop="knobs"]').click()
    widget.locator('[data-number="num_simulations"]').fill("5000")
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
    lab_page.run_cell_until(5, f"stopped after {steps:,} of 5,000 simulations. True")
    # Python's own rerun, in a cell, moves the sliders.
    lab_page.run_cell(6)
    expect(widget).to_have_attribute("data-step", "90")
    expect(widget.locator('[data-number="c"]')).to_have_value("3")
    expect(widget.locator('[data-part="notice"]')).to_be_empty()
    # While a cell runs the kernel may answer late, but it does.
    page.locator(".jp-Notebook .jp-Cell").nth(7).locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    widget.locator('[data-pop="knobs"]').click()
    widget.locator('[data-slide="num_simulations"]').focus()
    page.keyboard.press("ArrowRight")
    expect(widget).to_have_attribute("data-step", "100")
    # Two searches beside each other: what is chosen there is known in Python.
    lab_page.run_cell(8)
    two = page.locator(".azl-c[data-ready]")
    two.locator('[data-into="3"]').click()
    no_command(lab_page, "x")
    lab_page.run_cell_until(9, "[3]")


@pytest.mark.slow
def test_explorer_and_play_table_in_notebook_7(notebook7_page):
    tab, page, keys = notebook7_page, notebook7_page.page, notebook7_page.page.keyboard
    page.set_viewport_size({"width": 1280, "height": 720})
    tab.write_notebook("widgets.ipynb", [IMPORTS, EXPLORER, MOMENT, TABLE, GAME])
    tab.open("widgets.ipynb")
    for cell in range(2):
        tab.run_cell(cell)
    widget = page.locator(".azl-x[data-ready]")
    widget.wait_for()
    check_in_pane(page, ".azl-x")
    widget.locator('[data-part="tree"]').focus()
    for key, step in (("Home", "0"), ("Shift+ArrowRight", "1"), ("End", "150")):
        keys.press(key)
        expect(widget).to_have_attribute("data-step", step)
    widget.locator('[data-pop="knobs"]').click()
    widget.locator('[data-slide="c"]').press("ArrowRight")  # the kernel searches again
    expect(widget.locator('[data-part="settings"]')).not_to_contain_text("c = 1 ·")
    node = widget.locator(".azl-node").nth(1)
    index = node.get_attribute("data-node")
    node.click()
    # Each of these is a command of the notebook: cut, delete, new cells, to text, run, merge.
    no_command(tab, "x", "d", "d", "a", "b", "m", "Shift+Enter", "Shift+m")
    tab.run_cell_until(2, f"150 backup {index}")
    assert_accessible(page, "the explorer in Notebook 7", ".azl-x")
    # An opponent is stopped while it thinks, and a node of its search selected.
    tab.run_cell(3)
    table = page.locator(".azl-play[data-ready]")
    drop(table, 2)
    expect(part(table, "say")).to_have_text("slow UCT (■) is thinking …")
    no_command(tab, "x", "d", "d", "a", "b", "m")
    button(table, "Stop").click()
    at_turn(table, 4)
    button(table, "What were you thinking?").click()
    explorer = table.locator(".azl-x[data-ready]")
    node = explorer.locator(".azl-node").nth(2)
    index = node.get_attribute("data-node")
    node.click()
    expect(explorer).to_have_attribute("data-selected", index)
    tab.run_cell_until(4, f"of {index}")
    moves, simulations, *_ = tab.output(4).inner_text().split()
    assert moves == part(table, "moves").first.input_value()
    assert 0 < int(simulations) < 3000
    assert_accessible(page, "the play table in Notebook 7", ".azl-play")


PRINTS = [
    "import sys\n"
    "from azlearn.games import TicTacToe\n"
    "from azlearn.viz import explore, play\n"
    "class Talker:\n"
    "    name = 'talker'\n"
    "    def choose(self, state, rng):\n"
    "        print(f'looked at {len(TicTacToe().legal_actions(state))} moves')\n"
    "        print('and doubts it', file=sys.stderr)\n"
    "        return TicTacToe().legal_actions(state)[0]\n"
    "def told(game, state, rng):\n"
    "    if silent:\n"
    "        return None, 0.0\n"
    "    print('evaluates', end=' ')\n"
    "    return None, 0.0\n"
    "silent = True",
    "play(TicTacToe(), Talker())",
    "explore(TicTacToe(), evaluate=told, num_simulations=3)",
    "silent = False\nprint('another cell')\nplay(TicTacToe(), Talker()).play(0)",
]


@pytest.mark.slow
def test_what_a_readers_code_prints_stands_in_the_cell_of_its_widget(lab_page):
    lab_page.write_notebook("prints.ipynb", PRINTS)
    lab_page.open("prints.ipynb")
    lab_page.run_all()
    page = lab_page.page
    drop(page, 4)
    at_turn(page.locator(".azl-play[data-ready]"), 2)
    cells = page.locator(".jp-Notebook .jp-Cell")
    expect(cells.nth(1)).to_contain_text("looked at 8 moves")
    expect(cells.nth(1)).to_contain_text("and doubts it")
    # The search that a slider starts runs in another thread, and belongs to the explorer's cell.
    explorer = page.locator(".azl-x[data-ready]")
    explorer.locator('[data-pop="knobs"]').click()
    explorer.locator('[data-number="num_simulations"]').fill("5")
    page.keyboard.press("Enter")
    expect(cells.nth(2)).to_contain_text("evaluates evaluates evaluates")
    said = "".join(lab_page.output(3).all_inner_texts())
    assert said == "another cell\nlooked at 8 moves\nand doubts it\n"


SESSION = "window.jupyterapp.shell.currentWidget.sessionContext"
ENDS = {
    "restarted": f"() => {{ {SESSION}.session.kernel.restart(); }}",
    "shut down": f"() => {{ {SESSION}.shutdown(); }}",
    "died": f"() => {{ {SESSION}.session.kernel.requestExecute("
    "{ code: 'import os; os._exit(1)' }); }",
}
GONE = "The kernel was restarted or has stopped: run this cell again."


def lose(tab, end):
    """Every widget says so, and again where something is asked of it."""
    both = "compare(explorer, explore(game, num_simulations=50))"
    explorer = "explorer = explore(game, num_simulations=100)\nexplorer"
    tab.write_notebook("lost.ipynb", [IMPORTS, explorer, "play(game)", both])
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
        expect(place).to_have_text(GONE)
    if page.locator(".jp-Dialog").count():  # JupyterLab's own word on a kernel that died
        page.keyboard.press("Enter")
    # A control says it beside itself, and goes back to what holds.
    explorer.locator('[data-pop="knobs"]').click()
    explorer.locator('[data-number="num_simulations"]').fill("500")
    page.keyboard.press("Enter")
    expect(explorer.locator('[data-part="silent"]')).to_have_text(GONE)
    expect(explorer.locator('[data-number="num_simulations"]')).to_have_value("100")
    table.locator('.azl-hit[data-action="3"]').click()
    expect(said).to_have_text(GONE)
    # What needs no Python goes on.
    explorer.locator('[data-part="tree"]').press("Home")
    expect(explorer).to_have_attribute("data-step", "0")
    expect(page.locator(".azl-error")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("end", ["shut down", "died"])
def test_a_lost_kernel_is_said(lab_page, end):
    lose(lab_page, end)


@pytest.mark.slow
def test_a_lost_kernel_is_said_in_notebook_7(notebook7_page):
    lose(notebook7_page, "restarted")
