"""Looking around in the tree: opening, closing, filters, finding, copying, zooming, the icicle."""

import numpy as np
import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.viz.opening import opening
from tests.viz.page import drawn, field, now, part, path_labels

GAME = ConnectFour()


def kids(explorer, node):
    return {i for i, up in enumerate(explorer.record["nodes"]["parent"]) if up == node}


def seen(page):
    return {int(node) for node in drawn(page)}


def depth(explorer, node):
    return len(path_labels(explorer, node))


def test_enter_shows_all_children_then_none(opened, explorer):
    page = opened(explorer)
    node = next(n for n in seen(page) if n and kids(explorer, n) - seen(page))
    children, item = kids(explorer, node), page.get_by_role("treeitem")
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
    part(page, "toggle").click()
    assert not children & seen(page)


def test_a_closed_node_hides_the_whole_subtree_and_selecting_inside_opens_it(opened, explorer):
    page = opened(explorer)
    inside = next(n for n in sorted(seen(page)) if depth(explorer, n) == 3)
    path, node = [], inside
    while node:
        path.insert(0, node)
        node = explorer.record["nodes"]["parent"][node]
    page.locator('.azl-node[data-node="0"]').dblclick()
    assert seen(page) == {0}
    field(page, "find").fill(" ".join(path_labels(explorer, inside)))
    page.keyboard.press("Enter")
    assert set(path) <= seen(page)
    assert now(page)[2] == inside


def test_filters_by_depth_and_visits(opened, explorer):
    page = opened(explorer)
    field(page, "depth").select_option("1")
    assert seen(page) == {0, *kids(explorer, 0)}
    field(page, "depth").select_option("")
    field(page, "least").fill("20")
    visits = {int(n): int(facts["n"]) for n, facts in drawn(page).items()}
    assert min(visits.values()) >= 20
    assert len(visits) > 5
    few = [n for n in kids(explorer, 0) if n not in visits]
    assert few
    expect(page.locator('.azl-stub[data-stub="0"] text')).to_have_text(f"+{len(few)}")
    page.locator('.azl-stub[data-stub="0"]').click()  # what the reader opens is shown all the same
    assert kids(explorer, 0) <= seen(page)
    field(page, "least")
    page.get_by_role("button", name="Reset").click()
    assert part(page, "least").input_value() == ""
    assert min(int(facts["n"]) for facts in drawn(page).values()) < 20


def test_finding_moves_from_the_root_and_from_the_start_of_the_game(opened, explorer):
    page = opened(explorer)
    node = max(range(301), key=lambda i: (depth(explorer, i), i))
    moves = path_labels(explorer, node)
    assert len(moves) > 3
    page.get_by_role("tree").focus()
    page.keyboard.press("/")
    expect(part(page, "find")).to_be_focused()
    page.keyboard.type(" ".join(moves))
    page.keyboard.press("Enter")
    assert now(page)[2] == node
    expect(part(page, "found")).to_have_text(f"{' '.join(moves)}: selected.")
    assert str(node) in drawn(page)
    page.locator('.azl-node[data-node="0"]').click()
    field(page, "find").fill("44443" + "".join(moves))
    page.keyboard.press("Enter")
    assert now(page)[2] == node

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
    page.get_by_role("tree").focus()
    page.keyboard.press("Home")
    field(page, "find").fill(" ".join(path_labels(explorer, last)))
    page.keyboard.press("Enter")
    expect(part(page, "found")).to_contain_text("joins the tree in simulation 300: here it is.")
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
    page.get_by_role("button", name="Zoom out").click()
    assert card.bounding_box()["width"] < large["width"]
    page.get_by_role("tree").focus()
    page.keyboard.press("0")
    assert card.bounding_box() == pytest.approx(small, abs=0.5)
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Fit").click()
    assert card.bounding_box() == pytest.approx(small, abs=0.5)


def test_icicle_walks_by_keys_and_selects_by_click(opened, explorer):
    page = opened(explorer)
    canvas = part(page, "icicle")
    expect(canvas).to_be_hidden()
    page.get_by_role("button", name="Icicle").click()
    expect(canvas).to_be_visible()
    parent, visits = explorer.record["nodes"]["parent"], explorer.recording.nodes[0].visit_counts
    best = max(range(7), key=visits.__getitem__)
    box = canvas.bounding_box()
    canvas.click(position={"x": 10, "y": 60})  # the second level: its widest is the most visited
    first = now(page)[2]
    assert parent[first] == 0
    assert explorer.record["nodes"]["action"][first] == best
    expect(part(page, "whole-say")).to_contain_text(f"{visits[best]} visits")
    canvas.focus()
    page.keyboard.press("ArrowDown")
    second = now(page)[2]
    assert parent[second] == first
    page.keyboard.press("ArrowRight")
    assert parent[now(page)[2]] == first
    assert now(page)[2] != second
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert now(page)[2] == 0
    assert now(page)[:2] == (300, "backup")
    # A node zoomed in has the whole width: its row is hit at the far right too.
    canvas.click(position={"x": 10, "y": 60})
    canvas.focus()
    page.keyboard.press("Enter")
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
    tools = ["filters", "tree", "icicle", "wider", "fit", "closer", "key", "tree"]
    steps = ["start", "sooner", "back", "play", "forward", "later", "end"]
    phases = ["select", "expand", "evaluate", "backup"]
    assert walk() == [*tools, "again", *steps, *phases, "SELECT", "timeline"]
    page.get_by_role("button", name="Find and filter").press("Enter")
    expect(part(page, "find")).to_be_focused()
    assert walk()[:5] == ["depth", "least", "mover", "first", "reset"]
    part(page, "find").press("Escape")
    expect(part(page, "filters")).to_be_hidden()
