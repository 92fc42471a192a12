"""The play table in JupyterLab: a real kernel hears Stop while the opponent thinks."""

import pytest
from playwright.sync_api import expect

from tests.viz.page import part

SLOW = [
    "from azlearn.games import ConnectFour\n"
    "from azlearn.viz import play\n"
    "from tests.viz.slow import SlowSearch\n"
    "table = play(ConnectFour(), SlowSearch(ConnectFour(), 3000), moves='44')\n"
    "table",
    "print(table.moves_text, sum(table.line.last_thought.visits))\n"
    "print('selected:', table.explorer.selected)",
]

TRUTH = [
    "from azlearn.arena import MinimaxPlayer\n"
    "from azlearn.games import ConnectFour, TicTacToe\n"
    "from azlearn.viz import play\n"
    "play(TicTacToe(), MinimaxPlayer(TicTacToe()), moves='1425')",
    "play(ConnectFour(), moves='414141')",
]


def button(widget, name):
    return widget.locator(".azl-desk").get_by_role("button", name=name)


@pytest.mark.slow
def test_progress_stop_and_the_search_behind_the_move(lab_page, tmp_path):
    lab_page.write_notebook("slow.ipynb", SLOW)
    lab_page.open("slow.ipynb")
    lab_page.run_cell(0)
    page = lab_page.page
    table = page.locator(".azl-play[data-ready]")
    table.locator('.azl-hit[data-action="2"]').click()
    bar = part(table, "wait")
    expect(part(table, "say")).to_have_text("slow UCT (■) is thinking …")
    page.wait_for_function(
        "() => Number(document.querySelector('[data-part=\"wait\"]').ariaValueNow) >= 2"
    )
    page.screenshot(path=tmp_path / "thinking.png")
    button(table, "Stop").click()
    expect(table).to_have_attribute("data-turn", "4")
    expect(bar).to_have_attribute("aria-hidden", "true")
    # The move's search opens below the board, and what is selected there arrives in Python.
    button(table, "What were you thinking?").click()
    explorer = table.locator(".azl-x[data-ready]")
    expect(explorer).to_be_visible()
    node = explorer.locator(".azl-node").nth(2)
    index = node.get_attribute("data-node")
    node.click()
    expect(explorer).to_have_attribute("data-selected", index)
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    page.keyboard.press("x")  # would cut the cell if it leaked into JupyterLab
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells
    page.screenshot(path=tmp_path / "search.png")
    lab_page.run_cell_until(1, f"selected: {index}")
    moves, simulations, *_ = lab_page.output(1).inner_text().split()
    assert moves == part(table, "moves").first.input_value()
    assert moves.startswith("443")
    assert 0 < int(simulations) < 3000
    # Take back is heard while it thinks again.
    button(table, "Take back").click()
    expect(table).to_have_attribute("data-turn", "2")
    table.locator('.azl-hit[data-action="5"]').click()
    expect(table).to_have_attribute("data-thinking", "true")
    button(table, "Take back").click()
    expect(table).to_have_attribute("data-thinking", "false")
    expect(table).to_have_attribute("data-turn", "2")
    # Letters typed into the text field are not JupyterLab's.
    field = table.get_by_role("textbox", name="moves")
    field.click()
    page.keyboard.type("dd")
    expect(field).to_have_value("44dd")
    page.keyboard.press("Enter")
    expect(part(table, "error")).to_have_text("Move 3 is 'd'; moves are written 1 to 7.")
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells


@pytest.mark.slow
def test_the_search_behind_the_move_in_notebook7(notebook7_page):
    notebook7_page.write_notebook("search.ipynb", SLOW[:1])
    notebook7_page.open("search.ipynb")
    notebook7_page.run_all()
    table = notebook7_page.page.locator(".azl-play[data-ready]")
    table.locator('.azl-hit[data-action="2"]').click()
    expect(table).to_have_attribute("data-thinking", "true")
    button(table, "Stop").click()
    expect(table).to_have_attribute("data-turn", "4")
    button(table, "What were you thinking?").click()
    expect(table.locator(".azl-x[data-ready]")).to_be_visible()


@pytest.mark.slow
def test_best_moves(lab_page, tmp_path):
    pytest.importorskip("bitbully")
    lab_page.write_notebook("truth.ipynb", TRUTH)
    lab_page.open("truth.ipynb")
    lab_page.run_all()
    tables = lab_page.page.locator(".azl-play[data-ready]")
    expect(tables).to_have_count(2)
    for k, sentence in enumerate(("Best: 3 (wins at once).", "Best: 4 (wins at once).")):
        table = tables.nth(k)
        button(table, "Best move").click()
        expect(part(table, "told")).to_contain_text(sentence)
        expect(table.locator(".azl-best-ring")).to_have_count(1)
    lab_page.page.screenshot(path=tmp_path / "best.png")


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
    "silent = False\nprint('another cell')",
]


@pytest.mark.slow
def test_what_a_readers_code_prints_stands_in_the_cell_of_its_widget(lab_page):
    lab_page.write_notebook("prints.ipynb", PRINTS)
    lab_page.open("prints.ipynb")
    lab_page.run_all()
    page = lab_page.page
    page.locator('.azl-play[data-ready] .azl-hit[data-action="4"]').click()
    expect(page.locator(".azl-play[data-ready]")).to_have_attribute("data-turn", "2")
    cells = page.locator(".jp-Notebook .jp-Cell")
    expect(cells.nth(1)).to_contain_text("looked at 8 moves")
    expect(cells.nth(1)).to_contain_text("and doubts it")
    # The search that a slider starts runs in another thread, and belongs to the explorer's cell.
    explorer = page.locator(".azl-x[data-ready]")
    explorer.locator('[data-pop="knobs"]').click()
    explorer.locator('[data-number="num_simulations"]').fill("5")
    page.keyboard.press("Enter")
    expect(cells.nth(2)).to_contain_text("evaluates evaluates evaluates")
    assert lab_page.output(3).all_inner_texts() == ["another cell\n"]
