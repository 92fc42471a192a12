"""Where the tree's nodes stand, and the explorer on the screen: all of it at once, whatever the
window, the moment and the host.
"""

import functools
import itertools
import json
import pathlib

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, DotsAndBoxes, Hex, Othello, TicTacToe
from azlearn.search import puct, random_rollout, record_search, uct
from azlearn.viz import Explorer, compare, explore
from azlearn.viz.replaying import path_to
from tests.viz.nim import Nim
from tests.viz.page import until
from tests.viz.stand_ins import netlike

GAME = ConnectFour()
OTHERS = {"othello": Othello(), "hex": Hex(), "dots": DotsAndBoxes(), "no board": Nim()}
# Sheets: of a widget of 920x600, of one of 1300x760, and of one of two side by side.
SMALL, LARGE, PANE = (604, 464), (928, 624), (290, 280)
PHASES = ("select", "expand", "evaluate", "backup")
PLAN = (pathlib.Path(__file__).parent / "plan.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def plan(in_browser):
    """A function: the layout of a moment of a named record, as the page would make it."""
    in_browser(f"() => {{ {PLAN} Object.assign(window, {{ plan, records }}); }}")
    known = set()

    def planned(name, step, phase="backup", sheet=SMALL, given=None, **more):
        if name not in known:
            text = json.dumps(given or record(name))
            in_browser("([name, text]) => { records[name] = JSON.parse(text); }", [name, text])
            known.add(name)
        return in_browser("args => plan(args)", [name, step, phase, list(sheet), more])

    return planned


@functools.cache
def record(name):
    if name in OTHERS:
        game = OTHERS[name]
        return record_search(game, game.initial_state(), uct(1.0), random_rollout(), 100).to_dict()
    start = GAME.from_moves("44443")
    return {
        "usual": lambda: explore(GAME, start, num_simulations=400, seed=0).record,
        "deep": lambda: explore(GAME, select=uct(0.1), num_simulations=800, seed=1).record,
        "priors": lambda: record_search(GAME, start, puct(1.5), netlike, 200, 0).to_dict(),
        "crosses": lambda: explore(TicTacToe(), num_simulations=200, seed=0).record,
        "all": lambda: explore(TicTacToe(), num_simulations=40, expand="all").record,
    }[name]()


def nodes(layout):
    return [v for v in layout["list"] if v["kind"] == "node"]


NAMES = ("usual", "deep", "priors", "crosses", "all", *OTHERS)


def every(plan, name, phases=PHASES, sheets=(SMALL, LARGE)):
    """Layouts of moments early, in the middle and late."""
    rows = len(record(name)["steps"]["leaf"])
    for step in sorted({*range(1, min(rows, 8)), *range(8, rows, max(1, rows // 6)), rows}):
        for phase, sheet in itertools.product(phases, sheets):
            yield plan(name, step, phase, sheet), (name, step, phase, sheet)


def test_a_small_tree_has_large_boards(plan):
    """At 920x600: 8 pixels a stone at the least while every node has its board."""
    for layout, where in every(plan, "usual", sheets=[SMALL]):
        if layout["mode"] == "full":
            assert layout["stone"] >= 8, where
            assert {v["form"] for v in nodes(layout)} == {"board"}
    for step, least in ((0, 30), (2, 22), (5, 13), (20, 8)):
        layout = plan("usual", step)
        assert layout["mode"] == "full"
        assert layout["stone"] >= least, step
        assert layout["drawn"] >= min(layout["of"], 10)
    layout = plan("usual", 384, sheet=LARGE)  # where they were too small the path alone keeps them
    assert (layout["mode"], layout["stone"] >= 8) == ("focus", True)
    forms = {v["id"]: v["form"] for v in nodes(layout)}
    assert {i for i, form in forms.items() if form == "wide"} == forms.keys() & {*layout["path"]}


@pytest.mark.parametrize("name", NAMES)
def test_everything_has_its_place_and_nothing_is_there_before_its_time(plan, name):
    """In select the node that is about to join is a dashed place, and is not counted."""
    parent = record(name)["nodes"]["parent"]
    for layout, where in every(plan, name):
        boxes = [
            (v["x"] - v["w"] / 2, v["x"] + v["w"] / 2, v["y"], v["y"] + v["h"])
            for v in layout["list"]
        ]
        for a, b in itertools.combinations(boxes, 2):
            apart = a[1] <= b[0] + 0.01 or b[1] <= a[0] + 0.01 or a[3] <= b[2] or b[3] <= a[2]
            assert apart, where
        wide, high = (side / layout["scale"] for side in where[-1])
        assert min(a[0] for a in boxes) >= 0, where
        assert max(a[1] for a in boxes) <= wide, where
        assert max(a[3] for a in boxes) + 18 <= high, where  # what hangs below a card has its room
        assert layout["scale"] == 1, where
        drawn, rows = nodes(layout), {}
        for v in sorted(drawn, key=lambda v: v["x"]):  # children stand in the order of their moves
            rows.setdefault(v["up"], []).append(v["action"])
        assert all(row == sorted(row) for row in rows.values()), where
        joins = [v for v in drawn if v["id"] and v["born"] == layout["now"]]
        assert all(v["born"] <= layout["now"] for v in drawn if v["id"]), where
        assert [v["unborn"] for v in joins] == [where[2] == "select"] * len(joins), where
        assert layout["drawn"] == len(drawn) - len(joins) * (where[2] == "select"), where
        assert layout["drawn"] <= layout["of"] <= len(parent), where
    for layout, where in every(plan, name, phases=["backup"], sheets=[PANE]):
        assert layout["path"][-1] in {v["id"] for v in nodes(layout)}, where
        assert layout["scale"] > 0.85, where


def test_nothing_moves_between_the_phases_of_a_simulation(plan):
    for step in (3, 40, 209, 384):
        seen = [plan("usual", step, phase) for phase in PHASES]
        places = [{v["id"]: (v["x"], v["y"]) for v in nodes(layout)} for layout in seen]
        assert all(place == places[0] for place in places), step


def test_nothing_moves_for_a_node_that_is_drawn_already(plan):
    before = plan("usual", 209)
    for node in nodes(before):
        after = plan("usual", 209, selected=node["id"])
        assert after["list"] == before["list"], node
    missing = next(i for i in range(1, 200) if i not in {v["id"] for v in nodes(before)})
    assert missing in {v["id"] for v in nodes(plan("usual", 209, selected=missing))}


def test_a_long_path_leaves_out_its_upper_levels_and_says_how_many(plan):
    steps = record("deep")["steps"]
    folds = 0
    for row in range(0, 800, 23):
        layout = plan("deep", row + 1, sheet=SMALL)
        tops = [v["levels"] for v in layout["list"] if v["kind"] == "top"]
        folded = [i for v in layout["list"] if v["kind"] == "fold" for i in v["ids"]]
        on_path = [v["id"] for v in nodes(layout) if v["id"] in layout["path"]]
        assert sum(tops) + len(folded) + len(on_path) == len(layout["path"]), row
        assert steps["leaf"][row] in on_path
        assert set(folded) <= set(layout["path"])
        folds += bool(tops)
    assert folds > 3


SIZES = [(1280, 720), (1400, 900), (1920, 1080)]
LAB = [
    "from azlearn.games import ConnectFour\nfrom azlearn.viz import compare, explore\n"
    "game = ConnectFour()",
    "explorer = explore(game, game.from_moves('44443'), num_simulations=400)\nexplorer",
    "compare(explorer, explore(game, game.from_moves('44443'), num_simulations=60))",
]

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
        "puct": explore(GAME, start, select=puct(), num_simulations=200, seed=0),
        "deep": explore(GAME, select=uct(0.1), num_simulations=300, seed=1),
        "all": explore(GAME, start, num_simulations=40, expand="all"),
    }


@pytest.mark.parametrize(
    ("name", "size"),
    [("puct", (952, 640)), ("deep", (1300, 760)), ("all", (952, 640))],
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


def test_the_name_of_a_rule_does_not_run_into_its_neighbor(opened):
    """A search without sliders, as in the clinics, says its rule in the header, however long."""
    rule = puct(1.25, "parent", fpu_reduction=0.25)
    recording = explore(GAME, select=rule, num_simulations=2000).recording
    page = opened(Explorer(recording), width=820)
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
