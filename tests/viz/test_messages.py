"""Whatever a page sends: a sentence at most, and the widget goes on."""

import itertools

import pytest

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, random_rollout, uct
from azlearn.viz import Explorer, compare, explore, explore_tree, play
from tests.viz.hostile import SCRIPTS, WRONG

GAME = ConnectFour()
JUNK = [*SCRIPTS[:3], *WRONG, -(10**400), 10**400, float("nan"), float("inf"), [[]], "x" * 10_000]
DOES = ["grow", "turn", "play", "load", "level", "stop", "nothing that is known"]
NAMES = ["node", "knobs", "action", "moves", "value", "side"]


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
def test_a_message_of_any_kind_is_answered_with_a_sentence(name):
    widget = WIDGETS[name]()
    widget.send = lambda content, buffers=None: None
    for content in JUNK:
        be_silent(widget)
        widget._heard(widget, content, [])
        assert said(widget).endswith("."), content
        assert len(said(widget)) < 200
    for do, key, value in itertools.product([*DOES, *JUNK], NAMES, JUNK):
        widget._heard(widget, {"do": do, key: value}, [])
    be_silent(widget)
    widget._heard(widget, {"do": ["grow"]}, [])
    assert said(widget) == "The page asked for ['grow'], which nothing here does."


@pytest.mark.parametrize("name", WIDGETS)
def test_a_value_of_any_kind_is_set_or_left_out(name):
    widget = WIDGETS[name]()
    before = widget.get_state()
    for content in JUNK:
        widget.set_state(content)
    for key in before:
        for value in JUNK:
            be_silent(widget)
            widget.set_state({key: value})
            if key in widget.SET_BY_PAGE and isinstance(value, str | float | dict):
                assert f"The page set {key}" in said(widget)
    after = widget.get_state()
    free = {*widget.SET_BY_PAGE, "notice", "view"}
    assert {k: v for k, v in after.items() if k not in free} == {
        k: v for k, v in before.items() if k not in free
    }


def test_after_all_of_it_an_explorer_still_searches():
    explorer = live()
    for content in [*JUNK, *({"do": "turn", "knobs": {"c": value}} for value in JUNK)]:
        explorer._heard(explorer, content, [])
    assert explorer.wait(60)
    assert explorer.rerun(num_simulations=30).step == 30


def test_a_move_that_is_no_whole_number_is_not_played():
    t = table()
    for action in (1.0, "1", True, None, [1]):
        t._heard(t, {"do": "play", "action": action}, [])
        assert t.moves == []
        assert "which is no whole number" in t.error
    t._heard(t, {"do": "play", "action": 1}, [])
    assert (t.moves, t.error) == ([1], "")
