"""Chapter 6: answers as readers could have written them."""

import copy

import numpy as np
import torch

from tests.course.registry import mutant, right


@mutant("6.1", "earlier moves get a smaller reward")
def rewards_discounted(result, game_number, by_first):
    z = (result[game_number] * np.where(by_first, 1, -1)).astype(float)
    for row, number in enumerate(game_number):
        z[row] *= 0.9 ** (game_number[row + 1 :] == number).sum()
    return z


@right("6.1")
def rewards_by_arithmetic(result, game_number, by_first):
    return (2 * by_first.astype(int) - 1) * np.take(result, game_number)


@right("6.2")
def loss_by_ratio(log_p, action, by_learner, z, baseline, num_games):
    """The same gradient from p / p, whose value is another one."""
    p = log_p[torch.arange(len(z)), action].exp()
    with torch.no_grad():
        weight = (z - baseline) * by_learner / p
    return (-(weight * p).sum() / num_games).reshape(1)


@right("6.3")
def moments_in_place(p, z, b):
    """z is of floats, so that b may be taken off it in place."""
    z -= b
    gradients = np.diag(z) - np.outer(z, p)
    mean = p @ gradients
    gradients -= mean
    return mean, np.einsum("a,ak,ak", p, gradients, gradients)


@right("6.4")
def baseline_by_index(baseline, z, learner_first, memory):
    side = 1 - learner_first.astype(int)
    counts = np.bincount(side, minlength=2)
    means = np.bincount(side, weights=z, minlength=2) / np.maximum(counts, 1)
    new = np.where(counts > 0, memory * baseline + (1 - memory) * means, baseline)
    z -= baseline[side]
    return z, new


@right("6.5")
def pool_with_choice(network, steps, every, learn, rng):
    pool = [copy.deepcopy(network)]
    for step in range(steps):
        learn(network, rng.choice(pool))
        pool += [copy.deepcopy(network)] * ((step + 1) % every == 0)
    return pool


@right("6.6")
def position_by_recursion(game, sl_policy, rl_policy, u, rng):
    def result(state):
        """For the player to move."""
        value = game.outcome(state)
        if value is not None:
            return value
        return -result(
            game.next_state(state, int(rng.choice(game.num_actions, p=rl_policy(state))))
        )

    state = game.initial_state()
    for number in range(1, u + 1):
        if game.outcome(state) is not None:
            return None
        p = np.asarray(sl_policy(state)) if number < u else game.legal_mask(state)
        state = game.next_state(state, int((p.cumsum() / p.sum() <= rng.random()).sum()))
    return None if game.outcome(state) is not None else [list(state), float(result(state))]
