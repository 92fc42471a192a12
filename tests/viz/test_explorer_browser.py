"""The explorer's own file, opened in a browser without kernel and network."""

import re

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import Recorder, random_rollout, uct
from azlearn.viz import Explorer, explore, replay
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


def test_rollout_plays_out_on_the_board(opened, explorer):
    steps = explorer.record["steps"]
    row = next(r for r in range(100, 300) if len(steps["rollout"][r]) > 8)
    page = opened(at(explorer, row + 1, "evaluate"))
    plies = part(page, "panel").locator(".azl-ply")
    expect(plies).to_have_count(len(steps["rollout"][row]))
    assert plies.all_text_contents() == [str(k + 1) for k in range(len(steps["rollout"][row]))]
    expect(part(page, "say")).to_contain_text(f"{len(steps['rollout'][row])} random moves later")


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
    expect(button).to_have_attribute("aria-label", "Play")
    assert now(page)[0] < 12


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


def test_what_is_not_drawn_opens_and_closes(opened, explorer):
    page, parents = opened(explorer), explorer.record["nodes"]["parent"]
    below = page.locator(".azl-below").first  # the number below a card
    node, hidden = int(below.get_attribute("data-stub")), int(below.inner_html())
    below.click()
    assert sum(parents[int(n)] == node for n in drawn(page)) == hidden > 0
    assert now(page)[2] == -1  # and the panel follows the search as before
    stub = page.locator(".azl-stub").filter(has_text="+").first
    of, before = int(stub.get_attribute("data-stub")), len(drawn(page))
    assert re.match(r"Show \d+ more", stub.locator("title").text_content())
    stub.click()
    assert sum(parents[int(n)] == of for n in drawn(page)) == parents.count(of)
    stub = page.locator(f'.azl-stub[data-stub="{of}"]')
    expect(stub.locator("title")).to_have_text("Show fewer moves")
    assert stub.locator("text").count() == 0
    stub.click()
    assert len(drawn(page)) == before


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
