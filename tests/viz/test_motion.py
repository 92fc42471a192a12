"""What moves on the sheet: the path that lights up, the value that climbs, and nothing else."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from azlearn.viz import replay
from azlearn.viz.replaying import path_to
from tests.viz.page import at, drawn, now

STEP = 200
MOVING = "() => document.querySelector('.azl-sheet').getAnimations({ subtree: true }).length"
TOKENS = """() => [...document.querySelectorAll('.azl-token')].map(
  t => [...t.querySelectorAll('.azl-face0, .azl-face1')].map(f => f.textContent))"""


def path_of(explorer, step=STEP):
    return path_to(explorer.record, explorer.record["steps"]["leaf"][step - 1])


def forward(page):
    page.get_by_role("tree").focus()
    page.keyboard.press("ArrowRight")


def check_numbers(page, explorer, step):
    visits = replay(explorer.record, step)[0]
    for node, seen in drawn(page).items():
        assert int(seen["n"]) == (visits[int(node)] if int(node) else step)


def test_the_value_climbs_and_changes_its_sign_at_every_level(opened, explorer):
    page = opened(at(explorer, STEP, "evaluate"))
    forward(page)
    assert now(page)[:2] == (STEP, "backup")
    tokens = page.evaluate(TOKENS)
    assert len(tokens) == len(path_of(explorer)) - 1 > 2
    assert all({old, new} == {"+1", "−1"} for old, new in tokens)
    arrivals = [old for old, _ in tokens]
    assert all(a != b for a, b in pairwise(arrivals))
    assert page.evaluate(MOVING) > 0
    # The numbers of the path are those of before until the value lands, and then those of after.
    before = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.azl-node')]
          .filter(g => g.querySelector('.azl-before'))
          .map(g => [g.dataset.node, [...g.querySelectorAll('.azl-n')].map(t => t.textContent)]))"""
    )
    assert {int(node) for node in before} == set(path_of(explorer))
    assert all(int(old) + 1 == int(new) for new, old in before.values())
    check_numbers(page, explorer, STEP)
    expect(page.locator(".azl-passing")).to_have_count(0)
    assert page.evaluate(MOVING) == 0


def test_seen_by_one_player_no_sign_changes(opened, explorer):
    page = opened(at(explorer, STEP, "evaluate"))
    page.locator('[data-do="first"]').evaluate("button => button.click()")
    forward(page)
    tokens = page.evaluate(TOKENS)
    assert len(tokens) > 2
    assert len({face for faces in tokens for face in faces}) == 1
    pills = [pill for seen in drawn(page).values() for pill in seen["pills"]]
    assert len(set(pills)) == 1


def test_the_path_lights_up_edge_by_edge(opened, explorer):
    page = opened(at(explorer, STEP - 1, "backup"), bypass_csp=True)
    forward(page)
    assert now(page)[:2] == (STEP, "select")
    delays = page.evaluate(
        """() => [...document.querySelectorAll('.azl-light')].flatMap(e => e.getAnimations())
          .map(a => a.effect.getTiming().delay)"""
    )
    assert len(delays) == len(path_of(explorer)) - 1
    assert len(set(delays)) == len(delays)
    page.wait_for_function(f"({MOVING})() === 0")


@pytest.mark.parametrize("phase", ["select", "evaluate"])
def test_with_reduced_motion_the_end_is_shown_at_once(opened, explorer, phase):
    page = opened(at(explorer, STEP, phase), reduced_motion="reduce")
    forward(page)
    assert page.locator(".azl-passing").count() == 0
    assert page.evaluate(MOVING) == 0
    if phase == "evaluate":
        check_numbers(page, explorer, STEP)
        badges = [pill for seen in drawn(page).values() for pill in seen["pills"]]
        assert len(badges) == len(path_of(explorer)) - 1


def test_a_new_step_ends_the_motion(opened, explorer):
    page = opened(at(explorer, STEP, "evaluate"))
    forward(page)
    assert page.locator(".azl-passing").count() > 0
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert now(page)[:2] == (STEP + 1, "backup")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".azl-token").count() == 0
    page.keyboard.press("Home")
    assert page.evaluate(MOVING) == 0
    assert drawn(page)["0"]["n"] == "0"


@pytest.mark.parametrize(("phase", "arrives"), [("select", "expand"), ("expand", "evaluate")])
def test_nothing_else_moves(opened, explorer, phase, arrives):
    page = opened(at(explorer, STEP, phase))
    forward(page)
    assert now(page)[1] == arrives
    assert page.evaluate(MOVING) == 0
    assert page.locator(".azl-passing").count() == 0
