"""Searches on their way: stopped, interrupted, overtaken, closed, and observed."""

import _thread
import threading
import time

import pytest

from azlearn.games import ConnectFour
from azlearn.viz import explore

GAME = ConnectFour()
STATE = GAME.from_moves("44443")


@pytest.fixture
def explorer():
    return explore(GAME, STATE, num_simulations=150)


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
    assert explorer.notice == "Interrupted: the tree shown is the one from before."
    assert explorer.record is before
    assert not explorer.running
    assert explorer.knobs["num_simulations"]["value"] == 10
    assert explorer.rerun(seed=1).step == 10


def test_a_message_of_a_slider_runs_beside_and_the_newest_wins():
    explorer = explore(GAME, STATE, evaluate=slow, num_simulations=20)
    explorer._heard(explorer, {"do": "turn", "knobs": {"num_simulations": 4000}}, [])
    assert explorer.running
    assert explorer.knobs["num_simulations"]["value"] == 4000
    explorer._heard(explorer, {"do": "turn", "knobs": {"c": 0.5, "num_simulations": 30}}, [])
    explorer._heard(explorer, {"do": "turn", "knobs": {"seed": 1}}, [])
    assert explorer.wait(20)
    assert not explorer.running
    assert explorer.record["rule"] == {"name": "uct", "c": 0.5}
    assert explorer.step == 30
    assert explorer.notice == ""
    assert explorer.knobs["seed"]["value"] == 1


def test_a_function_that_observes_and_raises_does_not_leave_the_search_running(explorer):
    def fussy(change):
        raise LookupError("no such move")

    explorer.observe(fussy, "record")
    with pytest.raises(LookupError):
        explorer.rerun(num_simulations=40)
    assert not explorer.running
    assert explorer.notice == (
        "The tree is the new one, but showing it failed: LookupError: no such move."
    )
    assert (explorer.step, explorer.knobs["num_simulations"]["value"]) == (40, 40)
    explorer.unobserve(fussy, "record")
    assert explorer.rerun(seed=3).step == 40


def test_close_gives_up_the_search():
    explorer = explore(GAME, STATE, evaluate=slow, num_simulations=10)
    before = explorer.record
    explorer._heard(explorer, {"do": "turn", "knobs": {"num_simulations": 5000}}, [])
    explorer.close()
    assert explorer._worker.wait_for_end(5)  # 5,000 simulations would take ten seconds
    assert explorer.record is before
    assert not explorer.running
