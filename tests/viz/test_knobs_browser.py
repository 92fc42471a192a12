"""Sliders in the page, with a real search behind them: what is turned runs, what is shown stays."""

import time

import numpy as np
from playwright.sync_api import expect

from azlearn.games import ConnectFour
from azlearn.search import puct
from azlearn.viz import explore
from tests.axe import assert_accessible
from tests.viz.page import drawn, now, part, until

GAME = ConnectFour()
STATE = GAME.from_moves("44443")


def prefers_the_middle(game, state, rng):
    weights = np.array([1, 2, 3, 4, 3, 2, 1]) * game.legal_mask(state)
    return weights / weights.sum(), 0.1


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


def asked(link, **knobs):
    """Waits until the page has asked for a search with these knobs, and shows it."""
    until(link.page, lambda: link.heard[-1:] == [{"do": "turn", "knobs": knobs}])
    link.settle()


def test_a_slider_turned_by_keys_reruns_the_search(live):
    explorer = explore(GAME, STATE, num_simulations=150)
    link = live(explorer)
    page = link.page
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
    assert now(page) == (150, "backup", -1)
    assert drawn(page)["0"]["n"] == "150"
    assert page.evaluate("document.activeElement.dataset.slide") == "c"
    expect(slider(page, "c")).to_have_attribute("aria-valuetext", "2")


def test_zero_the_ends_and_a_number_of_ones_own(live):
    explorer = explore(GAME, STATE, num_simulations=60)
    link = live(explorer)
    page = link.page
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


def test_the_knobs_of_puct(live):
    explorer = explore(GAME, STATE, select=puct(), evaluate=prefers_the_middle, num_simulations=60)
    link = live(explorer)
    page = link.page
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


def test_a_kernel_that_says_nothing(live):
    explorer = explore(GAME, STATE, num_simulations=20)
    link = live(explorer)
    page = link.page
    hold_time(page)
    page.evaluate("window.model.send = () => {}")
    slider(page, "c").focus()
    page.keyboard.press("ArrowRight")
    let_pass(page, 6000)
    expect(part(page, "silent")).to_contain_text("No answer from the kernel yet")
    explorer.rerun(c=3.0, num_simulations=45)  # Python's own turn is an answer, too
    link.flush()
    expect(part(page, "silent")).to_be_empty()
    expect(number(page, "c")).to_have_value("3")
    expect(slider(page, "num_simulations")).to_have_attribute("aria-valuetext", "45")
    assert now(page)[0] == 45
    number(page, "seed").focus()  # keys of the sliders do not step
    for key in ("ArrowUp", "Home", " ", "ArrowLeft"):
        page.keyboard.press(key)
    assert now(page)[0] == 45


def test_nothing_for_axe_to_find(live):
    explorer = explore(GAME, STATE, select=puct(), evaluate=prefers_the_middle, num_simulations=30)
    link = live(explorer)
    page = link.page
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
