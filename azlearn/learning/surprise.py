"""Positions that surprised the network come more often: KataGo's policy surprise weighting.

Most positions of a game teach nothing new: the search plays what the network had in mind. So a part
of a game's weight goes to its positions in proportion to how far the search's policy is from the
network's. It came to KataGo after its paper (github.com/lightvector/KataGo, docs/KataGoMethods.md).
"""

from math import log

import numpy as np
from numba.extending import register_jitable  # plain functions that compiled ones may call

from azlearn.search.plans import Edges

_LEAST = 1e-9  # a prior that single precision has rounded to 0 is no infinite surprise


def surprise(policy: np.ndarray, root: Edges, noise_fraction: float) -> float:
    """KL(π ‖ P) in nats, P being the network's prior without the noise of the root.

    Args:
        policy: float [num_actions], π, what a network is to learn.
        root: as an engine gives it.
        noise_fraction: the share of ``root.noise`` in its prior; there is none if it is zeros.
    """
    prior = np.asarray(root.prior, np.float64)
    if root.noise is not None and noise_fraction < 1 and root.noise.any():
        prior = (prior - noise_fraction * root.noise) / (1 - noise_fraction)
    tried = policy > 0
    ratios = policy[tried] / np.maximum(prior[tried], _LEAST)
    return max(0.0, float(policy[tried] @ np.log(ratios)))


@register_jitable
def surprise_of(target, prior, noise, noise_fraction):
    """The same for compiled loops, of float64 rows [num_actions]; no noise is a row of zeros."""
    noisy, total = False, 0.0
    for a in range(len(noise)):
        noisy = noisy or (noise[a] != 0 and noise_fraction < 1)
    for a in range(len(target)):
        if target[a] > 0:
            p = prior[a]
            if noisy:
                p = (p - noise_fraction * noise[a]) / (1 - noise_fraction)
            total += target[a] * log(target[a] / max(p, _LEAST))
    return max(0.0, total)


def num_copies(surprises: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """How often each position of a game is learnt from: int [n], in the mean n together.

    A position has the weight ``1 - share`` and its part of ``share * n``; it is taken as often as
    the whole part of that says, and with the chance of the rest once more.

    Args:
        surprises: float [n], 0 or more. If all are 0 all weights are 1.
        share: in [0, 1].
    """
    surprises = np.asarray(surprises, np.float64)
    total = surprises.sum()
    relative = surprises * len(surprises) / total if total > 0 else np.ones(len(surprises))
    weights = 1 - share + share * relative
    return np.floor(weights + rng.random(len(weights))).astype(np.int64)
