"""Chapter 3, the choices: which move to search (3.1), which move to play (3.4).

The right moves follow from scores worked out by hand, written beside each case.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, as_list, compare, same, show
from azlearn.course.your_search import consequence, record_with
from azlearn.games import TicTacToe
from azlearn.search import Node

TIC_TAC_TOE = TicTacToe()
# X holds 1, 5, 6 and O holds 2, 4, 8: the actions 2, 6 and 8 are left, X is to move.
THREE_LEFT, LEGAL = TIC_TAC_TOE.from_moves("125468"), (2, 6, 8)


def _node(visits: tuple[int, ...], sums: tuple[float, ...]) -> Node:
    """The node of THREE_LEFT with statistics on its three legal moves."""
    node = Node(TIC_TAC_TOE, THREE_LEFT)
    for action, n, w in zip(LEGAL, visits, sums, strict=True):
        node.visit_counts[action], node.value_sum[action] = n, float(w)
    return node


def _best(visits, sums, score: Callable[[int, float, int], float], better=max) -> int:
    """The legal action with the best score(n, w, total); of equals the first."""
    total = sum(visits)
    scores = {a: score(n, w, total) for a, n, w in zip(LEGAL, visits, sums, strict=True)}
    return better(LEGAL, key=scores.__getitem__)


def _statistics(visits, sums) -> str:
    return f"moves {list(LEGAL)} with N = {list(visits)}, W = {show([float(w) for w in sums])}"


# --- 3.1 select ----------------------------------------------------------------------------------

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


def _uct(c: float, *, sign: int = 1, unvisited: float = math.inf) -> Callable[..., float]:
    def score(n: int, w: float, total: int) -> float:
        return sign * w / n + c * math.sqrt(math.log(total) / n) if n else unvisited

    return score


def _best_index(visits, sums, c) -> int:
    return LEGAL.index(_best(visits, sums, _uct(c)))


def _infinite(score: Callable[[int, float, int], float]) -> Callable[[int, float, int], float]:
    return lambda n, w, total: score(n, w, total) if n else math.inf


_SELECT_FAULTS = (
    Fault(
        "index among the legal moves",
        _best_index,
        "at {case}, the move is {right}; yours is {yours}, its place in `node.legal_actions`. "
        "Take the entry there.",
    ),
    Fault(
        "no exploration",
        lambda n, w, c: _best(n, w, _infinite(lambda n, w, total: w / n)),
        "at {case}, the move is {right}; you chose {yours}, the best mean. Without the bonus a "
        "search never returns to a move that was unlucky once.",
    ),
    Fault(
        "exploration only",
        lambda n, w, c: _best(n, w, _infinite(lambda n, w, total: 1 / n)),
        "at {case}, the move is {right}; you chose {yours}, the least visited. The mean W / N "
        "must count too.",
    ),
    Fault(
        "sum instead of mean",
        lambda n, w, c: _best(
            n, w, _infinite(lambda n, w, total: w + c * math.sqrt(math.log(total) / n))
        ),
        "at {case}, the move is {right}; you chose {yours}. With W instead of W / N a move is "
        "good because it was visited often.",
    ),
    Fault(
        "opponent's view of Q",
        lambda n, w, c: _best(n, w, _uct(c, sign=-1)),
        "at {case}, the move is {right}; you chose {yours}. W on an edge is in the view of the "
        "player who moves here: no minus sign when selecting.",
    ),
    Fault(
        "unvisited move scores 0",
        lambda n, w, c: _best(n, w, _uct(c, unvisited=0.0)),
        "at {case}, the move is {right}, never tried before; you chose {yours}. Its score is "
        "infinite, not 0.",
    ),
    Fault(
        "lowest score",
        lambda n, w, c: _best(n, w, _uct(c), min),
        "at {case}, the move is {right}; you chose {yours}, the lowest score of the three.",
    ),
    Fault(
        "most visits",
        lambda n, w, c: _best(n, w, lambda n, w, total: n),
        "at {case}, the move is {right}; you chose {yours}, the most visited. That is the rule "
        "for the move to *play* (3.4), not for the move to search.",
    ),
)


def check_select(call: Call) -> str:
    cases, given = [], []
    for visits, sums, c, right in _SELECT:
        shown = f"{_statistics(visits, sums)}, c = {c:g}"
        value = call(_node(visits, sums), c, shown=shown)
        _must_be_a_move(value, shown)
        cases.append(Case(shown, (visits, sums, c), right))
        given.append(value)
    illegal = [case for case, value in zip(cases, given, strict=True) if int(value) not in LEGAL]
    if illegal and not same(given, [_best_index(*case.arguments) for case in cases]):
        raise Wrong(
            "an illegal move",
            f"At {illegal[0].shown}, you chose {show(given[cases.index(illegal[0])])}, which is "
            "taken. Illegal moves have no visits, so their score is infinite too: look at "
            "`node.legal_actions` only. See 3.1.",
        )
    compare(cases, given, _SELECT_FAULTS, see="See 3.1.")
    _check_fresh_node(call)
    return "The mean as the mover sees it, plus the bonus; unvisited moves first."


def _check_fresh_node(call: Call) -> None:
    shown = "a node without any visit"
    value, problem = call.attempt(_node((0, 0, 0), (0, 0, 0)), 1.0, shown=shown)
    if isinstance(problem, (ValueError, ZeroDivisionError)):
        raise Wrong(
            "a fresh node has no logarithm",
            f"At {shown} your function raised `{type(problem).__name__}`: {problem}. ln(0) does "
            "not exist; give an unvisited move its infinite score before you take a logarithm. "
            "See 3.1.",
        )
    if int(call.settle(value, problem)) not in LEGAL:
        raise Wrong("an illegal move", f"At {shown} you chose {show(value)}, which is taken.")


def _must_be_a_move(value: Any, shown: str) -> None:
    if as_list(value) is not None:
        raise Wrong(
            "a list instead of a move",
            f"At {shown}, you gave the list {show(value)}. One number is asked for: the action.",
        )
    if not same(value, int(value)):
        raise Wrong(UNRECOGNISED, f"At {shown}, an action is asked for; yours is {show(value)}.")


# --- 3.4 final move ------------------------------------------------------------------------------

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


_FINAL_FAULTS = (
    Fault(
        "best mean instead of most visits",
        lambda n, w: _best(n, w, lambda n, w, total: w / n if n else -math.inf),
        "at {case}, the move is {right}; you chose {yours}, the best mean. A few lucky visits "
        "make a high mean; many visits were earned.",
    ),
    Fault(
        "best mean, unvisited counted as 0",
        lambda n, w: _best(n, w, lambda n, w, total: _mean(n, w)),
        "at {case}, the move is {right}; you chose {yours}, the best W / N, with 0 for a move "
        "that was never tried. Take the most visits.",
    ),
    Fault(
        "largest sum of values",
        lambda n, w: _best(n, w, lambda n, w, total: w),
        "at {case}, the move is {right}; you chose {yours}, the largest W.",
    ),
    Fault(
        "the selection score",
        lambda n, w: _best(n, w, _uct(1.0)),
        "at {case}, the move is {right}; you chose {yours}, the highest UCT score. The bonus is "
        "for exploring; the search is over now.",
    ),
    Fault(
        "least visited",
        lambda n, w: _best(n, w, lambda n, w, total: -n),
        "at {case}, the move is {right}; you chose {yours}, the least visited.",
    ),
    Fault(
        "equal visits: the first is taken",
        lambda n, w: _best(n, w, lambda n, w, total: n),
        "at {case}, the move is {right}; you chose {yours}. Of moves with equal visits, take the "
        "one with the higher mean.",
    ),
    Fault(
        "equal visits: the worse mean is taken",
        lambda n, w: _best(n, w, lambda n, w, total: (n, -_mean(n, w))),
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
        lambda n, w: LEGAL.index(_best(n, w, lambda n, w, total: (n, _mean(n, w)))),
        "at {case}, the move is {right}; yours is {yours}, its place in `node.legal_actions`.",
    ),
)


def check_final_move(call: Call) -> str:
    cases, given = [], []
    for visits, sums, right in _FINAL:
        shown = _statistics(visits, sums)
        value, problem = call.attempt(_node(visits, sums), shown=shown)
        if isinstance(problem, ZeroDivisionError) and 0 in visits:
            raise Wrong(
                "unvisited move divides by zero",
                f"At {shown}, your function divides by the visits of a move that has none. "
                "`node.q_values` gives 0 there. See 3.4.",
            )
        value = call.settle(value, problem)
        _must_be_a_move(value, shown)
        cases.append(Case(shown, (visits, sums), right))
        given.append(value)
    compare(cases, given, _FINAL_FAULTS, see="See 3.4.")
    return "Most visits: the search's own summary of everything it saw."


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
