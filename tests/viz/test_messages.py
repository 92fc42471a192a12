"""Whatever a page sends: a sentence at most, and the widget goes on."""

import itertools

import pytest

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, random_rollout, uct
from azlearn.viz import Explorer, compare, explore, explore_tree, play

GAME = ConnectFour()
JUNK = [None, True, -1, 1.5, 10**400, float("nan"), "x" * 10_000, [[0]], {"a": 1}]


def live():
    return explore(GAME, num_simulations=20)


def table():
    return play(TicTacToe())


WIDGETS = {
    "live": live,
    "tree": lambda: explore_tree(MCTS(GAME, uct(), random_rollout()).run(GAME.initial_state(), 20)),
    "record": lambda: Explorer(live().record),
    "compare": lambda: compare(live(), live()),
    "play": table,
}


def said(widget):
    return widget.error if hasattr(widget, "error") else widget.notice


def be_silent(widget):
    setattr(widget, "error" if hasattr(widget, "error") else "notice", "")


@pytest.mark.parametrize("name", WIDGETS)
def test_whatever_the_page_says_is_taken_over_or_answered_with_a_sentence(name):
    widget = WIDGETS[name]()
    widget.send = lambda content, buffers=None: None
    before = widget.get_state()
    for content in ({"do": ["grow"]}, *({"do": "grow", "node": value} for value in JUNK)):
        be_silent(widget)
        widget._heard(widget, content, [])
        assert said(widget).endswith("."), content
        assert len(said(widget)) < 200
    for key, value in itertools.product([*before, "nothing"], JUNK):
        widget.set_state({key: value})
    free = {*widget.SET_BY_PAGE, "notice", "error", "view"}
    after = widget.get_state()
    assert {k: v for k, v in after.items() if k not in free} == {
        k: v for k, v in before.items() if k not in free
    }


def test_a_move_that_is_no_whole_number_is_not_played():
    t = table()
    for action in (1.0, "1", True, None, [1]):
        t._heard(t, {"do": "play", "action": action}, [])
        assert t.moves == []
        assert "which is no whole number" in t.error
    t._heard(t, {"do": "play", "action": 1}, [])
    assert (t.moves, t.error) == ([1], "")
