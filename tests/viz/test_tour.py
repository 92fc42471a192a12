"""Guided tours: what a stop may be, and what the reader sees at it."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from azlearn.viz import Explorer, Stop, explore
from tests.axe import assert_accessible
from tests.viz.conftest import GAME
from tests.viz.page import part, path_labels

NEXT, BACK, END = "Next stop", "Previous stop", "End the tour"


@pytest.fixture(scope="module")
def toured(explorer):
    late = max(i for i, up in enumerate(explorer.record["nodes"]["parent"]) if up == 1)
    stops = [
        (0, "select", "Nothing is known yet. Press →."),
        (np.int64(3), "select", "**Select** goes to ● or ■: ∞ wins.", "table"),
        (150, "evaluate", "A game at random.", "board"),
        Stop(200, "select", "By so much.", part="lead"),
        Stop(300, "backup", "A pinned node.", "node", " ".join(["", *path_labels(explorer, late)])),
    ]
    return Explorer(explorer.recording, tour=stops), late


def stand(page):
    return page.locator(".azl-x").evaluate(
        "e => [e.dataset.step, e.dataset.phase, e.dataset.selected]"
    )


def test_the_keys_lead_from_stop_to_stop(opened, toured):
    page, late = opened(toured[0], reduced_motion="reduce"), str(toured[1])
    said = part(page, "tour")
    expect(said).to_contain_text("Nothing is known yet. Press →.")
    expect(said).to_contain_text("1 of 5")
    assert stand(page) == ["0", "backup", "-1"]
    page.get_by_role("tree").focus()
    for stop in ("3 select -1", "150 evaluate -1", "200 select -1", f"300 backup {late}"):
        page.keyboard.press("ArrowRight")
        assert stand(page) == stop.split()
    page.keyboard.press("ArrowLeft")
    assert stand(page) == ["200", "select", "-1"]  # and the pin of the stop before is gone
    page.keyboard.press("Escape")
    expect(said).to_be_hidden()
    page.keyboard.press("ArrowRight")
    assert stand(page) == ["200", "expand", "-1"]  # the arrows are the search's again
    page.get_by_role("button", name="Tour", exact=True).click()
    assert stand(page) == ["0", "backup", "-1"]


def test_the_buttons_say_and_ring_what_the_stop_is_about(opened, toured):
    page = opened(toured[0], reduced_motion="reduce", bypass_csp=True)
    ringed, said = page.locator(".azl-spotted"), part(page, "tour")

    def go(name):
        page.get_by_role("button", name=name).last.click()

    go(NEXT)
    assert_accessible(page, "a stop that rings the table")
    page.get_by_role("button", name="Expand").click()  # what else moves does not end the tour
    assert stand(page) == ["3", "expand", "-1"]
    expect(said.locator("b")).to_have_text("Select")
    page.get_by_role("button", name="Select", exact=False).first.click()
    for player in ("Red", "Yellow"):
        expect(said.get_by_role("img", name=player)).to_have_count(1)
    expect(ringed).to_have_class(re.compile("azl-compare"))
    go(NEXT)
    expect(ringed).to_have_class(re.compile("azl-board"))
    go(NEXT)
    expect(page.locator(".azl-sheet .azl-ringed")).to_have_count(1)
    go(BACK)
    expect(page.locator(".azl-sheet .azl-ringed")).to_have_count(0)
    go(NEXT)
    go(NEXT)
    expect(page.locator(".azl-sheet .azl-ring-mark")).to_have_count(1)
    assert_accessible(page, "the last stop, at a node")
    go(END)  # "Done"
    expect(said).to_be_hidden()
    expect(page.get_by_role("tree")).to_be_focused()


@pytest.mark.parametrize(
    ("stop", "sentence"),
    [
        ((3, "select"), "it must be (simulation, phase, text), or a Stop"),
        ((21, "select", "x"), "simulation must be 0 to 20, not 21"),
        ((3, "choose", "x"), "phase must be one of select, expand, evaluate, backup, not 'choose'"),
        ((3, "select", " "), "text must be a non-empty string"),
        ((3, "select", "x", "bars"), "or None, not 'bars'"),
        ((3, "select", "x", None, 1), "a string of moves, such as '3 4', or None, not 1"),
        ((3, "select", "x", None, "9"), "'9' of node '9' is not a move of this game"),
        ((3, "select", "x", None, "1 1 1 1 1 1"), "the tree has no node '1 1 1 1 1 1'"),
        ((3, "select", "x", None, "7"), "node '7' is not in the tree yet in simulation 3"),
    ],
)
def test_a_wrong_stop_is_named_in_one_sentence(stop, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)) as error:
        explore(GAME, num_simulations=20, tour=[(1, "expand", "Fine."), stop])
    assert str(error.value).startswith("Stop 2 of the tour: ")
