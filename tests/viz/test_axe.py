"""axe-core over every widget and card, in each of its states, light and dark: nothing is found."""

import pytest
from playwright.sync_api import expect

from azlearn.course.go_groups import show_groups
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import compiled_uct, puct, uct
from azlearn.viz import Explorer, bandit, compare, explore, explore_tree, play
from azlearn.viz.tour import PHASES
from tests.axe import assert_accessible, findings, pale_texts
from tests.course.test_go_groups import BOARD as GROUPS
from tests.course.test_looks import _cards
from tests.viz.nim import Nim
from tests.viz.page import field, now, part

FOUR, THREE = ConnectFour(), TicTacToe()

in_both_schemes = pytest.mark.parametrize("scheme", ["light", "dark"])


@pytest.fixture
def calm(opened):
    """`opened` in a color scheme and without animations: axe sees colors, not fading ones."""
    looks = {"reduced_motion": "reduce", "bypass_csp": True}  # axe brings a script of its own
    return lambda widget, scheme: opened(widget, color_scheme=scheme, **looks)


FAULTS = """<!doctype html><html lang="en"><title>faults</title><main><h1>Faults</h1>
<div id="ours" class="azl"><p style="color:#aaa;background:#fff">pale</p><button></button>
<svg width="120" height="60"><rect width="120" height="60" fill="#334"/>
<text x="5" y="20" fill="#999">dim</text><text x="5" y="40" fill="#fff">clear</text>
<text x="50" y="20" fill="#fff" opacity=".3">faded</text><text x="110" y="40" fill="#333">out</text>
<text x="5" y="55" fill="#334">covered</text><path d="M0 43h120v17h-120z" fill="#556"/></svg></div>
<div id="theirs"><img src="data:,"></div></main></html>"""


def test_faults_are_found_in_the_part_that_is_ours(browser):
    page = browser.new_page()
    page.set_content(FAULTS)
    found = findings(page, "#ours")
    assert [line.split(":")[0] for line in found] == [
        "critical button-name",
        "serious color-contrast",
    ]
    assert [line.split(":")[0] for line in pale_texts(page, "#ours")] == [
        'drawn text "dim" (None)',
        'drawn text "faded" (None)',
    ]
    assert "image-alt" in " ".join(findings(page))
    with pytest.raises(AssertionError, match=r"(?s)pale.*lets its keys through .* <button>"):
        assert_accessible(page, "faults", "#ours")
    page.close()


@pytest.mark.slow
@in_both_schemes
def test_explorer_in_each_state(calm, explorer, scheme):
    page = calm(explorer, scheme)
    tree = part(page, "tree")
    assert_accessible(page, f"{scheme}, the finished tree")
    tree.focus()
    for phase in reversed(PHASES):
        assert now(page)[1] == phase
        assert_accessible(page, f"{scheme}, {phase}")
        page.keyboard.press("ArrowLeft")
    field(page, "filters").locator('[data-do="first"]').click()
    assert_accessible(page, f"{scheme}, the filters, one player's view")
    field(page, "find").fill("9 9 9")
    part(page, "find").press("Enter")
    expect(part(page, "found")).not_to_have_text("")
    field(page, "depth").select_option("2")
    field(page, "least").fill("5")
    page.keyboard.press("Escape")  # the box covers texts of the tree in part
    assert_accessible(page, f"{scheme}, filtered, and moves that are not there")
    field(page, "least")
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("button", name="Icicle").click()
    expect(part(page, "icicle")).to_be_visible()
    part(page, "icicle").press("ArrowDown")
    assert_accessible(page, f"{scheme}, a node deeper down, and the icicle")
    page.get_by_role("button", name="Icicle").click()
    box = tree.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 90)
    page.keyboard.down("Control")
    for _ in range(6):
        page.mouse.wheel(0, -240)
    page.keyboard.up("Control")
    assert_accessible(page, f"{scheme}, zoomed in")
    page.set_viewport_size({"width": 480, "height": 1400})
    assert_accessible(page, f"{scheme}, a narrow window")


@pytest.mark.slow
@in_both_schemes
def test_other_games_and_other_widgets(calm, scheme):
    compiled = compiled_uct(FOUR, FOUR.initial_state(), 20_000)
    rules = (uct(1.0), puct())
    odd = {
        "a part of a large tree": explore_tree(compiled),
        "no board": explore(Nim(), num_simulations=20),
        "final statistics only": Explorer(explore(FOUR, num_simulations=60).recording.tree),
        "proofs": explore(THREE, THREE.from_moves("1524"), num_simulations=300, use_solver=True),
        "a comparison": compare(*(explore(FOUR, select=r, num_simulations=60) for r in rules)),
        "a play table": play(FOUR),
        "a bandit": bandit(num_arms=9, seed=3, c=0.3),
        "a Go board": show_groups(GROUPS, "C5"),
    }
    for name, widget in odd.items():
        assert_accessible(calm(widget, scheme), f"{scheme}, {name}")


CARDS = """<!doctype html><html lang="en"><head><title>Cards</title>
<style>html {{ color-scheme: light dark; background: Canvas; color: CanvasText; }}</style>
</head><body><main><h1>Cards</h1>{cards}</main></body></html>"""


@in_both_schemes
def test_cards_of_checks_hints_solutions_progress_and_doctor(
    browser, scheme, tmp_path, monkeypatch
):
    monkeypatch.setenv("AZLEARN_PROGRESS", str(tmp_path / "progress.json"))
    cards = [card._repr_html_().replace("<details>", "<details open>") for _, card in _cards()]
    page = browser.new_page(color_scheme=scheme)
    page.set_content(CARDS.format(cards="\n".join(cards)))
    assert_accessible(page, f"{scheme}, cards")
    page.close()


EVERYTHING = [
    "from azlearn.arena import UCTPlayer\n"
    "from azlearn.games import ConnectFour\n"
    "from azlearn.search import uct\n"
    "from azlearn.viz import bandit, compare, explore, play\n"
    "import azlearn.course as course\n"
    "game = ConnectFour()",
    "explorer = explore(game, game.from_moves('44443'), num_simulations=80)\nexplorer",
    "compare(explorer, explore(game, game.from_moves('44443'), select=uct(0.3), "
    "num_simulations=80))",
    "table = play(game, UCTPlayer(game, 60), moves='4444')\ntable.play(3)\ntable",
    "bandit()",
    f"from azlearn.course.go_groups import show_groups\nshow_groups({GROUPS!r}, 'C5')",
    "course.check('2.3', None)",
    "course.progress()",
    "from azlearn.course.doctor import doctor\ndoctor()",
]
OURS = [
    ".azl-x",
    ".azl-c",
    ".azl-play",
    ".azl-bandit",
    ".azl-groups",
    ".jp-OutputArea-output.jp-RenderedHTMLCommon",
]
TREE_ROOT = '.azl-x [data-node="0"]'
THEMES = ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"]


@pytest.mark.slow
def test_everything_in_the_themes_of_jupyterlab(lab_page):
    lab_page.write_notebook("everything.ipynb", EVERYTHING)
    page = lab_page.page
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 1200, "height": 4200})  # pixels of all of it are looked at
    lab_page.open("everything.ipynb")
    lab_page.run_all()
    page.get_by_role("button", name="What were you thinking?").click()
    page.locator(".azl-play .azl-x[data-ready]").wait_for()
    for selector in OURS:
        page.locator(selector).first.wait_for()
    papers = set()
    for theme in THEMES:
        page.evaluate(
            "theme => { window.jupyterapp.commands.execute('apputils:change-theme', { theme }); }",
            theme,
        )
        page.wait_for_function("theme => document.body.dataset.jpThemeName === theme", arg=theme)
        page.locator("#jupyterlab-splash").wait_for(state="detached")
        page.wait_for_timeout(500)
        assert_accessible(page, theme, ", ".join(OURS))
        papers.add(
            page.locator(".azl-x").first.evaluate("e => getComputedStyle(e).backgroundColor")
        )
        tree, root = (page.locator(s).first.bounding_box() for s in (".azl-tree", TREE_ROOT))
        middle = root["x"] + root["width"] / 2 - tree["x"]
        assert 0.1 * tree["width"] < middle < 0.9 * tree["width"]  # it survived the change
    assert len(papers) > 1
