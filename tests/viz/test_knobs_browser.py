"""Sliders in the page, with a real search behind them: what is turned runs, what is shown stays."""

import time

import numpy as np
import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour
from azlearn.search import puct
from azlearn.viz import explore
from tests.axe import assert_accessible
from tests.viz.kernel import a_page, linked
from tests.viz.page import drawn, now, part, until

GAME = ConnectFour()
STATE = GAME.from_moves("44443")


def prefers_the_middle(game, state, rng):
    weights = np.array([1, 2, 3, 4, 3, 2, 1]) * game.legal_mask(state)
    return weights / weights.sum(), 0.1


def slow(game, state, rng):
    time.sleep(0.002)
    return None, 0.0


@pytest.fixture
def page(browser):
    with a_page(browser) as page:
        yield page


def slider(page, name):
    """A slider, whose box is opened for it."""
    if not part(page, "knobs").is_visible():
        page.locator('[data-pop="knobs"]').click()
    return page.locator(f'[data-slide="{name}"]')


def number(page, name):
    slider(page, name)
    return page.locator(f'[data-number="{name}"]')


def hold_time(page):
    """Timers of the page wait from here on, however slow the machine: see ``let_pass``."""
    page.clock.install()
    page.clock.pause_at(time.time() + 60)


def let_pass(page, milliseconds=200):
    page.clock.run_for(milliseconds)


def asked(link, seconds=20, **knobs):
    """Waits until the page has asked for a search with these knobs, and shows it."""
    until(link.page, lambda: link.heard[-1:] == [{"do": "turn", "knobs": knobs}], seconds)
    link.settle()


def test_a_slider_turned_by_keys_reruns_the_search(page, tmp_path):
    explorer = explore(GAME, STATE, num_simulations=150)
    link = linked(page, tmp_path / "live.html", explorer)
    wanted = max(i for i, up in enumerate(explorer.record["nodes"]["parent"]) if up == 0)
    action = explorer.record["nodes"]["action"][wanted]
    page.locator(f'[data-node="{wanted}"]').click()
    until(page, lambda: explorer.selected is not None)
    assert explorer.selected == now(page)[2] == wanted
    hold_time(page)
    slider(page, "c").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(number(page, "c")).to_have_value("2")  # 1, 1.2, 1.5, 2
    assert link.heard == []
    let_pass(page)
    asked(link, c=2)
    assert len(link.heard) == 1  # once, not three times
    let_pass(page, 500)
    assert explorer.record["rule"] == {"name": "uct", "c": 2}
    expect(part(page, "settings")).to_contain_text("UCT c = 2 · 150 sims · seed 0")
    step, phase, at = now(page)
    assert (step, phase) == (150, "backup")
    assert explorer.record["nodes"]["action"][at] == action
    assert explorer.record["nodes"]["parent"][at] == 0
    assert drawn(page)[str(at)]["n"] == str(explorer.recording.tree.root.visit_counts[action])
    assert page.evaluate("document.activeElement.dataset.slide") == "c"
    expect(slider(page, "c")).to_have_attribute("aria-valuetext", "2")


def test_zero_the_ends_and_a_number_of_ones_own(page, tmp_path):
    explorer = explore(GAME, STATE, num_simulations=60)
    link = linked(page, tmp_path / "live.html", explorer)
    slider(page, "c").focus()
    page.keyboard.press("Home")
    expect(number(page, "c")).to_have_value("0")
    asked(link, c=0)
    assert explorer.knobs["c"]["value"] == 0
    page.keyboard.press("End")
    expect(number(page, "c")).to_have_value("10")
    number(page, "c").fill("0.37")
    page.keyboard.press("Enter")
    asked(link, c=0.37)
    assert explorer.record["rule"]["c"] == 0.37
    number(page, "num_simulations").fill("75")
    page.keyboard.press("Tab")
    asked(link, num_simulations=75)
    assert now(page)[0] == 75
    # What cannot be goes back to what holds, and nothing is asked.
    for text in ("-3", "2.5", ""):
        number(page, "num_simulations").fill(text)
        page.keyboard.press("Tab")
        expect(number(page, "num_simulations")).to_have_value("75")
    page.get_by_role("button", name="The next seed").click()
    expect(number(page, "seed")).to_have_value("1")
    asked(link, seed=1)
    assert explorer.knobs["seed"]["value"] == 1


def test_a_drag_of_the_mouse_asks_once_it_rests(page, tmp_path):
    explorer = explore(GAME, STATE, num_simulations=40)
    link = linked(page, tmp_path / "live.html", explorer)
    box = slider(page, "num_simulations").bounding_box()
    y = box["y"] + box["height"] / 2
    hold_time(page)
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    for k in range(8):
        page.mouse.move(box["x"] + box["width"] * (0.5 + 0.03 * k), y)
    page.mouse.up()
    wanted = int(number(page, "num_simulations").input_value())
    assert wanted > 40
    assert link.heard == []
    let_pass(page)
    asked(link, num_simulations=wanted)
    let_pass(page, 500)
    assert len(link.heard) == 1
    assert explorer.step == now(page)[0] == wanted


def test_the_knobs_of_puct(page, tmp_path):
    explorer = explore(GAME, STATE, select=puct(), evaluate=prefers_the_middle, num_simulations=60)
    link = linked(page, tmp_path / "live.html", explorer)
    assert page.locator("[data-knob]").evaluate_all("all => all.map(k => k.dataset.knob)") == [
        "c", "fpu", "noise", "num_simulations", "seed",
    ]  # fmt: skip
    slider(page, "fpu")
    page.get_by_label("parent's mean").check()
    asked(link, fpu="parent")
    assert explorer.record["rule"] == {"name": "puct", "c": 1.25, "fpu": "parent"}
    expect(slider(page, "fpu")).to_be_disabled()
    page.get_by_label("parent's mean").uncheck()
    asked(link, fpu=0)
    hold_time(page)
    slider(page, "fpu").focus()
    page.keyboard.press("ArrowLeft")
    slider(page, "noise").focus()
    page.keyboard.press("End")
    let_pass(page)
    asked(link, fpu=-0.05, noise=1)
    assert explorer.record["rule"]["fpu"] == -0.05


def test_a_long_search_shows_its_progress_and_stops(page, tmp_path):
    explorer = explore(GAME, STATE, evaluate=slow, num_simulations=20)
    link = linked(page, tmp_path / "live.html", explorer)
    stop, bar = page.get_by_role("button", name="Stop"), part(page, "progress")
    expect(stop).to_be_hidden()
    number(page, "num_simulations").fill("5000")
    page.keyboard.press("Enter")

    def has_begun():
        link.flush()
        return stop.is_visible() and bar.get_attribute("aria-valuenow") != "0"

    until(page, has_begun)
    share = int(bar.get_attribute("aria-valuenow"))
    assert 0 < share < 100
    assert now(page)[0] == 20  # the old tree stays in sight
    stop.focus()
    page.keyboard.press("Enter")
    until(page, lambda: len(link.heard) > 1)
    assert link.heard == [{"do": "turn", "knobs": {"num_simulations": 5000}}, {"do": "stop"}]
    link.settle()
    assert explorer.record["info"]["num_simulations"] == 5000
    done = explorer.step
    assert 20 < done < 5000
    expect(part(page, "notice")).to_have_text(
        f"This search was stopped after {done:,} of 5,000 simulations."
    )
    expect(stop).to_be_hidden()
    # The button has gone, and the focus with it to the settings, not to the page behind.
    assert page.evaluate("document.activeElement.dataset.pop") == "knobs"


def test_a_search_that_fails_is_a_sentence(page, tmp_path):
    calls = []

    def fragile(game, state, rng):
        calls.append(1)
        if len(calls) > 60:
            raise ZeroDivisionError("division by zero")
        return None, 0.0

    explorer = explore(GAME, STATE, evaluate=fragile, num_simulations=40)
    link = linked(page, tmp_path / "live.html", explorer)
    before = drawn(page)
    slider(page, "c").focus()
    page.keyboard.press("ArrowRight")
    asked(link, c=1.2)
    expect(part(page, "notice")).to_contain_text("ZeroDivisionError: division by zero")
    expect(number(page, "c")).to_have_value("1")  # as the tree that is shown
    assert drawn(page) == before


def test_a_kernel_that_says_nothing(page, tmp_path):
    explorer = explore(GAME, STATE, num_simulations=20)
    link = linked(page, tmp_path / "live.html", explorer)
    hold_time(page)
    page.evaluate("window.model.send = () => {}")
    slider(page, "c").focus()
    page.keyboard.press("ArrowRight")
    let_pass(page, 6000)
    expect(part(page, "silent")).to_contain_text("No answer from the kernel yet")
    explorer.rerun(c=3.0)  # Python's own turn is an answer, too
    link.flush()
    expect(part(page, "silent")).to_be_empty()
    expect(number(page, "c")).to_have_value("3")


def test_python_turns_the_sliders(page, tmp_path):
    explorer = explore(GAME, STATE, num_simulations=30)
    link = linked(page, tmp_path / "live.html", explorer)
    explorer.rerun(c=5.0, num_simulations=45)
    link.flush()
    expect(number(page, "c")).to_have_value("5")
    expect(slider(page, "num_simulations")).to_have_attribute("aria-valuetext", "45")
    assert now(page)[0] == 45


def test_keys_of_the_sliders_do_not_step(page, tmp_path):
    explorer = explore(GAME, STATE, num_simulations=30)
    link = linked(page, tmp_path / "live.html", explorer)
    explorer.step = 12
    link.flush()
    number(page, "seed").focus()
    for key in ("ArrowUp", "Home", "End", " ", "ArrowLeft"):
        page.keyboard.press(key)
    assert now(page)[0] == 12


def test_a_file_has_no_sliders(opened):
    page = opened(explore(GAME, STATE, num_simulations=30))
    expect(page.locator("[data-knob]")).to_have_count(0)
    expect(page.locator('[data-pop="knobs"]')).to_have_count(0)
    expect(part(page, "settings")).to_have_text("UCT c = 1 · 30 sims")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_for_axe_to_find(browser, tmp_path, scheme):
    explorer = explore(GAME, STATE, select=puct(), evaluate=prefers_the_middle, num_simulations=30)
    with a_page(browser, color_scheme=scheme, reduced_motion="reduce") as page:
        link = linked(page, tmp_path / "live.html", explorer)
        slider(page, "c")
        assert_accessible(page, "the sliders")
        page.keyboard.press("Escape")
        expect(part(page, "knobs")).to_be_hidden()
        explorer.rerun(fpu="parent")
        explorer.running, explorer.progress = True, 0.4
        explorer.notice = "The search failed: no such row. The tree shown is the one from before."
        link.flush()
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        page.get_by_role("button", name="Stop").focus()
        assert_accessible(page, "a search on its way")
