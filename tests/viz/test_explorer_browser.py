"""The explorer's own file, opened in a browser without kernel and network."""

import json
import math
import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import Recorder, random_rollout, uct
from azlearn.viz import Explorer, explore, replay
from azlearn.viz.numerals import lead
from azlearn.viz.replaying import path_to
from tests.faulty_searches import WrongSign
from tests.viz.page import at, drawn, now, number, part, path_labels

GAME = ConnectFour()


def wrong_sign():
    recorder = Recorder()
    WrongSign(GAME, uct(1.0), random_rollout(), recorder=recorder).run(
        GAME.from_moves("44443"), 200, 1
    )
    return Explorer(recorder.recording())


def test_final_tree_shows_the_searchs_numbers(opened, explorer):
    page = opened(explorer)
    nodes, (visits, _) = drawn(page), replay(explorer.record)
    assert len(nodes) > 12
    for node, seen in nodes.items():
        assert seen["n"] == str(visits[int(node)])
    page.locator('.azl-node[data-node="0"]').click()  # keeps the root in the panel
    root, panel = explorer.recording.nodes[0], part(page, "panel")
    scores = explorer.recording.select(root)
    rows = panel.locator("tr[data-move]")
    expect(rows).to_have_count(len(root.legal_actions))
    for action in root.legal_actions:
        row = panel.locator(f'tr[data-move="{action}"]')
        cells, said = row.locator("td").all_inner_texts(), row.get_attribute("title")
        assert cells[0] == str(root.visit_counts[action])
        assert f"W {root.value_sum[action]:.0f},".replace("-", "−") in said
        q = number(re.search(r"Q ([+−]?[\d.]+)", said).group(1))
        assert q == pytest.approx(root.q_values[action], abs=0.00501)
        assert number(cells[-1]) == pytest.approx(scores[action], abs=0.00501)
    best = max(root.legal_actions, key=list(scores).__getitem__)
    assert panel.locator("tr.azl-best").get_attribute("data-move") == str(best)
    formula = part(page, "formula").inner_text()
    assert re.search(rf"^{best + 1}\s", formula, re.MULTILINE)
    assert number(formula.split("= ")[-1]) == pytest.approx(scores[best], abs=0.0006)


def test_click_selects_a_node_and_shows_its_position(opened, explorer):
    page = opened(explorer)
    node = page.locator(".azl-node").nth(2)
    index = int(node.get_attribute("data-node"))
    node.click()
    assert now(page)[2] == index
    stones = part(page, "panel").locator(".azl-board > circle, .azl-board > rect")
    assert stones.count() == 5 + len(path_labels(explorer, index)) + 1  # and a ring on the last
    labels = part(page, "crumbs").locator("button").all_inner_texts()
    assert labels[: len(path_labels(explorer, index)) + 1] == [
        "root",
        *path_labels(explorer, index),
    ]
    item = page.locator('[role="treeitem"]')
    assert item.get_attribute("aria-level") == str(len(path_labels(explorer, index)) + 1)
    assert item.inner_text().startswith(f"Move {path_labels(explorer, index)[-1]}: ")


def test_keys_step_through_the_four_phases(opened, explorer):
    page = opened(explorer, reduced_motion="reduce")
    tree = page.get_by_role("tree")
    tree.focus()
    page.keyboard.press("Home")
    expect(part(page, "head")).to_have_text("Before the search")
    assert list(drawn(page)) == ["0"]
    names = {"select": "Select", "expand": "Expand", "evaluate": "Evaluate", "backup": "Back up"}
    for k, (phase, name) in enumerate(names.items(), start=1):
        page.keyboard.press("ArrowRight")
        expect(part(page, "head")).to_have_text(f"{k} {name}")
        expect(part(page, "when")).to_have_text("simulation 1 of 300")
        assert now(page)[:2] == (1, phase)
        current = page.locator('.azl-phases [aria-current="step"]')
        assert current.get_attribute("data-do") == phase
    page.keyboard.press("Shift+ArrowRight")
    assert now(page)[0] == 2
    page.keyboard.press("ArrowLeft")
    assert now(page)[:2] == (2, "evaluate")
    page.keyboard.press("End")
    assert now(page)[0] == 300
    page.keyboard.press("ArrowUp")  # from the leaf, which the panel is about
    node = now(page)[2]
    assert node > 0
    for _ in range(len(drawn(page))):
        page.keyboard.press("ArrowUp")
    assert now(page)[2] == 0
    page.keyboard.press("ArrowDown")
    assert now(page)[2] > 0


def test_backup_badges_alternate(opened, explorer):
    steps = explorer.record["steps"]
    row = max(
        range(250),
        key=lambda r: (steps["value"][r] != 0, len(path_labels(explorer, steps["leaf"][r]))),
    )
    page = opened(at(explorer, row + 1, "backup"), reduced_motion="reduce")
    path = [steps["leaf"][row]]
    while path[0]:
        path.insert(0, explorer.record["nodes"]["parent"][path[0]])
    nodes = drawn(page)
    shown = [nodes[str(i)] for i in path[1:] if str(i) in nodes]
    badges, colors = [n["pills"][0] for n in shown], [n["colors"][0] for n in shown]
    assert len(badges) >= 3
    assert badges[-1] == ("−1" if steps["value"][row] > 0 else "+1")
    assert badges[-2] != badges[-1]
    assert len(set(colors)) == 2
    ledger = part(page, "panel").locator("tr[data-k] td:nth-child(2)").all_inner_texts()
    assert [text for text in ledger if text] == badges[::-1]  # the leaf comes first


def test_a_wrong_sign_is_visible(opened):
    wrong = wrong_sign()
    steps = wrong.record["steps"]
    row = next(
        r for r in range(150, 200) if steps["value"][r] == -1 and len(steps["change"][r]) > 2
    )
    page = opened(at(wrong, row + 1, "backup"))
    badges = [pill for node in drawn(page).values() for pill in node["pills"]]
    assert len(badges) == len(steps["change"][row])
    assert set(badges) == {"−1"}


def test_each_chosen_move_carries_its_lead(opened, explorer):
    record, row = explorer.record, 199
    path = path_to(record, record["steps"]["leaf"][row])
    page = opened(at(explorer, row + 1, "select"), reduced_motion="reduce")
    pills = {int(node): seen["pills"] for node, seen in drawn(page).items() if seen["pills"]}
    assert set(pills) == set(path[1:])
    visits, values = replay(record, row)
    action, parent = record["nodes"]["action"], record["nodes"]["parent"]
    for up, node in pairwise(path):
        kids = [i for i, p in enumerate(parent) if p == up and i and visits[i]]
        total, c = sum(visits[i] for i in kids), record["rule"]["c"]
        scores = dict.fromkeys(record["nodes"]["legal"][up], math.inf)
        for i in kids:
            scores[action[i]] = values[i] / visits[i] + c * math.sqrt(math.log(total) / visits[i])
        won = scores.pop(action[node])
        assert pills[node] == [lead(won if won == math.inf else won - max(scores.values()))]
    assert page.locator(".azl-now-lead text").all_text_contents() == pills[path[1]]


def test_rollout_plays_out_on_the_board(opened, explorer):
    steps = explorer.record["steps"]
    row = next(r for r in range(100, 300) if len(steps["rollout"][r]) > 8)
    page = opened(at(explorer, row + 1, "evaluate"))
    plies = part(page, "panel").locator(".azl-ply")
    expect(plies).to_have_count(len(steps["rollout"][row]))
    assert plies.all_text_contents() == [str(k + 1) for k in range(len(steps["rollout"][row]))]
    expect(part(page, "say")).to_contain_text(f"{len(steps['rollout'][row])} random moves later")


def test_timeline_click_goes_there(opened, explorer):
    page = opened(explorer)
    line = part(page, "timeline")
    box = line.bounding_box()
    bands = box["width"] - 30  # labels follow
    line.click(position={"x": bands / 3, "y": 20})
    assert now(page)[0] == pytest.approx(100, abs=1)
    visits, _ = replay(explorer.record, now(page)[0])
    assert drawn(page)["0"]["n"] == str(visits[0])


def test_play_runs_to_the_end_and_stops(opened):
    page = opened(explore(GAME, num_simulations=12), bypass_csp=True)
    page.locator("select.azl-speed").select_option("20")
    button = page.locator('[data-do="play"]')
    button.click()  # at the end: starts again from nothing
    expect(button).to_have_attribute("aria-label", "Pause")
    expect(button).to_have_attribute("aria-label", "Play")
    assert now(page)[:2] == (12, "backup")
    page.locator('[data-do="start"]').click()
    page.locator("select.azl-speed").select_option("4")
    page.get_by_role("tree").focus()
    page.keyboard.press(" ")
    page.wait_for_function("document.querySelector('.azl-x').dataset.step === '2'")
    page.keyboard.press(" ")
    stopped = now(page)
    page.wait_for_timeout(500)
    assert now(page) == stopped


def test_a_plain_wheel_scrolls_the_page(opened, explorer):
    page = opened(explorer, width=740, bypass_csp=True)
    page.locator(".azl-tree").hover()
    page.mouse.wheel(0, 200)
    page.wait_for_function("scrollY > 0")
    before = page.locator(".azl-sheet > g").get_attribute("transform")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_function(
        f"document.querySelector('.azl-sheet > g').getAttribute('transform') !== '{before}'"
    )
    page.locator('[data-do="fit"]').click()
    assert page.locator(".azl-sheet > g").get_attribute("transform") == before


def test_stub_opens_and_closes(opened, explorer):
    page = opened(explorer)
    stub = page.locator(".azl-stub").first
    of, before = int(stub.get_attribute("data-stub")), len(drawn(page))
    children = sum(p == of for p in explorer.record["nodes"]["parent"])
    stub.click()
    kids = {n for n in map(int, drawn(page)) if explorer.record["nodes"]["parent"][n] == of}
    assert len(kids) == children
    page.locator(f'.azl-stub[data-stub="{of}"]').click()
    assert len(drawn(page)) == before


def test_the_number_below_a_card_opens_it(opened, explorer):
    page = opened(explorer)
    below = page.locator(".azl-below").first
    node, hidden = int(below.get_attribute("data-stub")), int(below.inner_html())
    parents = explorer.record["nodes"]["parent"]
    below.click()
    kids = [n for n in map(int, drawn(page)) if parents[n] == node]
    assert len(kids) == hidden > 0
    assert now(page)[2] == -1  # and the panel follows the search as before


def test_view_switch_changes_signs_of_one_side_only(opened, explorer):
    page = opened(explorer)
    strip = """() => [...document.querySelectorAll('.azl-node')].map(
      g => [g.dataset.node, g.querySelector('.azl-strip').textContent])"""
    mover = dict(page.evaluate(strip))
    page.get_by_role("button", name="Find and filter").click()
    page.get_by_role("button", name="always").click()
    first = dict(page.evaluate(strip))
    parent, to_play = explorer.record["nodes"]["parent"], explorer.record["nodes"]["to_play"]
    flip = str.maketrans("+−", "−+")
    for node, text in mover.items():
        who = to_play[parent[int(node)]] if int(node) else to_play[0]
        assert first[node] == (text.translate(flip) if who else text)


def test_no_labels_overlap(opened, explorer):
    """Cards, pills, stubs and the texts above the cards stay clear of each other."""
    for step, phase in ((300, "backup"), (200, "select"), (260, "backup")):
        page = opened(at(explorer, step, phase), width=1000, reduced_motion="reduce")
        overlaps = page.evaluate(
            """() => {
              const labels = '.azl-node > text, .azl-pill, .azl-stub, .azl-fold';
              const boxes = [...document.querySelectorAll(labels)]
                .map(e => [e.textContent, e.getBoundingClientRect(), e.closest('.azl-node')]);
              const found = [];
              boxes.forEach(([a, p, g], i) => boxes.slice(i + 1).forEach(([b, q, h]) => {
                const w = Math.min(p.right, q.right) - Math.max(p.left, q.left);
                const d = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
                if (w > 1 && d > 4) found.push([a, b, w, d]);
              }));
              return found;
            }"""
        )
        assert not overlaps, (step, phase, overlaps)


@pytest.mark.parametrize("width", [700, 1000, 1250])
def test_nothing_sticks_out(opened, explorer, width):
    page = opened(explorer, width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sheet = page.locator(".azl-tree").bounding_box()
    for node in page.locator(".azl-node").all():
        box = node.bounding_box()
        assert box["x"] >= sheet["x"] - 1
        assert box["x"] + box["width"] <= sheet["x"] + sheet["width"] + 1
        assert box["y"] + box["height"] <= sheet["y"] + sheet["height"] + 1


def test_dark_theme_and_theme_change(opened, explorer):
    page = opened(explorer, color_scheme="dark", bypass_csp=True)
    fill = "() => document.querySelector('.azl-mean path').getAttribute('fill')"
    dark = page.evaluate(fill)
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"({fill})() !== {json.dumps(dark)}")


def test_all_children_at_once_steps_row_by_row(opened):
    game = TicTacToe()
    page = opened(explore(game, game.from_moves("159"), num_simulations=4, expand="all"))
    page.get_by_role("tree").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(part(page, "say")).to_contain_text("All 6 moves of this position join the tree at once")
    assert len(drawn(page)) == 7
    page.keyboard.press("ArrowRight")
    expect(part(page, "say")).to_contain_text("Child 1 of 6, move 2")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(part(page, "say")).to_contain_text("Child 2 of 6, move 3")
    # Select and expand belong to the first row: from any other their buttons lead there.
    page.locator('.azl-phases [data-do="expand"]').click()
    assert now(page)[:2] == (1, "expand")
    page.get_by_role("tree").focus()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    assert now(page)[0] > 1
    page.locator('.azl-phases [data-do="select"]').click()
    assert now(page)[:2] == (1, "select")
