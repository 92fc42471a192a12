"""Records that cannot be shown, and searches that did not end as planned: a sentence each."""

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, Recorder, random_rollout, record_search, uct
from azlearn.viz import Explorer
from tests.viz.page import drawn, part

GAME = ConnectFour()


def good(simulations=20, game=GAME):
    state = game.initial_state()
    return record_search(game, state, uct(1.0), random_rollout(), simulations, 0).to_dict()


def without(*path):
    record = good()
    inner = record
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return record


def changed(value, *path):
    record = good()
    inner = record
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return record


def another_games_root():
    record = good()
    record["root"] = good(game=TicTacToe())["root"]
    return record


RECORDS = {
    "nothing": ({}, "no recorded search"),
    "garbage": ({"nodes": "garbage", "steps": 7}, "damaged: record must contain"),
    "a later version": (changed(3, "version"), "written in format 3"),
    "no nodes": (changed([], "nodes", "parent"), "must contain at least 1 items"),
    "no rule": (without("rule"), r"damaged: record must contain \['rule'\] properties"),
    "no legal moves": (without("nodes", "legal"), r"record\.nodes must contain \['legal'\]"),
    "a text for a number": (changed("x", "nodes", "parent", 3), r"parent\[3\] must be integer"),
    "nobody's turn": (changed(7, "nodes", "to_play", 3), r"to_play\[3\] must be smaller than"),
    "a short column": (changed([0], "nodes", "to_play"), "to_play has 1 entries, not 21"),
    "a loop": (changed(5, "nodes", "parent", 3), "node 3 does not come after its parent"),
    "a lost leaf": (changed(900, "steps", "leaf", 4), "steps.leaf names 900, but 21 is the end"),
    "a move too far": (changed(7, "nodes", "action", 2), "nodes.action names 7, but 7 is the end"),
    "another game's root": (another_games_root(), "9 cells, and the board of connect_four has"),
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_bad_record_is_refused_in_a_sentence(name):
    record, sentence = RECORDS[name]
    with pytest.raises(ValueError, match=sentence):
        Explorer(record)


def interrupted(at=7, budget=2000):
    recorder = Recorder()
    mcts = MCTS(GAME, uct(1.0), random_rollout(), recorder=recorder)
    mcts.run(GAME.initial_state(), budget, 0, stop=lambda tree, num_left: num_left == budget - at)
    return recorder.recording()


def test_a_search_interrupted_half_way_is_shown_and_says_so(opened):
    explorer = Explorer(interrupted())
    sentence = "This search was stopped after 7 of 2,000 simulations."
    assert sentence in explorer.describe()
    page = opened(explorer)
    expect(part(page, "notice")).to_have_text(sentence)
    assert drawn(page)["0"]["n"] == "7"
    expect(part(page, "when")).to_have_text("simulation 7 of 7")


@pytest.mark.parametrize("done", [0, 11])
def test_a_search_that_fails_leaves_a_record_to_look_at(opened, done):
    def breaks(game, state, rng, calls=[]):  # noqa: B006
        calls.append(state)
        if len(calls) > limit:
            raise ZeroDivisionError
        return None, 0.25

    recorder, limit = Recorder(), done + 1
    with pytest.raises(ZeroDivisionError):
        MCTS(GAME, uct(1.0), breaks, recorder=recorder).run(GAME.initial_state(), 50, 0)
    explorer = Explorer(recorder.recording())
    sentence = f"This search was stopped after {done} of 50 simulations."
    assert sentence in explorer.describe()
    page = opened(explorer)
    expect(part(page, "notice")).to_have_text(sentence)
    assert drawn(page)["0"]["n"] == str(done)
