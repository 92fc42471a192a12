"""Two searches in one page: stepped together, looked at together, and told apart in numbers."""

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import compiled_uct, puct, uct
from azlearn.viz import compare, explore
from azlearn.viz.replaying import path_to, replay
from tests.axe import assert_accessible
from tests.viz.kernel import a_page, linked
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
    widget = compare(*pair, labels=("wide", "narrow"))
    page = opened(widget, width=1300, reduced_motion="reduce")
    page.locator(".azl-c[data-ready]").wait_for()
    return page


def both(page, name):
    return page.locator(f'[data-both="{name}"]')


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


def node_at(explorer, line):
    """The node behind labels such as "4 2"."""
    record, node = explorer.record, 0
    for label in line.split():
        node = next(
            i
            for i, up in enumerate(record["nodes"]["parent"])
            if up == node and record["nodes"]["action"][i] == int(label) - 1
        )
    return node


def test_they_step_together(page, pair):
    assert now(page) == (120, "backup", "")
    check_halves(page, pair, 120)
    expect(both(page, "when-left")).to_have_text("UCT c = 1 · ended after 80")
    expect(both(page, "when-right")).to_have_text("UCT c = 0.3")
    both(page, "times").focus()
    page.keyboard.press("Home")
    assert now(page)[:2] == (0, "backup")
    expect(both(page, "verdict")).to_contain_text("Before the search")
    for phase in ("select", "expand", "evaluate", "backup"):
        page.keyboard.press("ArrowRight")
        assert now(page)[:2] == (1, phase)
        assert [h[1] for h in halves(page)] == [phase, phase]
        current = both(page, "controls").locator('[aria-current="step"]')
        assert current.get_attribute("data-do") == phase
        expect(both(page, "when")).to_have_text("simulation 1 of 120")
    for _ in range(30):
        page.keyboard.press("Shift+ArrowRight")
    check_halves(page, pair, 31)
    expect(both(page, "when")).to_have_text("simulation 31 of 120")
    expect(both(page, "verdict")).to_contain_text("After 31 simulations")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert now(page)[:2] == (31, "expand")
    page.keyboard.press("Shift+ArrowLeft")
    check_halves(page, pair, 30)
    page.keyboard.press("End")
    check_halves(page, pair, 120)


def test_keys_work_from_a_tree_too_and_move_both(page, pair):
    tree = page.locator(".azl-c .azl-tree").first
    tree.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowRight")
    check_halves(page, pair, 1)
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowUp")  # walks the nodes, and the other half comes along
    assert now(page)[2] == "1"
    assert [h[2] for h in halves(page)] == [node_at(e, "1") for e in pair]
    both(page, "times").focus()  # outside of the trees the keys walk the left one
    page.keyboard.press("ArrowUp")
    assert now(page)[2] == ""
    assert {h[2] for h in halves(page)} <= {0, -1}


def test_the_buttons(page, pair):
    controls = both(page, "controls")
    controls.get_by_role("button", name="To the start").click()
    check_halves(page, pair, 0)
    controls.get_by_role("button", name="On one simulation").click()
    controls.get_by_role("button", name="On one phase").click()
    assert now(page)[:2] == (2, "select")
    controls.get_by_role("button", name="Evaluate").click()
    assert now(page)[:2] == (2, "evaluate")
    expect(controls.get_by_role("button", name="Evaluate")).to_have_attribute(
        "aria-current", "step"
    )
    controls.get_by_label("speed").select_option("20")
    controls.get_by_role("button", name="Play").click()
    expect(page.locator(".azl-c")).to_have_attribute("data-simulation", "120")
    expect(controls.get_by_role("button", name="Play")).to_be_visible()  # and not Pause
    check_halves(page, pair, 120)


def test_a_click_on_a_timeline_goes_there(page, pair):
    box = both(page, "time-right").bounding_box()
    labels = 36  # pixels beside the bands
    page.mouse.click(box["x"] + (box["width"] - labels) * 0.25, box["y"] + 20)
    check_halves(page, pair, 30)
    short = both(page, "time-left").bounding_box()
    assert short["width"] - labels == pytest.approx((box["width"] - labels) * 80 / 120, abs=2)
    page.mouse.click(short["x"] + (short["width"] - labels) * 0.75, short["y"] + 20)
    check_halves(page, pair, 60)


def test_the_table_puts_the_numbers_side_by_side(page, pair):
    for line in ("", "4"):
        if line:
            both(page, "table").locator(f'[data-into="{int(line) - 1}"]').click()
        rows, numbers = shown_rows(page), []
        for explorer in pair:
            node = explorer.recording.nodes[node_at(explorer, line)]
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
    one, two = pair
    found = None
    shared = {tuple(path_labels(two, i)): i for i in nodes_of(two)}
    for i in nodes_of(one):
        line = tuple(path_labels(one, i))
        if len(line) == 2 and line in shared and shared[line] != i:
            found = line, i, shared[line]
            break
    assert found, "a position that both trees know under different numbers"
    line, left, right = found
    for move in line:
        both(page, "table").locator(f'[data-into="{int(move) - 1}"]').click()
    assert now(page)[2] == " ".join(line)
    assert [h[2] for h in halves(page)] == [left, right]
    up = one.record["nodes"]["parent"][left]
    page.locator(".azl-c .azl-x").first.locator(f'[data-node="{up}"]').click()
    assert now(page)[2] == line[0]
    assert [h[2] for h in halves(page)] == [up, two.record["nodes"]["parent"][right]]
    both(page, "table").locator(f'[data-into="{int(line[1]) - 1}"]').click()
    # A crumb leads back up.
    both(page, "crumbs").get_by_role("button").nth(1).click()
    assert now(page)[2] == line[0]


def nodes_of(explorer):
    return range(1, len(explorer.record["nodes"]["parent"]))


def path_labels(explorer, node):
    action = explorer.record["nodes"]["action"]
    return [str(action[i] + 1) for i in path_to(explorer.record, node)[1:]]


def test_a_position_that_only_one_tree_has(page, pair):
    one, two = pair
    known = {tuple(path_labels(one, i)) for i in nodes_of(one)}
    node, line = next(
        (i, path_labels(two, i))
        for i in nodes_of(two)
        if tuple(path_labels(two, i)) not in known and len(path_labels(two, i)) > 2
    )
    for move in line:
        both(page, "table").locator(f'[data-into="{int(move) - 1}"]').click()
    assert now(page)[2] == " ".join(line)
    left, right = halves(page)
    assert right[2] == node
    reached = path_labels(one, left[2])  # the nearest that the left tree has
    assert reached == line[: len(reached)]
    assert len(reached) < len(line)
    expect(both(page, "board")).to_contain_text("wide has no node here")
    assert {tuple(row["left"]) for row in shown_rows(page).values()} == {("–", "–", "")}


def test_whose_view(page):
    roots = page.locator('.azl-c .azl-x [data-node="0"] .azl-strip')
    before = roots.all_text_contents()
    both_buttons = page.locator(".azl-c > header .azl-seg button")
    both_buttons.nth(1).click()
    expect(both_buttons.nth(1)).to_have_attribute("aria-pressed", "true")
    # The second player is to move at the root: the first player sees the other sign.
    flipped = roots.all_text_contents()
    assert [number(t) for t in flipped] == [-number(t) for t in before]


def test_expansions_of_all_moves_count_as_one_simulation(opened):
    game = TicTacToe()
    many = explore(game, num_simulations=12, expand="all")
    one = explore(game, num_simulations=12)
    page = opened(compare(many, one, labels=("all", "one")), reduced_motion="reduce")
    both(page, "times").focus()
    page.keyboard.press("Home")
    for simulation in range(1, 5):
        page.keyboard.press("Shift+ArrowRight")
        done = many.record["steps"]["simulation"].index(simulation + 1)
        assert [h[0] for h in halves(page)] == [done, simulation]
    page.keyboard.press("ArrowRight")
    assert [h[1] for h in halves(page)] == ["select", "select"]
    expect(both(page, "when")).to_have_text("simulation 5 of 12")


def test_a_tree_that_was_not_recorded(opened, pair):
    big = compiled_uct(GAME, STATE, 20_000)
    page = opened(compare(big, pair[0], labels=("big", "small")))
    expect(both(page, "when-left")).to_contain_text("not recorded")
    both(page, "times").focus()
    page.keyboard.press("Home")
    step, _, _, visits = halves(page)[0]
    assert (step, visits[0]) == (0, "20000")
    expect(both(page, "verdict")).to_contain_text("only big has visits yet")


def test_a_rerun_explorer_renews_its_half(browser, tmp_path):
    one, two = (explore(GAME, STATE, num_simulations=40, seed=seed) for seed in (0, 1))
    widget = compare(one, two)
    with a_page(browser, reduced_motion="reduce") as page:
        link = linked(page, tmp_path / "live.html", widget)
        both(page, "table").locator('[data-into="2"]').click()
        until(page, lambda: widget.line == [2])
        one.rerun(num_simulations=90, c=3.0)
        link.flush()
        expect(page.locator(".azl-pane-name").first).to_contain_text("c = 3, 90 simulations")
        check_halves(page, (one, two), 90)
        assert now(page) == (90, "backup", "3")
        widget.simulation, widget.phase, widget.line = 20, "select", [3, 0]
        link.flush()
        assert now(page) == (20, "select", "4 1")
        page.keyboard.press("Escape")
        both(page, "times").focus()
        page.keyboard.press("Shift+ArrowRight")
        until(page, lambda: (widget.simulation, widget.phase) == (21, "backup"))


def test_it_stacks_where_there_is_no_room(opened, pair):
    page = opened(compare(*pair), width=600)
    left, right = (page.locator(".azl-pane").nth(k).bounding_box() for k in (0, 1))
    assert right["y"] >= left["y"] + left["height"] - 1
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 600


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_for_axe_to_find(opened, scheme):
    one = explore(GAME, STATE, num_simulations=60)
    two = explore(GAME, STATE, select=puct(), num_simulations=60)
    page = opened(compare(one, two), color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)
    assert_accessible(page, "the end")
    both(page, "table").locator('[data-into="3"]').click()
    page.keyboard.press("ArrowRight")
    both(page, "times").focus()
    for key in ("Home", *["Shift+ArrowRight"] * 20, "ArrowRight"):
        page.keyboard.press(key)
    assert now(page)[:2] == (21, "select")
    assert_accessible(page, "the select phase")
