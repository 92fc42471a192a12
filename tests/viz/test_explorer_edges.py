"""Odd games, odd trees and odd records, trees larger than their record, records that change, and
searches that did not end as planned.
"""

import json
import math

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import (
    MCTS,
    Recorder,
    Recording,
    compiled_uct,
    random_rollout,
    record_search,
    uct,
)
from azlearn.viz import Explorer, compare, explore, explore_tree
from azlearn.viz.record import SCHEMA
from tests.viz.nim import Nim
from tests.viz.page import at, drawn, kids, moves_to, now, part, path_labels, recorded, until
from tests.viz.stand_ins import Tactics

GAME = ConnectFour()


def test_a_game_without_a_board(opened):
    page = opened(explore(Nim(), num_simulations=30))
    labels = page.locator(".azl-node .azl-move").all_text_contents()
    assert "two" in labels
    page.locator(".azl-node").nth(1).click()
    expect(part(page, "panel")).to_contain_text("After one")
    # Nobody knows the moves before a position of it.
    later = explore(Nim(), Nim().play(Nim().initial_state(), 0), num_simulations=30)
    assert later.opening is None
    page = opened(later, permissions=["clipboard-read", "clipboard-write"])
    page.locator('.azl-node[data-node="1"]').click()
    page.get_by_role("button", name="copy moves").click()
    label = later.record["game"]["labels"][later.record["nodes"]["action"][1]]
    expect(part(page, "found")).to_have_text(f"Copied {label}, starting from the root.")


def test_a_readers_game_that_drops_stones(opened):
    explorer = explore(Tactics(), num_simulations=30)
    record = explorer.record | {"game": explorer.record["game"] | {"labels": [*"abcdefg"]}}
    page = opened(Explorer(record))
    page.locator('.azl-node[data-node="0"]').click()
    assert part(page, "panel").locator(".azl-col").all_text_contents() == [*"abcdefg"]
    stones = page.locator('[data-part="what"] .azl-st')
    assert stones.locator("circle").count() == 1
    assert stones.locator("path").count() == 0  # it is no cross


def test_a_fold_of_a_deep_line_opens(opened):
    greedy = explore(GAME, select=uct(0.1), num_simulations=800, seed=1)
    leaf = greedy.record["steps"]["leaf"]
    row = max(range(800), key=lambda r: len(path_labels(greedy, leaf[r])))
    page = opened(at(greedy, row + 1, "backup"), reduced_motion="reduce")
    page.set_viewport_size({"width": 1000, "height": 640})
    fold = page.locator(".azl-fold, .azl-top").last
    hidden = int(fold.get_attribute("data-fold"))
    assert str(hidden) not in drawn(page)
    fold.locator("text").click()
    assert now(page)[2] == hidden
    assert str(hidden) in drawn(page)


def test_unrecorded_tree_says_so(opened):
    tree = MCTS(GAME, uct(1.0), random_rollout()).run(GAME.initial_state(), 100, 0)
    assert Explorer(tree).record == explore_tree(tree).record
    page = opened(explore_tree(tree))
    expect(part(page, "say")).to_contain_text("you cannot step through it")
    expect(page.locator("footer")).to_be_hidden()
    assert drawn(page)["0"]["n"] == "100"


def test_numbers_that_are_none_do_not_break_the_page(opened, explorer):
    record = json.loads(json.dumps(explorer.record))
    steps, row = record["steps"], 99
    steps["change"] = [[1.0] * len(path_labels(explorer, leaf)) for leaf in steps["leaf"]]
    steps["change"][row][0] = math.nan
    steps["change"][row + 1][0] = math.inf
    page = opened(Explorer(record, step=row + 1), reduced_motion="reduce")
    first = path_labels(explorer, steps["leaf"][row])[0]
    expect(part(page, "panel").locator(".azl-ledger")).to_contain_text("NaN")
    children = kids(record, 0)
    (child,) = (i for i in children if record["nodes"]["action"][i] + 1 == int(first))
    seen = drawn(page)[str(child)]
    assert (seen["pills"], seen["strip"]) == (["NaN"], "–")


def test_an_error_goes_once_the_widget_has_drawn_itself_again(browser, tmp_path):
    explorer = explore(GAME, num_simulations=20)
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
    expect(page.get_by_role("alert")).to_contain_text("failed here: no such luck")
    page.evaluate("window.faulty = false")
    page.get_by_role("button", name="Back one simulation").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.close()


def changed(value, *path):
    """A good record with this value at that place; with None nothing is there."""
    record = record_search(GAME, GAME.initial_state(), uct(1.0), random_rollout(), 20, 0).to_dict()
    inner = record
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    if value is None:
        del inner[path[-1]]
    return record


OTHER_ROOT = explore(TicTacToe(), num_simulations=1).record["root"]
NO_COLUMNS = changed([], "root", "cells") | {"game": changed(0, "game", "cols")["game"]}


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({}, "does not contain a search"),
        (changed(3, "version"), "has format 3"),
        (changed(None, "rule"), r"damaged: record must contain \['rule'\] properties"),
        (changed("x", "nodes", "parent", 3), r"parent\[3\] must be integer"),
        (changed([0], "nodes", "to_play"), "to_play has 1 entries, not 21"),
        (changed(5, "nodes", "parent", 3), "node 3 does not come after its parent"),
        (changed(900, "steps", "leaf", 4), "steps.leaf contains 900, but the largest index is 20"),
        (changed(OTHER_ROOT, "root"), "9 cells, but the board of connect_four has 6 rows and 7"),
        (NO_COLUMNS, "0 cells, but the board of connect_four has 6 rows and 0 columns"),
        (changed([[]] * 20 + [[3]], "nodes", "changes"), "names a cell without its content"),
    ],
)
def test_a_bad_record_is_refused_in_a_sentence(record, sentence):
    with pytest.raises(ValueError, match=sentence):
        Explorer(record)


def required(value, schema):
    """Only those parts of a record that its schema requires."""
    if "properties" not in schema:
        return value
    return {name: required(value[name], schema["properties"][name]) for name in schema["required"]}


def test_a_record_may_leave_out_what_its_schema_does_not_require(opened):
    whole = explore(GAME, num_simulations=30)
    part_of_it = required(whole.record, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert {*part_of_it} < {*whole.record}
    explorer = Explorer(part_of_it)
    for attribute in ("to_svg", "describe", "__repr__"):
        assert getattr(explorer, attribute)() == getattr(whole, attribute)()
    assert compare(part_of_it, part_of_it).to_svg() == compare(whole, whole).to_svg()
    assert drawn(opened(explorer)) == drawn(opened(whole))


@pytest.mark.parametrize("done", [0, 11])
def test_a_search_that_did_not_end_as_planned_is_shown_and_says_so(done):
    def breaks(game, state, rng, calls=[]):  # noqa: B006
        calls.append(state)
        if len(calls) > done + 1:
            raise ZeroDivisionError
        return None, 0.25

    recorder = Recorder()
    with pytest.raises(ZeroDivisionError):
        MCTS(GAME, uct(1.0), breaks, recorder=recorder).run(GAME.initial_state(), 2000, 0)
    explorer = Explorer(recorder.recording())
    sentence = f"This search was stopped after {done} of 2,000 simulations."
    assert explorer.notice == sentence
    assert sentence in explorer.describe()
    assert explorer.step == done


def of_tree():
    tree = compiled_uct(GAME, GAME.from_moves("44443"), 20_000)
    return Recording.of_tree(tree, max_nodes=60)


def search(c, num_simulations=300):
    return recorded(select=uct(c), simulations=num_simulations)


def selected(page, node):
    page.locator(f'.azl-node[data-node="{node}"]').click()


def nodes_by_line(recording):
    """{actions from the root: node}."""
    record = recording.to_dict()
    return {tuple(moves_to(record, i)): i for i in range(len(recording.nodes))}


def _middle(card):
    box = card.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def left_out(page, explorer):
    more = explorer.record["nodes"]["more"]
    return next(int(n) for n in drawn(page) if more[int(n)])


def test_a_node_left_out_is_fetched_when_it_is_opened(live):
    explorer = Explorer(of_tree())
    before = len(explorer.record["nodes"]["parent"])
    link = live(explorer, reduced_motion="reduce")
    page = link.page
    node = left_out(page, explorer)
    count = explorer.record["nodes"]["more"][node]
    selected(page, node)
    expect(page.locator(f'[data-stub="{node}"]')).to_contain_text(f"+{count}")
    expect(part(page, "panel")).to_contain_text("not loaded yet")
    page.keyboard.press("+")
    card = page.locator(f'.azl-node[data-node="{node}"] .azl-frame').first
    x, y = _middle(card)
    page.keyboard.press("Enter")
    expect(part(page, "found")).to_contain_text("Asking Python")
    until(page, lambda: link.heard)
    assert link.heard == [{"do": "grow", "node": node}]
    link.flush()
    assert len(explorer.record["nodes"]["parent"]) == before + count
    assert now(page)[2] == node
    # A zoomed tree stays where it was; the card of the node may have taken another form.
    assert _middle(card) == pytest.approx((x, y), abs=12)
    page.keyboard.press("0")
    assert set(map(str, kids(explorer.record, node))) <= set(drawn(page))
    until(page, lambda: explorer.selected == node)  # or the node would be the root still
    truth = explorer.selected_node
    for action in truth.legal_actions:
        row = part(page, "panel").locator(f'tr[data-move="{action}"]')
        n = truth.visit_counts[action]  # as a narrow column writes them: "999", "4.1k"
        assert row.locator("td").first.inner_text() == (
            str(n) if n < 10_000 else f"{n / 1000:.0f}k"
        )
    expect(part(page, "found")).to_have_text("")


def test_who_has_no_search_says_so(opened, live):
    explorer = Explorer(of_tree())
    page = opened(explorer)
    selected(page, left_out(page, explorer))
    page.keyboard.press("Enter")
    expect(part(page, "found")).to_have_text(
        "These nodes are not in this file. Open the search in a notebook to see them."
    )
    link = live(Explorer(of_tree().to_dict()), reduced_motion="reduce")  # a record alone
    selected(link.page, left_out(link.page, explorer))
    link.page.keyboard.press("Enter")
    until(link.page, lambda: link.heard)
    link.flush()
    expect(part(link.page, "notice")).to_contain_text("does not contain these nodes")


def test_another_record_keeps_what_was_selected_opened_and_filtered(live):
    one, other = search(1.0), search(2.0)
    explorer = Explorer(one)
    link = live(explorer, reduced_motion="reduce")
    page = link.page
    page.get_by_role("button", name="Find and filter").click()
    page.get_by_role("button", name="always").click()
    part(page, "least").fill("3")
    record, there = one.to_dict(), nodes_by_line(other)
    nodes = [int(n) for n in drawn(page)]
    node = next(n for n in nodes if len(moves_to(record, n)) == 2 <= len(kids(record, n)))
    selected(page, node)
    page.keyboard.press("Enter")
    twin = there[tuple(moves_to(record, node))]
    with explorer.hold_sync():
        explorer.recording, explorer.record, explorer.selected = other, other.to_dict(), twin
    link.flush()
    assert now(page) == (300, "backup", twin)
    expect(part(page, "settings")).to_contain_text("UCT c = 2")
    expect(page.locator('[data-do="first"]')).to_have_attribute("aria-pressed", "true")
    assert part(page, "least").input_value() == "3"
    nodes = drawn(page)
    for n, seen in nodes.items():
        up, action = other.parents[int(n)]
        visits = other.nodes[up].visit_counts[action] if up >= 0 else 300
        assert seen["n"] == str(visits)
        assert visits >= 3 or up == twin
    assert set(map(str, kids(other.to_dict(), twin))) <= set(nodes)


def test_a_node_chosen_while_a_search_ran_is_found_in_the_new_tree(live):
    """The new record arrives before Python has heard of the click."""
    one, other = search(1.0), search(2.0, 60)
    explorer = Explorer(one)
    link = live(explorer, reduced_motion="reduce")
    page, there, record = link.page, nodes_by_line(other), one.to_dict()
    node = next(int(n) for n in drawn(page) if tuple(moves_to(record, int(n))) not in there)
    nearest = tuple(moves_to(record, node))
    while nearest not in there:
        nearest = nearest[:-1]
    page.evaluate(
        """([node, news]) => {
          const card = document.querySelector(`.azl-node[data-node="${node}"]`);
          card.dispatchEvent(new MouseEvent('click', { bubbles: true }));
          window.model.hear(news);
        }""",
        [node, {"record": other.to_dict(), "step": 60, "selected": 0}],
    )
    assert now(page) == (60, "backup", there[nearest])
