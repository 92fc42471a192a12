"""Selection rules: a score for every move of a node. The search follows the highest."""

from collections.abc import Callable, Iterable, Sequence
from math import inf, log, sqrt
from numbers import Integral, Real
from typing import Literal

from azlearn.search.tree import Node

SelectionRule = Callable[[Node], Sequence[float]]


def check_count(number: int, name: str, least: int = 1) -> None:
    """ValueError unless ``number``, which the caller knows as ``name``, is whole and not below."""
    if not isinstance(number, Integral) or number < least:
        raise ValueError(f"{name} must be a whole number, at least {least}, not {number!r}.")


def check_weight(number: float, name: str) -> None:
    """ValueError unless ``number``, which the caller knows as ``name``, is finite and 0 or more."""
    if not isinstance(number, Real) or not 0 <= number < inf:
        raise ValueError(f"{name} must be a finite number, 0 or more, not {number!r}.")


def check_budget(num_simulations: int, c: float = 1.0) -> None:
    """ValueError unless there is a simulation to run and an exploration constant to run it with."""
    check_count(num_simulations, "num_simulations")
    check_weight(c, "c")


def uct(c: float = 1.0) -> SelectionRule:
    """UCB1 at every node: ``W / N + c * sqrt(ln(sum of N) / N)``, infinite for an unvisited move.

    Args:
        c: how much an uncertain move is worth trying. UCB1 (Auer et al. 2002) has ``sqrt(2)`` for
            values in [0, 1], which is ``2 * sqrt(2)`` for values in [-1, 1]; the examples of this
            course use 1.

    Returns:
        A rule: Node to [num_actions] scores, in the view of the player to move at that node.
        Illegal moves get a score too; the search never looks at it.

    Raises:
        ValueError: c is negative, infinite or not a number.
    """
    check_weight(c, "c")

    def scores(node: Node) -> list[float]:
        visits = node.visit_counts
        log_total = log(sum(visits) or 1)
        return [
            w / n + c * sqrt(log_total / n) if n else inf
            for w, n in zip(node.value_sum, visits)  # noqa: B905
        ]

    scores.name, scores.parameters = "uct", {"c": c}  # the explorer shows the formula with these
    return scores


def puct(
    c: float = 1.25, fpu: float | Literal["parent"] = 0.0, *, fpu_reduction: float = 0.0
) -> SelectionRule:
    """PUCT: ``Q + c * P * sqrt(sum of N) / (1 + N)``, AlphaGo Zero's rule (Silver et al. 2017).

    Before the first visit the root of the sum would be 0 and the priors would count for nothing:
    it is taken as 1.

    Args:
        c: the weight of the prior. 1.25 is ``pb_c_init`` of AlphaZero's pseudocode (Silver et al.
            2018), whose slow logarithmic growth is left out; AlphaGo used 5 (2016, Extended Data
            Table 5).
        fpu: first-play urgency, the Q of a move without visits: a number in [-1, 1] for the player
            to move (0 a draw, -1 a loss), or ``"parent"``: the mean of the node's own evaluation
            and of all its visits.
        fpu_reduction: how much less than ``fpu`` a move without visits gets, times the square root
            of the prior of all moves that have some: the more of the likely moves are known, the
            less is hoped for from the rest. KataGo takes 0.2 off the parent's mean (Wu 2019); Leela
            Zero 0.25 of points from 0 to 1, which is 0.5 here. 0 takes nothing.

    Returns:
        A rule as ``uct`` gives one. It needs nodes with a prior.

    Raises:
        ValueError: c or fpu_reduction is negative, infinite or not a number; fpu is neither of its
            two kinds.
    """
    check_weight(c, "c")
    if fpu != "parent" and not (isinstance(fpu, Real) and -1 <= fpu <= 1):
        raise ValueError(f"fpu must be a number in [-1, 1] or 'parent', not {fpu!r}.")
    check_weight(fpu_reduction, "fpu_reduction")

    def scores(node: Node) -> list[float]:
        if node.prior is None:
            raise ValueError("PUCT needs a prior, and this node has none.")
        total = sum(node.visit_counts)
        scale = c * sqrt(total or 1)
        first = fpu
        if fpu == "parent":
            first = (node.raw_value + _in_order(node.value_sum)) / (1 + total)
        if fpu_reduction:
            known = _in_order(p for p, n in zip(node.prior, node.visit_counts) if n)  # noqa: B905
            first -= fpu_reduction * sqrt(known)
        return [
            (w / n if n else first) + scale * p / (1 + n)
            for w, n, p in zip(node.value_sum, node.visit_counts, node.prior)  # noqa: B905
        ]

    scores.name, scores.parameters = "puct", {"c": c, "fpu": fpu}
    if fpu_reduction:
        scores.parameters["fpu_reduction"] = fpu_reduction
    return scores


def _in_order(numbers: Iterable[float]) -> float:
    """The sum as compiled loops round it; from Python 3.12 on ``sum`` rounds in another way."""
    total = 0.0
    for number in numbers:
        total += number
    return total


RULES = {"uct": uct, "puct": puct}  # by name: what a viewer can recompute and set anew
