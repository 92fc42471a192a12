"""What moves on the sheet and in the panel: the path that lights up, the value that climbs, and
nothing else."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from azlearn.viz import Explorer, replay
from azlearn.viz.replaying import path_to
from tests.viz.page import at, drawn, now, part

STEP = 200
MOVING = "() => document.querySelector('.azl-sheet').getAnimations({ subtree: true }).length"
TOKENS = """() => [...document.querySelectorAll('.azl-token')].map(
  t => [...t.querySelectorAll('.azl-face0, .azl-face1')].map(f => f.textContent))"""
LATE = ".azl-ahead-of"


@pytest.fixture(scope="module")
def path(explorer):
    """The nodes of the path of simulation STEP, three moves long at the least."""
    found = path_to(explorer.record, explorer.record["steps"]["leaf"][STEP - 1])
    assert len(found) > 3
    return found


def forward(page):
    page.get_by_role("tree").focus()
    page.keyboard.press("ArrowRight")


def check_numbers(page, explorer, step):
    visits = replay(explorer.record, step)[0]
    for node, seen in drawn(page).items():
        assert int(seen["n"]) == (visits[int(node)] if int(node) else step)


def test_the_value_climbs_and_changes_its_sign_at_every_level(opened, explorer, path):
    page = opened(at(explorer, STEP, "evaluate"))
    forward(page)
    assert now(page)[:2] == (STEP, "backup")
    tokens = page.evaluate(TOKENS)
    assert len(tokens) == len(path) - 1
    assert all({old, new} == {"+1", "−1"} for old, new in tokens)
    assert all(a != b for a, b in pairwise([old for old, _ in tokens]))
    assert page.evaluate(MOVING) > 0
    # The numbers of the path are those of before until the value lands, and then those of after.
    both = {int(i): seen["counts"] for i, seen in drawn(page).items() if len(seen["counts"]) > 1}
    assert both.keys() == set(path)
    assert all(int(old) + 1 == int(new) for new, old in both.values())
    check_numbers(page, explorer, STEP)
    expect(page.locator(".azl-passing")).to_have_count(0)
    assert page.evaluate(MOVING) == 0
    expect(part(page, "panel").locator(LATE)).to_have_count(0)
    page.get_by_role("button", name="replay").click()
    assert part(page, "panel").locator(LATE).count() > 0


def test_the_path_lights_up_and_nothing_else_moves(opened, explorer, path):
    page = opened(at(explorer, STEP - 1, "backup"), bypass_csp=True)
    forward(page)
    assert now(page)[:2] == (STEP, "select")
    delays = page.evaluate(
        """() => [...document.querySelectorAll('.azl-light')].flatMap(e => e.getAnimations())
          .map(a => a.effect.getTiming().delay)"""
    )
    assert len(set(delays)) == len(delays) == len(path) - 1  # edge by edge
    page.wait_for_function(f"({MOVING})() === 0")
    for phase in ("expand", "evaluate"):
        forward(page)
        assert now(page)[1] == phase
        assert page.evaluate(MOVING) == 0
        assert page.locator(".azl-passing").count() == 0


def test_with_reduced_motion_the_end_is_shown_at_once(opened, explorer, path):
    page, row = opened(at(explorer, STEP, "select"), reduced_motion="reduce"), STEP - 1
    forward(page)
    forward(page)
    panel, plies = part(page, "panel"), len(explorer.record["steps"]["rollout"][row])
    assert panel.locator(".azl-ply").count() == plies
    forward(page)
    assert page.evaluate(MOVING) == page.locator(".azl-passing").count() == 0
    assert panel.locator(LATE).count() == 0
    check_numbers(page, explorer, STEP)
    badges = [pill for seen in drawn(page).values() for pill in seen["pills"]]
    assert len(badges) == len(path) - 1


def test_a_new_step_ends_the_motion_and_a_held_key_makes_none(opened, explorer):
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
    for _ in range(4):
        page.keyboard.down("ArrowRight")  # again and again: the key repeats
    assert now(page)[:2] == (1, "backup")
    assert part(page, "panel").locator(LATE).count() == 0
    page.keyboard.up("ArrowRight")


def test_a_pin_ends_before_its_node(opened, explorer):
    """A pinned node is let go at moments at which it is not in the tree."""
    leaf = explorer.record["steps"]["leaf"][STEP - 1]
    page = opened(at(explorer, STEP, "backup", leaf), reduced_motion="reduce")
    tree, head, pin = page.get_by_role("tree"), part(page, "head"), part(page, "pin")
    expect(pin).to_have_text("pinned ×")
    tree.press("Shift+ArrowRight")
    assert now(page)[2] == leaf  # later it is there
    tree.press("Home")
    assert now(page) == (0, "backup", -1)
    expect(pin).to_have_text("follows the search")
    page.locator('.azl-node[data-node="0"]').click()
    expect(head).to_have_text("The root")
    page.keyboard.press("Escape")
    expect(head).to_have_text("Before the search")


def test_the_pointer_shows_a_larger_board_whole_and_changes_nothing(opened, explorer):
    """In a tree as low as that of a comparison, too."""
    page = opened(Explorer(explorer.recording), width=952, reduced_motion="reduce")
    page.set_viewport_size({"width": 952, "height": 640})
    before, preview = now(page), page.locator(".azl-preview")
    for node in (1, 2):
        page.locator(f'.azl-node[data-node="{node}"]').hover()
        expect(preview).to_contain_text(f"of {explorer.recording.nodes[0].num_visits}")
        assert preview.locator(".azl-board").count() == 1
        shown = "e => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight]"
        assert preview.evaluate(shown) == [0, 0]
        box, tree = preview.bounding_box(), page.locator(".azl-tree").bounding_box()
        assert box["y"] >= tree["y"]
        assert box["y"] + box["height"] <= tree["y"] + tree["height"]
    assert now(page) == before
    page.mouse.move(2, 2)
    expect(preview).to_have_count(0)
