"""Gumbel AlphaZero: a tree policy that improves on the prior with as few as two simulations.

With PUCT, the network learns the shares of the visits. After 16 simulations the shares say little:
most moves have one visit, and the network learns that a move without visits is bad. Danihelka,
Guez, Schrittwieser and Silver (2022, "Policy improvement by planning with Gumbel"; equation numbers
refer to this paper) change three things:

- *At the root* some moves are sampled from the prior without replacement: those with the highest
  ``g + log P``, where every g is Gumbel noise. Then sequential halving compares them: each gets the
  same few visits, the half with the higher ``g + log P + sigma(Q)`` advances, and the last one left
  is played.
- *The policy target* is the prior, updated with the results of the search:
  ``softmax(log P + sigma(Q))``. A move without visits has no Q. It gets ``mixed_value``, so it is
  not penalized for being untried.
- *Below the root* there is no randomness: the search takes the move whose share of the visits is
  furthest below that improved policy.
"""

from dataclasses import asdict, dataclass
from math import ceil, exp, inf, log, log2
from typing import Any

import numpy as np
from numba.extending import register_jitable  # plain functions that compiled ones may call

from azlearn.search.selection import check_count, check_weight, sequential_sum
from azlearn.search.tree_policy import NodeStats, TreePolicy, most_visited_row

MIN_PRIOR = 1e-37  # lower limit of P in log P; above 0 in single precision, too
MIN_RANGE = 1e-8  # lower limit of the range of Q, the divisor in ``rescale``


@register_jitable
def mixed_value(visit_counts, value_sum, prior, raw_value):
    """An estimate of a node's value from everything known (equation 33).

    It averages the node's evaluation (weight 1) and the prior-weighted mean Q of the tried moves
    (weight: the number of visits).
    """
    total, known, weighted = 0, 0.0, 0.0
    for n, w, p in zip(visit_counts, value_sum, prior):  # noqa: B905, numba knows no strict
        if n:
            total, known, weighted = total + n, known + p, weighted + p * (w / n)
    return (raw_value + total * weighted / known) / (1 + total) if known else raw_value


@register_jitable
def halving_target_visits(num_considered, num_simulations, num_done):
    """The visit count that a move must have to be searched next, after ``num_done`` simulations.

    This is sequential halving (Karnin, Koren and Somekh 2013). Every round gets the same share of
    the ``num_simulations`` and divides it evenly among the remaining moves. Each round has half as
    many moves as the one before, but at least two.
    """
    num_rounds = max(1, ceil(log2(num_considered)))
    visits, left = 0, num_considered
    while True:
        each = max(1, num_simulations // (num_rounds * left))
        if num_done < each * left:
            return visits + num_done // left
        num_done, visits, left = num_done - each * left, visits + each, max(2, left // 2)


@dataclass(frozen=True)
class Gumbel(TreePolicy):
    """See ``gumbel``."""

    num_considered: int
    c_visit: float
    c_scale: float
    rescale: bool
    name = "gumbel"
    mixes_noise = False

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of ``gumbel``, by name."""
        return asdict(self)

    # For the readable search and for the results of every search.

    def completed_q(self, node: NodeStats) -> list[float]:
        """Q of every move, or the mixed value if the move has no visits (equation 10)."""
        if node.prior is None:
            raise ValueError("Gumbel's tree policy needs a prior, and this node has none.")
        mixed = mixed_value(node.visit_counts, node.value_sum, node.prior, node.raw_value)
        pairs = zip(node.visit_counts, node.value_sum, strict=True)
        return [w / n if n else mixed for n, w in pairs]

    def sigma(self, node: NodeStats) -> list[float]:
        """The completed Q, scaled to be added to ``log P`` (equation 8).

        The more visits there are, the more it counts relative to the prior.
        """
        q_values = self.completed_q(node)
        scale = (self.c_visit + max(node.visit_counts)) * self.c_scale
        low, span = 0.0, 1.0
        if self.rescale:
            low = min(q_values)
            span = max(max(q_values) - low, MIN_RANGE)
        return [scale * ((q - low) / span) for q in q_values]

    def improved_policy(self, node: NodeStats) -> list[float]:
        """``softmax(log P + sigma)`` (equation 11); N replaces P if proofs leave no prior."""
        if node.prior is not None and not any(node.prior):
            node = NodeStats(node.visit_counts, node.value_sum, node.visit_counts, node.raw_value)
        pairs = list(zip(node.prior, self.sigma(node), strict=True))
        top = max(s for p, s in pairs if p)
        weights = [p * exp(s - top) if p else 0.0 for p, s in pairs]
        total = sequential_sum(weights)
        return [weight / total for weight in weights]

    def __call__(self, node: NodeStats) -> list[float]:
        """Below the root: how far each move's share of visits is behind (equation 14)."""
        total = 1 + sum(node.visit_counts)
        pairs = zip(self.improved_policy(node), node.visit_counts, strict=True)
        return [p - n / total for p, n in pairs]

    def ranking(self, root: NodeStats) -> list[float]:
        """``g + log P + sigma``, which decides which moves advance; -inf if P is 0."""
        noise = [0.0] * len(root.prior) if root.noise is None else root.noise
        columns = zip(noise, root.prior, self.sigma(root), strict=True)
        return [g + log(max(p, MIN_PRIOR)) + s if p else -inf for g, p, s in columns]

    def root_scores(self, root: NodeStats, simulations_left: int) -> list[float]:
        """The ranking of the moves that may be searched next; -inf for the others."""
        num_done = sum(root.visit_counts)
        possible = [n for n, p in zip(root.visit_counts, root.prior, strict=True) if p]
        num_considered = max(1, min(self.num_considered, len(possible)))
        visits = halving_target_visits(num_considered, num_done + 1 + simulations_left, num_done)
        # A tree from another search may have no move with that many visits.
        nearest = min((abs(n - visits) for n in possible), default=0)
        pairs = zip(self.ranking(root), root.visit_counts, strict=True)
        return [rank if abs(n - visits) == nearest else -inf for rank, n in pairs]

    def best_action(self, root: NodeStats) -> int:
        """The highest-ranking of the most visited moves.

        Raises:
            ValueError: no move has a visit.
        """
        most = root.visit_counts[super().best_action(root)]
        tried = [action for action, n in enumerate(root.visit_counts) if n == most]
        return int(max(tried, key=self.ranking(root).__getitem__))

    def shares(self, root: NodeStats) -> list[float]:
        return self.improved_policy(root)

    def value(self, root: NodeStats) -> float:
        """The value of the root for a player who plays the improved policy."""
        pairs = zip(self.improved_policy(root), self.completed_q(root), strict=True)
        return float(sequential_sum(p * q for p, q in pairs))

    # The compiled loops.

    @property
    def numbers(self) -> np.ndarray:
        """float64 [4], the parameters in their order."""
        return np.array([self.num_considered, self.c_visit, self.c_scale, self.rescale], float)

    @staticmethod
    def node_terms(visit_counts, value_sum, prior, raw_value, numbers):
        mixed, low, span, scale = _scaling(visit_counts, value_sum, prior, raw_value, numbers)
        total, top, weights = 1, -inf, 0.0
        for n, w, p in zip(visit_counts, value_sum, prior):  # noqa: B905
            total += n
            if p:
                top = max(top, scale * (((w / n if n else mixed) - low) / span))
        for n, w, p in zip(visit_counts, value_sum, prior):  # noqa: B905
            if p:
                weights += p * exp(scale * (((w / n if n else mixed) - low) / span) - top)
        return mixed, low, span, scale, top, weights, total

    @staticmethod
    def score(n, w, p, mixed, low, span, scale, top, weights, total):
        return _improved(n, w, p, mixed, low, span, scale, top, weights, total) - n / total

    @staticmethod
    def root_terms(visit_counts, value_sum, prior, raw_value, numbers, simulations_left):
        num_done, possible = 0, 0
        for n, p in zip(visit_counts, prior):  # noqa: B905
            num_done, possible = num_done + n, possible + (p > 0)
        num_considered = max(1, min(int(numbers[0]), possible))
        visits = halving_target_visits(num_considered, num_done + 1 + simulations_left, num_done)
        nearest = num_done + visits
        for n, p in zip(visit_counts, prior):  # noqa: B905
            if p:
                nearest = min(nearest, abs(n - visits))
        return *_scaling(visit_counts, value_sum, prior, raw_value, numbers), visits, nearest

    @staticmethod
    def root_score(n, w, p, g, mixed, low, span, scale, visits, nearest):
        if not p or abs(n - visits) != nearest:
            return -inf
        return g + log(max(p, MIN_PRIOR)) + scale * (((w / n if n else mixed) - low) / span)

    @staticmethod
    def root_move(visits, value_sum, prior, raw_value, noise, numbers):
        first = most_visited_row(visits, value_sum)
        if first < 0:
            return -1
        _, low, span, scale = _scaling(visits, value_sum, prior, raw_value, numbers)
        action, highest = -1, -inf
        for a in range(len(visits)):
            if visits[a] == visits[first]:
                s = scale * ((value_sum[a] / visits[a] - low) / span)
                rank = noise[a] + log(max(prior[a], MIN_PRIOR)) + s if prior[a] else -inf
                if action < 0 or rank > highest:
                    action, highest = a, rank
        return action

    @staticmethod
    def root_target(out, visits, value_sum, prior, raw_value, noise, numbers, are_counts):
        prior = _prior_or_visits(prior, visits)
        common = _terms(visits, value_sum, prior, raw_value, numbers)
        for a in range(len(out)):
            out[a] = _improved(visits[a], value_sum[a], prior[a], *common)

    @staticmethod
    def root_worth(visits, value_sum, prior, raw_value, noise, numbers):
        prior, worth = _prior_or_visits(prior, visits), 0.0
        common = _terms(visits, value_sum, prior, raw_value, numbers)
        for a in range(len(visits)):
            q = value_sum[a] / visits[a] if visits[a] else common[0]
            worth += _improved(visits[a], value_sum[a], prior[a], *common) * q
        return worth


_terms = register_jitable(Gumbel.node_terms)


@register_jitable
def _improved(n, w, p, mixed, low, span, scale, top, weights, total):
    """The probability of one move in the improved policy."""
    if not p:
        return 0.0
    s = scale * (((w / n if n else mixed) - low) / span)
    return p * exp(s - top) / weights


@register_jitable
def _prior_or_visits(prior, visits):
    """The prior, or the visits if it is 0 everywhere; see ``improved_policy``."""
    for a in range(len(prior)):
        if prior[a]:
            return prior
    return visits


@register_jitable
def _scaling(visit_counts, value_sum, prior, raw_value, numbers):
    """``(mixed, low, span, scale)``: sigma is ``scale * ((Q - low) / span)``, see ``sigma``."""
    mixed = mixed_value(visit_counts, value_sum, prior, raw_value)
    most, low, high = 0, inf, -inf
    for n, w in zip(visit_counts, value_sum):  # noqa: B905
        q = w / n if n else mixed
        most, low, high = max(most, n), min(low, q), max(high, q)
    scale = (numbers[1] + most) * numbers[2]
    if numbers[3]:
        return mixed, low, max(high - low, MIN_RANGE), scale
    return mixed, 0.0, 1.0, scale


def gumbel(
    num_considered: int = 16, c_visit: float = 50.0, c_scale: float = 0.1, *, rescale: bool = False
) -> Gumbel:
    """The tree policy of Gumbel AlphaZero.

    For self-play, give the search ``GumbelNoise``: the move that is played is then a sample from
    the improved policy, except for the moves that halving has eliminated. Without noise the search
    is greedy and deterministic.

    Args:
        num_considered: the most moves that are tried at the root; 16 in the paper's Go and in mctx.
            A move with prior 0 is never tried.
        c_visit, c_scale: ``sigma(Q) = (c_visit + the most visits of a move) * c_scale * Q``. 50 and
            1.0 in the paper's Go; mctx (DeepMind's library) uses 0.1 for c_scale, and rescales. In
            Connect Four, networks learn more in the same time with 0.1 than with 1.0 (chapter 15).
        rescale: first stretch the completed Q of every node to the range from 0 to 1, for games
            with unbounded values. The values here are in [-1, 1].

    Returns:
        A tree policy like that of ``uct``, but it needs nodes with a prior.

    Raises:
        ValueError: num_considered is not a whole number above 0; c_visit or c_scale is negative,
            infinite or not a number; or rescale is not True or False.
    """
    check_count(num_considered, "num_considered")
    check_weight(c_visit, "c_visit")
    check_weight(c_scale, "c_scale")
    if not isinstance(rescale, bool):
        raise ValueError(f"rescale must be True or False, not {rescale!r}.")
    return Gumbel(num_considered, c_visit, c_scale, rescale)
