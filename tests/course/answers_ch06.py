"""Chapter 6: answers as readers could have written them."""

import copy
import random

import numpy as np
import torch

from tests.course.registry import mutant, right

# --- 6.1 rewards(result, game_number, by_first) ---


@mutant("6.1", "the reward fades")
def rewards_discounted(result, game_number, by_first):
    z = (result[game_number] * np.where(by_first, 1, -1)).astype(float)
    for row, number in enumerate(game_number):
        z[row] *= 0.9 ** (game_number[row + 1 :] == number).sum()
    return z


@right("6.1")
def rewards_one_by_one(result, game_number, by_first):
    for number, first in zip(game_number, by_first, strict=True):
        yield float(result[number]) if first else -float(result[number])


@right("6.1")
def rewards_by_arithmetic(result, game_number, by_first):
    return (2 * by_first.astype(int) - 1) * np.take(result, game_number)


# --- 6.2 reinforce_loss(log_p, action, by_learner, z, baseline, num_games) ---


@right("6.2")
def loss_by_ratio(log_p, action, by_learner, z, baseline, num_games):
    """The same gradient from p / p, whose value is another one."""
    p = log_p[torch.arange(len(z)), action].exp()
    with torch.no_grad():
        weight = (z - baseline) * by_learner / p
    return (-(weight * p).sum() / num_games).reshape(1)


@right("6.2")
def loss_in_a_loop(log_p, action, by_learner, z, baseline, num_games):
    loss = 0.0
    for i in range(len(action)):
        if by_learner[i]:
            loss = loss - (z[i] - baseline[i]).item() * log_p[i, action[i]]
    return loss / num_games


# --- 6.3 gradient_moments(p, z, b) ---


@right("6.3")
def moments_in_place(p, z, b):
    """z is of floats, so that b may be taken off it in place."""
    z -= b
    gradients = np.diag(z) - np.outer(z, p)
    mean = p @ gradients
    gradients -= mean
    return mean, np.einsum("a,ak,ak", p, gradients, gradients)


@right("6.3")
def moments_by_autograd(p, z, b):
    logits = torch.log(torch.tensor(p)).requires_grad_()
    rows = []
    for a in range(len(p)):
        (gradient,) = torch.autograd.grad(logits.log_softmax(0)[a], logits)
        rows.append((z[a] - b) * gradient.numpy())
    mean = np.average(rows, axis=0, weights=p)
    return mean.tolist(), np.average((rows - mean) ** 2, axis=0, weights=p).sum()


# --- 6.4 subtract_baseline(baseline, z, learner_first, memory) ---


@right("6.4")
def baseline_by_index(baseline, z, learner_first, memory):
    side = 1 - learner_first.astype(int)
    counts = np.bincount(side, minlength=2)
    means = np.bincount(side, weights=z, minlength=2) / np.maximum(counts, 1)
    new = np.where(counts > 0, memory * baseline + (1 - memory) * means, baseline)
    z -= baseline[side]
    return z, new


@right("6.4")
def baseline_in_lists(baseline, z, learner_first, memory):
    games = list(zip(z.tolist(), learner_first.tolist(), strict=True))
    new = []
    for side, old in zip((True, False), baseline.tolist(), strict=True):
        results = [result for result, first in games if first == side]
        mean = sum(results) / len(results) if results else old
        new.append(old + (1 - memory) * (mean - old))
    return tuple(r - (baseline[0] if first else baseline[1]) for r, first in games), tuple(new)


# --- 6.5 learn_against_pool(network, steps, every, learn, rng) ---


@right("6.5")
def pool_with_choice(network, steps, every, learn, rng):
    pool = [copy.deepcopy(network)]
    for step in range(steps):
        learn(network, rng.choice(pool))
        pool += [copy.deepcopy(network)] * ((step + 1) % every == 0)
    return pool


@right("6.5")
def pool_in_two_loops(network, steps, every, learn, rng):
    pool, done = (copy.deepcopy(network),), 0
    while done < steps:
        for _ in range(min(every, steps - done)):
            learn(network, pool[int(rng.random() * len(pool))])
            done += 1
        if done % every == 0:
            pool = (*pool, copy.deepcopy(network))
    return pool


# --- 6.6 one_position(game, sl_policy, rl_policy, u, rng) ---


def _drawn(game, state, p, rng):
    return rng.choice(game.num_actions, p=p)


def _any(game, state, p, rng):
    return rng.choice(game.legal_actions(state))


def _position(sl=_drawn, at_u=_any, rl=_drawn, own=None, give=lambda *sample: sample):
    """A game with one part replaced."""

    def one_position(game, sl_policy, rl_policy, u, rng):
        rng, states = own() if own else rng, [game.initial_state()]
        while game.outcome(states[-1]) is None:
            number = len(states)
            choose = sl if number < u else at_u if number == u else rl
            p = (sl_policy if number < u else rl_policy)(states[-1])
            action = int(choose(game, states[-1], p, rng))
            states.append(game.next_state(states[-1], action))
        if len(states) <= u + 1:
            return None
        return give(states[u], game.outcome(states[-1]) * (-1) ** (len(states) - 1 - u))

    return one_position


def _squared(game, state, p, rng):
    return rng.choice(game.num_actions, p=p**2 / (p**2).sum())


def _by_python(game, state, p, rng):
    return random.choices(range(game.num_actions), p)[0]


def _not_the_last(game, state, p, rng):
    return rng.choice(game.legal_actions(state)[:-1] or [8])


def _towards_p(game, state, p, rng):
    p = p + 0.1 * game.legal_mask(state)
    return rng.choice(game.num_actions, p=p / p.sum())


NOT_BY_CHANCES = "the moves are not drawn with the policy's probabilities"
for _name, _parts in (
    ("not a pair (state, z)", {"give": lambda kept, z: kept}),
    ("a game that goes on is dropped", {"give": lambda kept, z: (kept, z) if z else None}),
    ("no named fault", {"give": lambda kept, z: (kept, z / 2)}),
    ("the first U − 1 moves are not p_σ's", {"sl": _any}),
    ("the rest is not played by p_ρ", {"rl": _any}),
    (NOT_BY_CHANCES, {"sl": _squared}),
    (NOT_BY_CHANCES, {"rl": _squared}),
    ("an illegal move", {"at_u": lambda game, *_: random.randrange(game.num_actions)}),
    ("the random move is not uniform", {"at_u": _not_the_last}),
    ("the random move is not uniform", {"at_u": _towards_p}),
    ("another generator than the one given", {"rl": _by_python}),
    ("the same draw every time", {"own": lambda: np.random.default_rng(1)}),
):
    mutant("6.6", _name)(_position(**_parts))


@mutant("6.6", "plays on after the end")
def position_without_looking(game, sl_policy, rl_policy, u, rng):
    state = game.initial_state()
    for _ in range(u - 1):
        state = game.next_state(state, int(_drawn(game, state, sl_policy(state), rng)))
    state = game.next_state(state, int(_any(game, state, None, rng)))
    return _position()(game, sl_policy, rl_policy, u, rng) if game.outcome(state) is None else None


@mutant("6.6", "a finished game is kept")
def position_of_a_finished_game(game, sl_policy, rl_policy, u, rng):
    sample = _position()(game, sl_policy, rl_policy, u, rng)
    return sample or (game.from_moves("1234567"), -1)


@right("6.6")
def position_by_recursion(game, sl_policy, rl_policy, u, rng):
    def result(state):
        """For the player to move."""
        value = game.outcome(state)
        if value is not None:
            return value
        return -result(game.next_state(state, int(_drawn(game, state, rl_policy(state), rng))))

    state = game.initial_state()
    for number in range(1, u + 1):
        if game.outcome(state) is not None:
            return None
        p = np.asarray(sl_policy(state)) if number < u else game.legal_mask(state)
        state = game.next_state(state, int((p.cumsum() / p.sum() <= rng.random()).sum()))
    return None if game.outcome(state) is not None else [list(state), float(result(state))]


right("6.6")(_position())
