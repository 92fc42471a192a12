"""Chapter 6, the pool: answers as readers could have written them."""

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
mutant("6.5", "the last version is missing")(
    _pool(count_from=0, joins_before=True, due=lambda step, every: step and step % every == 0)
)
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
