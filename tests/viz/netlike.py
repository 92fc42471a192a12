"""An evaluator that answers like a network: a prior, a value, and no rollout."""

import numpy as np


def netlike(game, state, rng):
    """The middle of the board first; the value leans on a fixed sum over the position."""
    weights = np.array([1.0 + (3 * a * a + 5 * a) % 7 for a in range(game.num_actions)])
    weights[game.num_actions // 2] = 12
    legal = game.legal_actions(state)
    prior = np.zeros(game.num_actions)
    prior[legal] = weights[legal] / weights[legal].sum()
    return prior, float(
        np.tanh((game.encode(state)[0].sum() % 3 - 1) * 0.4 + (state.me % 7 - 3) / 6)
    )


netlike.name = "netlike"
