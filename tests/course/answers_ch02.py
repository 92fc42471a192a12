"""Chapter 2: right and wrong answers, written in other ways than the solutions and the sheets."""

import math
import random

import numpy as np

from tests.course.registry import mutant, right

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


def _rollout_with(draw):
    def rollout(game, state, rng):
        current = state
        while game.outcome(current) is None:
            current = game.play(current, draw(game, game.legal_actions(current), rng))
        value = game.outcome(current)
        return value if game.to_play(current) == game.to_play(state) else -value

    return rollout


mutant("2.1", "always the same move")(_rollout_with(lambda game, legal, rng: legal[0]))
mutant("2.1", "draws from all moves, not from the legal ones")(
    _rollout_with(lambda game, legal, rng: int(rng.integers(game.num_actions)))
)
mutant("2.1", "does not use rng")(_rollout_with(lambda game, legal, rng: random.choice(legal)))
mutant("2.1", "moves are not equally likely")(
    _rollout_with(lambda game, legal, rng: legal[round(rng.random() * (len(legal) - 1))])
)

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


@mutant("2.2", "one entry per legal move")
def flat_compact(game, state, num_rollouts, rollout, rng):
    visits, values = [], []
    for action in game.legal_actions(state):
        child = game.play(state, action)
        results = [rollout(game, child, rng) for _ in range(num_rollouts)]
        visits.append(len(results))
        values.append(_sign(game, state, child) * sum(results))
    return visits, values


@mutant("2.2", "rollouts from the parent")
def flat_from_parent(game, state, num_rollouts, rollout, rng):
    visits, values = [0] * game.num_actions, [0.0] * game.num_actions
    for action in game.legal_actions(state):
        for _ in range(num_rollouts):
            visits[action] += 1
            values[action] += rollout(game, state, rng)
    return visits, values


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


@mutant("2.3", "number of moves instead of visits")
def ucb1_len(visit_counts, value_sum, c):
    log = np.log(len(visit_counts))
    pairs = zip(visit_counts, value_sum, strict=True)
    return [w / n + c * np.sqrt(log / n) if n else np.inf for n, w in pairs]


@mutant("2.3", "unvisited move is not a number")
def ucb1_arrays(visit_counts, value_sum, c):
    n, w = np.array(visit_counts, float), np.array(value_sum)
    with np.errstate(divide="ignore", invalid="ignore"):
        return w / n + c * np.sqrt(np.log(n.sum()) / n)


@mutant("2.3", "c is ignored")
def ucb1_of_the_paper(visit_counts, value_sum, c):
    log = math.log(sum(visit_counts))
    pairs = zip(visit_counts, value_sum, strict=True)
    return [w / n + math.sqrt(2 * log / n) if n else math.inf for n, w in pairs]
