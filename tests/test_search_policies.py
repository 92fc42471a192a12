"""The compiled search with rollouts by a policy of one's own."""

import numba
import numpy as np
import pytest
from scipy.stats import chisquare

from azlearn.games import ConnectFour
from azlearn.search import (
    MCTS,
    CompiledRollout,
    Evaluation,
    compiled_uct,
    uct,
    uniform_rollout,
)
from tests.engines import assert_alike

CONNECT_FOUR = ConnectFour()


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


def readable_next_column(game, state, rng) -> Evaluation:
    last, mover = -1, game.to_play(state)
    while legal := game.legal_actions(state):
        last = next(a for a in [(last + i) % 7 for i in range(1, 8)] if a in legal)
        state = game.next_state(state, last)
    value = game.outcome(state)
    return Evaluation(None, value if game.to_play(state) == mover else -value)


@pytest.mark.parametrize("moves", ["", "4433", "1111112222", "444444333"])
def test_any_policy_can_be_compiled_in_and_agrees_visit_for_visit(moves):
    rollout = CompiledRollout(CONNECT_FOUR.rules, next_column, np.empty(0))
    state = CONNECT_FOUR.from_moves(moves)
    for num_simulations in (1, 40, 400):
        readable = (
            MCTS(CONNECT_FOUR, uct(1.0), readable_next_column).run(state, num_simulations).root
        )
        compiled = compiled_uct(CONNECT_FOUR, state, num_simulations, 1.0, evaluator=rollout).root
        assert_alike(readable, compiled)


def test_the_parameters_reach_the_policy():
    """One column to follow the last, read from the numbers: other numbers, another tree."""
    roots = [
        compiled_uct(
            CONNECT_FOUR,
            CONNECT_FOUR.initial_state(),
            300,
            evaluator=CompiledRollout(CONNECT_FOUR.rules, step_by_parameter, np.array([step])),
        ).root
        for step in (1.0, 3.0, 1.0)
    ]
    assert roots[0].visit_counts == roots[2].visit_counts
    assert roots[0].visit_counts != roots[1].visit_counts


def test_the_uniform_policy_plays_every_legal_move_equally_often():
    """Chi-square: 12,000 moves where column 1 is full and six are left."""
    state = CONNECT_FOUR.from_moves("111111")
    rollout, generator = uniform_rollout(CONNECT_FOUR.rules), np.array([4], dtype=np.uint64)
    counts = np.zeros(7)
    for _ in range(12_000):
        counts[rollout.choose(state, -1, rollout.parameters, generator)] += 1
    assert counts[0] == 0
    assert chisquare(counts[1:]).pvalue > 1e-4
