"""Chapter 3, the move to play (3.4): which move a finished search answers with."""

from __future__ import annotations

import math

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare
from azlearn.course.sections import explained_for
from azlearn.course.three_moves import (
    LEGAL,
    TIC_TAC_TOE,
    best,
    must_be_a_move,
    node_with,
    statistics,
    uct_score,
)

_FINAL = (
    ((50, 30, 3), (10, 18, 3), 2),  # means 0.2, 0.6, 1.0
    ((40, 40, 5), (-4, 8, 0), 6),  # equal visits; means -0.1, 0.2
    ((20, 20, 20), (5, 5, 5), 2),  # all equal: the lowest action
    ((10, 30, 20), (-8, -27, -16), 6),  # means -0.8, -0.9, -0.8
    ((50, 30, 20), (-10, -24, -19), 2),  # means -0.2, -0.8, -0.95
    ((0, 4, 1), (0, -4, -1), 6),  # an unvisited move
    ((7, 9, 9), (7, -3, -6), 6),  # equal visits; means -0.33, -0.67
)


def _mean(n: int, w: float) -> float:
    return w / n if n else 0.0


def _best_mean_anywhere(visits, sums) -> int:
    """The first largest W / N of all nine entries, 0 where there are no visits."""
    means = [0.0] * TIC_TAC_TOE.num_actions
    for action, n, w in zip(LEGAL, visits, sums, strict=True):
        means[action] = _mean(n, w)
    return means.index(max(means))


_FINAL_FAULTS = (
    Fault(
        "best mean instead of most visits",
        lambda n, w: best(n, w, lambda n, w, total: w / n if n else -math.inf),
        "at {case}, the move is {right}; you chose {yours}, the best mean. A few lucky visits "
        "make a high mean; many visits were earned.",
    ),
    Fault(
        "best mean, unvisited counted as 0",
        lambda n, w: best(n, w, lambda n, w, total: _mean(n, w)),
        "at {case}, the move is {right}; you chose {yours}, the best W / N, with 0 for a move "
        "that was never tried. Take the most visits.",
    ),
    Fault(
        "best mean, illegal moves counted as 0",
        _best_mean_anywhere,
        "at {case}, the move is {right}; you chose {yours}: of all entries of `node.q_values` the "
        "largest, and an illegal move's entry is 0, more than a bad legal move's. Look at "
        "`node.legal_actions` only, and take the most visits, not the best mean.",
    ),
    Fault(
        "largest sum of values",
        lambda n, w: best(n, w, lambda n, w, total: w),
        "at {case}, the move is {right}; you chose {yours}, the largest W.",
    ),
    Fault(
        "the selection score",
        lambda n, w: best(n, w, uct_score(1.0)),
        "at {case}, the move is {right}; you chose {yours}, the highest UCT score. The bonus is "
        "for exploring; the search is over now.",
    ),
    Fault(
        "least visited",
        lambda n, w: best(n, w, lambda n, w, total: -n),
        "at {case}, the move is {right}; you chose {yours}, the least visited.",
    ),
    Fault(
        "equal visits: the first is taken",
        lambda n, w: best(n, w, lambda n, w, total: n),
        "at {case}, the move is {right}; you chose {yours}. Of moves with equal visits, take the "
        "one with the higher mean.",
    ),
    Fault(
        "equal visits: the worse mean is taken",
        lambda n, w: best(n, w, lambda n, w, total: (n, -_mean(n, w))),
        "at {case}, the move is {right}; you chose {yours}. Q is in the view of the player who "
        "moves here: higher is better.",
    ),
    Fault(
        "all equal: the last is taken",
        lambda n, w: max(
            LEGAL, key=lambda a: (n[LEGAL.index(a)], _mean(n[LEGAL.index(a)], w[LEGAL.index(a)]), a)
        ),
        "at {case}, the move is {right}; you chose {yours}. If visits and means are equal, take "
        "the lowest action, so that the same search always plays the same move.",
    ),
    Fault(
        "index among the legal moves",
        lambda n, w: LEGAL.index(best(n, w, lambda n, w, total: (n, _mean(n, w)))),
        "at {case}, the move is {right}; yours is {yours}, its place in `node.legal_actions`.",
    ),
)


@explained_for("3.4")
def check_final_move(call: Call) -> str:
    cases, given = [], []
    for visits, sums, right in _FINAL:
        shown = statistics(visits, sums)
        value, problem = call.attempt(node_with(visits, sums), shown=shown)
        if isinstance(problem, ZeroDivisionError) and 0 in visits:
            raise Wrong(
                "unvisited move divides by zero",
                f"At {shown}, your function divides by the visits of a move that has none. "
                "`node.q_values` gives 0 there.",
            )
        value = call.settle(value, problem)
        must_be_a_move(value, shown)
        cases.append(Case(shown, (visits, sums), right))
        given.append(value)
    compare(cases, given, _FINAL_FAULTS)
    return "Most visits: the search's own summary of everything it saw."


EXERCISES = (
    Exercise(
        id="3.4",
        title="The move to play",
        minutes=6,
        difficulty=1,
        function="final_move(node)",
        check=check_final_move,
        diagnoses=(
            *(fault.name for fault in _FINAL_FAULTS),
            "unvisited move divides by zero",
            "a list instead of a move",
        ),
        hints=(
            "The search spends its visits where it expects the best. Trust them more than a mean "
            "of a few rollouts.",
            "Compare pairs: visits first, Q second. Python compares tuples from the left.",
            "In near-code:\n\n"
            "    q = node.q_values\n"
            "    return the legal action with the largest (visits, q), the lowest of equals",
        ),
    ),
)
