"""The play table in JupyterLab and Notebook 7: a kernel hears Stop while the opponent thinks."""

import pytest
from playwright.sync_api import expect

from tests.axe import assert_accessible
from tests.viz.page import part
from tests.viz.test_play_browser import at_turn, button, drop

SLOW = [
    "from azlearn.games import ConnectFour\n"
    "from azlearn.viz import play\n"
    "from tests.viz.slow import SlowSearch\n"
    "table = play(ConnectFour(), SlowSearch(ConnectFour(), 3000), moves='44')\n"
    "table",
    "print(table.moves_text, sum(table.line.last_report.visits), 'of', table.explorer.selected)",
]


def stopped_and_opened(tab):
    """A table whose opponent was stopped while it thought, and its search with a node selected."""
    tab.write_notebook("slow.ipynb", SLOW)
    tab.open("slow.ipynb")
    tab.run_cell(0)
    table = tab.page.locator(".azl-play[data-ready]")
    drop(table, 2)
    expect(part(table, "say")).to_have_text("slow UCT (■) is thinking …")
    tab.page.wait_for_function(
        "() => Number(document.querySelector('[data-part=\"wait\"]').ariaValueNow) >= 2"
    )
    button(table, "Stop").click()
    at_turn(table, 4)
    expect(part(table, "wait")).to_have_attribute("aria-hidden", "true")
    button(table, "What were you thinking?").click()
    explorer = table.locator(".azl-x[data-ready]")
    node = explorer.locator(".azl-node").nth(2)
    index = node.get_attribute("data-node")
    node.click()
    expect(explorer).to_have_attribute("data-selected", index)
    no_command(tab, "x")  # would cut the cell
    tab.run_cell_until(1, f"of {index}")
    moves, simulations, *_ = tab.output(1).inner_text().split()
    assert moves == part(table, "moves").first.input_value()
    assert moves.startswith("443")
    assert 0 < int(simulations) < 3000
    return table


def no_command(tab, *keys):
    """Keys that are commands of the notebook, pressed in the widget: nothing comes of them."""
    for key in keys:
        tab.page.keyboard.press(key)
    expect(tab.page.locator(".jp-Notebook .jp-Cell")).to_have_count(len(SLOW))
    expect(tab.page.locator(".jp-MarkdownCell")).to_have_count(0)


@pytest.mark.slow
def test_play_table_in_jupyterlab(lab_page):
    table, keys = stopped_and_opened(lab_page), lab_page.page.keyboard
    button(table, "Take back").click()
    at_turn(table, 2)
    part(table, "table").focus()
    keys.press("6")
    expect(table).to_have_attribute("data-thinking", "true")
    button(table, "Take back").click()  # is heard while it thinks again
    expect(table).to_have_attribute("data-thinking", "false")
    at_turn(table, 2)
    table.get_by_role("textbox", name="moves").click()
    keys.type("dd")  # are not JupyterLab's either
    keys.press("Enter")
    expect(part(table, "error")).to_have_text("Move 3 is 'd'; moves are written 1 to 7.")
    no_command(lab_page)


@pytest.mark.slow
def test_play_table_in_notebook_7(notebook7_page):
    table = stopped_and_opened(notebook7_page)
    part(table, "table").focus()
    notebook7_page.page.keyboard.press("Enter")  # the cursor starts in the middle, on column 4
    expect(table).to_have_attribute("data-thinking", "true")
    no_command(notebook7_page, "x", "d", "d", "a", "b", "m")
    button(table, "Stop").click()
    at_turn(table, 6)
    assert_accessible(notebook7_page.page, "the play table in Notebook 7", ".azl-play")


PRINTS = [
    "import sys\n"
    "from azlearn.games import TicTacToe\n"
    "from azlearn.viz import explore, play\n"
    "class Talker:\n"
    "    name = 'talker'\n"
    "    def choose(self, state, rng):\n"
    "        print('looked at', len(TicTacToe().legal_actions(state)), 'moves')\n"
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
