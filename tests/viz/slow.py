"""Opponents that take their time, as far as a test lets them."""

import threading
import time

from azlearn.search import MCTS, random_rollout, uct


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
