"""Numbers that a viewer could get wrong: faulty counts, unknown bonuses, infinite scores."""

import json
import math
import re

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour
from azlearn.search import MCTS, Recorder, compiled_uct, random_rollout, uct
from azlearn.viz import Explorer, assets, compare, explore
from tests.faulty_searches import CountsTwice, ForgetsEndings
from tests.viz.kernel import a_page, linked
from tests.viz.page import drawn, part

GAME = ConnectFour()
STATE = GAME.from_moves("44443")
NEARLY = GAME.from_moves("112233")  # ● wins with 4


def shunning(node):
    """Never move 1; every other move less, the more it was tried."""
    return [-math.inf, *(-float(n) for n in node.visit_counts[1:])]


def recorded(search=MCTS, select=None, simulations=60, state=NEARLY):
    recorder = Recorder()
    search(GAME, select or uct(1.0), random_rollout(), recorder=recorder).run(state, simulations, 0)
    return recorder.recording()


@pytest.mark.parametrize("search", [MCTS, CountsTwice, ForgetsEndings])
def test_the_timeline_ends_at_the_shares_of_the_root(browser, search):
    recording = recorded(search)
    page = browser.new_page()
    page.set_content("<svg></svg>")
    files = assets.EXPLORER[: assets.EXPLORER.index("key.js") + 1]
    page.add_script_tag(content=assets.module(files))
    ends = page.evaluate(
        """text => {
          const line = new Timeline(document.querySelector("svg"), () => {});
          line.take(new Replay(JSON.parse(text)));
          const last = line.columns[line.columns.length - 1];
          return line.order.map((node, k) => [line.replay.action[node], last[k]]);
        }""",
        json.dumps(recording.to_dict()),
    )
    page.close()
    visits = recording.tree.root.visit_counts
    expected = {a: n / sum(visits) for a, n in enumerate(visits) if n}
    assert {a: share for a, share in ends if share} == pytest.approx(expected)


def test_the_star_is_on_the_move_that_would_be_played(browser):
    """At a tie of visits the player goes by Q, and so does the viewer."""
    page, ties = browser.new_page(), 0
    page.set_content("<p>star</p>")
    files = assets.EXPLORER[: assets.EXPLORER.index("timeline.js")]
    page.add_script_tag(content=assets.module(files))
    for seed in range(40):
        recording = explore(GAME, STATE, num_simulations=7, seed=seed).recording
        starred = page.evaluate(
            """text => {
              const replay = new Replay(JSON.parse(text));
              replay.seek(replay.rows);
              return replay.action[replay.favourite(0)];
            }""",
            json.dumps(recording.to_dict()),
        )
        tree = recording.tree
        assert starred == tree.best_action()
        visits = tree.root.visit_counts
        ties += visits.count(max(visits)) > 1 and starred != visits.index(max(visits))
    page.close()
    assert ties > 0  # some of which the first move would not have won


def test_nobody_knows_the_scores_of_a_rule_of_ones_own(opened):
    one = explore(GAME, STATE, select=shunning, num_simulations=30)
    two = explore(GAME, STATE, num_simulations=3)
    panel = part(opened(Explorer(one.recording, selected=0)), "panel")
    expect(panel).to_contain_text("The formula of this rule is not known here")
    expect(panel.locator(".azl-sc")).to_have_count(0)  # no formula says that move 1 would go first
    panel = part(opened(Explorer(two.recording, selected=0)), "panel")
    assert panel.locator(".azl-sc").all_inner_texts().count("∞") == 4


def test_a_score_of_minus_infinity_is_called_that(opened):
    recording = recorded(select=shunning, simulations=30, state=STATE)
    record = recording.to_dict()
    page = opened(Explorer(recording, step=20, phase="select"), reduced_motion="reduce")
    row = part(page, "panel").locator('[data-move="0"]')
    expect(row.locator(".azl-sc")).to_have_text("−∞")
    expect(row).to_have_attribute("title", "N 0, W –, no Q yet")
    assert "1e+300" not in page.locator(".azl").inner_text()
    # A followed move with that score: the sentence and the pill.
    root = record["steps"]["leaf"][19]
    while record["nodes"]["parent"][root] > 0:
        root = record["nodes"]["parent"][root]
    record["steps"]["scores"][19][0] = [-1e300] * 7
    page = opened(Explorer(record, step=20, phase="select"), reduced_motion="reduce")
    assert drawn(page)[str(root)]["pills"] == ["–"]  # ∞ less ∞ is no lead
    expect(part(page, "say")).to_contain_text("are equal")
    expect(part(page, "panel").locator("tr.azl-best .azl-sc")).to_have_text("−∞")


def test_other_names_leave_everything_else_as_it_is(browser, tmp_path):
    one, two = (explore(GAME, STATE, num_simulations=40, seed=seed) for seed in (0, 1))
    widget = compare(one, two)
    with a_page(browser, reduced_motion="reduce") as page:
        link = linked(page, tmp_path / "live.html", widget)
        root = page.locator(".azl-c")
        root.evaluate("e => { e.dataset.kept = 'yes'; }")
        views = page.locator(".azl-c > header .azl-seg button")
        views.nth(1).click()
        one.rerun(num_simulations=90, c=3.0)
        link.flush()
        expect(page.locator(".azl-time-name").first).to_have_text("c = 3, 90 simulations")
        expect(page.locator(".azl-pane-name b").first).to_have_text("c = 3, 90 simulations")
        pane = page.get_by_role("region", name="c = 3, 90 simulations")
        expect(pane).to_have_count(1)
        expect(page.locator('[data-both="verdict"]')).to_contain_text("c = 3, 90 simulations")
        expect(root).to_have_attribute("data-kept", "yes")
        expect(views.nth(1)).to_have_attribute("aria-pressed", "true")
        widget.labels = ["<i>", "b"]
        link.flush()
        expect(page.locator(".azl-pane-name b").first).to_have_text("<i>")
        expect(root).to_have_attribute("data-kept", "yes")


def test_a_theme_that_changes_while_a_comparison_is_hidden(browser, tmp_path):
    both = compare(*(explore(GAME, STATE, num_simulations=20, seed=seed) for seed in (0, 1)))
    path = tmp_path / "hidden.html"
    html = both.to_html().replace('<div id="widget">', '<div id="widget" hidden>')
    path.write_text(html, encoding="utf-8")
    with a_page(browser) as page:
        page.goto(path.as_uri())
        page.locator(".azl-c").wait_for(state="attached")
        page.evaluate("document.body.className = 'dark'")
        page.wait_for_timeout(80)
        page.evaluate("document.getElementById('widget').hidden = false")
        page.locator(".azl-c[data-ready]").wait_for()
        expect(page.locator(".azl-error")).to_have_count(0)
        expect(page.locator('[data-both="verdict"]')).to_contain_text("After 20 simulations")


def test_an_error_goes_once_the_widget_has_drawn_itself_again(browser, tmp_path):
    explorer = explore(GAME, STATE, num_simulations=20)
    path = tmp_path / "broken.html"
    path.write_text(explorer.to_html(), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.locator(".azl-x[data-ready]").wait_for()
    page.evaluate(
        """() => {
          const set = Element.prototype.setAttribute;
          Element.prototype.setAttribute = function (name, value) {
            if (window.faulty && this.ownerSVGElement) throw new Error("no such luck");
            return set.call(this, name, value);
          };
          window.faulty = true;
        }"""
    )
    page.get_by_role("button", name="Back one simulation").click()
    expect(page.get_by_role("alert")).to_contain_text("stumbled here: no such luck")
    page.evaluate("window.faulty = false")
    page.get_by_role("button", name="Back one simulation").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.close()


def test_a_closed_explorer_leaves_no_timer_behind(browser):
    explorer = Explorer(compiled_uct(GAME, STATE, 20_000))
    node = next(i for i, more in enumerate(explorer.record["nodes"]["more"]) if more)
    page = browser.new_page()
    page.set_content("<style></style>")
    page.add_style_tag(content=assets.styles("explorer.css", "tree.css"))
    left = page.evaluate(
        """async ([esm, record, node]) => {
          const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
          const { render } = (await import(url)).default, el = document.createElement("div");
          document.body.append(el);
          const late = new Set(), frames = new Set();
          const after = setTimeout, next = requestAnimationFrame;
          const [stop, cancel] = [clearTimeout, cancelAnimationFrame];
          window.setTimeout = (f, ms) => {
            const id = after(f, ms);
            if (ms > 1000) late.add(id);
            return id;
          };
          window.clearTimeout = id => { late.delete(id); stop(id); };
          window.requestAnimationFrame = f => {
            const id = next(t => { frames.delete(id); f(t); });
            frames.add(id);
            return id;
          };
          window.cancelAnimationFrame = id => { frames.delete(id); cancel(id); };
          const state = { record, step: 0, phase: "backup", selected: node };
          const model = {
            get: name => state[name], set(name, value) { state[name] = value; },
            on() {}, off() {}, save_changes() {}, send() {},
          };
          const close = render({ model, el });
          el.querySelector('[data-do="toggle"]').click();      // asks Python, which says nothing
          el.querySelector('[data-do="first"]').click();       // draws, and nodes glide
          const open = [late.size, frames.size];
          close();
          return [...open, late.size, frames.size];
        }""",
        [assets.module(assets.EXPLORER), explorer.record, node],
    )
    page.close()
    assert left == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("second", "third", "zoom"),
    [
        (1e-7, 0.4, None),  # an error of rounding is not magnified
        (0.0, 0.0, None),  # nothing to tell apart
        (1e-7, 3e-7, None),
        (2e-3, 0.4, 50),
    ],
)
def test_the_zoom_is_of_differences_that_are_printed(browser, second, third, zoom):
    page = browser.new_page()
    page.set_content("<p>zoom</p>")
    files = assets.EXPLORER[: assets.EXPLORER.index("shell.js")]  # any file after lanes.js as last
    page.add_script_tag(content=assets.module(files))
    text = page.evaluate(
        """([text, scores]) => {
          const replay = new Replay(JSON.parse(text)), plan = { row: 20, rows: 9 };
          const moves = replay.moves(0).slice(0, 3).map((m, k) => ({ ...m, score: scores[k] }));
          const [won, other] = moves;
          return textOf(comparison(replay, 0, { moves, won, second: other }, 300, plan));
        }""",
        [json.dumps(recorded().to_dict()), [0.5, 0.5 - second, 0.5 - third]],
    )
    page.close()
    found = re.search(r"zoom ×([\d,.]+)", text)
    if zoom is None:
        assert found is None
    else:
        assert zoom <= float(found[1].replace(",", "")) < 10 * zoom
