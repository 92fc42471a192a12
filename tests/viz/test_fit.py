"""The explorer on the screen: all of it at once, whatever the window, the moment and the host."""

import pathlib

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import puct, uct
from azlearn.viz import Explorer, compare, explore
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


def outside(page, selector):
    """The parts of a widget that are not in the notebook's pane, scrolled to the widget's top."""
    page.evaluate(LOOK)
    pane = ".jp-WindowedPanel-outer"
    scroll = "e => e.scrollIntoView({ block: 'start', behavior: 'instant' })"
    look = "([selector, pane]) => window.outside(selector, pane)"
    for _ in range(20):  # cells that come into sight may change the heights above
        page.locator(selector).first.evaluate(scroll)
        page.wait_for_timeout(300)
        if not (found := page.evaluate(look, [selector, pane])):
            break
    return found


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
        "tictactoe": explore(TicTacToe(), num_simulations=300, seed=1),
    }


@pytest.mark.parametrize("name", ["uct", "puct", "deep", "all", "tictactoe"])
@pytest.mark.parametrize("size", [(952, 640), (1300, 760)])
def test_nothing_overflows_at_any_moment(opened, searches, name, size):
    record = searches[name].recording
    rows = len(record.rows)
    page = opened(Explorer(record, step=0), width=size[0], reduced_motion="reduce", bypass_csp=True)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    tree = page.get_by_role("tree")
    page.wait_for_function("document.documentElement.scrollHeight <= innerHeight")
    found = []
    for step in (0, rows // 20, rows // 3, rows - 2):
        page.keyboard.press("Home")
        tree.focus()
        timeline = page.locator('[data-part="timeline"]').bounding_box()
        width = timeline["width"] - 36  # less what the labels take at its end
        page.mouse.click(timeline["x"] + width * step / rows, timeline["y"] + 20)
        tree.focus()
        found += walk(page, 10)
    assert not found, "\n".join(found)


def test_a_pinned_node_fits(opened, searches):
    for selected in (0, 3, 150):
        page = opened(
            Explorer(searches["uct"].recording, step=300, phase="select", selected=selected),
            width=952,
        )
        page.set_viewport_size({"width": 952, "height": 640})
        assert page.locator(".azl-x").get_attribute("data-selected") == str(selected)
        assert not faults(page)


@pytest.mark.parametrize("width", [820, 900])
def test_controls_fit_where_the_panel_has_just_room(opened, searches, width):
    page = opened(Explorer(searches["uct"].recording, step=399), width=width)
    widget = page.locator(".azl-x")
    assert "azl-narrow" not in widget.get_attribute("class")
    assert not faults(page)
    row = page.locator(".azl-x > footer .azl-row").first
    assert row.evaluate("e => e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize("size", [(952, 640), (1600, 900)])
def test_a_comparison_fits(opened, searches, size):
    page = opened(compare(searches["uct"], searches["puct"]), width=size[0], bypass_csp=True)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_function("document.documentElement.scrollHeight <= innerHeight")
    for phase in ("Select", "Expand", "Evaluate", "Back up"):
        page.get_by_role("button", name=phase, exact=False).last.click()
        assert not faults(page, ".azl-c")


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
            assert not page.evaluate("selector => window.cut(selector)", selector)


@pytest.mark.parametrize("width", [820, 878])
def test_the_name_of_a_rule_does_not_run_into_its_neighbour(opened, width):
    """A search without sliders, as in the clinics, says its rule in the header, however long."""
    rule = puct(1.25, "parent", fpu_reduction=0.25)
    recording = explore(GAME, select=rule, num_simulations=2000).recording
    page = opened(Explorer(recording), width=width)
    spills = "e => [...e.children].map(c => c.scrollWidth - c.clientWidth).filter(d => d > 1)"
    assert page.locator(".azl-x > header").evaluate(spills) == []
    said = page.locator(".azl-rule").get_attribute("title")
    assert said == "PUCT c = 1.25 · fpu = parent − 0.25·√ΣP · 2,000 sims"


@pytest.mark.parametrize("name", ["tictactoe", "uct"])
def test_the_card_under_the_pointer_is_whole(opened, searches, name):
    """In a tree as low as that of a comparison, too."""
    page = opened(Explorer(searches[name].recording), width=952, bypass_csp=True)
    page.set_viewport_size({"width": 952, "height": 640})
    for node in (1, 2):
        page.locator(f'.azl-node[data-node="{node}"]').hover()
        card = page.locator(".azl-preview")
        card.wait_for()
        shown = "e => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight]"
        assert card.evaluate(shown) == [0, 0]
        box, tree = card.bounding_box(), page.locator(".azl-tree").bounding_box()
        assert box["y"] >= tree["y"]
        assert box["y"] + box["height"] <= tree["y"] + tree["height"]


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
        page.wait_for_timeout(400)  # the observers of the new size
        found += outside(page, ".azl-x")
        least = 0.8 * pane.bounding_box()["height"]
        until(page, lambda least=least: widget.bounding_box()["height"] > least)
        widget.get_by_role("tree").focus()
        for key in ("Home", "End"):
            page.keyboard.press(key)
            found += walk(page, 6)
        found += outside(page, ".azl-c")
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
    assert not outside(page, ".azl-x")


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
