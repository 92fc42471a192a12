"""Numbers that a viewer could get wrong: faulty counts, unknown bonuses, infinite scores."""

import json
import math
import re

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour
from azlearn.search import MCTS, compiled_uct
from azlearn.viz import Explorer, assets, explore
from tests.faulty_searches import CountsTwice, ForgetsEndings
from tests.viz.page import drawn, part, recorded

GAME = ConnectFour()
STATE = GAME.from_moves("44443")
NEARLY = "112233"  # ● wins with 4


def shunning(node):
    """Never move 1; every other move less, the more it was tried."""
    return [-math.inf, *(-float(n) for n in node.visit_counts[1:])]


@pytest.mark.parametrize("search", [MCTS, CountsTwice, ForgetsEndings])
def test_the_timeline_ends_at_the_shares_of_the_root(in_browser, search):
    recording = recorded(search, moves=NEARLY)
    ends = in_browser(
        """text => {
          const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
          const line = new Timeline(svg, () => {});
          line.take(new Replay(JSON.parse(text)));
          const last = line.columns[line.columns.length - 1];
          return line.order.map((node, k) => [line.replay.action[node], last[k]]);
        }""",
        json.dumps(recording.to_dict()),
    )
    visits = recording.tree.root.visit_counts
    expected = {a: n / sum(visits) for a, n in enumerate(visits) if n}
    assert {a: share for a, share in ends if share} == pytest.approx(expected)


def test_the_star_is_on_the_move_that_would_be_played(in_browser):
    """At a tie of visits the player goes by Q, and so does the viewer."""
    ties = 0
    for seed in range(40):
        recording = explore(GAME, STATE, num_simulations=7, seed=seed).recording
        starred = in_browser(
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
    assert ties > 0  # some of which the first move would not have won


def test_a_score_of_minus_infinity_is_called_that(opened):
    recording = recorded(select=shunning, simulations=30)
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


def test_a_closed_explorer_leaves_no_timer_behind(in_browser):
    explorer = Explorer(compiled_uct(GAME, STATE, 20_000))
    node = next(i for i, more in enumerate(explorer.record["nodes"]["more"]) if more)
    left = in_browser(
        """([css, record, node]) => {
          const el = document.createElement("div"), style = document.createElement("style");
          style.textContent = css;
          document.body.append(style, el);
          const late = new Set(), [after, stop] = [setTimeout, clearTimeout];
          window.setTimeout = (f, ms) => {
            const id = after(f, ms);
            if (ms > 1000) late.add(id);
            return id;
          };
          window.clearTimeout = id => { late.delete(id); stop(id); };
          const state = { step: 0, phase: "backup", selected: node }, nothing = () => {};
          const model = { get: name => state[name], set: nothing, on: nothing, off: nothing,
            save_changes: nothing, send: nothing };
          const shown = new Explorer(model, el, record);
          el.querySelector('[data-do="toggle"]').click();      // asks Python, which says nothing
          const open = late.size;
          shown.close();
          Object.assign(window, { setTimeout: after, clearTimeout: stop });
          return [open, late.size];
        }""",
        [assets.styles("explorer.css", "tree.css"), explorer.record, node],
    )
    assert left == [1, 0]


@pytest.mark.parametrize(
    ("second", "third", "zoom"),
    [
        (1e-7, 0.4, None),  # an error of rounding is not magnified
        (0.0, 0.0, None),  # nothing to tell apart
        (2e-3, 0.4, 50),
    ],
)
def test_the_zoom_is_of_differences_that_are_printed(in_browser, second, third, zoom):
    text = in_browser(
        """([text, scores]) => {
          const replay = new Replay(JSON.parse(text)), tree policy = { row: 20, rows: 9 };
          const moves = replay.moves(0).slice(0, 3).map((m, k) => ({ ...m, score: scores[k] }));
          const [won, other] = moves;
          return textOf(comparison(replay, 0, { moves, won, second: other }, 300, tree policy));
        }""",
        [json.dumps(recorded(moves=NEARLY).to_dict()), [0.5, 0.5 - second, 0.5 - third]],
    )
    found = re.search(r"zoom ×([\d,.]+)", text)
    if zoom is None:
        assert found is None
    else:
        assert zoom <= float(found[1].replace(",", "")) < 10 * zoom
