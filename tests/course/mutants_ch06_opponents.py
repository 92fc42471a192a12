"""Chapter 6, the pool and one position a game: answers as readers could have written them."""

import copy
import random

import numpy as np

from tests.course.registry import mutant, right

# --- 6.5 learn_against_pool(network, steps, every, learn, rng) ---


def _anyone(pool, rng):
    return pool[rng.integers(len(pool))]


def _pool(
    *,
    copied=copy.deepcopy,
    first=copy.deepcopy,
    due=lambda step, every: step % every == 0,
    draw=_anyone,
    count_from=1,
    joins_before=False,
):
    """A loop with one part replaced."""

    def learn_against_pool(network, steps, every, learn, rng):
        pool = [first(network)] if first else []
        for step in range(count_from, steps + count_from):
            opponent = draw(pool, rng) if pool else network
            if joins_before and due(step, every):
                pool.append(copied(network))
            learn(network, opponent)
            if not joins_before and due(step, every):
                pool.append(copied(network))
        return pool

    return learn_against_pool


def _itself(network):
    return network


mutant("6.5", "references instead of copies")(_pool(copied=_itself, first=_itself))
mutant("6.5", "references instead of copies")(_pool(copied=_itself))
mutant("6.5", "references instead of copies")(_pool(copied=copy.copy, first=copy.copy))
mutant("6.5", "p_σ is not in the pool")(_pool(first=None))
mutant("6.5", "a version at every step")(_pool(due=lambda step, every: True))
mutant("6.5", "the version before the step")(_pool(joins_before=True))
mutant("6.5", "steps counted from 0")(_pool(count_from=0))
mutant("6.5", "steps counted from 0")(_pool(count_from=0, joins_before=True))
mutant("6.5", "always the newest version")(_pool(draw=lambda pool, rng: pool[-1]))
mutant("6.5", "always p_σ")(_pool(draw=lambda pool, rng: pool[0]))
mutant("6.5", "p_σ is never drawn")(
    _pool(draw=lambda pool, rng: pool[rng.integers(1, len(pool))] if pool[1:] else pool[0])
)
mutant("6.5", "the newest version is never drawn")(
    _pool(draw=lambda pool, rng: pool[rng.integers(max(len(pool) - 1, 1))])
)
mutant("6.5", "the newer, the likelier")(
    _pool(draw=lambda pool, rng: pool[max(rng.integers(len(pool)), rng.integers(-1, len(pool)))])
)
mutant("6.5", "another generator than the one given")(
    _pool(draw=lambda pool, rng: random.choice(pool))
)
mutant("6.5", "the same draw every time")(
    _pool(draw=lambda pool, rng: _anyone(pool, np.random.default_rng(0)))
)
mutant("6.5", "no named fault")(
    _pool(draw=lambda pool, rng: pool[int(rng.random() ** 2 * len(pool))])
)
mutant("6.5", "no named fault")(_pool(due=lambda step, every: step % every == 0 and step < 6))


@mutant("6.5", "only the newest version stays")
def pool_of_one(network, steps, every, learn, rng):
    pool = [copy.deepcopy(network)]
    for step in range(1, steps + 1):
        learn(network, pool[0])
        if step % every == 0:
            pool = [copy.deepcopy(network)]
    return pool


@mutant("6.5", "the opponent is the network that learns")
def pool_unused(network, steps, every, learn, rng):
    pool = [copy.deepcopy(network)]
    for step in range(1, steps + 1):
        learn(network, network)
        if step % every == 0:
            pool.append(copy.deepcopy(network))
    return pool


@mutant("6.5", "the opponent is the network that learns")
def pool_and_itself(network, steps, every, learn, rng):
    def draw(pool, rng):
        return _anyone([*pool, network], rng)

    return _pool(draw=draw)(network, steps, every, learn, rng)


@mutant("6.5", "another network learns")
def pool_learns(network, steps, every, learn, rng):
    pool = [copy.deepcopy(network)]
    for step in range(1, steps + 1):
        learn(_anyone(pool, rng), network)
        if step % every == 0:
            pool.append(copy.deepcopy(network))
    return pool


@mutant("6.5", "not as many steps as asked")
def pool_one_step_less(network, steps, every, learn, rng):
    pool = [copy.deepcopy(network)]
    for step in range(1, steps):
        learn(network, _anyone(pool, rng))
        if step % every == 0:
            pool.append(copy.deepcopy(network))
    return pool


@mutant("6.5", "not a list of networks")
def pool_of_weights(network, steps, every, learn, rng):
    return [member.state_dict() for member in _pool()(network, steps, every, learn, rng)]


@mutant("6.5", "not a list of networks")
def pool_learner_only(network, steps, every, learn, rng):
    _pool()(network, steps, every, learn, rng)
    return network


@mutant("6.5", "returns nothing")
def pool_forgotten(network, steps, every, learn, rng):
    _pool()(network, steps, every, learn, rng)


@right("6.5")
def pool_with_new_networks(network, steps, every, learn, rng):
    """Copies made from the weights."""

    def frozen(source):
        made = copy.copy(source)
        made._parameters = {name: p.detach().clone() for name, p in source.named_parameters()}
        return made.eval()

    return _pool(copied=frozen, first=frozen)(network, steps, every, learn, rng)


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


def _drawn(game, p, rng):
    return int(rng.choice(game.num_actions, p=p))


def _legal(game, state, rng):
    return int(rng.choice(game.legal_actions(state)))


def _mover(game, states, ply):
    result = game.outcome(states[-1])
    return result if game.to_play(states[ply]) == game.to_play(states[-1]) else -result


def _first(game, states, ply):
    return _mover(game, states, 0)


def _position(
    *,
    opening="sl",
    rest="rl",
    random_move=lambda game, state, sl, rl, rng: _legal(game, state, rng),
    draw=_drawn,
    shift=0,
    keep=0,
    z=_mover,
    own_rng=None,
):
    """A game with one part replaced; `shift` and `keep` are plies too late."""

    def one_position(game, sl_policy, rl_policy, u, rng):
        rng = own_rng() if own_rng else rng
        policies = {"sl": sl_policy, "rl": rl_policy}
        states, number = [game.initial_state()], max(u + shift, 1)
        while game.outcome(states[-1]) is None:
            state, move = states[-1], len(states)
            if move == number:
                action = random_move(game, state, sl_policy, rl_policy, rng)
            else:
                phase = opening if move < number else rest
                if phase == "any":
                    action = _legal(game, state, rng)
                else:
                    action = draw(game, policies[phase](state), rng)
            states.append(game.next_state(state, action))
        kept = number + keep
        if len(states) - 1 <= kept:
            return None
        return states[kept], z(game, states, kept)

    return one_position


def _likeliest(game, p, rng):
    return int(np.argmax(p))


def _any_possible(game, p, rng):
    return int(rng.choice(np.flatnonzero(p)))


mutant("6.6", "z for the wrong player")(_position(z=lambda *case: -_mover(*case)))
mutant("6.6", "z for the first player")(_position(z=_first))
mutant("6.6", "z of the final position")(
    _position(z=lambda game, states, ply: game.outcome(states[-1]))
)
mutant("6.6", "the position before the random move")(_position(keep=-1))
mutant("6.6", "the position before the random move")(
    _position(keep=-1, z=lambda game, states, ply: _mover(game, states, ply + 1))
)
mutant("6.6", "a move of p_ρ too late")(_position(keep=1))
mutant("6.6", "the random move comes too late")(_position(shift=1))
mutant("6.6", "the random move comes too early")(_position(shift=-1))
mutant("6.6", "the random move comes too early")(_position(shift=-1, keep=1))
mutant("6.6", "p_σ plays to the end")(_position(rest="sl"))
mutant("6.6", "p_ρ plays from the start")(_position(opening="rl"))
mutant("6.6", "p_σ and p_ρ have changed places")(_position(opening="rl", rest="sl"))
mutant("6.6", "the first U − 1 moves are not p_σ's")(_position(opening="any"))
mutant("6.6", "the rest is not played by p_ρ")(_position(rest="any"))
mutant("6.6", "no random move")(
    _position(random_move=lambda game, state, sl, rl, rng: _drawn(game, sl(state), rng))
)
mutant("6.6", "no random move")(
    _position(random_move=lambda game, state, sl, rl, rng: _drawn(game, rl(state), rng))
)
mutant("6.6", "an illegal move")(
    _position(random_move=lambda game, state, sl, rl, rng: int(rng.integers(game.num_actions)))
)
mutant("6.6", "the random move is not uniform")(
    _position(random_move=lambda game, state, sl, rl, rng: _not_the_last(game, state, rng))
)
mutant("6.6", "the likeliest move instead of a draw")(_position(draw=_likeliest))
mutant("6.6", "the moves are not drawn with the policy's probabilities")(
    _position(draw=_any_possible)
)
mutant("6.6", "another generator than the one given")(_position(own_rng=np.random.default_rng))
mutant("6.6", "the same draw every time")(_position(own_rng=lambda: np.random.default_rng(1)))
mutant("6.6", "not a pair (state, z)")(_position(z=lambda game, states, ply: states[-1]))
mutant("6.6", "no named fault")(_position(z=lambda *case: _mover(*case) / 2))
mutant("6.6", "returns nothing")(lambda game, sl_policy, rl_policy, u, rng: None)


def _not_the_last(game, state, rng):
    legal = game.legal_actions(state)
    return legal[rng.integers(max(len(legal) - 1, 1))]


@mutant("6.6", "another generator than the one given")
def position_by_the_other_generator(game, sl_policy, rl_policy, u, rng):
    move = lambda game, state, sl, rl, rng: random.choice(game.legal_actions(state))  # noqa: E731
    return _position(random_move=move)(game, sl_policy, rl_policy, u, rng)


@mutant("6.6", "a finished game is kept")
def position_of_a_finished_game(game, sl_policy, rl_policy, u, rng):
    state = game.initial_state()
    for move in range(1, u + 1):
        if game.outcome(state) is not None:
            break
        random_one = move == u
        action = _legal(game, state, rng) if random_one else _drawn(game, sl_policy(state), rng)
        state = game.next_state(state, action)
    final = state
    while game.outcome(final) is None:
        final = game.next_state(final, _drawn(game, rl_policy(final), rng))
    result = game.outcome(final)
    return state, result if game.to_play(state) == game.to_play(final) else -result


@mutant("6.6", "plays on after the end")
def position_without_looking(game, sl_policy, rl_policy, u, rng):
    state = game.initial_state()
    for _ in range(u - 1):
        state = game.next_state(state, _drawn(game, sl_policy(state), rng))
    kept = state = game.next_state(state, _legal(game, state, rng))
    if game.outcome(kept) is not None:
        return None
    while game.outcome(state) is None:
        state = game.next_state(state, _drawn(game, rl_policy(state), rng))
    result = game.outcome(state)
    return kept, result if game.to_play(kept) == game.to_play(state) else -result


@mutant("6.6", "a game that goes on is dropped")
def position_without_draws(game, sl_policy, rl_policy, u, rng):
    sample = _position()(game, sl_policy, rl_policy, u, rng)
    return None if sample is None or sample[1] == 0 else sample


@mutant("6.6", "not a pair (state, z)")
def position_without_z(game, sl_policy, rl_policy, u, rng):
    sample = _position()(game, sl_policy, rl_policy, u, rng)
    return sample and sample[0]


@right("6.6")
def position_by_recursion(game, sl_policy, rl_policy, u, rng):
    def result(state):
        """For the player to move."""
        value = game.outcome(state)
        if value is not None:
            return value
        return -result(game.next_state(state, _drawn(game, rl_policy(state), rng)))

    state = game.initial_state()
    for _ in range(u - 1):
        if game.outcome(state) is not None:
            return None
        p = np.asarray(sl_policy(state))
        state = game.next_state(state, int((p.cumsum() <= rng.random()).sum()))
    if game.outcome(state) is not None:
        return None
    legal = np.flatnonzero(game.legal_mask(state))
    state = game.next_state(state, int(legal[rng.integers(len(legal))]))
    if game.outcome(state) is not None:
        return None
    return [list(state), float(result(state))]


right("6.6")(_position())
