"""Selection rules: a score for every move of a node. The search follows the highest."""

from collections.abc import Callable, Sequence
from math import inf, log, sqrt
from numbers import Integral, Real

from azlearn.search.tree import Node

SelectionRule = Callable[[Node], Sequence[float]]


def check_budget(num_simulations: int, c: float = 1.0) -> None:
    """ValueError unless there is a simulation to run and an exploration constant to run it with."""
    if not isinstance(num_simulations, Integral) or num_simulations < 1:
        raise ValueError(
            f"num_simulations must be a whole number, at least 1, not {num_simulations!r}."
        )
    if not isinstance(c, Real) or not 0 <= c < inf:
        raise ValueError(f"c must be a finite number, 0 or more, not {c!r}.")


def uct(c: float = 1.0) -> SelectionRule:
    """UCB1 at every node: ``W / N + c * sqrt(ln(sum of N) / N)``, infinite for an unvisited move.

    Args:
        c: how much an uncertain move is worth trying. Kocsis and Szepesvári (2006) prove
            convergence with ``sqrt(2)`` for values in [0, 1], which is ``2 * sqrt(2)`` for values
            in [-1, 1]; the examples of this course use 1.

    Returns:
        A rule: Node to [num_actions] scores, in the view of the player to move at that node.
        Illegal moves get a score too; the search never looks at it.

    Raises:
        ValueError: c is negative, infinite or not a number.
    """
    check_budget(1, c)

    def scores(node: Node) -> list[float]:
        visits = node.visit_counts
        log_total = log(sum(visits) or 1)
        return [
            w / n + c * sqrt(log_total / n) if n else inf
            for w, n in zip(node.value_sum, visits)  # noqa: B905
        ]

    scores.name, scores.c = "uct", c  # the explorer shows the formula with these
    return scores
