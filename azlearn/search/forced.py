"""Forced playouts: a tree policy that gives each tried move of the root a minimum of visits.

Noise at the root suggests a move, and PUCT may drop it after one poor visit, which is too little to
judge it. Wu (2019, "Accelerating Self-Play Learning in Go", section 3.2) changes two things:

- *At the root*, a move that has been tried gets at least ``sqrt(k P sum of N)`` visits, as long as
  simulations remain.
- *The policy target* is the visit counts without those forced visits that PUCT would not have
  made. So the network learns the findings of the search, not the moves it was forced to try.
  Self-play also samples its moves from this target.

Below the root the rule is plain PUCT.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, sqrt

import numpy as np
from numba.extending import register_jitable  # plain functions that compiled ones may call

from azlearn.search.selection import PUCT, check_weight, puct_score
from azlearn.search.tree_policy import NodeStats, most_visited_row, to_shares

_puct_node_terms = register_jitable(PUCT.node_terms)
_puct_score = register_jitable(puct_score)


@register_jitable
def _due(visit_counts, prior, k):
    """``ForcedPUCT.forced_visits`` in compiled loops."""
    total = 0
    for n, p in zip(visit_counts, prior):  # noqa: B905, numba knows no strict
        if p:
            total += n
    return k * total


@dataclass(frozen=True)
class ForcedPUCT(PUCT):
    """See ``forced_puct``."""

    k: float
    name = "forced_puct"

    @property
    def numbers(self) -> np.ndarray:
        """float64 [4], for the compiled loops: PUCT's numbers, then k."""
        return np.append(super().numbers, self.k)

    def root_scores(self, root: NodeStats, simulations_left: int) -> list[float]:
        """PUCT's scores, but infinity for tried moves with too few visits."""
        due, columns = (
            self.forced_visits(root),
            zip(self(root), root.visit_counts, root.prior, strict=True),
        )
        return [inf if n and n * n < due * p else score for score, n, p in columns]

    def forced_visits(self, root: NodeStats) -> float:
        """``k * sum of N`` over moves with P > 0; times P, the square of a move's forced visits."""
        return self.k * sum(n for n, p in zip(root.visit_counts, root.prior, strict=True) if p)

    def shares(self, root: NodeStats) -> Sequence[float]:
        """The visit counts with forced visits removed.

        Each move except the most visited one, ``best``, loses visits, at most its forced ones,
        while its score stays below that of ``best``. If one visit is left, it is removed as well.
        """
        if np.asarray(root.visit_counts).dtype.kind != "i":
            return root.visit_counts  # these are priors, because all tried moves lose
        best, scores = self.best_action(root), self(root)
        scale, due, kept = self.c * sqrt(sum(root.visit_counts)), self.forced_visits(root), []
        columns = zip(root.visit_counts, root.value_sum, root.prior, strict=True)
        for a, (n, w, p) in enumerate(columns):
            if a != best and n:
                gap = scores[best] - w / n
                # The least N with Q + scale * P / (1 + N) below the best move's score.
                fewest = floor(scale * p / gap) if gap * n > scale * p else n
                n = min(n, max(fewest, ceil(n - sqrt(due * p))))
                n = n if n > 1 else 0
            kept.append(int(n))
        return kept

    # The compiled loops.

    @staticmethod
    def node_terms(visit_counts, value_sum, prior, raw_value, numbers):
        return _puct_node_terms(visit_counts, value_sum, prior, raw_value, numbers[:3])

    @staticmethod
    def root_terms(visit_counts, value_sum, prior, raw_value, numbers, simulations_left):
        scale, first = _puct_node_terms(visit_counts, value_sum, prior, raw_value, numbers[:3])
        return scale, first, _due(visit_counts, prior, numbers[3])

    @staticmethod
    def root_score(n, w, p, g, scale, first, due):
        if n and float(n) * n < due * p:
            return inf
        return _puct_score(n, w, p, scale, first)

    @staticmethod
    def root_target(out, visits, value_sum, prior, raw_value, noise, numbers, are_counts):
        for a in range(len(out)):
            out[a] = visits[a]
        if are_counts:
            scale, first = _puct_node_terms(visits, value_sum, prior, raw_value, numbers[:3])
            due, best = _due(visits, prior, numbers[3]), most_visited_row(visits, value_sum)
            top = _puct_score(visits[best], value_sum[best], prior[best], scale, first)
            for a in range(len(out)):
                n, p = visits[a], prior[a]
                if a != best and n:
                    gap = top - value_sum[a] / n
                    fewest = floor(scale * p / gap) if gap * n > scale * p else n
                    n = min(n, max(fewest, ceil(n - sqrt(due * p))))
                    out[a] = n if n > 1 else 0.0
        to_shares(out)


def forced_puct(c: float = 1.25, *, k: float = 2.0) -> ForcedPUCT:
    """PUCT with forced playouts at the root, and a policy target without them.

    Use it for self-play, where the root has noise. Play matches with ``puct``.

    Args:
        c: as in ``puct``.
        k: a tried move of the root gets at least ``sqrt(k * P * sum of N)`` visits; 2 in KataGo.

    Returns:
        A tree policy like that of ``uct``, but it needs nodes with a prior.

    Raises:
        ValueError: c or k is negative, infinite or not a number.
    """
    check_weight(c, "c")
    check_weight(k, "k")
    return ForcedPUCT(c, fpu=0.0, fpu_reduction=0.0, k=k)
