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


@mutant("6.1", "not one reward a move")
def rewards_of_the_games(result, game_number, by_first):
    return result


@mutant("6.1", "no named fault")
def rewards_in_place(result, game_number, by_first):
    z = np.where(by_first, result[game_number], -result[game_number])
    result *= -1
    return z


@right("6.1")
def rewards_one_by_one(result, game_number, by_first):
    for number, first in zip(game_number, by_first, strict=True):
        yield float(result[number]) if first else -float(result[number])


@right("6.1")
def rewards_by_arithmetic(result, game_number, by_first):
    return (2 * by_first.astype(int) - 1) * np.take(result, game_number)


# --- 6.2 reinforce_loss(log_p, action, by_learner, z, baseline, num_games) ---


def _loss(change=lambda loss: loss):
    def reinforce_loss(log_p, action, by_learner, z, baseline, num_games):
        chosen = log_p.gather(1, action[:, None]).squeeze(1)
        return change(-((z - baseline.detach()) * by_learner * chosen) / num_games)

    return reinforce_loss


mutant("6.2", "one loss a move")(_loss())
mutant("6.2", "no gradient")(_loss(lambda terms: terms.sum().item()))


@mutant("6.2", "changes what it was given")
def loss_in_place(log_p, action, by_learner, z, baseline, num_games):
    log_p[~by_learner] = 0
    return _loss(torch.sum)(log_p, action, by_learner, z, baseline, num_games)


@mutant("6.2", "the loss is not a number")
def loss_by_one_hot(log_p, action, by_learner, z, baseline, num_games):
    one_hot = torch.nn.functional.one_hot(action, log_p.shape[1])
    chosen = (one_hot * log_p).sum(dim=1)
    return -((z - baseline.detach()) * chosen * by_learner).sum() / num_games


@mutant("6.2", "no named fault")
def loss_not_below_minus_10(log_p, action, by_learner, z, baseline, num_games):
    return _loss(torch.sum)(log_p.clamp(min=-10), action, by_learner, z, baseline, num_games)


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


@mutant("6.3", "not a pair (mean, variance)")
def moments_logit_by_logit(p, z, b):
    gradients = (z - b)[:, None] * (np.eye(len(p)) - p)
    return p @ gradients, p @ (gradients - p @ gradients) ** 2


@mutant("6.3", "no named fault")
def moments_around_another_mean(p, z, b):
    gradients = (z - b)[:, None] * (np.eye(len(p)) - p)
    return p @ gradients, p @ ((gradients - gradients.mean(axis=0)) ** 2).sum(axis=1)


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


@mutant("6.4", "not a pair (advantage, baseline)")
def baseline_advantage_only(baseline, z, learner_first, memory):
    return z - np.where(learner_first, baseline[0], baseline[1])


@mutant("6.4", "no named fault")
def baseline_unless_both_sides_played(baseline, z, learner_first, memory):
    new = baseline
    if learner_first.any() and not learner_first.all():
        means = np.array([z[learner_first].mean(), z[~learner_first].mean()])
        new = memory * baseline + (1 - memory) * means
    return z - np.where(learner_first, baseline[0], baseline[1]), new


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


def _pool(draw=lambda pool, network, rng: pool[rng.integers(len(pool))], give=list, left_out=0):
    def learn_against_pool(network, steps, every, learn, rng):
        pool = [copy.deepcopy(network)]
        for step in range(1, steps + 1 - left_out):
            learn(network, draw(pool, network, rng))
            if step % every == 0:
                pool.append(copy.deepcopy(network))
        return give(pool)

    return learn_against_pool


def _own(seed):
    return lambda pool, network, rng: pool[np.random.default_rng(seed).integers(len(pool))]


mutant("6.5", "not a list of networks")(_pool(give=lambda pool: [m.state_dict() for m in pool]))
mutant("6.5", "not as many steps as asked")(_pool(left_out=1))
mutant("6.5", "another generator than the one given")(_pool(lambda pool, *_: random.choice(pool)))
mutant("6.5", "the same draw every time")(_pool(_own(0)))
mutant("6.5", "the opponent is the network that learns")(_pool(lambda pool, network, rng: network))
mutant("6.5", "no named fault")(_pool(lambda p, _, rng: p[int(rng.random() ** 2 * len(p))]))


@mutant("6.5", "another network learns")
def pool_learns(network, steps, every, learn, rng):
    swapped = lambda network, opponent: learn(opponent, network)  # noqa: E731
    return _pool()(network, steps, every, swapped, rng)


@mutant("6.5", "one draw for many steps")
def pool_drawn_from_when_it_grows(network, steps, every, learn, rng):
    pool = [copy.deepcopy(network)]
    opponent = pool[0]
    for step in range(1, steps + 1):
        learn(network, opponent)
        if step % every == 0:
            pool.append(copy.deepcopy(network))
            opponent = pool[rng.integers(len(pool))]
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


right("6.5")(_pool(lambda pool, network, rng: rng.choice(pool)))


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
