"""Every control of the play table in a browser, with Python behind the page."""

import re

import pytest
from playwright.sync_api import expect

from azlearn.arena import MinimaxPlayer, UCTPlayer
from azlearn.games import ConnectFour, TicTacToe
from azlearn.viz import play
from tests.axe import assert_accessible
from tests.viz.nim import Nim
from tests.viz.page import part, until
from tests.viz.slow import Gate, SlowSearch
from tests.viz.test_play import Broken, Leftmost

FOUR, THREE = ConnectFour(), TicTacToe()


def button(widget, name):
    return widget.locator(".azl-desk").get_by_role("button", name=name)


def drop(widget, action):
    widget.locator(f'.azl-hit[data-action="{action}"]').click()


def test_click_take_back_swap_and_new_game(sit):
    t = play(FOUR, Leftmost(FOUR))
    w = sit(t)
    expect(part(w, "title")).to_have_text("You ● against leftmost ■")
    expect(button(w, "Take back")).to_be_disabled()
    drop(w, 3)
    expect(w).to_have_attribute("data-turn", "2")
    expect(part(w, "say")).to_have_text("leftmost played 1. Your turn: you are ●.")
    button(w, "Swap sides").click()
    expect(w).to_have_attribute("data-turn", "3")
    expect(part(w, "title")).to_have_text("You ■ against leftmost ●")
    button(w, "Take back").click()
    expect(w).to_have_attribute("data-turn", "1")
    button(w, "New game").click()
    expect(part(w, "moves")).to_have_value("1")
    assert t.moves_text == "1"


def test_evaluation_bar(sit):
    w = sit(play(FOUR, UCTPlayer(FOUR, 300), moves="121374"))
    meter = w.get_by_role("meter", name="What the opponent expects")
    expect(meter).to_have_attribute("aria-valuetext", "It has not said anything yet.")
    drop(w, 6)  # ■ has 2 3 4 and plays 5
    expect(meter).to_have_attribute("aria-valuenow", "-1.00")
    expect(meter).to_have_attribute("aria-valuetext", "UCT 300 expects −1.00 for ●: ■ is ahead")
    expect(part(w, "number")).to_have_text("−1.00")
    assert part(w, "fill").evaluate("bar => bar.style.height") == "0%"
    expect(part(w, "told")).to_have_text("UCT 300 expects −1.00 for ●: ■ is ahead.")


def test_who_is_ahead_is_said_in_words(sit):
    w = sit(play(FOUR, UCTPlayer(FOUR, 300), moves="1213"))
    said = part(w, "verdict")
    expect(said).to_have_text("The bar tells who is ahead, once it has moved.")
    drop(w, 6)
    expect(said).to_contain_text("UCT 300 thinks:")
    expect(said.locator(".azl-badge")).to_have_count(1)


def test_the_end_is_shown_and_another_game_is_a_click_away(sit):
    t = play(FOUR, Leftmost(FOUR), moves="414141")
    w = sit(t, width=920)
    drop(w, 3)
    expect(part(w, "verdict")).to_contain_text("You have won")
    expect(w.locator(".azl-won")).to_have_count(1)
    expect(w.locator(".azl-veil")).to_have_count(1)
    assert w.bounding_box()["height"] < 500  # a notebook's pane in a window of 1280 x 720
    button(w, "Play again").click()
    expect(w).to_have_attribute("data-turn", "0")
    expect(button(w, "Play again")).to_have_count(0)
    assert t.moves == []
    assert w.page.evaluate("document.activeElement.dataset.part") == "table"


def test_no_bar_without_an_opinion(sit):
    w = sit(play(FOUR, Leftmost(FOUR)))
    expect(part(w, "meter")).to_be_hidden()
    expect(button(w, "Its visits")).to_be_hidden()
    expect(button(w, "What were you thinking?")).to_be_hidden()
    expect(part(w, "level")).to_be_hidden()


def test_visits_over_the_board(sit):
    t = play(FOUR, UCTPlayer(FOUR, 200), moves="44")
    w = sit(t)
    expect(button(w, "Its visits")).to_be_disabled()
    drop(w, 2)
    expect(button(w, "Its visits")).to_be_enabled()
    assert w.locator(".azl-share").count() == 0
    button(w, "Its visits").click()
    expect(button(w, "Its visits")).to_have_attribute("aria-pressed", "true")
    shown = w.locator(".azl-share, .azl-pill-plain text").all_text_contents()
    assert sorted(shown) == sorted(t.view["visits"]["texts"])
    assert len(shown) == 7
    expect(part(w, "told")).to_contain_text("after 200 simulations. Visits: ")
    button(w, "Its visits").click()
    expect(w.locator(".azl-share")).to_have_count(0)


@pytest.mark.parametrize(
    ("table", "sign", "sentence"),
    [
        (lambda: play(THREE, MinimaxPlayer(THREE), moves="1425"), "W1", "Best: 3 (wins at once)."),
        (lambda: play(FOUR, UCTPlayer(FOUR, 50), moves="414141"), "W1", "Best: 4 (wins at once)."),
    ],
)
def test_best_move(sit, table, sign, sentence):
    t = table()
    if t.game is FOUR:
        pytest.importorskip("bitbully")
    w = sit(t)
    button(w, "Best move").click()
    expect(part(w, "told")).to_contain_text(sentence)
    expect(w.locator(".azl-pill-best text")).to_have_text([sign])
    expect(w.locator(".azl-best-ring")).to_have_count(1)
    expect(button(w, "Best move")).to_have_attribute("aria-pressed", "true")
    button(w, "Best move").click()
    expect(w.locator(".azl-pill-best")).to_have_count(0)


def test_visits_and_best_moves_do_not_cover_each_other(sit):
    w = sit(play(THREE, UCTPlayer(THREE, 100), moves="14"))
    drop(w, 1)
    button(w, "Its visits").click()
    expect(w.locator(".azl-share")).not_to_have_count(0)
    button(w, "Best move").click()
    expect(w.locator(".azl-pill-best")).not_to_have_count(0)
    expect(w.locator(".azl-share")).to_have_count(0)
    expect(button(w, "Its visits")).to_have_attribute("aria-pressed", "false")
    button(w, "Its visits").click()
    expect(w.locator(".azl-share")).not_to_have_count(0)
    expect(w.locator(".azl-pill-best")).to_have_count(0)


def test_what_were_you_thinking(sit):
    t = play(FOUR, UCTPlayer(FOUR, 80), moves="44")
    w = sit(t)
    expect(button(w, "What were you thinking?")).to_be_disabled()
    drop(w, 2)
    button(w, "What were you thinking?").click()
    explorer = part(w, "thoughts").locator(".azl-x[data-ready]")
    expect(explorer).to_be_visible()
    expect(button(w, "What were you thinking?")).to_have_attribute("aria-expanded", "true")
    expect(explorer).to_contain_text("80 visits went through the root")
    before = w.get_attribute("data-turn")
    node = explorer.locator(".azl-node").nth(1)
    index = int(node.get_attribute("data-node"))
    node.click()
    expect(explorer).to_have_attribute("data-selected", str(index))
    until(w.page, lambda: t.explorer.selected == index)
    w.page.keyboard.press("1")  # a key in the explorer is no move
    assert w.get_attribute("data-turn") == before
    drop(w, 2)
    expect(w).to_have_attribute("data-turn", "6")
    expect(explorer).to_have_count(1)  # of the new move now
    button(w, "What were you thinking?").click()
    expect(explorer).to_have_count(0)
    assert t.explorer is None


def test_level(sit):
    t = play(FOUR, UCTPlayer(FOUR, 20))
    w = sit(t)
    slider = w.get_by_role("slider", name="level")
    expect(slider).to_have_attribute("aria-valuetext", "20 simulations")
    slider.focus()
    w.page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "50 simulations")
    expect(part(w, "title")).to_have_text("You ● against UCT 50 ■")
    w.page.keyboard.press("Home")
    expect(w.locator("output")).to_have_text("1 simulation")
    w.page.keyboard.press("End")
    expect(w.locator("output")).to_have_text("2,000 simulations")
    expect(part(w, "title")).to_have_text("You ● against UCT 2,000 ■")
    assert t.level == 2000
    assert t.moves == []  # no key reached the board


def test_copy_and_load(sit):
    t = play(FOUR, Leftmost(FOUR), moves="4453")
    w = sit(t, permissions=["clipboard-read", "clipboard-write"])
    field = w.get_by_role("textbox", name="moves")
    expect(field).to_have_value("4453")
    button(w, "Copy").click()
    expect(button(w, "Copied")).to_be_visible()
    assert w.page.evaluate("navigator.clipboard.readText()") == "4453"
    field.fill("44538")
    button(w, "Load").click()
    expect(part(w, "error")).to_have_text("Move 5 is '8'; moves are written 1 to 7.")
    expect(field).to_have_value("44538")  # to be put right
    assert t.moves_text == "4453"
    button(w, "Load").click()  # the same answer again is an answer too
    expect(part(w, "say")).to_have_text("Last move: 3. Your turn: you are ●.")
    expect(part(w, "error")).to_have_text("Move 5 is '8'; moves are written 1 to 7.")
    field.fill("4 4 5 3 3 7")
    field.press("Enter")
    expect(field).to_have_value("445337")
    expect(part(w, "error")).to_be_hidden()
    field.fill("123")
    field.press("Escape")
    expect(field).to_have_value("445337")
    assert t.moves_text == "445337"


def test_progress_bar_and_stop(sit):
    t = play(FOUR, SlowSearch(FOUR))
    w = sit(t)
    bar = part(w, "wait")
    expect(button(w, "Stop")).to_be_hidden()
    drop(w, 3)
    expect(part(w, "say")).to_have_text("slow UCT (■) is thinking …")
    expect(bar).to_have_attribute("aria-valuenow", re.compile("[1-9]"))
    first = int(bar.get_attribute("aria-valuenow"))
    w.page.wait_for_function(
        "first => Number(document.querySelector('[data-part=\"wait\"]').ariaValueNow) > first + 1",
        arg=first,
    )
    button(w, "Stop").click()
    expect(w).to_have_attribute("data-turn", "2")
    expect(w).to_have_attribute("data-thinking", "false")
    expect(button(w, "Stop")).to_be_hidden()
    assert sum(t.line.last_thought.visits) < 2000
    assert w.page.evaluate("document.activeElement.dataset.part") == "table"


def test_stop_of_a_player_that_cannot_and_another_try(sit):
    t = play(THREE, Gate(THREE))
    w = sit(t)
    drop(w, 4)
    expect(part(w, "wait")).not_to_have_attribute("aria-valuenow", "0")
    button(w, "Stop").click()
    expect(part(w, "error")).to_contain_text("gate was interrupted. Your game is kept")
    t.opponent.gate.set()
    button(w, "Try again").click()
    expect(w).to_have_attribute("data-turn", "2")
    expect(part(w, "error")).to_be_hidden()


def test_take_back_while_it_thinks(sit):
    t = play(THREE, Gate(THREE))
    w = sit(t)
    drop(w, 4)
    expect(w).to_have_attribute("data-thinking", "true")
    button(w, "Take back").click()
    expect(w).to_have_attribute("data-turn", "0")
    expect(part(w, "say")).to_have_text("Your turn: you are ✕.")
    t.opponent.gate.set()
    drop(w, 8)
    expect(part(w, "moves")).to_have_value("91")


def test_an_opponent_that_fails(sit):
    t = play(THREE, Broken(THREE))
    w = sit(t)
    drop(w, 4)
    expect(w.get_by_role("alert")).to_contain_text("broken could not move (RuntimeError: no idea).")
    t.opponent.repaired = True
    button(w, "Try again").click()
    expect(w).to_have_attribute("data-turn", "2")


def test_by_keyboard_alone(sit):
    t = play(FOUR, UCTPlayer(FOUR, 60))
    w = sit(t)
    keys, focused = (
        w.page.keyboard,
        "(e => e.textContent || e.ariaLabel || e.id)(document.activeElement)",
    )
    keys.press("Tab")
    keys.press("4")
    expect(w).to_have_attribute("data-turn", "2")
    keys.press("ArrowLeft")  # the cursor appears in the middle
    keys.press("ArrowLeft")
    expect(part(w, "table")).to_have_attribute(
        "aria-label", "Connect Four board, at 3. Enter plays."
    )
    keys.press("Enter")
    expect(w).to_have_attribute("data-turn", "4")
    seen = []
    for _ in range(11):
        keys.press("Tab")
        seen.append(w.page.evaluate(focused))
    assert seen[:8] == [
        "New game", "Take back", "Swap sides", "The start", "One move back",
        "Best move", "Its visits", "What were you thinking?",
    ]  # fmt: skip
    assert seen[8].endswith("-level")
    assert seen[9].endswith("-moves")
    assert seen[10] == "Copy"


def test_two_people(sit):
    w = sit(play(THREE))
    expect(part(w, "title")).to_have_text("Two people: ✕ and ◯")
    expect(button(w, "Swap sides")).to_be_hidden()
    for action in (4, 0):
        drop(w, action)
    expect(part(w, "say")).to_have_text("◯ played 1. ✕ is to move.")
    button(w, "Take back").click()
    expect(part(w, "moves")).to_have_value("5")


def test_a_game_without_a_board(sit):
    w = sit(play(Nim(), Leftmost(Nim())))
    part(w, "table").get_by_role("button", name="two").click()
    expect(part(w, "moves")).to_have_value("two one")
    button(w, "Best move").click()
    expect(part(w, "told")).to_contain_text("Best: two (wins).")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1100, 420])
def test_accessible_with_everything_open(sit, scheme, width):
    t = play(THREE, UCTPlayer(THREE, 60), moves="14")
    t.play(1)
    w = sit(t, width, color_scheme=scheme, reduced_motion="reduce")
    button(w, "Its visits").click()
    assert_accessible(w.page, f"{scheme}, visits")
    assert w.evaluate("w => w.scrollWidth <= w.clientWidth")
    button(w, "Best move").click()
    expect(w.locator(".azl-pill-best")).not_to_have_count(0)
    button(w, "What were you thinking?").click()
    expect(part(w, "thoughts").locator(".azl-x[data-ready]")).to_be_visible()
    assert_accessible(w.page, f"{scheme}, best moves and the search")


def test_no_kernel_is_said(sit, monkeypatch):
    t = play(THREE, Leftmost(THREE))
    w = sit(t)
    monkeypatch.setattr(t, "_heard", lambda *message: None)
    w.page.clock.install()
    drop(w, 4)
    expect(part(w, "say")).to_have_text("…")
    w.page.clock.run_for(7000)
    expect(part(w, "say")).to_contain_text("No answer from Python yet.")
