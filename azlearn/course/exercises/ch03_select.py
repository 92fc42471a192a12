"""Chapter 3, select (3.1): which move to search.

The right moves follow from scores worked out by hand, written beside each case.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, same, show
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
from azlearn.course.your_search import consequence, record_with
from azlearn.search import Node

# N, W, c on the actions 2, 6, 8; the three scores by hand; the action with the highest.
_SELECT = (
    ((10, 5, 1), (4, -1, 0), 1.0, 8),  # 0.927, 0.545, 1.665
    ((10, 5, 1), (4, -1, 0), 0.1, 2),  # 0.453, -0.126, 0.167
    ((4, 0, 4), (2, 0, 1), 1.0, 6),  # 1.221, infinite, 0.971
    ((8, 2, 6), (-4, -1.6, -2.4), 0.5, 8),  # -0.206, -0.211, -0.060
    ((20, 2, 2), (8, 1.6, -2), 0.5, 6),  # 0.599, 1.430, -0.370
    ((3, 9, 4), (1.5, 0, 1), 1.0, 2),  # 1.461, 0.555, 1.083
    ((30, 30, 4), (15, 18, 1.8), 0.2, 6),  # 0.574, 0.674, 0.654
)
_ALL_BELOW_0 = 3  # the fourth case


def _best_index(visits, sums, c) -> int:
    return LEGAL.index(best(visits, sums, uct_score(c)))


def _infinite(score: Callable[[int, float, int], float]) -> Callable[[int, float, int], float]:
    return lambda n, w, total: score(n, w, total) if n else math.inf


_SELECT_FAULTS = (
    Fault(
        "index among the legal moves",
        _best_index,
        "at {case}, the move is {right}; yours is {yours}, its place in `node.legal_actions`. "
        "Take the entry there. (Where all columns are legal, place and action agree.)",
    ),
    Fault(
        "no exploration",
        lambda n, w, c: best(n, w, _infinite(lambda n, w, total: w / n)),
        "at {case}, the move is {right}; you chose {yours}, the best mean. Without the bonus a "
        "search never returns to a move that was unlucky once.",
    ),
    Fault(
        "exploration only",
        lambda n, w, c: best(n, w, _infinite(lambda n, w, total: 1 / n)),
        "at {case}, the move is {right}; you chose {yours}, the least visited. The mean W / N "
        "must count too.",
    ),
    Fault(
        "sum instead of mean",
        lambda n, w, c: best(
            n, w, _infinite(lambda n, w, total: w + c * math.sqrt(math.log(total) / n))
        ),
        "at {case}, the move is {right}; you chose {yours}. With W instead of W / N a move is "
        "good because it was visited often.",
    ),
    Fault(
        "opponent's view of Q",
        lambda n, w, c: best(n, w, uct_score(c, sign=-1)),
        "at {case}, the move is {right}; you chose {yours}. W on an edge is in the view of the "
        "player who moves here: no minus sign when selecting.",
    ),
    Fault(
        "unvisited move scores 0",
        lambda n, w, c: best(n, w, uct_score(c, unvisited=0.0)),
        "at {case}, the move is {right}, never tried before; you chose {yours}. Its score is "
        "infinite, not 0.",
    ),
    Fault(
        "lowest score",
        lambda n, w, c: best(n, w, uct_score(c), min),
        "at {case}, the move is {right}; you chose {yours}, the lowest score of the three.",
    ),
    Fault(
        "most visits",
        lambda n, w, c: best(n, w, lambda n, w, total: n),
        "at {case}, the move is {right}; you chose {yours}, the most visited. That is the rule "
        "for the move to *play* (exercise 3.4), not for the move to search.",
    ),
)


@explained_for("3.1")
def check_select(call: Call) -> str:
    cases, given = [], []
    attempts = []
    for visits, sums, c, _ in _SELECT:
        shown = f"{statistics(visits, sums)}, c = {c:g}"
        attempts.append((*call.attempt(node_with(visits, sums), c, shown=shown), shown))
    _check_low_scores(attempts)
    for (visits, sums, c, right), (value, problem, shown) in zip(_SELECT, attempts, strict=True):
        call.about(shown)
        value = call.settle(value, problem)
        must_be_a_move(value, shown)
        cases.append(Case(shown, (visits, sums, c), right))
        given.append(value)
    illegal = [case for case, value in zip(cases, given, strict=True) if int(value) not in LEGAL]
    if illegal and not same(given, [_best_index(*case.arguments) for case in cases]):
        raise Wrong(
            "an illegal move",
            f"At {illegal[0].shown}, you chose {show(given[cases.index(illegal[0])])}, which is "
            "taken. Illegal moves have no visits, so their score is infinite too: look at "
            "`node.legal_actions` only.",
        )
    compare(cases, given, _SELECT_FAULTS)
    _check_fresh_node(call)
    _check_lost_move(call)
    return "The mean as the mover sees it, plus the bonus; unvisited moves first."


def _check_fresh_node(call: Call) -> None:
    shown = "a node without any visit"
    value, problem = call.attempt(node_with((0, 0, 0), (0, 0, 0)), 1.0, shown=shown)
    if isinstance(problem, (ValueError, ZeroDivisionError)):
        raise Wrong(
            "a fresh node has no logarithm",
            f"At {shown} your function raised `{type(problem).__name__}`: {problem}. ln(0) does "
            "not exist; give an unvisited move its infinite score before you take a logarithm. ",
        )
    if int(call.settle(value, problem)) not in LEGAL:
        raise Wrong("an illegal move", f"At {shown} you chose {show(value)}, which is taken.")


def _no_choice(value: Any, problem: BaseException | None) -> bool:
    """What is left of a loop over the moves in which no score was high enough."""
    if problem is not None:
        return isinstance(problem, UnboundLocalError)
    return value is None or any(same(value, start) for start in (LEGAL[0], 0, -1))


def _check_low_scores(attempts: list[tuple[Any, BaseException | None, str]]) -> None:
    """Right wherever a score is above 0, and no choice where all are below."""
    wrong = [
        (value, problem, shown, i)
        for i, (value, problem, shown) in enumerate(attempts)
        if problem is not None or not same(value, _SELECT[i][3])
    ]
    if len(wrong) == 1 and wrong[0][3] == _ALL_BELOW_0 and _no_choice(*wrong[0][:2]):
        value, problem, shown, _ = wrong[0]
        _raise_too_high(value, problem, f"{shown}, all scores are below 0")


def _check_lost_move(call: Call) -> None:
    """One legal move, tried once and lost: its score is -1."""
    node = Node(TIC_TAC_TOE, TIC_TAC_TOE.from_moves("74591368"))
    (only,) = node.legal_actions
    node.visit_counts[only], node.value_sum[only] = 1, -1.0
    shown = f"a node with the one legal move {only}, N = 1, W = -1, c = 1"
    value, problem = call.attempt(node, 1.0, shown=shown)
    if problem is None and same(value, only):
        return
    if problem is None or isinstance(problem, UnboundLocalError):
        _raise_too_high(value, problem, f"{shown}, the score is -1 + sqrt(ln 1) = -1")
    call.settle(value, problem)


def _raise_too_high(value: Any, problem: BaseException | None, shown: str) -> None:
    found = f"raised `{type(problem).__name__}`" if problem else f"gave back `{show(value)}`"
    raise Wrong(
        "running maximum starts too high",
        f"At {shown}, and your function {found}: no move beat the score you start from. Scores go "
        "down to -1. Start from `-math.inf`, or use `max(node.legal_actions, key=score)`.",
    )


EXERCISES = (
    Exercise(
        id="3.1",
        title="Select",
        minutes=12,
        difficulty=2,
        function="select(node, c)",
        check=check_select,
        explore=lambda call, diagnosis: record_with(select=call.quietly),
        remark=consequence,
        diagnoses=(
            *(fault.name for fault in _SELECT_FAULTS),
            "an illegal move",
            "a fresh node has no logarithm",
            "running maximum starts too high",
            "a list instead of a move",
        ),
        hints=(
            "Give each legal move its UCB1 score, exercise 2.3, and take the highest. The "
            "statistics are in `node.visit_counts` and `node.value_sum`.",
            "`max(node.legal_actions, key=score)`, where `score(action)` is infinite without "
            "visits, else W / N + c * sqrt(ln(node.num_visits) / N).",
            "In near-code:\n\n"
            "    def score(action):\n"
            "        n, w = node.visit_counts[action], node.value_sum[action]\n"
            "        if n == 0: infinity\n"
            "        otherwise w / n + c * sqrt(ln(all visits of the node) / n)\n"
            "    return the legal action with the highest score",
        ),
    ),
)
