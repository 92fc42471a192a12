"""What does not fit says how much is left out, and opens; a comparison keeps its root in sight."""

import pytest
import traitlets
from playwright.sync_api import expect

from azlearn.games import ConnectFour, Hex
from azlearn.search import puct, uct
from azlearn.viz import Explorer, compare, explore
from azlearn.viz.replaying import path_to
from tests.viz.netlike import netlike
from tests.viz.page import until

GAME = ConnectFour()


def test_a_table_with_more_moves_than_room_says_how_many_and_opens(opened):
    search = explore(Hex(5), select=puct(1.25), num_simulations=60)
    page = opened(Explorer(search.recording, step=60, phase="select"), width=1280)
    page.set_viewport_size({"width": 1280, "height": 720})
    rows, button = page.locator(".azl-compare tbody tr"), page.locator('[data-do="rows"]')
    expect(button).to_be_visible()
    # The height follows the window.
    until(page, lambda: button.inner_text() == f"{25 - rows.count()} more moves")
    assert rows.count() < 25
    button.click()
    expect(rows).to_have_count(25)
    expect(button).to_be_focused()
    button.click()
    assert rows.count() < 25


def test_a_table_that_fits_has_no_button(opened):
    page = opened(explore(GAME, num_simulations=30))
    page.locator('.azl-phases [data-do="select"]').click()
    expect(page.locator(".azl-compare tbody tr")).to_have_count(7)
    expect(page.locator('[data-do="rows"]')).to_have_count(0)


@pytest.mark.parametrize("c", [0.05, 0.3])
def test_the_root_of_a_comparison_stays_in_sight(opened, c):
    start = GAME.from_moves("44")
    deep = [explore(GAME, start, select=uct(c), num_simulations=400, seed=s) for s in (0, 1)]
    page = opened(compare(*deep), width=1280)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_timeout(300)
    longest = max(max(row.leaf for row in x.recording.rows) for x in deep)
    assert longest > 200
    for side in ("left", "right"):
        expect(page.locator(f'[data-both="{side}"] [data-node="0"]')).to_be_visible()


def test_a_comparison_begins_where_it_is_told(opened):
    a, b = (explore(GAME, num_simulations=20, seed=seed) for seed in (0, 1))
    page = opened(compare(a, b, simulation=1))
    expect(page.locator('[data-both="when"]')).to_have_text("simulation 1 of 20")
    assert compare(a, b).simulation == 20
    with pytest.raises(traitlets.TraitError, match="simulation must be 0 to 20, not 21"):
        compare(a, b, simulation=21)


def test_scores_with_four_decimals_have_room(opened):
    """+0.8599 against +0.8559: the last digit is the one that decides."""
    search = explore(GAME, GAME.from_moves("4455"), num_simulations=300)
    page = opened(Explorer(search.recording, step=300, phase="select"), width=1280)
    expect(page.locator(".azl-sc").first).to_have_text("+0.8599")
    table = page.locator(".azl-compare").bounding_box()
    panel = page.locator('[data-part="panel"]').bounding_box()
    assert table["x"] + table["width"] <= panel["x"] + panel["width"] - 3


@pytest.mark.parametrize("width", [984, 1130, 1432])
def test_a_ledger_of_fractions_has_room(opened, width):
    """JupyterLab's pane is about as wide in windows of 1130, 1280 and 1600 pixels."""
    search = explore(GAME, select=puct(1.25), evaluate=netlike, num_simulations=200)
    leaves = search.record["steps"]["leaf"]
    longest = max(range(200), key=lambda row: len(path_to(search.record, leaves[row])))
    shown = Explorer(search.recording, step=longest + 1, phase="backup")
    page = opened(shown, width=width)
    table = page.locator(".azl-ledger").bounding_box()
    panel = page.locator('[data-part="panel"]').bounding_box()
    assert table["x"] + table["width"] <= panel["x"] + panel["width"] - 3


def test_a_search_that_is_over_opens_with_its_root_in_sight(opened):
    def search(simulations):
        return explore(GAME, select=uct(0.05), num_simulations=simulations).record

    record = search(200)
    depths = [len(path_to(record, leaf)) for leaf in record["steps"]["leaf"]]
    assert max(depths) > 8
    page = opened(Explorer(search(depths.index(max(depths)) + 1)), width=1130)
    page.set_viewport_size({"width": 1130, "height": 640})
    page.wait_for_timeout(300)
    expect(page.locator('[data-node="0"]')).to_be_visible()
