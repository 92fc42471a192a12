"""Chapter 2: right and wrong answers, written in other ways than the solutions and the sheets."""

import numpy as np

from tests.course.registry import right


@right("2.1")
def rollout_by_choice(game, state, rng):
    mover, current = game.to_play(state), state
    while True:
        value = game.outcome(current)
        if value is not None:
            return np.float64(value if game.to_play(current) == mover else -value)
        current = game.play(current, int(rng.choice(game.legal_actions(current))))


def _sign(game, state, child):
    return 1 if game.to_play(child) == game.to_play(state) else -1


@right("2.2")
def flat_right(game, state, num_rollouts, rollout, rng):
    visits, values = np.zeros(game.num_actions, int), np.zeros(game.num_actions)
    for _ in range(num_rollouts):
        for action in np.flatnonzero(game.legal_mask(state)):
            child = game.play(state, int(action))
            values[action] += _sign(game, state, child) * rollout(game, child, rng)
            visits[action] += 1
    return visits, values


@right("2.3")
def ucb1_vectorised(visit_counts, value_sum, c):
    n, w = np.array(visit_counts, float), np.array(value_sum)
    scores = np.full(len(n), np.inf)
    seen = n > 0
    scores[seen] = w[seen] / n[seen] + c * np.sqrt(np.log(n.sum())) / np.sqrt(n[seen])
    return scores
