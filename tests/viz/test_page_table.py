"""A page to play at: a whole game by hand, what its buttons do, and what it shows of the search."""

import re

import pytest
from playwright.sync_api import expect

from azlearn.arena import CompiledUCTPlayer, RandomPlayer, UCTPlayer
from azlearn.games import ConnectFour, DotsAndBoxes, Go, Hex, Othello, TicTacToe
from azlearn.games.notation import read_moves
from azlearn.viz import play_page
from tests.axe import assert_accessible
from tests.viz.page import part

pytestmark = pytest.mark.browser


@pytest.fixture
def table(fresh, tmp_path):
    """A function that opens a page against UCT."""

    def open_table(game, simulations=60, size=(1280, 720), bypass_csp=False, **options):
        path, page = tmp_path / "table.html", fresh(*size, bypass_csp=bypass_csp)
        play_page(UCTPlayer(game, simulations), path, **options)
        page.goto(path.as_uri())
        rest(page)
        return page

    return open_table


def rest(page):
    """Waits until the opponent has moved."""
    expect(page.locator('.azl-play[data-ready][data-thinking="false"]')).to_be_visible()


def moves(page):
    return part(page, "moves").input_value()


def click(page, action):
    page.locator(f'.azl-can[data-action="{action}"]').first.click()
    rest(page)


@pytest.mark.parametrize(
    "game",
    [TicTacToe(), ConnectFour(), Othello(4), Hex(3), DotsAndBoxes(1, 2), Go(3)],
    ids=lambda game: game.name,
)
def test_a_game_is_played_to_its_end(table, game):
    """Python's rules follow every move and agree on the result; you always take the last cell."""
    page = table(game, simulations=30)
    for _ in range(60):
        state = game.from_moves(moves(page))
        if game.outcome(state) is not None:
            break
        assert game.to_play(state) == 0
        action = game.legal_actions(state)[-1]
        if game.action_label(action) == "pass":
            page.locator(f'button[data-action="{action}"]').click()
            rest(page)
        else:
            click(page, action)
    outcome = game.outcome(state)
    yours = outcome if game.to_play(state) == 0 else -outcome
    said = {1: "You .* have won", 0: "A draw", -1: "UCT .* has won"}[yours]
    expect(part(page, "say")).to_have_text(re.compile(f"{said}.* after \\d+ moves"))


def test_its_buttons(table):
    game = ConnectFour()
    page = table(game, you="second", seed=5)
    assert len(moves(page)) == 1  # it has opened
    click(page, 3)
    assert len(moves(page)) == 3
    page.get_by_role("button", name="Take back").click()
    rest(page)
    assert len(moves(page)) == 1
    part(page, "moves").fill("4455")
    page.get_by_role("button", name="Load").click()
    rest(page)
    assert moves(page).startswith("4455")
    assert len(moves(page)) == 5
    page.get_by_role("button", name="Swap sides").click()
    rest(page)
    assert len(moves(page)) == 6  # now it plays second, and answers
    part(page, "moves").fill("44444441")
    page.get_by_role("button", name="Load").click()
    expect(part(page, "error")).to_have_text("Move 7 (4) is illegal there.")
    page.get_by_role("button", name="The start").click()
    expect(part(page, "at")).to_have_text("move 0 of 6")
    expect(page.get_by_role("button", name="Best move")).to_be_hidden()


class Cased(TicTacToe):
    """Its labels differ only in case."""

    def action_label(self, action):
        return "abcABCxyz"[action]


@pytest.mark.parametrize(
    ("game", "text", "read", "actions"),
    [
        (Cased(), "A bB", "AbB", [3, 1, 4]),
        (Cased(), "xA,", "xA", [6, 3]),
        (Othello(4), "B1,a1", "b1 a1", [1, 0]),
    ],
)
def test_moves_are_read_as_in_python(table, game, text, read, actions):
    page = table(game, simulations=2, you="first" if len(actions) % 2 == 0 else "second")
    part(page, "moves").fill(text)
    page.get_by_role("button", name="Load").click()
    rest(page)
    assert read_moves(game, text)[0] == actions
    assert moves(page) == read
    part(page, "moves").fill("X" + text)
    page.get_by_role("button", name="Load").click()
    expect(part(page, "error")).to_contain_text("is not a move; moves are ")


def test_what_it_was_thinking(table):
    page = table(ConnectFour(), simulations=300)
    click(page, 3)
    page.get_by_role("button", name="Its visits").click()
    text = part(page, "told").inner_text()
    assert re.match(r"UCT chose \d after 300 simulations. Visits:", text)
    shares = [int(n) for n in re.findall(r"(\d+)%", text)]
    assert shares == sorted(shares, reverse=True)
    assert abs(sum(shares) - 100) <= 4
    page.get_by_role("button", name="What were you thinking?").click()
    expect(page.locator(".azl-x[data-ready]")).to_contain_text("300 sims")
    expect(part(page, "meter")).to_have_attribute("aria-valuetext", re.compile("UCT expects"))
    page.get_by_role("button", name="What were you thinking?").click()
    expect(page.locator(".azl-x")).to_have_count(0)


def test_it_takes_the_win_and_is_stopped(table):
    page = table(ConnectFour(), simulations=400, you="second")
    part(page, "moves").fill("414243")
    page.get_by_role("button", name="Load").click()
    rest(page)
    assert moves(page) == "4142434"
    expect(part(page, "verdict")).to_contain_text("UCT has won")
    page = table(ConnectFour(), simulations=1_000_000, you="first")
    page.locator('.azl-can[data-action="3"]').first.click()
    page.get_by_role("button", name="Stop").click()
    rest(page)
    assert len(moves(page)) == 2


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_it_is_accessible(table, size):
    page = table(ConnectFour(), size=size, bypass_csp=True)
    click(page, 3)
    assert_accessible(page, f"the page to play at, {size[0]} wide", ".azl-play")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_no_page_can_play():
    with pytest.raises(ValueError, match="A page cannot play as random: it needs a search"):
        play_page(RandomPlayer(TicTacToe()))
    with pytest.raises(ValueError, match="The evaluator is Python code"):
        play_page(CompiledUCTPlayer(ConnectFour(), 50, evaluator=lambda *_: 0))
    with pytest.raises(ValueError, match="'first' or 'second', not 'frist'"):
        play_page(UCTPlayer(TicTacToe(), 50), you="frist")
    assert "against UCT</title>" in play_page(CompiledUCTPlayer(TicTacToe(), 50))
