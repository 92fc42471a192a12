"""What the checks of chapter 15 take for the truth is true: by mctx's searches, and by minimax."""

import json
from pathlib import Path

import numpy as np
import pytest

from azlearn.course.exercises import EXERCISES
from azlearn.games import TicTacToe
from azlearn.games.dots_and_boxes import DotsAndBoxes
from benchmarks.gumbel_cases import CASES, GAMES, Answer, evaluate
from tests.engines import random_positions
from tests.test_search_proofs import late, minimax

ANSWERS = json.loads((Path(__file__).parents[1] / "mctx_gumbel.json").read_text())
BY_MCTX = pytest.mark.parametrize(("case", "answer"), list(zip(CASES, ANSWERS, strict=True)))


def solution(exercise_id):
    marking = EXERCISES[exercise_id].marking
    return marking.function(marking.solution)


def root_of(case, answer):
    """(N, Q, prior, value) of mctx's root."""
    game, answer = GAMES[case.game], Answer(**answer)
    state = game.initial_state()
    for move in case.moves:
        state = game.next_state(state, move)
    prior, value = evaluate(game, game.stack([state]))
    visits, q_values = answer.nodes[""][:2]
    return visits, q_values, prior[0].tolist(), float(value[0])


@BY_MCTX
def test_the_moves_drawn_and_their_visits_are_those_of_mctx(case, answer):
    visits, _, prior, _ = root_of(case, answer)
    drawn = solution("15.1")(prior, answer["noise"], case.num_considered)
    tried = {action for action, n in enumerate(visits) if n}
    assert tried == set(drawn[: case.num_simulations])
    played, left, done, ranking = [0] * len(prior), drawn, 0, [0.0] * len(prior)
    while done < case.num_simulations:
        each, go_on = solution("15.2")(left, ranking, len(drawn), case.num_simulations)
        turns = (left * each)[: case.num_simulations - done]
        for action in turns:
            played[action] += 1
        left, done = go_on, done + len(turns)
    assert sorted(played) == sorted(visits)  # who wins a round does not change how many play it


@BY_MCTX
def test_targets_are_those_of_mctx(case, answer):
    if case.rescale:
        return  # the exercise does not stretch its Q
    visits, q_values, prior, value = root_of(case, answer)
    sums = [n * q for n, q in zip(visits, q_values, strict=True)]
    completed = solution("15.3")(visits, sums, prior, value)
    policy = solution("15.4")(prior, completed, max(visits), 50.0, case.c_scale)
    np.testing.assert_allclose(policy, answer["policy"], atol=1e-6)


@pytest.mark.parametrize("game", [TicTacToe(), DotsAndBoxes(2, 2)], ids=["three", "boxes"])
def test_what_is_proven_is_what_minimax_finds(game):
    """With all moves known it is minimax; with some of them nothing else."""
    prove, rng, found = solution("15.5"), np.random.default_rng(0), set()
    states = random_positions(game, 40, 3) if isinstance(game, TicTacToe) else late(game, 5, 12)
    for state in states:
        after = [game.next_state(state, action) for action in game.legal_actions(state)]
        children = [(game.to_play(below), minimax(game, below)) for below in after]
        assert prove(game.to_play(state), children) == minimax(game, state)
        for _ in range(5):
            some = [child if rng.random() < 0.5 else None for child in children]
            found.add(proven := prove(game.to_play(state), some))
            assert proven in (None, minimax(game, state))
    assert {None, 1} <= found
