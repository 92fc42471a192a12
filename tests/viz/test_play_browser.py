"""Every control of the play table in a browser, with Python behind the page."""

import re

import pytest
from playwright.sync_api import expect

from azlearn.arena import UCTPlayer
from azlearn.games import ConnectFour, Go, TicTacToe
from azlearn.viz import play, review
from tests.axe import assert_accessible
from tests.moving_games import Breakthrough, Kings, Mixed
from tests.viz.nim import Nim
from tests.viz.page import part, until
from tests.viz.stand_ins import Gate, SlowSearch
from tests.viz.test_play import Leftmost

FOUR, THREE = ConnectFour(), TicTacToe()


def button(widget, name):
    return widget.locator(".azl-desk").get_by_role("button", name=name)


def drop(widget, action):
    widget.locator(f'.azl-hit[data-action="{action}"]').click()


def click(widget, name):
    """A click on the cell of this name."""
    names = widget.locator(".azl-coordinate").all_text_contents()
    cols = [text for text in names if text.isalpha()]
    rows = [text for text in names if text.isdigit()]
    at = rows.index(name[1:]) * len(cols) + cols.index(name[0])
    widget.locator(f'.azl-hit[data-at="{at}"]').click()


def marked(widget):
    """How many cells are shown as targets: empty ones, and pieces that can be taken."""
    return [widget.locator(f".azl-grid .azl-{kind}").count() for kind in ("target", "prey")]


def at_turn(widget, number):
    expect(widget).to_have_attribute("data-turn", str(number))


def says(widget, text):
    expect(part(widget, "say")).to_have_text(text)


def test_a_whole_game(sit):
    t = play(FOUR, Leftmost(FOUR))
    w = sit(t, width=920)
    expect(part(w, "title")).to_have_text("You ● against leftmost ■")
    for hidden in (button(w, "Its visits"), part(w, "meter"), part(w, "level")):
        expect(hidden).to_be_hidden()
    expect(button(w, "Take back")).to_be_disabled()
    drop(w, 3)
    says(w, "leftmost played 1. Your turn: you are ●.")
    button(w, "Swap sides").click()
    at_turn(w, 3)
    expect(part(w, "title")).to_have_text("You ■ against leftmost ●")
    button(w, "Take back").click()
    at_turn(w, 1)
    button(w, "New game").click()
    expect(part(w, "moves")).to_have_value("1")
    t.swap_sides()
    t.load("111111")
    at_turn(w, 6)
    part(w, "table").press("1")
    says(w, "1 is not a legal move here.")
    for turn in (8, 10, 12):
        drop(w, 3)
        at_turn(w, turn)
    drop(w, 3)
    expect(part(w, "verdict")).to_contain_text("You have won")
    expect(w.locator(".azl-won")).to_have_count(1)
    expect(w.locator(".azl-veil")).to_have_count(1)
    assert w.bounding_box()["height"] < 500  # a notebook's pane in a window of 1280 x 720
    button(w, "Play again").click()
    at_turn(w, 0)
    expect(button(w, "Play again")).to_have_count(0)
    assert t.moves == []
    assert w.page.evaluate("document.activeElement.dataset.part") == "table"


def test_what_a_search_thinks(sit):
    t = play(FOUR, UCTPlayer(FOUR, 300), moves="121374")
    w = sit(t)
    meter = w.get_by_role("meter", name="What the opponent expects")
    expect(meter).to_have_attribute("aria-valuetext", "The opponent has not reported a value yet.")
    waiting = "Once the opponent has moved, the bar shows who is ahead."
    expect(part(w, "verdict")).to_have_text(waiting)
    heat, think = button(w, "Its visits"), button(w, "What were you thinking?")
    for unknown in (heat, think):
        expect(unknown).to_be_disabled()
    drop(w, 6)  # ■ has 2 3 4 and plays 5
    told = "UCT 300 expects −1.00 for ●: UCT 300 is winning"
    expect(meter).to_have_attribute("aria-valuenow", "-1.00")
    expect(meter).to_have_attribute("aria-valuetext", told)
    expect(part(w, "number")).to_have_text("−1.00")
    assert part(w, "fill").evaluate("bar => bar.style.height") == "0%"
    expect(part(w, "told")).to_have_text(f"{told}.")
    t.load("44")
    at_turn(w, 2)
    drop(w, 2)
    expect(part(w, "verdict")).to_contain_text("UCT 300 thinks:")
    expect(part(w, "verdict").locator(".azl-badge")).to_have_count(1)
    heat.click()
    expect(heat).to_have_attribute("aria-pressed", "true")
    shown = w.locator(".azl-share, .azl-pill-plain text").all_text_contents()
    assert sorted(shown) == sorted(t.view["visits"]["texts"])
    assert len(shown) == 7
    expect(part(w, "told")).to_contain_text("after 300 simulations. Visits: ")
    think.click()
    explorer = part(w, "thoughts").locator(".azl-x[data-ready]")
    expect(think).to_have_attribute("aria-expanded", "true")
    expect(explorer).to_contain_text("The root has 300 visits")
    node = explorer.locator(".azl-node").nth(1)
    index = int(node.get_attribute("data-node"))
    node.click()
    expect(explorer).to_have_attribute("data-selected", str(index))
    until(w.page, lambda: t.explorer.selected == index, 60)
    w.page.keyboard.press("1")  # a key in the explorer is no move
    drop(w, 2)
    at_turn(w, 6)
    expect(explorer).to_have_count(1)  # of the new move now
    think.click()
    expect(explorer).to_have_count(0)
    assert t.explorer is None


def test_best_move_and_visits_do_not_cover_each_other(sit):
    t = play(THREE, UCTPlayer(THREE, 100), moves="14")
    t.play(1)
    w = sit(t)
    heat, best = button(w, "Its visits"), button(w, "Best move")
    share, starred = w.locator(".azl-share"), w.locator(".azl-pill-best text")
    heat.click()
    expect(share).not_to_have_count(0)
    best.click()
    expect(starred).not_to_have_count(0)
    expect(best).to_have_attribute("aria-pressed", "true")
    expect(share).to_have_count(0)
    expect(heat).to_have_attribute("aria-pressed", "false")
    t.load("1425")
    at_turn(w, 4)
    best.click()
    expect(part(w, "told")).to_contain_text("Best: 3 (wins at once).")
    expect(starred).to_have_text(["W1"])
    expect(w.locator(".azl-best-ring")).to_have_count(1)


def test_copy_and_load(sit):
    t = play(FOUR, Leftmost(FOUR), moves="4453")
    w = sit(t, permissions=["clipboard-read", "clipboard-write"])
    field = w.get_by_role("textbox", name="moves")
    expect(field).to_have_value("4453")
    button(w, "Copy").click()
    expect(button(w, "Copied")).to_be_visible()
    assert w.page.evaluate("navigator.clipboard.readText()") == "4453"
    field.fill("44538")
    for _ in range(2):  # the same answer again is an answer too
        button(w, "Load").click()
        says(w, "Last move: 3. Your turn: you are ●.")
        expect(part(w, "error")).to_have_text("Move 5 is '8', but moves are written as 1 to 7.")
        expect(field).to_have_value("44538")  # to be put right
    field.fill("4 4 5 3 3 7")
    field.press("Enter")
    expect(field).to_have_value("445337")
    expect(part(w, "error")).to_be_hidden()
    field.fill("123")
    field.press("Escape")
    expect(field).to_have_value("445337")
    assert t.moves_text == "445337"


def test_progress_take_back_stop_and_another_try(sit):
    t = play(FOUR, SlowSearch(FOUR))
    w = sit(t)
    bar = part(w, "wait")
    expect(button(w, "Stop")).to_be_hidden()
    drop(w, 2)
    expect(w).to_have_attribute("data-thinking", "true")
    button(w, "Take back").click()
    says(w, "Your turn: you are ●.")
    drop(w, 3)
    says(w, "slow UCT (■) is thinking …")
    expect(bar).to_have_attribute("aria-valuenow", re.compile("[1-9]"))
    first = int(bar.get_attribute("aria-valuenow"))
    w.page.wait_for_function(
        "first => Number(document.querySelector('[data-part=\"wait\"]').ariaValueNow) > first + 1",
        arg=first,
    )
    button(w, "Stop").click()
    at_turn(w, 2)
    expect(w).to_have_attribute("data-thinking", "false")
    expect(button(w, "Stop")).to_be_hidden()
    assert sum(t.line.last_report.visits) < 2000
    assert w.page.evaluate("document.activeElement.dataset.part") == "table"
    t.opponent = Gate(FOUR)
    drop(w, 3)
    expect(w).to_have_attribute("data-thinking", "true")
    button(w, "Stop").click()
    expect(w.get_by_role("alert")).to_contain_text("gate was interrupted. Your game is kept")
    t.opponent.gate.set()
    button(w, "Try again").click()
    at_turn(w, 4)
    expect(part(w, "error")).to_be_hidden()


def test_by_keyboard_alone(sit):
    t = play(FOUR, UCTPlayer(FOUR, 20))
    w = sit(t)
    keys = w.page.keyboard
    keys.press("Tab")
    keys.press("4")
    at_turn(w, 2)
    keys.press("ArrowLeft")  # the cursor appears in the middle
    keys.press("ArrowLeft")
    label = "Connect Four board, at 3. Enter plays."
    expect(part(w, "table")).to_have_attribute("aria-label", label)
    keys.press("Enter")
    at_turn(w, 4)
    seen = []
    for _ in range(12):
        keys.press("Tab")
        focused = "(e => e.textContent || e.ariaLabel || e.id)(document.activeElement)"
        seen.append(w.page.evaluate(focused))
    assert seen[:9] == [
        "New game", "Take back", "Swap sides", "The start", "One move back",
        "Best move", "Its visits", "What were you thinking?", "Worst moves",
    ]  # fmt: skip
    assert (seen[9][-6:], seen[10][-6:], seen[11]) == ("-level", "-moves", "Copy")
    slider = w.get_by_role("slider", name="level")
    expect(slider).to_have_attribute("aria-valuetext", "20 simulations")
    slider.focus()
    keys.press("ArrowRight")
    expect(w.locator("output")).to_have_text("50 simulations")
    expect(part(w, "title")).to_have_text("You ● against UCT 50 ■")
    assert (t.level, len(t.moves)) == (50, 4)  # no key reached the board


def test_a_game_without_a_board(sit):
    w = sit(play(Nim(), Leftmost(Nim())))
    part(w, "table").get_by_role("button", name="two").click()
    expect(part(w, "moves")).to_have_value("two one")
    button(w, "Best move").click()
    expect(part(w, "told")).to_contain_text("Best: two (wins).")
    assert_accessible(w.page)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 420)])
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


def test_the_worst_moves_of_a_game_and_the_search_behind_one_click(sit):
    t = review("15239", THREE, UCTPlayer(THREE, 60))
    w = sit(t, width=920)
    button(w, "Worst moves").click()
    worst = part(w, "review").locator("ol button")
    expect(worst).to_have_count(1)
    expect(worst).to_contain_text("9: it loses to the next move, 7 draws")
    expect(part(w, "review").locator(".azl-moment")).to_have_count(6)
    assert_accessible(w.page, "the worst moves")
    worst.click()
    at_turn(w, 4)
    expect(part(w, "thoughts").locator(".azl-x[data-ready]")).to_be_visible()
    part(w, "review").locator("[data-ply='2']").click()
    at_turn(w, 2)
    button(w, "Worst moves").click()
    expect(part(w, "review")).to_be_hidden()


def test_a_kernel_that_does_not_answer_is_said(sit, monkeypatch):
    t = play(THREE, Leftmost(THREE))
    w = sit(t)
    monkeypatch.setattr(t, "_handle_custom_msg", lambda *message: None)
    w.page.clock.install()
    drop(w, 4)
    says(w, "…")
    w.page.clock.run_for(7000)
    expect(part(w, "say")).to_contain_text("No answer from Python yet.")


def test_a_game_is_stepped_through_and_played_on(sit):
    t = review("12453", FOUR, Leftmost(FOUR), you="second")
    w = sit(t)
    at, table = part(w, "at"), part(w, "table")
    expect(at).to_have_text("move 0 of 5")
    expect(part(w, "say")).to_contain_text("leftmost (●) is to move: “Let it move”")
    for key, move in (("End", 5), ("PageUp", 4)):
        table.press(key)
        expect(at).to_have_text(f"move {move} of 5")
    button(w, "One move back").click()
    expect(at).to_have_text("move 3 of 5")
    drop(w, 6)  # another fourth move, and the opponent's answer
    expect(at).to_have_text("move 5 of 5")
    assert t.moves_text == "12471"
    expect(button(w, "One move forward")).to_be_disabled()
    button(w, "The start").click()
    button(w, "Let it move").click()
    expect(at).to_have_text("move 1 of 5")


def test_go_is_played_on_a_board_and_passed_by_key_and_button(sit):
    t = play(Go(5), moves="A2 A1 B1")
    w = sit(t, color_scheme="dark")
    assert w.locator(".azl-coordinate").all_text_contents() == [*"ABCDE", *"54321"]
    expect(w.locator(".azl-taken")).to_have_text(re.compile(r"took 1,\s*0"))
    part(w, "table").press("p")
    at_turn(w, 4)
    expect(w.locator(".azl-passed")).to_have_text("White passed")
    expect(part(w, "help")).to_contain_text("P passes")
    drop(w, 0)
    expect(w.locator(".azl-passed")).to_have_count(0)
    part(w, "table").get_by_role("button", name="pass").click()
    part(w, "table").press("P")
    expect(part(w, "verdict")).to_contain_text("has won by 24.5")
    assert w.locator(".azl-grid rect:not(.azl-hit)").count() == 1 + 22  # wood, Black's points
    assert_accessible(w.page)


# Pieces: one is chosen, then where it goes.


def test_a_piece_is_taken_up_let_go_and_exchanged(sit):
    w = sit(play(Breakthrough(), moves="b2^ c4^"))
    assert w.locator(".azl-coordinate").all_text_contents() == [*"abcde", *"54321"]
    assert w.locator(".azl-table button").count() == 0
    expect(w.locator(".azl-grid circle[stroke-dasharray]")).to_have_count(1)  # where it came from
    click(w, "b3")
    says(w, "b3 can go to a4, c4. Press Escape to put it down.")
    assert marked(w) == [1, 1]  # c4 was left, Yellow's piece on a4 can be taken, that on b4 not
    click(w, "d2")
    assert marked(w) == [2, 1]
    click(w, "d2")
    assert marked(w) == [0, 0]
    says(w, "■ played c4^ (c4–c3). ● is to move.")
    click(w, "a1")
    assert marked(w) == [1, 0]
    click(w, "e4")
    says(w, "The piece on a1 cannot go to e4.")
    part(w, "table").press("Escape")
    for cell, text in (
        ("e4", "First choose one of your pieces: you cannot play on e4 alone."),
        ("d1", "The piece on d1 cannot move."),
    ):
        click(w, cell)
        says(w, text)
    assert marked(w) == [0, 0]
    table, keys = part(w, "table"), "Breakthrough board, at "
    table.press("Home")
    at_turn(w, 0)
    for key, label in (
        ("ArrowDown", "c3, empty, not legal."),  # to the middle
        ("ArrowDown", "c2, Red. Enter picks up this piece."),
        ("Enter", "c2, Red. Enter puts it down."),
    ):
        table.press(key)
        expect(table).to_have_attribute("aria-label", keys + label)
    assert_accessible(w.page)
    table.press("ArrowUp")
    expect(table).to_have_attribute("aria-label", f"{keys}c3, empty. Enter moves here from c2.")
    table.press(" ")
    expect(part(w, "moves")).to_have_value("c2^")


def test_moves_that_share_their_way_are_asked_for_by_buttons(sit):
    t = play(Mixed(), moves="a1 c3")
    w = sit(t)
    bowl = w.locator(".azl-bowls button")
    assert bowl.all_text_contents() == ["lift", "pass"]
    click(w, "a1")
    click(w, "b1")
    says(w, "Which move? Choose below the board, or press Escape to go back.")
    assert bowl.all_text_contents() == ["a1-b1", "a1-b1#"]
    assert_accessible(w.page)
    part(w, "table").press("Escape")
    assert bowl.all_text_contents() == ["lift", "pass"]
    assert marked(w) == [2, 0]
    for key in ("ArrowUp", "ArrowUp", "Enter"):  # from the middle to b1, which is asked for again
        part(w, "table").press(key)
    expect(bowl.first).to_be_focused()
    bowl.nth(1).press("Enter")
    at_turn(w, 3)
    assert t.moves_text == "a1 c3 a1-b1#"
    click(w, "b2")  # a stone is placed, without a piece taken up
    at_turn(w, 4)
    part(w, "table").press("p")
    expect(w.locator(".azl-passed")).to_have_text("Red passed")
    bowl.first.click()
    at_turn(w, 6)
    assert w.locator(".azl-passed").count() == 0  # the board was cleared: no pass
    says(w, "■ played lift. ● is to move.")


def test_the_only_piece_that_can_move_is_taken_up_already(sit):
    t = play(Kings())
    w = sit(t)
    assert marked(w) == [2, 0]
    click(w, "c3")
    at_turn(w, 1)
