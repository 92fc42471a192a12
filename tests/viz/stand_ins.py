"""Stand-ins for a reader's own evaluator, game and opponents."""

import threading
import time

import numpy as np

from azlearn.games import ConnectFour
from azlearn.search import MCTS, random_rollout, uct


def netlike(game, state, rng):
    """Prefers the middle of the board; the value is a fixed function of the position."""
    weights = np.array([1.0 + (3 * a * a + 5 * a) % 7 for a in range(game.num_actions)])
    weights[game.num_actions // 2] = 12
    legal = game.legal_actions(state)
    prior = np.zeros(game.num_actions)
    prior[legal] = weights[legal] / weights[legal].sum()
    return prior, float(
        np.tanh((game.encode(state)[0].sum() % 3 - 1) * 0.4 + (state.me % 7 - 3) / 6)
    )


netlike.name = "netlike"

METHODS = (
    "initial_state", "play", "next_state", "legal_mask", "legal_actions", "outcome", "to_play",
    "cells", "cell",
)  # fmt: skip


class Tactics:
    """Connect Four with a name that contains "tic", without highlights, to_text and labels."""

    name, rows, cols, num_actions = "tactics", 6, 7, 7

    def __init__(self):
        for method in METHODS:
            setattr(self, method, getattr(ConnectFour(), method))


class SlowSearch:
    """UCT that sleeps in every simulation; it can be asked to stop."""

    name = "slow UCT"

    def __init__(self, game, num_simulations=2000, seconds=0.004):
        self.game, self.num_simulations, self.seconds = game, num_simulations, seconds
        self.stop = self.last_tree = None

    def choose(self, state, rng):
        rollout = random_rollout()

        def evaluate(game, state, rng):
            time.sleep(self.seconds)
            return rollout(game, state, rng)

        mcts = MCTS(self.game, uct(1.0), evaluate)
        self.last_tree = mcts.run(state, self.num_simulations, rng, stop=self.stop)
        return self.last_tree.best_action()


class Gate:
    """Plays its first legal move once ``gate`` is open; nothing else stops it."""

    name = "gate"

    def __init__(self, game):
        self.game, self.gate, self.asked = game, threading.Event(), 0

    def choose(self, state, rng):
        self.asked += 1
        assert self.gate.wait(20), "nobody opened the gate"
        return self.game.legal_actions(state)[0]
