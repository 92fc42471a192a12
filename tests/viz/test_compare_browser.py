"""Two searches in one page: stepped together, looked at together, and told apart in numbers."""

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import compiled_uct, puct, uct
from azlearn.viz import compare, explore
from azlearn.viz.replaying import path_to, replay
from tests.axe import assert_accessible
from tests.viz.page import number, until

GAME = ConnectFour()
STATE = GAME.from_moves("44443")


@pytest.fixture(scope="module")
def pair():
    return explore(GAME, STATE, num_simulations=80), explore(
        GAME, STATE, select=uct(0.3), num_simulations=120
    )


@pytest.fixture
def page(opened, pair):
    page = opened(compare(*pair, labels=("wide", "narrow")), width=1300, reduced_motion="reduce")
    page.locator(".azl-c[data-ready]").wait_for()
    return page


def both(page, name):
    return page.locator(f'[data-both="{name}"]')


def half(page, side):
    return both(page, side).locator(".azl-x")


def into(page, *moves):
    """Follows moves, as labels, in the table."""
    for move in moves:
        both(page, "table").locator(f'[data-into="{int(move) - 1}"]').click()


def now(page):
    seen = page.locator(".azl-c").evaluate("e => ({ ...e.dataset })")
    return int(seen["simulation"]), seen["phase"], seen["line"]


def halves(page):
    """[(step, phase, selected, {node: visits})] of the two trees."""
    return [
        (int(d["step"]), d["phase"], int(d["selected"]), {int(k): v for k, v in d["n"].items()})
        for d in page.locator(".azl-c .azl-x").evaluate_all(
            """all => all.map(x => ({ ...x.dataset, n: Object.fromEntries(
              [...x.querySelectorAll(".azl-node")].map(g => [g.dataset.node,
                g.querySelector(".azl-n")?.textContent])) }))"""
        )
    ]


def shown_rows(page):
    """{move: {"left": (N, Q, share), "right": the same, "difference": text}} of a wide page."""
    rows = (
        both(page, "table")
        .locator("tbody tr")
        .evaluate_all(
            """all => all.map(r => [r.querySelector("th").textContent, Object.fromEntries(
              ["azl-cN", "azl-cQ", "azl-vb", "azl-gap"].map(name =>
                [name, [...r.querySelectorAll("td." + name)].map(c => c.textContent)]))])"""
        )
    )
    found = {}
    for move, cells in rows:
        left, right = zip(cells["azl-cN"], cells["azl-cQ"], cells["azl-vb"], strict=True)
        found[move] = {"left": left, "right": right, "difference": cells["azl-gap"][0]}
    return found


def check_halves(page, pair, simulation):
    """The trees show what the records say after that many simulations."""
    for explorer, (step, phase, _, visits) in zip(pair, halves(page), strict=True):
        rows = min(simulation, len(explorer.record["steps"]["leaf"]))
        assert (step, phase) == (rows, "backup")
        expected = replay(explorer.record, rows)[0]
        assert visits
        assert {i: int(n) for i, n in visits.items()} == {i: expected[i] for i in visits}


def nodes_by_line(explorer):
    """{labels of the moves from the root: node}."""
    action = explorer.record["nodes"]["action"]
    return {
        tuple(str(action[k] + 1) for k in path_to(explorer.record, i)[1:]): i
        for i in range(len(action))
    }


def test_they_step_together(page, pair):
    """By the keys of either, by buttons, by a timeline, and by the keys between them."""
    assert now(page) == (120, "backup", "")
    check_halves(page, pair, 120)
    expect(half(page, "left").locator('[data-part="when"]')).to_have_text("simulation 80 of 80")
    half(page, "right").get_by_role("tree").focus()
    page.keyboard.press("Home")
    assert now(page)[:2] == (0, "backup")
    expect(both(page, "verdict")).to_contain_text("Before the search")
    for phase in ("select", "expand", "evaluate", "backup"):
        page.keyboard.press("ArrowRight")
        assert now(page)[:2] == (1, phase)
        assert [h[1] for h in halves(page)] == [phase, phase]
    half(page, "left").get_by_role("tree").focus()
    for _ in range(30):
        page.keyboard.press("Shift+ArrowRight")
    check_halves(page, pair, 31)
    expect(both(page, "verdict")).to_contain_text("After 31 simulations")
    both(page, "table").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert now(page)[:2] == (31, "expand")
    page.keyboard.press("End")  # of the longer search
    check_halves(page, pair, 120)
    both(page, "steps").get_by_role("button", name="Back one simulation").click()
    check_halves(page, pair, 119)
    both(page, "steps").get_by_role("button", name="Evaluate").click()
    assert [h[:2] for h in halves(page)] == [(80, "backup"), (119, "evaluate")]
    box = half(page, "right").locator('[data-part="timeline"]').bounding_box()
    labels = 36  # pixels beside the bands
    page.mouse.click(box["x"] + (box["width"] - labels) * 0.25, box["y"] + 20)
    check_halves(page, pair, 30)


def test_one_plays_and_the_other_comes_along(page, pair):
    steps = both(page, "steps")
    steps.get_by_role("button", name="To the start").click()
    half(page, "left").get_by_role("tree").focus()
    page.keyboard.press("Space")  # in the shorter one it is the longer one that plays
    steps.get_by_role("button", name="Pause").click()
    steps.locator("select:visible").select_option("20")
    steps.get_by_role("button", name="Play").click()
    expect(page.locator(".azl-c")).to_have_attribute("data-simulation", "120")
    check_halves(page, pair, 120)


def test_the_table_puts_the_numbers_side_by_side(page, pair):
    for line in ((), ("4",)):
        into(page, *line)
        rows, numbers = shown_rows(page), []
        for explorer in pair:
            node = explorer.recording.nodes[nodes_by_line(explorer)[line]]
            numbers.append((node.visit_counts, node.q_values, sum(node.visit_counts)))
        assert list(rows) == [str(a + 1) for a in range(7)]
        for move, row in rows.items():
            a, shares = int(move) - 1, []
            for side, (visits, q, total) in zip(("left", "right"), numbers, strict=True):
                n, q_text, share = row[side]
                assert int(n) == visits[a]
                assert q_text == "–" if not visits[a] else abs(number(q_text) - q[a]) < 0.0051
                shares.append(int(share.removesuffix(" %")))
                assert abs(shares[-1] - 100 * visits[a] / total) <= 0.5001
            assert number(row["difference"].replace("+", "")) == shares[1] - shares[0]
    expect(both(page, "board")).to_contain_text("after 4")


def test_the_selection_is_a_position_not_a_number(page, pair):
    one, two = map(nodes_by_line, pair)
    line = next(k for k in one if len(k) == 2 and k in two and one[k] != two[k])
    into(page, *line)
    assert now(page)[2] == " ".join(line)
    assert [h[2] for h in halves(page)] == [one[line], two[line]]
    half(page, "left").locator(f'[data-node="{one[line[:1]]}"]').click()
    assert now(page)[2] == line[0]
    assert [h[2] for h in halves(page)] == [one[line[:1]], two[line[:1]]]
    page.keyboard.press("Home")  # before the nodes: the pins wait …
    assert [h[2] for h in halves(page)] == [-1, -1]
    page.keyboard.press("End")  # … and come back with them
    assert [h[2] for h in halves(page)] == [one[line[:1]], two[line[:1]]]
    into(page, line[1])
    both(page, "crumbs").get_by_role("button").nth(1).click()  # a crumb leads back up
    assert now(page)[2] == line[0]
    # A position that only the right tree has: the left one shows the nearest.
    longer = next(k for k in two if len(k) > 2 and k not in one)
    both(page, "crumbs").get_by_role("button").first.click()
    into(page, *longer)
    left, right = halves(page)
    assert right[2] == two[longer]
    reached = next(k for k, i in one.items() if i == max(0, left[2]))
    assert reached == longer[: len(reached)] != longer
    expect(both(page, "board")).to_contain_text("wide has no node here")
    assert {tuple(row["left"]) for row in shown_rows(page).values()} == {("–", "–", "")}


def test_expansions_of_all_moves_count_as_one_simulation(opened):
    game = TicTacToe()
    many = explore(game, num_simulations=12, expand="all")
    one = explore(game, num_simulations=12)
    page = opened(compare(many, one, labels=("all", "one"), simulation=0), reduced_motion="reduce")
    half(page, "right").get_by_role("tree").focus()
    for simulation in range(1, 5):
        page.keyboard.press("Shift+ArrowRight")
        done = many.record["steps"]["simulation"].index(simulation + 1)
        assert [h[0] for h in halves(page)] == [done, simulation]
    page.keyboard.press("ArrowRight")
    assert [h[1] for h in halves(page)] == ["select", "select"]


def test_a_tree_that_was_not_recorded(opened, pair):
    page = opened(compare(compiled_uct(GAME, STATE, 20_000), pair[0], labels=("big", "small")))
    expect(half(page, "left").locator('[data-part="say"]')).to_contain_text("not recorded")
    both(page, "table").focus()
    page.keyboard.press("Home")
    step, _, _, visits = halves(page)[0]
    assert (step, visits[0]) == (0, "20000")
    expect(both(page, "verdict")).to_contain_text("only big has visits yet")


def test_python_and_the_page_tell_each_other(live):
    """A rerun renews its half and its name; nothing else is drawn anew."""
    one, two = (explore(GAME, STATE, num_simulations=40, seed=seed) for seed in (0, 1))
    widget = compare(one, two)
    link = live(widget, reduced_motion="reduce")
    page = link.page
    page.locator(".azl-c").evaluate("e => { e.dataset.kept = 'yes'; }")
    into(page, "3")
    until(page, lambda: widget.line == [2])
    one.rerun(num_simulations=90, c=3.0)
    link.flush()
    region = page.get_by_role("region", name="c = 3, 90 simulations")
    expect(region.locator("header b").first).to_have_text("c = 3, 90 simulations")
    expect(both(page, "verdict")).to_contain_text("c = 3, 90 simulations")
    check_halves(page, (one, two), 90)
    assert now(page) == (90, "backup", "3")
    widget.labels = ["<i>", "b"]
    widget.simulation, widget.phase, widget.line = 20, "select", [3, 0]
    link.flush()
    expect(half(page, "left").locator("header b").first).to_have_text("<i>")
    assert now(page) == (20, "select", "4 1")
    half(page, "left").get_by_role("tree").focus()
    page.keyboard.press("Shift+ArrowRight")
    until(page, lambda: (widget.simulation, widget.phase) == (21, "backup"))
    assert page.locator(".azl-c").get_attribute("data-kept") == "yes"


def test_a_comparison_that_was_hidden_is_drawn_when_it_is_shown(fresh, tmp_path):
    both_ = compare(*(explore(GAME, STATE, num_simulations=20, seed=seed) for seed in (0, 1)))
    path = tmp_path / "hidden.html"
    html = both_.to_html().replace('<div id="widget">', '<div id="widget" hidden>')
    path.write_text(html, encoding="utf-8")
    page = fresh()
    page.goto(path.as_uri())
    page.locator(".azl-c").wait_for(state="attached")
    page.evaluate("document.body.className = 'dark'")  # a theme that changes meanwhile
    page.evaluate("document.getElementById('widget').hidden = false")
    page.locator(".azl-c[data-ready]").wait_for()
    expect(both(page, "verdict")).to_contain_text("After 20 simulations")
    expect(page.locator(".azl-error")).to_have_count(0)


def test_its_roots_stay_in_sight_and_it_stacks_where_there_is_no_room(opened):
    start = GAME.from_moves("44")
    deep = [explore(GAME, start, select=uct(0.05), num_simulations=400, seed=s) for s in (0, 1)]
    page = opened(compare(*deep), width=1280)
    page.set_viewport_size({"width": 1280, "height": 720})
    for side in ("left", "right"):
        expect(both(page, side).locator('[data-node="0"]')).to_be_visible()
    page.set_viewport_size({"width": 600, "height": 720})
    expect(page.locator(".azl-c.azl-stacked")).to_be_visible()
    left, right = (both(page, side).bounding_box() for side in ("left", "right"))
    assert right["y"] >= left["y"] + left["height"] - 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 600


@pytest.mark.slow
def test_nothing_for_axe_to_find(opened):
    sides = (explore(GAME, STATE, select=rule, num_simulations=60) for rule in (uct(1.0), puct()))
    page = opened(compare(*sides), reduced_motion="reduce", bypass_csp=True)
    assert_accessible(page, "the end")
    into(page, "4")
    for key in ("Home", *["Shift+ArrowRight"] * 20, "ArrowRight"):
        page.keyboard.press(key)
    assert now(page)[:2] == (21, "select")
    assert_accessible(page, "the select phase")
