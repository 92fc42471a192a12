"""Odd games, odd trees and odd records in the browser; and the still pictures beside it."""

import json
import math

from playwright.sync_api import expect

from azlearn.games import ConnectFour
from azlearn.search import MCTS, random_rollout, uct
from azlearn.viz import Explorer, explore, explore_tree
from tests.viz.nim import Nim
from tests.viz.page import at, drawn, now, part, path_labels
from tests.viz.tactics import Tactics

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
    expect(part(page, "found")).to_have_text(f"Copied {label}, from the root on.")


def test_a_readers_game_that_drops_stones(opened):
    explorer = explore(Tactics(), num_simulations=30)
    record = explorer.record | {"game": explorer.record["game"] | {"labels": [*"abcdefg"]}}
    page = opened(Explorer(record))
    page.locator('.azl-node[data-node="0"]').click()
    assert part(page, "panel").locator(".azl-col").all_text_contents() == [*"abcdefg"]
    stones = page.locator('[data-part="what"] .azl-st')
    assert stones.locator("circle").count() == 1
    assert stones.locator("path").count() == 0  # it is no cross


def test_a_deep_line_is_folded(opened):
    greedy = explore(GAME, select=uct(0.1), num_simulations=800, seed=1)
    steps = greedy.record["steps"]
    row = max(range(800), key=lambda r: len(path_labels(greedy, steps["leaf"][r])))
    long = len(path_labels(greedy, steps["leaf"][row]))
    assert long > 9
    page = opened(at(greedy, row + 1, "backup"), reduced_motion="reduce")
    page.set_viewport_size({"width": 1000, "height": 640})
    runs = page.locator(".azl-fold > g > text").all_text_contents()
    folded = sum(int(text.removeprefix("⋮ ").split()[0]) for text in runs)
    above = page.locator(".azl-top > g > text").all_text_contents()  # the root is one of these
    left_out = sum(int(text.split()[0]) - 1 for text in above)
    badges = [p for node in drawn(page).values() for p in node["pills"]]
    assert len(badges) + folded + left_out == long
    assert folded + left_out > 0
    fold = page.locator(".azl-fold, .azl-top").last
    hidden = int(fold.get_attribute("data-fold"))
    assert str(hidden) not in drawn(page)
    fold.locator("text").click()
    assert now(page)[2] == hidden
    assert str(hidden) in drawn(page)


def test_unrecorded_tree_says_so(opened):
    tree = MCTS(GAME, uct(1.0), random_rollout()).run(GAME.initial_state(), 100, 0)
    page = opened(explore_tree(tree))
    expect(part(page, "say")).to_contain_text("nothing to step through")
    expect(page.locator("footer")).to_be_hidden()
    assert drawn(page)["0"]["n"] == "100"


def test_the_highlights_is_marked_on_the_board_and_in_the_tree(opened):
    start = GAME.from_moves("112233")
    explorer = explore(GAME, start, num_simulations=60, seed=1)
    won = next(
        i
        for i, up in enumerate(explorer.record["nodes"]["parent"])
        if up == 0 and explorer.record["nodes"]["action"][i] == 3
    )
    page = opened(explorer)
    card = page.locator(f'.azl-node[data-node="{won}"]')
    expect(card.locator(".azl-line")).to_have_count(1)
    assert page.locator('.azl-node[data-node="0"] .azl-line').count() == 0
    card.click()
    line = GAME.highlights(GAME.play(start, 3))
    board = part(page, "panel").locator(".azl-board")
    rings = board.locator('[stroke="var(--azl-path)"]')
    expect(rings).to_have_count(len(line))
    cell = (float(board.get_attribute("viewBox").split()[2]) - 4) / 7
    seen = {
        tuple(round(float(r.get_attribute(name)) / cell - 0.5) for name in ("cx", "cy"))
        for r in rings.all()
    }
    assert seen == {(i % 7, i // 7) for i in line}


def test_numbers_that_are_none_do_not_break_the_page(opened, explorer):
    record = json.loads(json.dumps(explorer.record))
    steps, row = record["steps"], 99
    steps["change"] = [[1.0] * len(path_labels(explorer, leaf)) for leaf in steps["leaf"]]
    steps["change"][row][0] = math.nan
    steps["change"][row + 1][0] = math.inf
    page = opened(Explorer(record, step=row + 1), reduced_motion="reduce")
    first = path_labels(explorer, steps["leaf"][row])[0]
    expect(part(page, "panel").locator(".azl-ledger")).to_contain_text("NaN")
    children = [i for i, p in enumerate(record["nodes"]["parent"]) if p == 0]
    (child,) = (i for i in children if record["nodes"]["action"][i] + 1 == int(first))
    seen = drawn(page)[str(child)]
    assert seen["pills"] == ["NaN"]
    strip = page.locator(f'.azl-node[data-node="{child}"] .azl-strip')
    assert strip.inner_html() == "–"
