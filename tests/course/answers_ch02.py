"""Chapter 2: right and wrong answers, written in other ways than the solutions and the sheets."""

import math

import numpy as np

from tests.course.registry import right

# --- 2.1 rollout(game, state, rng) ---


@right("2.1")
def rollout_by_choice(game, state, rng):
    mover, current = game.to_play(state), state
    while True:
        value = game.outcome(current)
        if value is not None:
            return np.float64(value if game.to_play(current) == mover else -value)
        current = game.play(current, int(rng.choice(game.legal_actions(current))))


@right("2.1")
def rollout_recursive(game, state, rng):
    if game.outcome(state) is not None:
        return game.outcome(state)
    mask = game.legal_mask(state)
    action = int(rng.choice(len(mask), p=mask / mask.sum()))
    child = game.next_state(state, action)
    value = rollout_recursive(game, child, rng)
    return value if game.to_play(child) == game.to_play(state) else -value


@right("2.1")
def rollout_until_legal(game, state, rng):
    current, sign = state, 1
    while game.outcome(current) is None:
        action = int(rng.random() * game.num_actions)
        if action in game.legal_actions(current):
            child = game.next_state(current, action)
            sign *= 1 if game.to_play(child) == game.to_play(current) else -1
            current = child
    return sign * game.outcome(current)


# --- 2.2 flat_monte_carlo(game, state, num_rollouts, rollout, rng) ---


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


@right("2.2")
def flat_by_action(game, state, num_rollouts, rollout, rng):
    visits, values = [], []
    for legal, action in zip(game.legal_mask(state), range(game.num_actions), strict=True):
        child = game.play(state, action) if legal else None
        results = [rollout(game=game, state=child, rng=rng) for _ in range(num_rollouts * legal)]
        visits.append(len(results))
        values.append(sum(results) * (_sign(game, state, child) if legal else 0))
    return [visits, values]


# --- 2.3 ucb1(visit_counts, value_sum, c) ---


@right("2.3")
def ucb1_vectorised(visit_counts, value_sum, c):
    n, w = np.array(visit_counts, float), np.array(value_sum)
    scores = np.full(len(n), np.inf)
    seen = n > 0
    scores[seen] = w[seen] / n[seen] + c * np.sqrt(np.log(n.sum())) / np.sqrt(n[seen])
    return scores


@right("2.3")
def ucb1_in_a_loop(visit_counts, value_sum, c):
    for n, w in zip(visit_counts, value_sum, strict=True):
        yield w / n + c * (math.log(sum(visit_counts)) / n) ** 0.5 if n else float("inf")
