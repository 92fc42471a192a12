"""The compiled search by policies of one's own; and searches beside other things: another thread,
Stop, Ctrl-C, and the same search once more."""

import _thread
import sys
import threading

import numpy as np
import pytest

from azlearn.games import ConnectFour
from azlearn.search import MCTS, Evaluation, compiled_uct, gumbel, hash_evaluator

FOUR, START = ConnectFour(), ConnectFour().initial_state()
MANY = 2_000_000  # several seconds
SEARCH = sys.modules["azlearn.search.compiled_uct"]  # the name is the function, too


def test_a_stopped_search_is_the_beginning_of_the_whole_one():
    asked = []

    def stop(tree, simulations_left):
        asked.append((tree.root.num_visits, simulations_left))
        return len(asked) == 2

    tree = compiled_uct(FOUR, START, MANY, rng=3, stop=stop)
    assert all(visits + left == MANY for visits, left in asked)
    num = asked[-1][0]
    assert len(asked) == 2
    assert 100 < num < MANY
    whole = compiled_uct(FOUR, START, num, rng=3)
    for stopped, same in zip(tree.root._tree, whole.root._tree, strict=True):
        np.testing.assert_array_equal(stopped, same)


def test_other_threads_go_on_while_the_compiled_loop_runs(monkeypatch):
    compiled_uct(FOUR, START, 10)
    monkeypatch.setattr(SEARCH, "SECONDS_PER_SLICE", 1000)
    began, turns = threading.Event(), []

    def stop(tree, simulations_left):  # the slice after this one is all the rest
        began.set()
        return False

    search = threading.Thread(
        target=compiled_uct, args=(FOUR, START, 300_000), kwargs={"stop": stop}
    )
    search.start()
    assert began.wait(60)
    while search.is_alive():
        turns.append(1)
        search.join(0.005)
    assert len(turns) > 5  # with Python's lock held: one


def test_ctrl_c_is_heard_between_two_slices():
    compiled_uct(FOUR, START, 10)
    left = []

    def stop(tree, simulations_left):
        if not left:
            threading.Timer(0.1, _thread.interrupt_main).start()
        left.append(simulations_left)
        return False

    with pytest.raises(KeyboardInterrupt):
        compiled_uct(FOUR, START, MANY, stop=stop)
    assert left[-1] > 0


def test_one_search_may_run_twice_at_once():
    """Two tables with one opponent, without threads: a run begins in the middle of another."""
    states, inner = (START, FOUR.from_moves("4444")), []

    def evaluate(game, state, rng):
        if len(asked) == 20:
            asked.append(None)
            inner.append(search.run(states[1], 50, 7))
        asked.append(state)
        return Evaluation(None, hash_evaluator(game, state, rng).value)

    asked = [None] * 1000
    search = MCTS(FOUR, gumbel(16), evaluate)
    alone = [search.run(state, num, 7).root for state, num in zip(states, (80, 50), strict=True)]
    asked.clear()
    outer = search.run(states[0], 80, 7).root
    assert outer.visit_counts == alone[0].visit_counts
    assert inner[0].root.visit_counts == alone[1].visit_counts
