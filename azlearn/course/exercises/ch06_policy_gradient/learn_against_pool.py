"""The pool (6.5): copies of earlier versions, p_σ among them, drawn alike.

The network of the check is a single weight that a step of learning makes larger by 1, so a version
is known by it: the number of steps that it has learned.
"""

from typing import Any

import numpy as np

from azlearn.course.drawing import shares
from azlearn.course.kit import About, Case, as_list, show

VERSIONS, SHARES = "versions in the pool", "shares of the versions as opponents, {} in the pool"
SHORT, LONG, SIZES = (30, 1), (3000, 1000), (1, 2, 3)
CLOSE = 0.07  # of a share; 1,000 draws come within a quarter of it


def case(steps: int, every: int, right=None) -> Case:
    return Case(f"{steps:,} steps, every = {every:,}", (steps, every), right)


NUM_DRAWN = 40
CASES = [
    case(7, 3, {VERSIONS: [0, 3, 6]}),
    case(4, 2, {VERSIONS: [0, 2, 4]}),
    case(2, 5, {VERSIONS: [0]}),
    case(3, 1, {VERSIONS: [0, 1, 2, 3]}),
    case(*SHORT),
    case(*LONG, {SHARES.format(size): About([1 / size] * size, CLOSE) for size in SIZES}),
]


def draw(rng):
    """No steps, too; a version at every step, or none."""
    return case(int(rng.integers(13)), int(rng.integers(1, 7)))


def version(network) -> int | None:
    """The steps that it has learned; None for what is no such network."""
    weight = getattr(network, "weight", None)
    return None if weight is None else round(float(weight))


def played(answer, steps: int, every: int, seed: int = 0) -> tuple[Any, ...]:
    """The pool; step by step: the opponent's version, whether another network than the one given
    was to learn, whether the opponent was the network that learns, no copy of it.
    """
    import torch

    given = torch.nn.Linear(1, 1, bias=False).requires_grad_(False)
    given.weight.zero_()
    opponents, others, itself = [], [], []

    def learn(network, opponent) -> None:
        opponents.append(version(opponent))
        others.append(network is not given)
        itself.append(getattr(opponent, "weight", None) is network.weight)
        network.weight.add_(1)

    pool = answer(given, steps, every, learn, np.random.default_rng(seed))
    return pool, opponents, others, itself


def observe(learn_against_pool, case):
    """The pool is looked at if all the learning is right, the opponents if the pool is right too."""
    steps, every = case.arguments
    pool, opponents, others, itself = played(learn_against_pool, steps, every)
    seen = {"calls of `learn`": len(opponents), "calls of `learn` for another network": sum(others)}
    if [*seen.values()] != [steps, 0]:
        return seen
    members = as_list(pool)
    versions = [None] if members is None else [*map(version, members)]
    seen["what comes back"] = f"{show(pool):.80}" if None in versions else "a list of networks"
    seen[VERSIONS] = versions
    if versions != [*range(0, steps + 1, every)]:
        return seen
    if case.arguments == SHORT:
        same, other = (played(learn_against_pool, *SHORT, seed)[1] for seed in (0, 1))
        alone = {"only p_σ": [0] * steps, "only the newest": [*range(steps)]}
        kind = next((kind for kind, versions in alone.items() if opponents == versions), "several")
        seen["how often the opponent is the network that learns"] = sum(itself)
        seen["opponents"] = kind
        seen["whether the same seed draws the same opponents again"] = opponents == same
        seen["whether another seed draws the same"] = kind == "several" and opponents == other
    if case.arguments == LONG and len(set(opponents)) > 1:
        seen["whether one opponent stays for 1,000 steps"] = len({*opponents[-1000:]}) == 1
    for size in SIZES if case.arguments == LONG else ():
        drawn = opponents[(size - 1) * every : size * every]
        found = [drawn.count(k * every) / every for k in range(size)]
        seen[SHARES.format(size)] = shares(found, [1 / size] * size, CLOSE)
    return seen
