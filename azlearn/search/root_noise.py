"""Noise at the root, so that self-play does not play the same game again and again."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from azlearn.search.tree import Node


@dataclass(frozen=True)
class RootNoise:
    """Dirichlet noise in the root's prior: ``(1 - fraction) * P + fraction * noise``.

    AlphaGo Zero mixes in one quarter Dirichlet(0.03) noise, once per move (Silver et al. 2017,
    Methods). AlphaZero scales alpha to about 10 / (number of legal moves): 0.3 for chess, 0.15 for
    shogi, 0.03 for Go (Silver et al. 2018).

    Args:
        alpha: above 0. The smaller it is, the more the noise concentrates on a few moves.
        fraction: from 0 (no noise) to 1 (only noise).

    Raises:
        ValueError: an argument is outside its range.
    """

    alpha: float
    fraction: float = 0.25

    def __post_init__(self) -> None:
        if not isinstance(self.alpha, Real) or not 0 < self.alpha < np.inf:
            raise ValueError(f"alpha must be a finite number above 0, not {self.alpha!r}.")
        if not isinstance(self.fraction, Real) or not 0 <= self.fraction <= 1:
            raise ValueError(f"fraction must be a number in [0, 1], not {self.fraction!r}.")

    def mixed(self, node: Node, rng: np.random.Generator) -> list[float]:
        """The node's prior mixed with noise on its legal moves; list [num_actions], sum 1."""
        noise = np.zeros(len(node.prior))
        noise[node.legal_actions] = rng.dirichlet([self.alpha] * len(node.legal_actions))
        return ((1 - self.fraction) * np.array(node.prior) + self.fraction * noise).tolist()


@dataclass(frozen=True)
class GumbelNoise:
    """Standard Gumbel noise for each move, for the tree policy ``gumbel``.

    The move with the highest ``g + log P`` is a sample from P; the k highest are k samples without
    replacement (Vieira 2014, "Gumbel-max trick and weighted reservoir sampling").
    """

    def drawn(self, node: Node, rng: np.random.Generator) -> list[float]:
        """Noise for this root; list [num_actions], 0 on illegal actions."""
        noise = np.zeros(len(node.visit_counts))
        noise[node.legal_actions] = rng.gumbel(size=len(node.legal_actions))
        return noise.tolist()
