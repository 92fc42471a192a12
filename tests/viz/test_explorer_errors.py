"""Records that cannot be shown, and searches that did not end as planned: a sentence each."""

import pytest

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, Recorder, random_rollout, record_search, uct
from azlearn.viz import Explorer

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
    "no rule": (without("rule"), r"damaged: record must contain \['rule'\] properties"),
    "a text for a number": (changed("x", "nodes", "parent", 3), r"parent\[3\] must be integer"),
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


@pytest.mark.parametrize("done", [0, 11])
def test_a_search_that_did_not_end_as_planned_is_shown_and_says_so(done):
    def breaks(game, state, rng, calls=[]):  # noqa: B006
        calls.append(state)
        if len(calls) > done + 1:
            raise ZeroDivisionError
        return None, 0.25

    recorder = Recorder()
    with pytest.raises(ZeroDivisionError):
        MCTS(GAME, uct(1.0), breaks, recorder=recorder).run(GAME.initial_state(), 2000, 0)
    explorer = Explorer(recorder.recording())
    sentence = f"This search was stopped after {done} of 2,000 simulations."
    assert explorer.notice == sentence
    assert sentence in explorer.describe()
    assert explorer.step == done
