"""The explorer's own file, opened in a browser without kernel and network: stepping, opening,
filters, finding, copying, zooming, the icicle.
"""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.viz import Explorer, explore, replay
from azlearn.viz.opening import opening
from tests.faulty_searches import WrongSign
from tests.viz.page import at, drawn, field, kids, now, part, path_labels, recorded

GAME = ConnectFour()


def test_cards_show_visits_and_means_and_a_click_the_position(opened, explorer):
    page, visits = opened(explorer), replay(explorer.record)[0]
    assert all(int(seen["n"]) == visits[int(n)] for n, seen in drawn(page).items())
    node = page.locator(".azl-node").nth(2)
    index = int(node.get_attribute("data-node"))
    node.click()
    assert now(page)[2] == index
    stones = part(page, "panel").locator(".azl-board > circle, .azl-board > rect")
    line = path_labels(explorer, index)
    assert stones.count() == 5 + len(line) + 1  # and a ring on the last
    labels = part(page, "crumbs").locator("button").all_inner_texts()
    assert labels[: len(line) + 1] == ["root", *line]
    item = page.locator('[role="treeitem"]')
    assert item.get_attribute("aria-level") == str(len(line) + 1)
    assert item.inner_text().startswith(f"Move {line[-1]}: ")
    # Seen by one player, means of the other side change their sign.
    mover = drawn(page)
    page.get_by_role("button", name="Find and filter").click()
    page.get_by_role("button", name="always").click()
    first = drawn(page)
    parent, to_play = explorer.record["nodes"]["parent"], explorer.record["nodes"]["to_play"]
    flip = str.maketrans("+−", "−+")
    for node, seen_by_mover in mover.items():
        who = to_play[parent[int(node)]] if int(node) else to_play[0]
        text = seen_by_mover["strip"]
        assert first[node]["strip"] == (text.translate(flip) if who else text)


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
    assert now(page)[2] > 0
    for _ in range(len(drawn(page))):
        page.keyboard.press("ArrowUp")
    assert now(page)[2] == 0
    page.keyboard.press("ArrowDown")
    assert now(page)[2] > 0


def test_a_wrong_sign_is_visible(opened):
    wrong = Explorer(recorded(WrongSign, simulations=200))
    steps = wrong.record["steps"]
    row = next(
        r for r in range(150, 200) if steps["value"][r] == -1 and len(steps["change"][r]) > 2
    )
    page = opened(at(wrong, row + 1, "backup"))
    badges = [pill for node in drawn(page).values() for pill in node["pills"]]
    assert len(badges) == len(steps["change"][row])
    assert set(badges) == {"−1"}


def test_play_runs_to_the_end_and_stops(opened):
    page = opened(explore(GAME, num_simulations=12))
    page.locator("select.azl-speed").select_option("20")
    button = page.locator('[data-do="play"]')
    button.click()  # at the end: starts again from nothing
    expect(button).to_have_attribute("aria-label", "Pause")
    expect(button).to_have_attribute("aria-label", "Play")
    assert now(page)[:2] == (12, "backup")
    page.locator('[data-do="start"]').click()
    page.locator("select.azl-speed").select_option("4")
    page.get_by_role("tree").press(" ")
    expect(page.locator(".azl-x")).to_have_attribute("data-step", "2")
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


def test_all_children_at_once_steps_row_by_row(opened):
    game = TicTacToe()
    page = opened(explore(game, game.from_moves("159"), num_simulations=4, expand="all"))
    page.get_by_role("tree").press("Home")
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
    for phase in ("expand", "select"):
        page.locator(f'.azl-phases [data-do="{phase}"]').click()
        assert now(page)[:2] == (1, phase)
        page.get_by_role("tree").press("Shift+ArrowRight")
        page.keyboard.press("Shift+ArrowRight")
        assert now(page)[0] > 1


def below(explorer, node):
    return set(kids(explorer.record, node))


def seen(page):
    return {int(node) for node in drawn(page)}


def depth(explorer, node):
    return len(path_labels(explorer, node))


def test_enter_shows_all_children_then_none(opened, explorer):
    page = opened(explorer)
    node = next(n for n in seen(page) if n and below(explorer, n) - seen(page))
    children, item = below(explorer, node), page.get_by_role("treeitem")
    field(page, "depth").select_option(str(depth(explorer, node)))  # none is drawn by itself
    page.locator(f'.azl-node[data-node="{node}"]').click()
    more = page.locator(f'[data-stub="{node}"]')  # says how many are not drawn
    for _ in range(2):
        assert not children & seen(page)
        expect(item).to_have_attribute("aria-expanded", "false")
        expect(more).to_contain_text(f"+{len(children)}")
        page.keyboard.press("Enter")
        assert children <= seen(page)
        expect(item).to_have_attribute("aria-expanded", "true")
        page.keyboard.press("Enter")
    part(page, "toggle").click()
    assert children <= seen(page)
    page.locator('.azl-node[data-node="0"]').dblclick()  # hides the whole subtree
    assert seen(page) == {0}


def test_filters_by_depth_and_visits(opened, explorer):
    page = opened(explorer)
    field(page, "depth").select_option("1")
    assert seen(page) == {0, *below(explorer, 0)}
    field(page, "depth").select_option("")
    field(page, "least").fill("20")
    visits = {int(n): int(facts["n"]) for n, facts in drawn(page).items()}
    assert min(visits.values()) >= 20
    assert len(visits) > 5
    few = [n for n in below(explorer, 0) if n not in visits]
    assert few
    expect(page.locator('.azl-stub[data-stub="0"] text')).to_have_text(f"+{len(few)}")
    page.locator('.azl-stub[data-stub="0"]').click()  # what the reader opens is shown all the same
    assert below(explorer, 0) <= seen(page)
    field(page, "least")
    page.get_by_role("button", name="Reset").click()
    assert min(int(facts["n"]) for facts in drawn(page).values()) < 20


def test_finding_moves_from_the_root_and_from_the_start_of_the_game(opened, explorer):
    page = opened(explorer)
    node = max(range(301), key=lambda i: (depth(explorer, i), i))
    moves = path_labels(explorer, node)
    assert len(moves) > 3
    page.get_by_role("tree").press("/")
    expect(part(page, "find")).to_be_focused()
    page.keyboard.type(" ".join(moves))
    page.keyboard.press("Enter")
    assert now(page)[2] == node
    expect(part(page, "found")).to_have_text(f"{' '.join(moves)}: selected.")
    assert str(node) in drawn(page)
    page.locator('.azl-node[data-node="0"]').dblclick()  # closed: what is found opens it
    field(page, "find").fill("44443" + "".join(moves))
    page.keyboard.press("Enter")
    assert now(page)[2] == node
    assert str(node) in drawn(page)
    for text, sentence in (
        ("4 9", "“9” is not a move; moves are 1 to 7."),
        ("5 5 5 5 5 5 5 5", "is not in the tree. The tree ends after 5 "),
    ):
        field(page, "find").fill(text)
        page.keyboard.press("Enter")
        expect(part(page, "found")).to_contain_text(sentence)
        expect(part(page, "answer")).to_contain_text(sentence)  # beside the field, too
        assert now(page)[2] == node
    # A node that joins later is found with its simulation.
    last = explorer.record["steps"]["leaf"][-1]
    page.keyboard.press("Escape")
    page.get_by_role("tree").press("Home")
    field(page, "find").fill(" ".join(path_labels(explorer, last)))
    page.keyboard.press("Enter")
    expect(part(page, "found")).to_contain_text("joins the tree in simulation 300, shown here.")
    assert now(page) == (300, "expand", last)


@pytest.mark.parametrize("permitted", [True, False])
def test_copied_moves_lead_the_game_to_the_node(opened, explorer, permitted):
    options = {"permissions": ["clipboard-read", "clipboard-write"]} if permitted else {}
    page = opened(explorer, **options)
    if not permitted:  # a page without the newer way to copy
        page.evaluate(
            """() => {
              Object.defineProperty(navigator, 'clipboard', { value: undefined });
              document.execCommand = name => {
                const field = document.activeElement;
                window.taken = field.value.slice(field.selectionStart, field.selectionEnd);
                return name === 'copy';
              };
            }"""
        )
    node = sorted(seen(page))[-1]
    page.locator(f'.azl-node[data-node="{node}"]').click()
    page.keyboard.press("c")
    expect(part(page, "found")).to_contain_text("Copied ")
    script = "navigator.clipboard.readText()" if permitted else "window.taken"
    moves = page.evaluate(script)
    assert GAME.from_moves(moves) == explorer.recording.nodes[node].state
    expect(page.get_by_role("tree")).to_be_focused()


def test_an_order_of_moves_is_found_for_every_position():
    game, rng = TicTacToe(), np.random.default_rng(5)
    for plies in range(game.max_plies):
        state, played = game.initial_state(), 0
        while game.outcome(state) is None and played < plies:
            state = game.play(state, int(rng.choice(game.legal_actions(state))))
            played += 1
        again = game.initial_state()
        for action in opening(game, state):
            again = game.play(again, action)
        assert again == state


def test_zoom_by_keys_and_buttons_keeps_the_selected_node_in_sight(opened, explorer):
    page = opened(explorer, reduced_motion="reduce")
    node = sorted(seen(page))[-1]
    card = page.locator(f'.azl-node[data-node="{node}"]')
    card.click()
    small = card.bounding_box()
    for _ in range(4):
        page.keyboard.press("+")
    large, sheet = card.bounding_box(), page.locator(".azl-tree").bounding_box()
    assert large["width"] > 2 * small["width"]
    assert sheet["x"] < large["x"] + large["width"] / 2 < sheet["x"] + sheet["width"]
    page.get_by_role("tree").press("0")
    assert card.bounding_box() == pytest.approx(small, abs=0.5)
    page.get_by_role("button", name="Zoom in").click()
    assert card.bounding_box()["width"] > small["width"]
    page.get_by_role("button", name="Fit").click()
    assert card.bounding_box() == pytest.approx(small, abs=0.5)


def test_icicle_walks_by_keys_and_selects_by_click(opened, explorer):
    page = opened(explorer)
    canvas = part(page, "icicle")
    page.get_by_role("button", name="Icicle").click()
    parent, visits = explorer.record["nodes"]["parent"], explorer.recording.nodes[0].visit_counts
    best = max(range(7), key=visits.__getitem__)
    box = canvas.bounding_box()
    canvas.click(position={"x": 10, "y": 60})  # the second level: its widest is the most visited
    first = now(page)[2]
    assert parent[first] == 0
    assert explorer.record["nodes"]["action"][first] == best
    expect(part(page, "whole-say")).to_contain_text(f"{visits[best]} visits")
    canvas.press("ArrowDown")
    second = now(page)[2]
    assert parent[second] == first
    canvas.press("ArrowRight")
    assert parent[now(page)[2]] == first
    assert now(page)[2] != second
    canvas.press("ArrowUp")
    assert now(page) == (300, "backup", first)
    # A node zoomed in has the whole width: its row is hit at the far right too.
    canvas.press("Enter")
    canvas.click(position={"x": box["width"] - 4, "y": 60})
    assert now(page)[2] == first
    page.keyboard.press("Escape")
    canvas.click(position={"x": box["width"] - 4, "y": 60})
    assert now(page)[2] != first


def test_everything_is_reached_by_the_tab_key(opened, explorer):
    page = opened(explorer)

    def walk():
        names = []
        for _ in range(60):
            page.keyboard.press("Tab")
            name = page.evaluate(
                """() => { const { dataset, tagName } = document.activeElement;
                  return dataset.do || dataset.pop || dataset.part || tagName; }"""
            )
            if name == "BODY":
                break
            names.append(name)
        return names

    page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    tools = ["knobs", "filters", "tree", "icicle", "wider", "fit", "closer", "key", "tree"]
    steps = ["start", "sooner", "back", "play", "forward", "later", "end"]
    phases = ["select", "expand", "evaluate", "backup"]
    assert walk() == [*tools, "again", *steps, *phases, "SELECT", "timeline"]
    page.get_by_role("button", name="Find and filter").press("Enter")
    expect(part(page, "find")).to_be_focused()
    assert walk()[:5] == ["depth", "least", "mover", "first", "reset"]


def test_a_search_plays_by_itself_once_it_is_in_view_until_a_click(browser, tmp_path):
    explorer = explore(GAME, "44443", num_simulations=60, autoplay=6)
    assert (explorer.step, "Most visited" in repr(explorer)) == (0, False)
    file = tmp_path / "plays.html"
    file.write_text(explorer.to_html().replace("<main>", "<main>" + "<p>above</p>" * 60))
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(file.as_uri())
    frame = page.locator("[data-step]")
    page.wait_for_timeout(1500)
    expect(frame).to_have_attribute("data-step", "0")
    frame.scroll_into_view_if_needed()
    page.mouse.wheel(0, 5000)
    expect(frame).to_have_attribute("data-step", re.compile(r"[1-9]"))
    part(page, "tree").click(position={"x": 8, "y": 8})
    stopped = frame.get_attribute("data-step")
    page.wait_for_timeout(800)
    assert int(stopped) < 60
    expect(frame).to_have_attribute("data-step", stopped)
    page.close()
