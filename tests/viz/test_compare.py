"""Two searches side by side: what differs, stepped together, and told apart in numbers."""

import re

import pytest
import traitlets
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, compiled_uct, puct, random_rollout, uct
from azlearn.viz import compare, explore
from azlearn.viz.comparison import default_labels
from azlearn.viz.replaying import replay
from tests.viz.page import number, path_labels, until

GAME = ConnectFour()
STATE = GAME.from_moves("44443")


def network(game, state, rng):
    return None, 0.0


network.name = "a network"


def searched(num_simulations=120, **options):
    return explore(GAME, STATE, num_simulations=num_simulations, **options)


@pytest.fixture
def pair():
    return searched(), searched(select=uct(0.2), num_simulations=200)


def test_what_cannot_be_compared(pair):
    one, two = pair
    other = explore(GAME, GAME.from_moves("44435"), num_simulations=5)
    tic = explore(TicTacToe(), num_simulations=5)
    turned = {**one.record, "root": {**one.record["root"], "to_play": 0}}  # the same stones
    for elsewhere in (other, turned):
        with pytest.raises(ValueError, match="different positions"):
            compare(one, elsewhere)
    with pytest.raises(ValueError, match="different games: Connect Four and tic-tac-toe"):
        compare(one, tic)
    with pytest.raises(ValueError, match="does not contain a search"):
        compare(one, {"steps": {}})
    with pytest.raises(TypeError, match="not int"):
        compare(one, 3)
    with pytest.raises(ValueError, match="two names, not 1"):
        compare(one, two, labels=["one"])


def test_takes_whatever_holds_a_search_and_says_which_move_each_prefers(pair):
    one, two = pair
    tree = MCTS(GAME, uct(), random_rollout()).run(STATE, 40, 3)
    first, second = (e.recording.tree.root.visit_counts for e in pair)
    for left, right, other in (
        (one, two.record, second),
        (one.recording, tree, tree.root.visit_counts),
    ):
        both = compare(left, right, labels=("A", "B"))
        said = both.verdict()
        assert said.startswith(f"After 120 and {sum(other)} simulations: ")
        assert said in both.describe()
        for visits in (first, other):
            best = max(range(7), key=visits.__getitem__)
            assert re.search(rf"prefers? {best + 1} \(", said)
            assert f"{int(100 * visits[best] / sum(visits) + 0.5)}%" in said


def test_shares_half_way_between_two_per_cents():
    """2 of 8 and 1 of 8: 12.5%, which the page rounds to 13%, too."""
    one, eight = searched(1), searched(8)
    text = compare(one, eight, labels=("A", "B")).describe()
    assert text.startswith("After 1 and 8 simulations: ")
    assert compare(one, one.record).verdict().startswith("After 1 simulation: ")
    root = eight.recording.tree.root
    rest = sorted((a for a in range(7) if a != 1), key=lambda a: (-root.q_values[a], a))
    ties = ", ".join(f"{a + 1} with 13%" for a in rest[:2])  # ties go to the higher Q
    assert text.endswith(f"B: most visited moves 2 with 25%, {ties}.")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ({"num_simulations": 1}, {"num_simulations": 1500}, ["1 simulation", "1,500 simulations"]),
        ({}, {"select": uct(2), "num_simulations": 6}, ["c = 1, 20 simulations",
                                                        "c = 2, 6 simulations"]),
        ({}, {"select": puct(1)}, ["UCT", "PUCT"]),
        ({"select": puct(fpu=-1)}, {"select": puct(fpu="parent")}, ["fpu = −1", "fpu = parent"]),
        ({"select": puct()}, {"select": puct(fpu_reduction=0.25)},
         ["fpu_reduction = 0", "fpu_reduction = 0.25"]),
        ({}, {"select": lambda node: [0.0] * 7}, ["UCT", "custom rule"]),
        ({}, {"seed": 1}, ["left", "right"]),
        ({}, {"evaluate": network}, ["random rollout", "a network"]),
        ({}, {"evaluate": network, "select": uct(2)}, ["c = 1", "c = 2"]),
    ],
)  # fmt: skip
def test_labels_name_what_differs(left, right, expected):
    one, two = (searched(**{"num_simulations": 20, **options}) for options in (left, right))
    assert default_labels(one.record, two.record) == expected


def test_an_explorer_that_searches_again_changes_its_half(pair):
    one, two = pair
    both = compare(one, two)
    assert both.labels[0] == "c = 1, 120 simulations"
    one.rerun(c=4.0, num_simulations=300)
    assert both.left == one.record
    assert both.right == two.record
    assert both.labels == ["c = 4, 300 simulations", "c = 0.2, 200 simulations"]
    assert both.simulation == 300  # the reader was at the end
    both.simulation = 250
    one.rerun(num_simulations=100)
    assert both.simulation == 200
    both.simulation = 60
    two.rerun(num_simulations=100)
    assert (both.simulation, both.labels) == (60, ["c = 4", "c = 0.2"])
    named = compare(one, two, labels=("wide", "narrow"))
    one.rerun(c=1.0)
    assert named.labels == ["wide", "narrow"]
    with pytest.raises(traitlets.TraitError, match="simulation must be 0 to 100, not 101"):
        named.simulation = 101


def test_an_unrecorded_tree_beside_a_recorded_one(pair):
    big = compiled_uct(GAME, STATE, 20_000)
    both = compare(big, pair[0])
    assert both.simulation == 120
    assert both.labels[0] == "20,000 simulations"
    assert "After 20,000 and 120 simulations" in both.verdict()
    size = len(both.left["nodes"]["parent"])
    leaf = next(i for i, more in enumerate(both.left["nodes"]["more"]) if more)
    both._on_message(both, {"do": "grow", "side": "left", "node": leaf}, [])
    assert len(both.left["nodes"]["parent"]) > size


def test_pictures_with_a_text_alternative(pair):
    both = compare(*pair, labels=("wide", "a < b & c"))
    data, _ = both._repr_mimebundle_()
    alt = re.search(r'alt="([^"]*)"', data["text/html"])[1]
    assert "Two searches of one position of Connect Four" in alt
    assert "prefer" in alt
    assert "Run the cell" in data["text/html"]
    assert ">wide<" in data["image/svg+xml"]
    svg = both.to_svg()
    assert ">wide<" in svg
    assert ">a &lt; b &amp; c<" in svg
    for record in (both.left, both.right):
        root_visits = len(record["steps"]["leaf"])
        assert f">{root_visits}<" in svg
    assert repr(both).startswith("Comparison: After 120 and 200 simulations")


def test_a_closed_comparison_is_left_alone():
    game = ConnectFour()
    left = explore(game, num_simulations=20)
    recorded = explore(game, num_simulations=30).recording
    both = compare(left, recorded)
    before = both.left
    both.close()
    left.rerun(seed=1)
    assert both.left is before
    assert left.comm is not None  # the reader's own explorer stays
    assert both._explorers["right"].comm is None


@pytest.fixture(scope="module")
def duo():
    return explore(GAME, STATE, num_simulations=80), explore(
        GAME, STATE, select=uct(0.3), num_simulations=120
    )


@pytest.fixture
def page(opened, duo):
    page = opened(compare(*duo, labels=("wide", "narrow")), width=1300, reduced_motion="reduce")
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
    """{move: [[N left, N right], [Q, Q], [share, share], [difference]]} of a wide page."""
    rows = both(page, "table").locator("tbody tr")
    return dict(
        rows.evaluate_all(
            """all => all.map(r => [r.querySelector("th").textContent,
              ["azl-cN", "azl-cQ", "azl-vb", "azl-gap"].map(name =>
                [...r.querySelectorAll("td." + name)].map(c => c.textContent))])"""
        )
    )


def check_halves(page, duo, simulation):
    """The trees show what the records say after that many simulations."""
    for explorer, (step, phase, _, visits) in zip(duo, halves(page), strict=True):
        rows = min(simulation, len(explorer.record["steps"]["leaf"]))
        assert (step, phase) == (rows, "backup")
        expected = replay(explorer.record, rows)[0]
        assert visits
        assert {i: int(n) for i, n in visits.items()} == {i: expected[i] for i in visits}


def nodes_by_line(explorer):
    """{labels of the moves from the root: node}."""
    return {tuple(path_labels(explorer, i)): i for i in range(len(explorer.recording.nodes))}


def test_they_step_together(page, duo):
    """By the keys of either, by buttons, by a timeline, and by the keys between them."""
    assert now(page) == (120, "backup", "")
    check_halves(page, duo, 120)
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
    check_halves(page, duo, 31)
    expect(both(page, "verdict")).to_contain_text("After 31 simulations")
    both(page, "table").press("ArrowLeft")
    assert now(page)[:2] == (31, "evaluate")
    page.keyboard.press("End")  # of the longer search
    check_halves(page, duo, 120)
    both(page, "steps").get_by_role("button", name="Back one simulation").click()
    check_halves(page, duo, 119)
    both(page, "steps").get_by_role("button", name="Evaluate").click()
    assert [h[:2] for h in halves(page)] == [(80, "backup"), (119, "evaluate")]
    box = half(page, "right").locator('[data-part="timeline"]').bounding_box()
    labels = 36  # pixels beside the bands
    page.mouse.click(box["x"] + (box["width"] - labels) * 0.25, box["y"] + 20)
    check_halves(page, duo, 30)
    both(page, "steps").locator("select:visible").select_option("20")
    both(page, "table").press("End")
    for _ in range(6):
        page.keyboard.press("Shift+ArrowLeft")
    half(page, "left").get_by_role("tree").press("Space")  # the longer one plays
    expect(page.locator(".azl-c")).to_have_attribute("data-simulation", "120")
    check_halves(page, duo, 120)


def test_the_table_puts_the_numbers_side_by_side(page, duo):
    for line in ((), ("4",)):
        into(page, *line)
        rows, numbers = shown_rows(page), []
        for explorer in duo:
            node = explorer.recording.nodes[nodes_by_line(explorer)[line]]
            numbers.append((node.visit_counts, node.q_values, sum(node.visit_counts)))
        assert list(rows) == [str(a + 1) for a in range(7)]
        for move, (*columns, difference) in rows.items():
            a, shares = int(move) - 1, []
            for n, q_text, share, (visits, q, total) in zip(*columns, numbers, strict=True):
                assert int(n) == visits[a]
                assert q_text == "–" if not visits[a] else abs(number(q_text) - q[a]) < 0.0051
                shares.append(int(share.removesuffix("%")))
                assert abs(shares[-1] - 100 * visits[a] / total) <= 0.5001
            assert number(difference[0].replace("+", "")) == shares[1] - shares[0]
    expect(both(page, "board")).to_contain_text("after 4")


def test_the_selection_is_a_position_not_a_number(page, duo):
    one, two = map(nodes_by_line, duo)
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
    assert {tuple(duo[0] for duo in row[:3]) for row in shown_rows(page).values()} == {
        ("–", "–", "")
    }


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
    half(page, "left").get_by_role("tree").press("Shift+ArrowRight")
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
