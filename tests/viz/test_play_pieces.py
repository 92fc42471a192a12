"""Games of moving pieces at the play table: a piece is chosen, then where it goes."""

import pytest
from playwright.sync_api import expect

from azlearn.arena import UCTPlayer
from azlearn.games import ConnectFour, Go
from azlearn.viz import explore, play
from azlearn.viz.replaying import cells_at
from tests.axe import assert_accessible
from tests.moving_games import Breakthrough, Clobber, HalfTold, Kings, Mixed, Numbered
from tests.viz.page import part
from tests.viz.test_play import Leftmost


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


def says(widget, text):
    expect(part(widget, "say")).to_have_text(text)


@pytest.mark.parametrize("game", [Breakthrough(), HalfTold()], ids=lambda game: game.name)
def test_a_whole_game_of_breakthrough(sit, game):
    t = play(game)
    w = sit(t)
    assert w.locator(".azl-coordinate").all_text_contents() == [*"abcde", *"54321"]
    assert w.locator(".azl-table button").count() == 0
    turns = ["b2 b3", "a4 a3", "b3 c4", "d5 c4", "a2 b3", "c4 b3", "c2 b3", "b4 c3", "d2 c3",
             "a3 b2", "a1 b2", "a5 a4", "b3 a4", "b5 a4", "c3 b4", "a4 a3", "b4 a5"]  # fmt: skip
    for number, turn in enumerate(turns, 1):
        for cell in turn.split():
            click(w, cell)
        expect(w).to_have_attribute("data-turn", str(number))
        assert w.locator(".azl-passed").count() == 0
    says(w, "● has won after 17 moves.")
    assert t.view["over"]
    assert t.moves_text.split()[:3] == ["b2^", "a4^", "b3>"]


def test_a_piece_is_taken_up_let_go_and_exchanged(sit):
    w = sit(play(Breakthrough(), moves="b2^ c4^"))
    expect(w.locator(".azl-grid circle[stroke-dasharray]")).to_have_count(1)  # where it came from
    click(w, "b3")
    says(w, "b3 can go to a4, c4. Escape lets it go.")
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
    assert marked(w) == [0, 0]
    click(w, "e4")
    says(w, "Choose a piece of yours first: nothing can be played on e4 alone.")
    click(w, "d1")
    says(w, "The piece on d1 cannot move.")


def test_a_piece_is_moved_by_keyboard_and_every_state_is_accessible(sit):
    t = play(Breakthrough())
    w = sit(t)
    table = part(w, "table")
    table.press("ArrowDown")  # to the middle, c3
    expect(table).to_have_attribute("aria-label", "Breakthrough board, at c3, empty, not possible.")
    table.press("ArrowDown")
    here = "Breakthrough board, at c2, Red. Enter"
    expect(table).to_have_attribute("aria-label", f"{here} takes this piece.")
    table.press("Enter")
    says(w, "c2 can go to b3, c3, d3. Escape lets it go.")
    expect(table).to_have_attribute("aria-label", f"{here} lets it go.")
    assert_accessible(w.page)
    w.page.emulate_media(color_scheme="dark")
    assert_accessible(w.page)
    table.press("Enter")
    assert marked(w) == [0, 0]
    table.press("Enter")
    table.press("Escape")
    table.press("Enter")
    table.press("ArrowUp")
    expect(table).to_have_attribute(
        "aria-label", "Breakthrough board, at c3, empty. Enter moves here from c2."
    )
    table.press(" ")
    expect(w).to_have_attribute("data-turn", "1")
    assert t.moves_text == "c2^"
    assert_accessible(w.page)


def test_moves_that_share_their_way_are_asked_for_by_buttons(sit):
    t = play(Mixed(), moves="a1 c3")
    w = sit(t)
    bowl = w.locator(".azl-bowls button")
    assert bowl.all_text_contents() == ["lift", "pass"]
    click(w, "a1")
    click(w, "b1")
    says(w, "Which one? Choose below the board; Escape goes back.")
    assert bowl.all_text_contents() == ["a1-b1", "a1-b1#"]
    assert_accessible(w.page)
    part(w, "table").press("Escape")
    assert bowl.all_text_contents() == ["lift", "pass"]
    assert marked(w) == [2, 0]
    for key in ("ArrowUp", "ArrowUp", "Enter"):  # from the middle to b1, which is asked for again
        part(w, "table").press(key)
    expect(bowl.first).to_be_focused()
    bowl.nth(1).press("Enter")
    expect(w).to_have_attribute("data-turn", "3")
    assert t.moves_text == "a1 c3 a1-b1#"
    assert t.view["cells"] == [3, 1, 0, 0, 0, 0, 0, 0, 2]
    click(w, "b2")  # a stone is placed, without a piece taken up
    expect(w).to_have_attribute("data-turn", "4")
    part(w, "table").press("p")
    expect(w.locator(".azl-passed")).to_have_text("Red passed")
    bowl.first.click()
    expect(w).to_have_attribute("data-turn", "6")
    assert w.locator(".azl-passed").count() == 0  # the board was cleared: no pass
    says(w, "■ played lift. ● is to move.")


def test_the_only_piece_that_can_move_is_taken_up_already(sit):
    t = play(Kings())
    w = sit(t)
    assert marked(w) == [2, 0]
    click(w, "c3")
    expect(w).to_have_attribute("data-turn", "1")
    assert t.moves_text == "d3-c3"


def test_captures_are_marked_and_counted():
    t = play(Clobber(), moves="a1xb1")
    assert (t.view["left"], t.view["last"]) == (0, 1)
    assert t.view["passed"] == -1
    t = play(Go(3), moves="A2 A1 B1")
    assert t.view["taken"] == [1, 0]


def test_many_buttons_wrap_and_the_panel_stays_in_sight(sit):
    class Silent(Breakthrough):
        """Whose moves cannot be seen on the board: buttons alone are left."""

        name = "silent"

        def cells(self, state):
            return [0] * 25

    w = sit(play(Silent()), width=900)
    buttons = w.locator(".azl-bowls button")
    assert buttons.count() == 13
    board, talk = w.locator(".azl-grid").bounding_box(), w.locator(".azl-talk").bounding_box()
    assert max(b.bounding_box()["y"] for b in buttons.all()) > buttons.first.bounding_box()["y"]
    assert talk["x"] + talk["width"] <= 900
    assert talk["x"] < board["x"] + board["width"] + 60


def test_an_opponents_visits_and_best_moves_are_told_by_cell(sit):
    game = Breakthrough()
    t = play(game, UCTPlayer(game, 60), moves="b2^")
    shown = t.view["visits"]
    assert len(shown["cells"]) == len(set(shown["cells"])) == 5
    assert sum(shown["shares"]) == pytest.approx(1)
    assert t.view["say"].startswith(f"UCT 60 played {game.action_label(t.moves[-1])} (")
    assert_accessible(sit(t).page)


@pytest.mark.parametrize(
    ("game", "moves"),
    [(Breakthrough(), ""), (HalfTold(), ""), (Numbered(), ""), (Clobber(), ""), (Mixed(), "a1 c3")],
)
def test_the_explorer_marks_where_the_last_move_came_from(game, moves):
    record = explore(game, moves, num_simulations=60).record
    nodes = record["nodes"]
    for i in range(1, len(nodes["parent"])):
        before, after = cells_at(record, nodes["parent"][i]), cells_at(record, i)
        mover = nodes["to_play"][nodes["parent"][i]]
        start, end = nodes["origin"][i], nodes["cell"][i]
        if end >= 0:
            assert after[end] == mover + 1 != before[end]
        if start >= 0:
            assert before[start] == mover + 1 != after[start]
    assert max(nodes["origin"]) >= 0
    assert set(record["root"]["lands"]) == {-1}  # several moves end on one cell


def test_games_that_place_stones_have_no_origins():
    record = explore(ConnectFour(), "44", num_simulations=20).record
    assert record["nodes"]["origin"] is None
    assert record["root"]["cells"].count(1) == 1
    assert play(ConnectFour(), Leftmost(ConnectFour())).view["starts"] == [-1] * 7
