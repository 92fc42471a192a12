"""Searches that are run again, stopped, interrupted and overtaken: by Python and by sliders."""

import _thread
import threading
import time

import numpy as np
import pytest
from playwright.sync_api import expect

from azlearn.games import ConnectFour
from azlearn.search import MCTS, GumbelNoise, RootNoise, puct, random_rollout, uct
from azlearn.viz import Explorer, LiveExplorer, explore, explore_tree
from tests.axe import assert_accessible
from tests.viz.page import drawn, moves_to, now, part, until
from tests.viz.stand_ins import netlike

GAME = ConnectFour()
STATE = GAME.from_moves("44443")


def visits(select=None, evaluate=None, num_simulations=150, seed=0, **options):
    mcts = MCTS(GAME, select or uct(1.0), evaluate or random_rollout(), **options)
    return mcts.run(STATE, num_simulations, seed).root.visit_counts


def shown_visits(explorer):
    return explorer.recording.tree.root.visit_counts


@pytest.fixture
def explorer():
    return explore(GAME, STATE, num_simulations=150)


@pytest.fixture
def with_prior():
    return explore(GAME, STATE, select=puct(), evaluate=netlike, num_simulations=150)


def test_only_knobs_that_the_rule_has(explorer, with_prior):
    assert isinstance(explorer, LiveExplorer)
    assert shown_visits(explorer) == visits()  # the first search is the one asked for
    values = {name: knob["value"] for name, knob in explorer.knobs.items()}
    assert values == {"c": 1.0, "num_simulations": 150, "seed": 0, "moves": [3, 3, 3, 3, 2]}
    assert list(with_prior.knobs) == ["c", "fpu", "noise", "num_simulations", "seed", "moves"]
    own = explore(GAME, STATE, select=lambda node: [0.0] * 7, num_simulations=5)
    assert list(own.knobs) == ["num_simulations", "seed", "moves"]
    noisy = explore(GAME, STATE, num_simulations=5, root_noise=RootNoise(0.5, 0.1))
    assert noisy.knobs["noise"]["value"] == 0.1
    with pytest.raises(ValueError, match=r"needs RootNoise\(alpha\) as noise"):
        explore(GAME, STATE, select=puct(), num_simulations=5, root_noise=GumbelNoise())
    assert Explorer(own.recording).knobs == explore_tree(own.recording.tree).knobs == {}


@pytest.mark.parametrize("changes", [{"num_simulations": 40}, {"c": 0.2, "seed": 5}])
def test_rerun_is_the_search_with_the_new_settings(explorer, changes):
    assert explorer.rerun(**changes) is explorer
    search = {"select": uct(changes.get("c", 1.0)), **changes}
    search.pop("c", None)
    assert shown_visits(explorer) == visits(**search) != visits()
    assert {name: explorer.knobs[name]["value"] for name in changes} == changes
    assert explorer.record == explorer.recording.to_dict()
    assert not explorer.running


def test_rerun_sets_fpu_and_noise(with_prior):
    with_prior.rerun(fpu=-1)
    assert shown_visits(with_prior) == visits(puct(fpu=-1), netlike)
    with_prior.rerun(fpu="parent", noise=0.25)
    expected = visits(
        puct(fpu="parent"), netlike, root_noise=RootNoise(10 / 7)
    )  # seven moves are legal
    assert shown_visits(with_prior) == expected
    assert with_prior.knobs["noise"]["value"] == 0.25
    with_prior.rerun(noise=0, fpu=0.0)
    assert shown_visits(with_prior) == visits(puct(), netlike)
    rule = puct(1.0, "parent", fpu_reduction=0.3)  # what has no slider is kept
    explorer = explore(GAME, select=rule, evaluate=netlike, num_simulations=40).rerun(c=2.5)
    rule = {"name": "puct", "c": 2.5, "fpu": "parent", "fpu_reduction": 0.3}
    assert explorer.record["rule"] == rule


def test_noise_turned_to_nothing_and_back():
    options = {"select": uct(1.0), "evaluate": netlike, "num_simulations": 50}
    noisy = explore(GAME, STATE, root_noise=RootNoise(0.3), **options)
    noisy.rerun(noise=0)
    assert shown_visits(noisy) == visits(**options)
    assert noisy.knobs["noise"]["value"] == 0
    noisy.rerun(noise=0.5)
    assert shown_visits(noisy) == visits(**options, root_noise=RootNoise(0.3, 0.5))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fpu": 0}, "no knob 'fpu'; its knobs are c, num_simulations, seed"),
        ({"c": "high"}, "c must be"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_values_that_cannot_be(explorer, changes, words):
    before = explorer.record
    with pytest.raises(ValueError, match=words):
        explorer.rerun(**changes)
    assert explorer.record is before
    assert explorer.knobs["c"]["value"] == 1.0


def test_the_selection_stays_on_its_position(explorer):
    depth = [len(moves_to(explorer.record, i)) for i in range(151)]
    explorer.selected = depth.index(3)
    line = moves_to(explorer.record, explorer.selected)
    explorer.rerun(num_simulations=1000)  # the same search, and more of it
    assert moves_to(explorer.record, explorer.selected) == line
    explorer.rerun(num_simulations=7)  # every first move once
    assert moves_to(explorer.record, explorer.selected) == line[:1]


def test_a_reader_at_the_end_stays_there_and_one_on_the_way_stays_where_he_was(explorer):
    explorer.rerun(num_simulations=60)
    assert explorer.step == 60
    explorer.step, explorer.phase = 25, "select"
    explorer.rerun(num_simulations=90)
    assert (explorer.step, explorer.phase) == (25, "select")
    explorer.rerun(num_simulations=10)
    assert explorer.step == 10


class Failing:
    """An evaluator that raises the error from the 42nd call on; with None it answers NaN."""

    name = "failing"

    def __init__(self, error):
        self.error, self.calls = error, 41

    def __call__(self, game, state, rng):
        self.calls -= 1
        if self.calls < 0 and self.error:
            raise self.error
        return None, 0.0 if self.calls >= 0 else float("nan")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (ValueError("no such row\n  in the table."), "no such row in the table"),
        (None, "The evaluator's value must be in [-1, 1], not nan"),
    ],
)
def test_an_evaluator_that_fails_and_is_repaired(error, sentence):
    explorer = explore(GAME, STATE, evaluate=(evaluate := Failing(error)), num_simulations=40)
    before, selected = explorer.record, explorer.selected
    with pytest.raises(type(error) if error else ValueError):
        explorer.rerun(c=2.0)
    assert explorer.notice == (f"The search failed: {sentence}. The previous tree is shown.")
    assert explorer.record is before
    assert explorer.selected == selected
    assert explorer.knobs["c"]["value"] == 1.0  # as the tree that is shown
    assert not explorer.running
    evaluate.calls = 1000
    explorer.rerun(seed=2)
    assert explorer.notice == ""


def test_a_knob_turned_to_what_cannot_be_is_refused_and_the_next_works(explorer):
    said = []
    explorer.send = lambda content, buffers=None: said.append(content)
    explorer._on_message(explorer, {"do": "turn", "knobs": {"c": -2}}, [])
    assert "c must be" in explorer.notice
    assert said == [{"do": "refused"}]
    assert not explorer.running
    explorer._on_message(explorer, {"do": "turn", "knobs": {"c": 2.0}}, [])
    assert explorer.wait(20)
    assert (explorer.record["rule"]["c"], explorer.notice) == (2.0, "")


def test_a_late_word_of_the_browser_about_the_tree_before(explorer):
    explorer.rerun(num_simulations=20)
    explorer.set_state({"step": 140, "selected": 100, "phase": "select"})
    assert (explorer.step, explorer.selected, explorer.phase) == (20, None, "select")
    explorer.set_state({"step": 7, "selected": 3})
    assert (explorer.step, explorer.selected) == (7, 3)


def test_saved_notebooks_have_no_sliders(explorer):
    data, _ = explorer._repr_mimebundle_()
    assert "slider" not in data["text/html"]


def test_numbers_of_numpy():
    explorer = explore(
        GAME, STATE, select=uct(np.float64(1.5)), num_simulations=np.int64(12), seed=np.int64(3)
    )
    explorer.get_state()  # what is sent must be JSON
    assert type(explorer.knobs["num_simulations"]["value"]) is int


# Searches on their way.


def slow(game, state, rng):
    time.sleep(0.002)
    return None, 0.0


def test_stop_shows_what_there_is_and_says_so():
    explorer = explore(GAME, STATE, evaluate=slow, num_simulations=10)
    seen = []
    explorer.observe(lambda change: seen.append(change["new"]), "progress")
    threading.Timer(0.4, explorer.stop).start()
    explorer.rerun(num_simulations=5000)
    done = explorer.record["steps"]["simulation"][-1]
    assert 1 <= done < 5000
    assert explorer.notice == f"This search was stopped after {done:,} of 5,000 simulations."
    assert explorer.notice in explorer.describe()
    assert explorer.record["info"]["stopped"] is True
    assert explorer.knobs["num_simulations"]["value"] == 5000
    assert sum(explorer.recording.tree.root.visit_counts) == done == explorer.step
    assert len(seen) >= 3
    explorer.rerun(num_simulations=10)
    assert explorer.notice == ""


def test_an_interrupted_rerun_keeps_the_tree():
    explorer = explore(GAME, STATE, evaluate=slow, num_simulations=10)
    before = explorer.record
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        explorer.rerun(num_simulations=5000)
    assert explorer.notice == "The search was interrupted. The previous tree is shown."
    assert explorer.record is before
    assert not explorer.running
    assert explorer.knobs["num_simulations"]["value"] == 10
    assert explorer.rerun(seed=1).step == 10


def test_a_message_of_a_slider_runs_beside_and_the_newest_wins():
    explorer = explore(GAME, STATE, evaluate=slow, num_simulations=20)
    explorer._on_message(explorer, {"do": "turn", "knobs": {"num_simulations": 4000}}, [])
    assert explorer.running
    assert explorer.knobs["num_simulations"]["value"] == 4000
    explorer._on_message(explorer, {"do": "turn", "knobs": {"c": 0.5, "num_simulations": 30}}, [])
    explorer._on_message(explorer, {"do": "turn", "knobs": {"seed": 1}}, [])
    assert explorer.wait(20)
    assert not explorer.running
    assert explorer.record["rule"] == {"name": "uct", "c": 0.5}
    assert explorer.step == 30
    assert explorer.notice == ""
    assert explorer.knobs["seed"]["value"] == 1


def test_close_gives_up_the_search():
    explorer = explore(GAME, STATE, evaluate=slow, num_simulations=10)
    before = explorer.record
    explorer._on_message(explorer, {"do": "turn", "knobs": {"num_simulations": 5000}}, [])
    explorer.close()
    assert explorer._worker.wait_for_end(5)  # 5,000 simulations would take ten seconds
    assert explorer.record is before
    assert not explorer.running


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
    page.keyboard.press("End")
    expect(number(page, "c")).to_have_value("10")
    number(page, "c").fill("0.37")
    page.keyboard.press("Enter")
    asked(link, c=0.37)
    number(page, "num_simulations").fill("75")
    page.keyboard.press("Tab")
    asked(link, num_simulations=75)
    assert now(page)[0] == 75
    # What cannot be goes back to what holds, and nothing is asked.
    for text in ("-3", "2.5", ""):
        number(page, "num_simulations").fill(text)
        page.keyboard.press("Tab")
        expect(number(page, "num_simulations")).to_have_value("75")
    page.get_by_role("button", name="Next seed").click()
    expect(number(page, "seed")).to_have_value("1")
    asked(link, seed=1)


def test_the_knobs_of_puct(live):
    explorer = explore(GAME, STATE, select=puct(), evaluate=netlike, num_simulations=60)
    link = live(explorer)
    page = link.page
    assert page.locator("[data-knob]").evaluate_all("all => all.map(k => k.dataset.knob)") == [
        "c", "fpu", "noise", "num_simulations", "seed", "moves",
    ]  # fmt: skip
    slider(page, "fpu")
    page.get_by_label("parent's mean").check()
    asked(link, fpu="parent")
    expect(slider(page, "fpu")).to_be_disabled()
    page.get_by_label("parent's mean").uncheck()
    asked(link, fpu=0)
    hold_time(page)
    slider(page, "fpu").press("ArrowLeft")
    slider(page, "noise").press("End")
    let_pass(page)
    asked(link, fpu=-0.05, noise=1)


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
    explorer = explore(GAME, STATE, select=puct(), evaluate=netlike, num_simulations=30)
    link = live(explorer)
    page = link.page
    slider(page, "c")
    assert_accessible(page, "the sliders")
    page.keyboard.press("Escape")
    expect(part(page, "knobs")).to_be_hidden()
    explorer.rerun(fpu="parent")
    explorer.running, explorer.progress = True, 0.4
    explorer.notice = "The search failed: no such row. The previous tree is shown."
    link.flush()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.get_by_role("button", name="Stop").focus()
    assert_accessible(page, "a search on its way")
