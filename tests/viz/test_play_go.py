"""Go at the play table, in a browser."""

import re

from playwright.sync_api import expect

from azlearn.games import ConnectFour, Go
from azlearn.viz import play, review
from tests.axe import assert_accessible
from tests.viz.page import part
from tests.viz.test_play import Leftmost
from tests.viz.test_play_browser import button, drop


def test_go_is_played_on_a_board_and_passed_by_key_and_button(sit):
    t = play(Go(5), moves="C3")
    w = sit(t)
    assert [w.locator(".azl-coordinate").all_text_contents()] == [[*"ABCDE", *"54321"]]
    part(w, "table").press("p")
    expect(w).to_have_attribute("data-turn", "2")
    expect(w.locator(".azl-passed")).to_have_text("White passed")
    expect(part(w, "help")).to_contain_text("P passes")
    drop(w, 0)
    expect(w.locator(".azl-passed")).to_have_count(0)
    part(w, "table").get_by_role("button", name="pass").click()
    part(w, "table").press("P")
    expect(part(w, "verdict")).to_contain_text("has won by 24.5")
    assert w.locator(".azl-grid rect:not(.azl-hit)").count() == 1 + 23  # wood, Black's points
    assert_accessible(w.page)
    w.page.emulate_media(color_scheme="dark")
    assert_accessible(w.page)


def test_a_game_is_stepped_through_and_played_on(sit):
    t = review("12453", ConnectFour(), Leftmost(ConnectFour()), you="second")
    w = sit(t)
    expect(part(w, "at")).to_have_text("move 0 of 5")
    expect(part(w, "say")).to_contain_text("leftmost (●) is to move: “Let it move”")
    part(w, "table").press("End")
    expect(part(w, "at")).to_have_text("move 5 of 5")
    part(w, "table").press("PageUp")
    expect(part(w, "at")).to_have_text("move 4 of 5")
    expect(button(w, "Let it move")).to_be_visible()
    button(w, "One move back").click()
    expect(part(w, "at")).to_have_text("move 3 of 5")
    drop(w, 6)  # another fourth move, and the opponent's answer
    expect(part(w, "at")).to_have_text("move 5 of 5")
    assert t.moves_text == "12471"
    expect(button(w, "One move on")).to_be_disabled()
    button(w, "The start").click()
    expect(part(w, "at")).to_have_text("move 0 of 5")
    button(w, "Let it move").click()
    expect(part(w, "at")).to_have_text("move 1 of 5")
    assert_accessible(w.page)


def test_what_each_side_took_stands_below_the_board(sit):
    w = sit(play(Go(3), moves="A2 A1 B1"))
    expect(w.locator(".azl-taken")).to_have_text(re.compile(r"took 1,\s*0"))
