"""Forced playouts, and a target without them: a plan that gives every tried move its chance.

Noise at the root proposes a move, and PUCT may drop it after one poor visit: too few to see what is
in it. Wu (2019, "Accelerating Self-Play Learning in Go", section 3.2) changes two things:

- *At the root* a move that has been tried gets at least ``sqrt(k P sum of N)`` visits.
- *The target* is the visits less those forced ones, as far as PUCT would not have chosen them. So
  the network learns what the search has found, and not what it was made to look at.

Below the root all is PUCT's.
"""

from dataclasses import dataclass
from math import ceil, floor, inf, sqrt
from typing import Literal

import numpy as np
from numba.extending import register_jitable  # plain functions that compiled ones may call

from azlearn.search.plans import Edges
from azlearn.search.selection import PUCT, check_weight, puct, puct_score, square_root

_puct_terms = register_jitable(PUCT.terms)
_puct_score = register_jitable(puct_score)


@dataclass(frozen=True)
class ForcedPUCT(PUCT):
    """See ``forced_puct``."""

    k: float
    name = "forced_puct"

    @property
    def numbers(self) -> np.ndarray:
        """float64 [4], for compiled loops: PUCT's, k."""
        return np.append(super().numbers, self.k)

    def at_root(self, root: Edges, num_left: int) -> list[float]:
        """PUCT's scores; infinite where a tried move has too few visits."""
        total = sum(root.visit_counts)
        columns = zip(self(root), root.visit_counts, root.prior, strict=True)
        return [inf if n and n * n < self.k * p * total else score for score, n, p in columns]

    def shares(self, root: Edges) -> list[int]:
        """The visits without those that only the forcing explains.

        From each move but the most visited one as many of them are taken as leave its score below
        that one's; a single visit that is left is taken, too.
        """
        visits, total = root.visit_counts, sum(root.visit_counts)
        best, scores = self.best_action(root), self(root)
        scale, kept = self.c * sqrt(total), []
        for a, (n, w, p) in enumerate(zip(visits, root.value_sum, root.prior, strict=True)):
            if a != best and n:
                gap = scores[best] - w / n
                fewest = floor(scale * p / gap) if gap > 0 else n  # N with a score below the best's
                n = min(int(n), max(fewest, ceil(n - sqrt(self.k * p * total))))
                n = n if n > 1 else 0
            kept.append(int(n))
        return kept

    # The same for compiled loops and on tensors.

    @staticmethod
    def terms(visit_counts, value_sum, prior, raw_value, numbers):
        return _puct_terms(visit_counts, value_sum, prior, raw_value, numbers[:3])

    @staticmethod
    def root_terms(visit_counts, value_sum, prior, raw_value, numbers, num_left):
        total = 0
        for n in visit_counts:
            total += n
        scale, first = _puct_terms(visit_counts, value_sum, prior, raw_value, numbers[:3])
        return scale, first, numbers[3], total

    @staticmethod
    def root_score(n, w, p, g, scale, first, k, total):
        if n and n * n < k * p * total:
            return inf
        return _puct_score(n, w, p, scale, first)

    def tensor_root_scores(self, visit_counts, value_sum, prior, raw_value, noise, schedule):
        scores = self.tensor_scores(visit_counts, value_sum, prior, raw_value)
        total = visit_counts.sum(-1, keepdim=True)
        few = (visit_counts > 0) & (visit_counts * visit_counts < self.k * prior * total)
        return scores.masked_fill(few, inf)

    def tensor_policy(self, visit_counts, value_sum, prior, raw_value, noise=None):
        total = visit_counts.sum(-1, keepdim=True)
        scores = self.tensor_scores(visit_counts, value_sum, prior, raw_value)
        best = self.tensor_best_action(visit_counts, value_sum, prior, raw_value)[..., None]
        gap = scores.gather(-1, best) - value_sum / visit_counts.clamp(min=1)
        scale = self.c * square_root(total.to(value_sum.dtype))
        fewest = (scale * prior / gap).floor().where(gap > 0, visit_counts.to(gap.dtype))
        forced = square_root(self.k * prior * total)
        left = fewest.maximum((visit_counts - forced).ceil()).minimum(visit_counts)
        left = left.masked_fill(left <= 1, 0).scatter(
            -1, best, visit_counts.gather(-1, best).to(left.dtype)
        )
        return left.double() / left.sum(-1, keepdim=True)


def forced_puct(
    c: float = 1.25,
    fpu: float | Literal["parent"] = 0.0,
    *,
    fpu_reduction: float = 0.0,
    k: float = 2.0,
) -> ForcedPUCT:
    """PUCT with forced playouts at the root, and a target without them.

    It is made for roots with noise, in self-play. A match is played with ``puct``.

    Args:
        c, fpu, fpu_reduction: as in ``puct``.
        k: a tried move of the root gets at least ``sqrt(k * P * sum of N)`` visits; 2 in KataGo.

    Returns:
        A plan as ``uct`` gives one. It needs nodes with a prior.

    Raises:
        ValueError: an argument is none of those that ``puct`` takes; k is negative, infinite or not
            a number.
    """
    check_weight(k, "k")
    plain = puct(c, fpu, fpu_reduction=fpu_reduction)
    return ForcedPUCT(plain.c, plain.fpu, plain.fpu_reduction, k)
