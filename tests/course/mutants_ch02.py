"""Chapter 2, rollouts and flat Monte Carlo: answers as readers could have written them."""

import random

import numpy as np

from tests.course.registry import mutant, right

# --- 2.1 rollout(game, state, rng) ---


def _to_the_end(game, state, rng):
    while game.outcome(state) is None:
        legal = game.legal_actions(state)
        state = game.next_state(state, legal[rng.integers(len(legal))])
    return state


@mutant("2.1", "value of the last position's player")
def rollout_of_the_end(game, state, rng):
    return game.outcome(_to_the_end(game, state, rng))


@mutant("2.1", "first player's view")
def rollout_for_the_first(game, state, rng):
    final = _to_the_end(game, state, rng)
    return game.outcome(final) if game.to_play(final) == 0 else -game.outcome(final)


@mutant("2.1", "flips every ply, whoever moves")
def rollout_with_sign(game, state, rng):
    sign = 1
    while game.outcome(state) is None:
        state = game.play(state, int(rng.choice(game.legal_actions(state))))
        sign = -sign
    return sign * game.outcome(state)


@mutant("2.1", "value of the player who moved last")
def rollout_of_the_winner(game, state, rng):
    return -game.outcome(_to_the_end(game, state, rng))


@mutant("2.1", "draw counted as a loss")
def rollout_win_or_nothing(game, state, rng):
    final = _to_the_end(game, state, rng)
    value = game.outcome(final)
    if game.to_play(final) != game.to_play(state):
        value = -value
    return 1 if value > 0 else -1


@mutant("2.1", "draw counted as half a point")
def rollout_half_draw(game, state, rng):
    final = _to_the_end(game, state, rng)
    if game.outcome(final) == 0:
        return 0.5
    return game.outcome(final) * (1 if game.to_play(final) == game.to_play(state) else -1)


@mutant("2.1", "draws from all moves, not from the legal ones")
def rollout_any_action(game, state, rng):
    current = state
    while game.outcome(current) is None:
        current = game.play(current, int(rng.integers(game.num_actions)))
    same = game.to_play(current) == game.to_play(state)
    return game.outcome(current) if same else -game.outcome(current)


@mutant("2.1", "always the same move")
def rollout_first_move(game, state, rng):
    current = state
    while game.outcome(current) is None:
        current = game.play(current, game.legal_actions(current)[0])
    same = game.to_play(current) == game.to_play(state)
    return game.outcome(current) if same else -game.outcome(current)


@mutant("2.1", "always the same move")
def rollout_fresh_generator(game, state, rng):
    return rollout_by_choice(game, state, np.random.default_rng(0))


@mutant("2.1", "moves are not equally likely")
def rollout_favours_the_first(game, state, rng):
    current = state
    while game.outcome(current) is None:
        legal = game.legal_actions(current)
        current = game.play(current, legal[int(rng.random() ** 2 * len(legal))])
    same = game.to_play(current) == game.to_play(state)
    return game.outcome(current) if same else -game.outcome(current)


@mutant("2.1", "does not use rng")
def rollout_global_random(game, state, rng):
    current = state
    while game.outcome(current) is None:
        current = game.play(current, random.choice(game.legal_actions(current)))
    same = game.to_play(current) == game.to_play(state)
    return game.outcome(current) if same else -game.outcome(current)


@mutant("2.1", "returns nothing")
def rollout_silent(game, state, rng):
    _to_the_end(game, state, rng)


@mutant("2.1", "no named fault")
def rollout_always_wins(game, state, rng):
    return 1


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


# --- 2.2 flat_monte_carlo(game, state, num_rollouts, rollout, rng) ---


def _sign(game, state, child):
    return 1 if game.to_play(child) == game.to_play(state) else -1


@mutant("2.2", "value not negated")
def flat_without_minus(game, state, num_rollouts, rollout, rng):
    visits, values = [0] * game.num_actions, [0.0] * game.num_actions
    for action in game.legal_actions(state):
        child = game.play(state, action)
        for _ in range(num_rollouts):
            visits[action] += 1
            values[action] += rollout(game, child, rng)
    return visits, values


@mutant("2.2", "negated although the same player moves again")
def flat_always_minus(game, state, num_rollouts, rollout, rng):
    visits, values = np.zeros(game.num_actions, int), np.zeros(game.num_actions)
    for action in game.legal_actions(state):
        child = game.play(state, action)
        visits[action] = num_rollouts
        values[action] = -sum(rollout(game, child, rng) for _ in range(num_rollouts))
    return visits, values


@mutant("2.2", "means instead of sums")
def flat_means(game, state, num_rollouts, rollout, rng):
    visits, values = [0] * game.num_actions, [0.0] * game.num_actions
    for action in game.legal_actions(state):
        child = game.play(state, action)
        results = [rollout(game, child, rng) for _ in range(num_rollouts)]
        visits[action] = num_rollouts
        values[action] = _sign(game, state, child) * float(np.mean(results))
    return visits, values


@mutant("2.2", "keeps the last rollout only")
def flat_last(game, state, num_rollouts, rollout, rng):
    visits, values = [0] * game.num_actions, [0.0] * game.num_actions
    for action in game.legal_actions(state):
        child = game.play(state, action)
        for _ in range(num_rollouts):
            visits[action] += 1
            values[action] = _sign(game, state, child) * rollout(game, child, rng)
    return visits, values


@mutant("2.2", "indexed by position in the list")
def flat_enumerated(game, state, num_rollouts, rollout, rng):
    visits, values = [0] * game.num_actions, [0.0] * game.num_actions
    for i, action in enumerate(game.legal_actions(state)):
        child = game.play(state, action)
        for _ in range(num_rollouts):
            visits[i] += 1
            values[i] += _sign(game, state, child) * rollout(game, child, rng)
    return visits, values


@mutant("2.2", "one entry per legal move")
def flat_compact(game, state, num_rollouts, rollout, rng):
    visits, values = [], []
    for action in game.legal_actions(state):
        child = game.play(state, action)
        results = [rollout(game, child, rng) for _ in range(num_rollouts)]
        visits.append(len(results))
        values.append(_sign(game, state, child) * sum(results))
    return visits, values


@mutant("2.2", "one rollout a move")
def flat_once(game, state, num_rollouts, rollout, rng):
    visits, values = [0] * game.num_actions, [0.0] * game.num_actions
    for action in game.legal_actions(state):
        child = game.play(state, action)
        visits[action] += 1
        values[action] += _sign(game, state, child) * rollout(game, child, rng)
    return visits, values


@mutant("2.2", "budget shared among the moves")
def flat_shared(game, state, num_rollouts, rollout, rng):
    visits, values = [0] * game.num_actions, [0.0] * game.num_actions
    legal = game.legal_actions(state)
    for i in range(num_rollouts):
        action = legal[i % len(legal)]
        child = game.play(state, action)
        visits[action] += 1
        values[action] += _sign(game, state, child) * rollout(game, child, rng)
    return visits, values


@mutant("2.2", "visits not counted")
def flat_uncounted(game, state, num_rollouts, rollout, rng):
    visits, values = [0] * game.num_actions, [0.0] * game.num_actions
    for action in game.legal_actions(state):
        child = game.play(state, action)
        for _ in range(num_rollouts):
            values[action] += _sign(game, state, child) * rollout(game, child, rng)
    return visits, values


@mutant("2.2", "the two lists are swapped")
def flat_swapped(game, state, num_rollouts, rollout, rng):
    return flat_right(game, state, num_rollouts, rollout, rng)[::-1]


@mutant("2.2", "rollouts from the parent")
def flat_from_parent(game, state, num_rollouts, rollout, rng):
    visits, values = [0] * game.num_actions, [0.0] * game.num_actions
    for action in game.legal_actions(state):
        for _ in range(num_rollouts):
            visits[action] += 1
            values[action] += rollout(game, state, rng)
    return visits, values


@mutant("2.2", "no named fault")
def flat_one_list(game, state, num_rollouts, rollout, rng):
    return flat_right(game, state, num_rollouts, rollout, rng)[1]


@right("2.2")
def flat_right(game, state, num_rollouts, rollout, rng):
    visits, values = np.zeros(game.num_actions, int), np.zeros(game.num_actions)
    for _ in range(num_rollouts):
        for action in np.flatnonzero(game.legal_mask(state)):
            child = game.play(state, int(action))
            values[action] += _sign(game, state, child) * rollout(game, child, rng)
            visits[action] += 1
    return visits, values
