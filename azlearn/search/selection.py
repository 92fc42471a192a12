"""UCT and PUCT: the formulas that score a node's moves, and the tree policies that use them.

Each formula appears twice: in ``__call__`` for the readable search, and as a function of one move
for the compiled loops.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from math import inf, log, sqrt
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from azlearn.search.tree_policy import NodeStats, TreePolicy

MAX_COUNT = 10**9  # upper limit for every count; fits the integer types of all engines
PARENT = 2.0  # means fpu="parent" in compiled loops; values never exceed 1


def check_count(number: int, name: str, least: int = 1, most: int = MAX_COUNT) -> None:
    """Raises ValueError unless argument ``name`` is a whole number from ``least`` to ``most``."""
    if not isinstance(number, Integral) or isinstance(number, bool) or number < least:
        raise ValueError(f"{name} must be a whole number, at least {least}, not {number!r:.80}.")
    if number > most:
        raise ValueError(f"{name} must be at most {most:,}.")


def check_weight(number: float, name: str) -> None:
    """Raises ValueError unless the argument ``name`` is finite and 0 or more."""
    if not isinstance(number, Real) or not 0 <= number < inf:
        raise ValueError(f"{name} must be a finite number, 0 or more, not {number!r}.")


def check_budget(num_simulations: int, c: float = 1.0) -> None:
    """Raises ValueError unless num_simulations is at least 1 and c is finite and 0 or more."""
    check_count(num_simulations, "num_simulations")
    check_weight(c, "c")


def ucb1_score(n, w, p, log_total, c):
    """UCB1 in compiled loops: ``W / N + c * sqrt(ln(sum of N) / N)``, infinite without visits.

    The prior ``p`` has no effect; every tree policy's score takes the same arguments.
    """
    return w / n + c * sqrt(log_total / n) if n else inf


def puct_score(n, w, p, scale, first):
    """PUCT in compiled loops: ``Q + scale * P / (1 + N)``; ``first`` is Q of an unvisited move."""
    return (w / n if n else first) + scale * p / (1 + n)


@dataclass(frozen=True)
class UCT(TreePolicy):
    """See ``uct``."""

    c: float
    name = "uct"

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of ``uct``, by name."""
        return {"c": self.c}

    @property
    def numbers(self) -> np.ndarray:
        """float64 [1], c for the compiled loops."""
        return np.array([self.c])

    def __call__(self, node: NodeStats) -> list[float]:
        visits = node.visit_counts
        log_total = log(sum(visits) or 1)
        return [
            w / n + self.c * sqrt(log_total / n) if n else inf
            for w, n in zip(node.value_sum, visits)  # noqa: B905
        ]

    @staticmethod
    def node_terms(visit_counts, value_sum, prior, raw_value, numbers):
        total = 0
        for n in visit_counts:
            total += n
        return log(max(total, 1)), numbers[0]

    score = staticmethod(ucb1_score)


@dataclass(frozen=True)
class PUCT(TreePolicy):
    """See ``puct``."""

    c: float
    fpu: float | Literal["parent"]
    fpu_reduction: float
    name = "puct"

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of ``puct`` by name; omits a reduction of 0."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in given.items() if name != "fpu_reduction" or value}

    @property
    def numbers(self) -> np.ndarray:
        """float64 [3], for the compiled loops: c, fpu or ``PARENT``, the reduction."""
        return np.array([self.c, PARENT if self.fpu == "parent" else self.fpu, self.fpu_reduction])

    def __call__(self, node: NodeStats) -> list[float]:
        visits, value_sum, prior = node.visit_counts, node.value_sum, node.prior
        if prior is None:
            raise ValueError("PUCT needs a prior, and this node has none.")
        total, first = sum(visits), self.fpu
        scale = self.c * sqrt(total or 1)
        if first == "parent":
            first = (node.raw_value + sequential_sum(value_sum)) / (1 + total)
        if self.fpu_reduction:
            known = sequential_sum(p for p, n in zip(prior, visits) if n)  # noqa: B905
            first -= self.fpu_reduction * sqrt(known)
        return [
            (w / n if n else first) + scale * p / (1 + n)
            for n, w, p in zip(visits, value_sum, prior)  # noqa: B905
        ]

    @staticmethod
    def node_terms(visit_counts, value_sum, prior, raw_value, numbers):
        total, total_value, known = 0, 0.0, 0.0
        for a in range(len(visit_counts)):
            total += visit_counts[a]
            total_value += value_sum[a]
            if visit_counts[a]:
                known += prior[a]
        c, fpu, fpu_reduction = numbers
        first = (raw_value + total_value) / (1 + total) if fpu == PARENT else fpu
        return c * sqrt(max(total, 1)), first - fpu_reduction * sqrt(known)

    score = staticmethod(puct_score)


def uct(c: float = 1.0) -> UCT:
    """UCB1 at every node: ``W / N + c * sqrt(ln(sum of N) / N)``, infinite for an unvisited move.

    Args:
        c: the weight of exploration. UCB1 (Auer et al. 2002) uses ``sqrt(2)`` for values in [0, 1],
            which is ``2 * sqrt(2)`` for values in [-1, 1]; the examples of this course use 1.

    Returns:
        A tree policy. Called with a node, it returns scores [num_actions] from the point of view of
        the player to move there. The search ignores the scores of illegal moves.

    Raises:
        ValueError: c is negative, infinite or not a number.
    """
    check_weight(c, "c")
    return UCT(c)


def puct(
    c: float = 1.25, fpu: float | Literal["parent"] = 0.0, *, fpu_reduction: float = 0.0
) -> PUCT:
    """PUCT: ``Q + c * P * sqrt(sum of N) / (1 + N)``, AlphaGo Zero's rule (Silver et al. 2017).

    Before the first visit the square root would be 0 and the priors would have no effect, so 1 is
    used instead.

    Args:
        c: the weight of the prior. 1.25 is ``pb_c_init`` of AlphaZero's pseudocode (Silver et al.
            2018), without that code's slow logarithmic growth; its Q is in [0, 1], so on our scale
            it would be 2.5 (compared in chapter 9). AlphaGo used 5 (2016, Extended Data Table 5).
        fpu: first-play urgency, the Q of an unvisited move: a number in [-1, 1] for the player to
            move (0 is a draw, -1 a loss), or ``"parent"``, the mean of the node's own evaluation
            and the values of all its visits.
        fpu_reduction: ``fpu_reduction * sqrt(sum of P of the visited moves)`` is subtracted from
            ``fpu``. The more of the likely moves have been tried, the less is expected of the
            others. KataGo subtracts 0.2 from the parent's mean (Wu 2019). Leela Zero subtracts 0.25
            on a scale from 0 to 1, which is 0.5 here. 0 subtracts nothing.

    Returns:
        A tree policy like that of ``uct``, but it needs nodes with a prior.

    Raises:
        ValueError: c or fpu_reduction is negative, infinite or not a number; or fpu is neither a
            number in [-1, 1] nor ``"parent"``.
    """
    check_weight(c, "c")
    if fpu != "parent" and not (isinstance(fpu, Real) and -1 <= fpu <= 1):
        raise ValueError(f"fpu must be a number in [-1, 1] or 'parent', not {fpu!r}.")
    check_weight(fpu_reduction, "fpu_reduction")
    return PUCT(c, fpu, fpu_reduction)


def sequential_sum(numbers: Iterable[float]) -> float:
    """The sum, rounded as in compiled loops; ``sum`` rounds differently since Python 3.12."""
    total = 0.0
    for number in numbers:
        total += number
    return total


RULES = {"uct": uct, "puct": puct}  # by name; viewers recompute their scores for any parameters
