"""Go in searches: rollouts, the centre of 5x5, and rows of the wrong length."""

import numpy as np
import pytest

from azlearn.alphago import compiled_patterns
from azlearn.alphago.evaluator import AlphaGoEvaluator
from azlearn.alphago.pattern_sets import patterns_of
from azlearn.alphago.rollout_policy import RolloutPolicy
from azlearn.games import State
from azlearn.games.go import Go
from azlearn.search import compiled_uct
from tests.engines import assert_compiled_uct_agrees


@pytest.mark.slow
def test_the_centre_of_5x5_is_where_uct_begins():
    """Black's stone in the centre takes the whole board (van der Werf 2003)."""
    game = Go(5)
    assert_compiled_uct_agrees(game)
    root = compiled_uct(game, game.initial_state(), 60_000, rng=1).root
    assert game.action_label(int(np.argmax(root.visit_counts))) == "C3"


def test_rollouts_spare_eyes_and_pass_when_nothing_else_is_left():
    game, rng = Go(5), np.random.default_rng(0)
    eyes = game.from_moves("A4 pass B5 pass B4 pass")  # A5 is Black's eye
    assert 0 in game.legal_actions(eyes)
    assert game.rollout_actions(eyes) == [a for a in game.legal_actions(eyes)[:-1] if a != 0]
    for _ in range(50):
        state = game.initial_state()
        while moves := game.rollout_actions(state):
            is_pass = moves == [25]
            mover = game.to_play(state) + 1
            board = np.pad(np.reshape(game.cells(state), (5, 5)), 1, constant_values=mover)
            others = {
                int(a): {
                    board[1 + a // 5 + r, 1 + a % 5 + c]
                    for r, c in ((0, 1), (1, 0), (0, -1), (-1, 0))
                }
                for a in game.legal_actions(state)[:-1]
            }
            assert moves == ([a for a in others if others[a] != {mover}] or [25])
            assert is_pass == (25 in moves)
            state = game.play(state, int(rng.choice(moves)))
        assert state.passes == 2 or game.num_plies(state) == 50


@pytest.mark.slow
def test_rows_of_another_length_are_refused_and_not_read_past_their_end():
    game = Go(3)
    policy = RolloutPolicy(np.zeros(patterns_of(game).num_weights), game)
    ask = AlphaGoEvaluator(None, None, compiled_patterns(policy), 1.0, game=game)
    state = game.from_moves("B2 A1")
    prior, value = ask.batch(game.stack([state]))
    one = ask(game, state, np.random.default_rng(0))
    assert (one.prior, one.value) == (prior[0].tolist(), value[0])
    short = State(np.array([state.me]), np.array([state.opp]))
    for read in (game.batch_legal_mask, ask.batch, ask._rollouts, policy.probabilities):
        with pytest.raises(ValueError, match="has 12 words"):
            read(short, *([np.array([-1])] if read == policy.probabilities else ()))
