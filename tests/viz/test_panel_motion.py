"""What moves in the panel: numbers change as the value lands, and at once where none may move."""

import pytest
from playwright.sync_api import expect

from azlearn.viz import Explorer
from azlearn.viz.replaying import path_to
from tests.viz.page import now, part

LATE = ".azl-ahead-of"


@pytest.fixture(scope="module")
def row(explorer):
    """A row whose path has at least three moves."""
    leaf = explorer.record["steps"]["leaf"]
    return next(r for r in range(100, 300) if len(path_to(explorer.record, leaf[r])) > 3)


def test_the_ledger_changes_from_the_leaf_up_as_the_value_lands(opened, explorer, row):
    page = opened(Explorer(explorer.recording, step=row + 1, phase="evaluate"))
    page.get_by_role("tree").focus()
    page.evaluate(
        """() => {
          window.counts = [];
          const panel = document.querySelector('[data-part="panel"]');
          new MutationObserver(() => {
            const late = [...panel.querySelectorAll('.azl-ahead-of')].map(e => Number(e.dataset.k));
            if (panel.querySelector('.azl-ledger')) window.counts.push(late);
          }).observe(panel, { subtree: true, childList: true, attributes: true });
        }"""
    )
    page.keyboard.press("ArrowRight")
    assert now(page)[:2] == (row + 1, "backup")
    late = part(page, "panel").locator(LATE)
    expect(late).to_have_count(0)
    last = len(path_to(explorer.record, explorer.record["steps"]["leaf"][row])) - 1
    seen = page.evaluate("window.counts")
    assert sorted(seen[0]) == list(range(last + 1))  # at first nothing has changed
    lengths = list(dict.fromkeys(len(k) for k in seen))
    assert lengths == list(range(last + 1, -1, -1))  # then one node after the other
    assert all(k == sorted(k, reverse=True) and (not k or k[-1] == 0) for k in seen)
    page.get_by_role("button", name="climb again").click()
    assert late.count() > 0


def test_nothing_moves_for_who_wants_none(opened, explorer, row):
    page = opened(
        Explorer(explorer.recording, step=row + 1, phase="expand"), reduced_motion="reduce"
    )
    page.get_by_role("tree").focus()
    page.keyboard.press("ArrowRight")
    plies = len(explorer.record["steps"]["rollout"][row])
    assert part(page, "panel").locator(".azl-ply").count() == plies
    page.keyboard.press("ArrowRight")
    assert part(page, "panel").locator(".azl-ledger").count() == 1
    assert part(page, "panel").locator(LATE).count() == 0


def test_steps_are_instant_while_a_key_is_held(opened, explorer, row):
    page = opened(Explorer(explorer.recording, step=row + 1, phase="select"))
    page.get_by_role("tree").focus()
    for _ in range(4):
        page.keyboard.down("ArrowRight")  # again and again: the key repeats
    assert now(page)[:2] == (row + 2, "select")
    for _ in range(3):
        page.keyboard.down("ArrowRight")
    assert now(page)[:2] == (row + 2, "backup")
    assert part(page, "panel").locator(LATE).count() == 0
    page.keyboard.up("ArrowRight")


def test_the_panel_follows_the_phase_and_a_pin_ends_before_its_node(opened, explorer, row):
    """A pinned node is let go at moments at which it is not in the tree."""
    record = explorer.record
    leaf, born = record["steps"]["leaf"][row], row + 1
    page = opened(
        Explorer(explorer.recording, step=born, phase="backup", selected=leaf),
        reduced_motion="reduce",
    )
    tree, head, pin = page.get_by_role("tree"), part(page, "head"), part(page, "pin")
    expect(pin).to_have_text("pinned ×")
    tree.focus()
    page.keyboard.press("Shift+ArrowRight")
    assert now(page)[2] == leaf  # later it is there
    page.keyboard.press("Home")
    assert now(page) == (0, "backup", -1)
    expect(pin).to_have_text("follows the search")
    for name in ("1 Select", "2 Expand", "3 Evaluate", "4 Back up"):
        page.keyboard.press("ArrowRight")
        expect(head).to_have_text(name)
    page.locator('.azl-node[data-node="0"]').click()
    expect(head).to_have_text("The root")
    page.keyboard.press("Escape")
    expect(head).to_have_text("4 Back up")


def test_the_pointer_shows_a_larger_board_and_changes_nothing(opened, explorer):
    page = opened(Explorer(explorer.recording, step=300), width=960, reduced_motion="reduce")
    node = page.locator(".azl-node").nth(4)
    before = now(page)
    node.hover()
    preview = page.locator(".azl-preview")
    expect(preview).to_be_visible()
    visits = explorer.recording.nodes[0].num_visits
    expect(preview).to_contain_text(f"of {visits}")
    assert preview.locator(".azl-board").count() == 1
    assert now(page) == before
    page.mouse.move(2, 2)
    expect(preview).to_have_count(0)


def test_one_players_view_flips_the_ledger_too(opened, explorer, row):
    page = opened(Explorer(explorer.recording, step=row + 1), reduced_motion="reduce")
    chips = part(page, "panel").locator(".azl-ledger .azl-chip")
    assert set(chips.all_inner_texts()) == {"+1", "−1"}  # each for the player who moved
    page.get_by_role("button", name="Find and filter").click()
    page.get_by_role("button", name="Red always").click()
    (only,) = set(chips.all_inner_texts())  # one result, seen by one player
    record = explorer.record
    leaf, value = record["steps"]["leaf"][row], record["steps"]["value"][row]
    for_red = value if record["nodes"]["to_play"][leaf] == 0 else -value
    assert only == ("+1" if for_red > 0 else "−1")
