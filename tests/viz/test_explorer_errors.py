"""Records that cannot be shown, and searches that did not end as planned: a sentence each."""

import copy

import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, Recorder, random_rollout, record_search, uct
from azlearn.viz import Explorer
from azlearn.viz.checking import complaint
from tests.viz.kernel import a_page, linked
from tests.viz.page import drawn, now, part

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
    "garbage": ({"nodes": "garbage", "steps": 7}, "no recorded search"),
    "a later version": (changed(3, "version"), "written in format 3"),
    "no game": (without("game"), "damaged: game is missing"),
    "no rule": (without("rule"), "damaged: rule is missing"),
    "no legal moves": (without("nodes", "legal"), "damaged: nodes.legal is missing"),
    "a short column": (changed([0], "nodes", "to_play"), "has 1 entries for 21 nodes"),
    "a loop": (changed(5, "nodes", "parent", 3), "node 3 does not come after its parent"),
    "a lost leaf": (changed(900, "steps", "leaf", 4), "step 5 ends at a node that is not there"),
    "no values": (without("steps", "value"), "damaged: steps.value"),
    "another game's root": (another_games_root(), "9 cells, but a board of connect_four has 42"),
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_bad_record_gets_the_same_sentence_everywhere(opened, name):
    record, sentence = RECORDS[name]
    explorer = Explorer(copy.deepcopy(record))
    assert sentence in complaint(record)
    assert explorer.describe() == complaint(record)
    data, _ = explorer._repr_mimebundle_()
    assert sentence.split(" ")[0] in data["text/html"]
    with pytest.raises(ValueError, match=sentence):
        explorer.to_svg()
    page = opened(explorer)
    expect(page.get_by_role("status")).to_have_text(complaint(record))


def test_a_good_record_has_no_complaint():
    assert complaint(good()) == ""


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


def test_a_search_that_fails_half_way_leaves_a_record_to_look_at(opened):
    def breaks(game, state, rng, calls=[]):  # noqa: B006
        calls.append(state)
        if len(calls) > 12:
            raise ZeroDivisionError
        return None, 0.25

    recorder = Recorder()
    with pytest.raises(ZeroDivisionError):
        MCTS(GAME, uct(1.0), breaks, recorder=recorder).run(GAME.initial_state(), 50, 0)
    page = opened(Explorer(recorder.recording()))
    expect(part(page, "notice")).to_have_text("This search was stopped after 11 of 50 simulations.")
    assert drawn(page)["0"]["n"] == "11"


def test_a_bad_record_after_a_good_one_and_a_good_one_again(browser, tmp_path):
    with a_page(browser, reduced_motion="reduce") as page:
        explorer = Explorer(good())
        link = linked(page, tmp_path / "live.html", explorer)
        explorer.record = {}
        link.flush()
        expect(page.get_by_role("status")).to_contain_text("no recorded search")
        assert page.locator(".azl-x").count() == 0
        explorer.record = good(30)
        explorer.step = 30
        link.flush()
        page.locator(".azl-x[data-ready]").wait_for()
        assert now(page) == (30, "backup", -1)
