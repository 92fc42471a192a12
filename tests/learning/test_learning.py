"""Self-play and learning together make a player better: tic-tac-toe from random weights."""

from dataclasses import replace

import numpy as np
import pytest

from azlearn.games import State, TicTacToe, minimax_actions
from azlearn.learning import Budget, Hooks, NetworkEvaluator, Training, preset
from azlearn.search import BatchedSearch, puct
from tests.engines import run, stacked

GAME = TicTacToe()


def plies():
    """Every unfinished position, ply by ply."""
    found, ply = [], {GAME.initial_state()}
    while ply:
        found.append(sorted(ply))
        after = {GAME.play(state, a) for state in ply for a in GAME.legal_actions(state)}
        ply = {state for state in after if GAME.outcome(state) is None}
    return found


def losing_chance(choose):
    """The exact chance to lose against uniformly random replies, the mean over both sides.

    Args:
        choose: states [n] -> actions [n].
    """
    levels, chances = plies(), []
    positions = [state for level in levels for state in level]
    chosen = dict(zip(positions, choose(stacked(positions)).tolist(), strict=True))
    for side in (0, 1):
        risk = {}

        def of_move(state, action, side=side, risk=risk):
            after = GAME.play(state, action)
            outcome = GAME.outcome(after)
            if outcome is None:
                return risk[after]
            return float(outcome == -1 and GAME.to_play(after) == side)

        for level in reversed(levels):
            for state in level:
                ours = GAME.to_play(state) == side
                moves = [chosen[state]] if ours else GAME.legal_actions(state)
                risk[state] = np.mean([of_move(state, action) for action in moves])
        chances.append(risk[State(0, 0)])
    return float(np.mean(chances))


def alone(evaluate):
    return losing_chance(lambda states: evaluate.batch(states)[0].argmax(1))


def searching(evaluate, num_simulations=25):
    def choose(states):
        engine = BatchedSearch(GAME, len(states.me), num_simulations, puct(1.5))
        engine.start(states, num_simulations)
        run(engine, evaluate.batch)
        return engine.visit_counts[:, 0].argmax(1)

    return losing_chance(choose)


def test_the_measure_knows_perfect_and_hopeless_players():
    """Minimax never loses; who always takes the last free cell does."""

    def perfect(states):
        pairs = zip(states.me.tolist(), states.opp.tolist(), strict=True)
        return np.array([minimax_actions(GAME, State(*pair))[0] for pair in pairs])

    def last(states):
        return 8 - GAME.batch_legal_mask(states)[:, ::-1].argmax(1)

    assert losing_chance(perfect) == 0
    assert losing_chance(last) > 0.1


@pytest.mark.slow
def test_tic_tac_toe_is_learnt(tmp_path):
    """12 iterations. With seeds 0, 1 and 2 the network alone lost 20 to 30 % against random replies
    before and 0.1 to 0.7 % after, with 25 simulations 2.7 to 9.6 % and up to 0.1 %.
    """
    settings = replace(preset("tictactoe", "cpu"), precision="float32")
    rows = []
    training = Training(settings, Budget(iterations=12), tmp_path, hooks=Hooks(rows.append))
    before = NetworkEvaluator(GAME, training.network)
    training.run()
    after = NetworkEvaluator(GAME, training.network)
    assert alone(after) < min(0.06, alone(before) / 2)
    assert searching(after) < min(0.02, searching(before) / 2)
    learnt = [row for row in rows if "policy_loss" in row]
    assert learnt[-1]["policy_loss"] < learnt[0]["policy_loss"] - 0.1
    assert learnt[-1]["value_loss"] < learnt[0]["value_loss"] - 0.05
