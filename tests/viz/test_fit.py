"""The explorer on the screen: all of it at once, whatever the window, the moment and the host."""

import pathlib

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, Hex
from azlearn.search import puct, uct
from azlearn.viz import Explorer, compare, explore
from azlearn.viz.replaying import path_to
from tests.viz.netlike import netlike
from tests.viz.page import until

GAME = ConnectFour()
SIZES = [(1280, 720), (1400, 900), (1920, 1080)]
LAB = [
    "from azlearn.games import ConnectFour\nfrom azlearn.viz import explore\ngame = ConnectFour()",
    "explorer = explore(game, game.from_moves('44443'), num_simulations=400)\nexplorer",
    "compare(explorer, explore(game, game.from_moves('44443'), num_simulations=60))",
]
LAB[0] += "\nfrom azlearn.viz import compare"

LOOK = (pathlib.Path(__file__).parent / "fit.js").read_text(encoding="utf-8")


def faults(page, selector=".azl-x"):
    page.evaluate(LOOK)
    return page.evaluate("selector => window.overflow(selector)", selector)


def check_in_pane(page, selector):
    """All parts of a widget are in the notebook's pane, scrolled to the widget's top."""
    page.evaluate(LOOK)
    pane = ".jp-WindowedPanel-outer"
    scroll = "e => e.scrollIntoView({ block: 'start', behavior: 'instant' })"
    look = "([selector, pane]) => window.outside(selector, pane)"

    def all_in_sight():  # cells that come into sight may change the heights above
        page.locator(selector).first.evaluate(scroll)
        return not page.evaluate(look, [selector, pane])

    until(page, all_in_sight)


def walk(page, num_moments):
    """Steps through phases by key, as a reader does, and gives what does not fit."""
    found = []
    for _ in range(num_moments):
        seen = page.locator(".azl-x").first.evaluate("e => `${e.dataset.step} ${e.dataset.phase}`")
        found += [f"{seen}: {fault}" for fault in faults(page)]
        page.keyboard.press("ArrowRight")
    return found


@pytest.fixture(scope="module")
def searches():
    start = GAME.from_moves("44443")
    return {
        "uct": explore(GAME, start, num_simulations=400, seed=0),
        "puct": explore(GAME, start, select=puct(), num_simulations=200, seed=0),
        "deep": explore(GAME, select=uct(0.1), num_simulations=300, seed=1),
        "all": explore(GAME, start, num_simulations=40, expand="all"),
    }


@pytest.mark.parametrize(
    ("name", "size"),
    [("uct", (952, 640)), ("puct", (952, 640)), ("deep", (1300, 760)), ("all", (952, 640))],
)
def test_nothing_overflows_at_any_moment(opened, searches, name, size):
    record = searches[name].recording
    rows = len(record.rows)
    page = opened(Explorer(record, step=0), width=size[0], reduced_motion="reduce", bypass_csp=True)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    tree = page.get_by_role("tree")
    page.wait_for_function("document.documentElement.scrollHeight <= innerHeight")
    found = []
    for step in (0, rows // 3, rows - 2):
        timeline = page.locator('[data-part="timeline"]').bounding_box()
        width = timeline["width"] - 36  # less what the labels take at its end
        page.mouse.click(timeline["x"] + width * step / rows, timeline["y"] + 20)
        tree.focus()
        found += walk(page, 8)
    page.locator('.azl-node[data-node="0"]').click()  # a pinned node
    found += faults(page)
    assert not found, "\n".join(found)


def in_panel(page, selector):
    """Whether a table leaves room at the right end of the panel."""
    table, panel = (page.locator(s).bounding_box() for s in (selector, '[data-part="panel"]'))
    return table["x"] + table["width"] <= panel["x"] + panel["width"] - 3


def test_the_numbers_that_decide_have_room(opened):
    """+0.8599 against +0.8559; and fractions, as wide as JupyterLab's pane in a small window."""
    search = explore(GAME, GAME.from_moves("4455"), num_simulations=300)
    page = opened(Explorer(search.recording, step=300, phase="select"), width=1280)
    expect(page.locator(".azl-sc").first).to_have_text("+0.8599")
    assert in_panel(page, ".azl-compare")
    search = explore(GAME, select=puct(1.25), evaluate=netlike, num_simulations=200)
    leaves = search.record["steps"]["leaf"]
    longest = max(range(200), key=lambda row: len(path_to(search.record, leaves[row])))
    page = opened(Explorer(search.recording, step=longest + 1, phase="backup"), width=984)
    assert in_panel(page, ".azl-ledger")


def test_a_table_with_more_moves_than_room_says_how_many_and_opens(opened):
    search = explore(Hex(5), select=puct(1.25), num_simulations=60)
    page = opened(Explorer(search.recording, step=60, phase="select"), width=1280)
    page.set_viewport_size({"width": 1280, "height": 720})
    rows, button = page.locator(".azl-compare tbody tr"), page.locator('[data-do="rows"]')
    expect(button).to_be_visible()
    # The height follows the window.
    until(page, lambda: button.inner_text() == f"{25 - rows.count()} more moves")
    assert rows.count() < 25
    button.click()
    expect(rows).to_have_count(25)
    expect(button).to_be_focused()
    button.click()
    assert rows.count() < 25


def test_a_search_that_is_over_opens_with_its_root_in_sight(opened):
    def search(simulations):
        return explore(GAME, select=uct(0.05), num_simulations=simulations).record

    record = search(200)
    depths = [len(path_to(record, leaf)) for leaf in record["steps"]["leaf"]]
    assert max(depths) > 8
    page = opened(Explorer(search(depths.index(max(depths)) + 1)), width=1130)
    page.set_viewport_size({"width": 1130, "height": 640})
    expect(page.locator('[data-node="0"]')).to_be_visible()


def test_no_text_is_cut_beside_jupyterlabs_files(opened):
    """846 pixels are what a window of 1280 leaves beside JupyterLab's list of files."""
    names = ("all moves aligned", "λ = 0.5, seed of the second")
    one, other = (explore(GAME, num_simulations=1000, seed=seed) for seed in (1, 2))
    for widget, selector in ((one, ".azl-x"), (compare(one, other, names), ".azl-c")):
        page = opened(widget, width=878, bypass_csp=True)
        page.set_viewport_size({"width": 878, "height": 690})
        assert page.locator(selector).first.evaluate("e => e.offsetWidth") == 846
        for phase in ("Select", "Expand", "Evaluate", "Back up"):
            page.get_by_role("button", name=phase, exact=False).last.click()
            assert not faults(page, selector)
            assert not faults(page, ".azl-x")
            assert not page.evaluate("selector => window.cut(selector)", selector)


def test_the_name_of_a_rule_does_not_run_into_its_neighbour(opened):
    """A search without sliders, as in the clinics, says its rule in the header, however long."""
    rule = puct(1.25, "parent", fpu_reduction=0.25)
    recording = explore(GAME, select=rule, num_simulations=2000).recording
    page = opened(Explorer(recording), width=820)
    assert "azl-narrow" not in page.locator(".azl-x").get_attribute("class")
    spills = "e => [...e.children].map(c => c.scrollWidth - c.clientWidth).filter(d => d > 1)"
    assert page.locator(".azl-x > header").evaluate(spills) == []
    said = page.locator(".azl-rule").get_attribute("title")
    assert said == "PUCT c = 1.25 · fpu = parent − 0.25·√ΣP · 2,000 sims"
    assert not faults(page)


@pytest.mark.slow
def test_all_of_it_is_in_jupyterlabs_pane(lab_page):
    lab_page.write_notebook("fit.ipynb", LAB)
    page, found = lab_page.page, []
    page.set_viewport_size({"width": 1280, "height": 720})
    lab_page.open("fit.ipynb")
    lab_page.run_all()
    widget = page.locator(".azl-x[data-ready]").first
    widget.wait_for()
    page.locator(".azl-c[data-ready]").wait_for()
    pane = page.locator(".jp-WindowedPanel-outer")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        check_in_pane(page, ".azl-x")
        least = 0.8 * pane.bounding_box()["height"]
        until(page, lambda least=least: widget.bounding_box()["height"] > least)
        widget.get_by_role("tree").focus()
        for key in ("Home", "End"):
            page.keyboard.press(key)
            found += walk(page, 6)
        check_in_pane(page, ".azl-c")
        found += faults(page, ".azl-c")
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_all_of_it_is_in_notebook_7s_window(notebook7_page):
    notebook7_page.write_notebook("fit.ipynb", LAB[:2])
    page = notebook7_page.page
    page.set_viewport_size({"width": 1280, "height": 720})
    notebook7_page.open("fit.ipynb")
    notebook7_page.run_all()
    page.locator(".azl-x[data-ready]").wait_for()
    check_in_pane(page, ".azl-x")


def test_a_narrow_column_has_the_panel_below(opened, searches):
    page = opened(Explorer(searches["uct"].recording, step=100, phase="select"), width=560)
    tree, side = (page.locator(s).bounding_box() for s in (".azl-tree", ".azl-side"))
    assert side["y"] > tree["y"] + tree["height"]
    assert side["width"] > 500
    expect(page.locator(".azl-compare tbody tr")).to_have_count(7)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_theme_that_changes_while_the_widget_is_off_the_page(opened, explorer):
    """As in JupyterLab: notebooks are taken off the page for a moment."""
    page = opened(explorer, bypass_csp=True)
    strip = page.locator(".azl-mean path").first
    before = strip.get_attribute("fill")
    page.evaluate(
        """() => {
          const widget = document.querySelector('.azl-x');
          widget.style.display = 'none';
          document.body.setAttribute('data-jp-theme-light', 'false');
          setTimeout(() => { widget.style.display = ''; }, 60);
        }"""
    )
    expect(strip).not_to_have_attribute("fill", before)
