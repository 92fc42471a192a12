"""The compiled search by policies of one's own; and searches beside other things: another thread,
Stop, Ctrl-C, and the same search once more."""

import _thread
import copy
import sys
import threading

import numba
import numpy as np
import pytest
from scipy.stats import chisquare

from azlearn.arena import CompiledUCTPlayer, PUCTPlayer
from azlearn.games import ConnectFour
from azlearn.search import (
    MCTS,
    CompiledRollout,
    Evaluation,
    compiled_uct,
    gumbel,
    hash_evaluator,
    random_rollout,
    uct,
    uniform_rollout,
)
from tests.engines import evaluators

FOUR, START = ConnectFour(), ConnectFour().initial_state()
MANY = 2_000_000  # several seconds
SEARCH = sys.modules["azlearn.search.compiled_uct"]  # the name is the function, too


@numba.njit
def next_column(state, last, parameters, generator):
    """Without chance: the first legal column after the last one, 0 after the last column of all."""
    for i in range(1, 8):
        action = (last + i) % 7
        if ((state.me | state.opp) >> (7 * action + 5)) & 1 == 0:
            return action
    return -1


@numba.njit
def step_by_parameter(state, last, parameters, generator):
    """The first legal column from ``parameters[0]`` columns after the last one on."""
    return next_column(state, (last + int(parameters[0]) - 1) % 7, parameters, generator)


def test_the_parameters_reach_the_policy():
    """One column to follow the last, read from the numbers: other numbers, another tree."""
    roots = [
        compiled_uct(
            FOUR,
            START,
            300,
            evaluator=CompiledRollout(FOUR.rules, step_by_parameter, np.array([step])),
        ).root
        for step in (1.0, 3.0, 1.0)
    ]
    assert roots[0].visit_counts == roots[2].visit_counts
    assert roots[0].visit_counts != roots[1].visit_counts


def test_the_uniform_policy_plays_every_legal_move_equally_often():
    """Chi-square: 12,000 moves where column 1 is full and six are left."""
    state = FOUR.from_moves("111111")
    rollout, generator = uniform_rollout(FOUR.rules), np.array([4], dtype=np.uint64)
    counts = np.zeros(7)
    for _ in range(12_000):
        counts[rollout.choose(state, -1, rollout.parameters, generator)] += 1
    assert counts[0] == 0
    assert chisquare(counts[1:]).pvalue > 1e-4


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


def test_a_player_moves_with_what_it_has():
    player = CompiledUCTPlayer(FOUR, MANY, stop=lambda tree, simulations_left: True)
    assert player.choose(START, np.random.default_rng(0)) in FOUR.legal_actions(START)
    assert player.last_tree.root.num_visits == 100  # the first slice


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


@pytest.mark.parametrize("select", [uct(1.0), gumbel(16)], ids=["uct", "gumbel"])
def test_one_search_may_run_twice_at_once(select):
    """Two tables with one opponent, without threads: a run begins in the middle of another."""
    states, rollout, inner = (START, FOUR.from_moves("4444")), random_rollout(), []

    def evaluate(game, state, rng):
        if len(asked) == 20:
            asked.append(None)
            inner.append(search.run(states[1], 50, 7))
        asked.append(state)
        value = (
            rollout(game, state, rng).value
            if select.name == "uct"
            else hash_evaluator(game, state, rng).value
        )
        return Evaluation(None, value)

    asked = [None] * 1000
    search = MCTS(FOUR, select, evaluate)
    alone = [search.run(state, num, 7).root for state, num in zip(states, (80, 50), strict=True)]
    asked.clear()
    outer = search.run(states[0], 80, 7).root
    assert outer.visit_counts == alone[0].visit_counts
    assert inner[0].root.visit_counts == alone[1].visit_counts


def test_copies_of_a_player_keep_the_trees_of_all_their_games():
    num_asked, rough = [0], evaluators(FOUR, "rough").single

    def evaluate(game, state, rng):
        num_asked[0] += 1
        return rough(game, state, rng)

    player, rng = PUCTPlayer(FOUR, evaluate, 60, reuse_tree=True), np.random.default_rng(0)
    tables = [(copy.copy(player), FOUR.from_moves(moves)) for moves in ("", "44")]
    moved = [FOUR.play(state, twin.choose(state, rng)) for twin, state in tables]
    for (twin, _), state in zip(tables, moved, strict=True):
        replies = {a: FOUR.play(state, a) for a in FOUR.legal_actions(state)}
        likely = max(
            replies,
            key=twin.last_tree.root.children[twin.last_tree.best_action()].visit_counts.__getitem__,
        )
        before = num_asked[0]
        twin.choose(replies[likely], rng)
        assert 0 < num_asked[0] - before < 60
