"""Chapter 2, UCB1 (2.3): the scores were worked out with a pocket calculator."""

from __future__ import annotations

import math

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, as_list, compare, show
from azlearn.course.sections import explained_for

# Worked out with a pocket calculator: W / N + c * sqrt(ln(sum of N) / N).
_UCB_CASES = (
    (([1, 3], [1.0, 0.0], 1.0), [2.1774, 0.6798]),  # ln 4 = 1.3863
    (([10, 5, 1], [4.0, -1.0, 0.0], 1.0), [0.9265, 0.5446, 1.6651]),  # ln 16 = 2.7726
    (([10, 5, 1], [4.0, -1.0, 0.0], 0.5), [0.6633, 0.1723, 0.8326]),
    (([2, 2], [1.0, -2.0], 0.0), [0.5, -1.0]),
    (([4, 0, 4], [2.0, 0.0, 1.0], 2.0), [1.9420, math.inf, 1.6920]),  # ln 8 = 2.0794
)


def _ucb(n, w, c, *, log=math.log, total=None, mean=True, inside=None, unvisited=math.inf):
    """UCB1 with one knob turned."""
    scores = []
    total = sum(n) if total is None else total(n)
    for visits, value in zip(n, w, strict=True):
        if visits == 0:
            scores.append(unvisited)
            continue
        bonus = inside(c, log(total), visits) if inside else c * math.sqrt(log(total) / visits)
        scores.append((value / visits if mean else value) + bonus)
    return scores


def _own_visits(n, w, c):
    return [
        (v / k + c * math.sqrt(math.log(k) / k)) if k else math.inf
        for k, v in zip(n, w, strict=True)
    ]


_BY_ALL = "divided by the visits of all moves"
_UCB_FAULTS = (
    Fault(
        "unvisited move scores 0",
        lambda n, w, c: _ucb(n, w, c, unvisited=0.0),
        "for {case} the scores are {right}; yours are {yours}. A move never tried must come "
        "before all others: infinity. (0 would mean “drawn”.)",
    ),
    Fault(
        "sum instead of mean",
        lambda n, w, c: _ucb(n, w, c, mean=False),
        "for {case} the scores are {right}; yours are {yours}. The first term is the mean, W / N.",
    ),
    Fault(
        "logarithm of the move's own visits",
        _own_visits,
        "for {case} the scores are {right}; yours are {yours}. Under the logarithm stands the "
        "total number of visits, of all moves together.",
    ),
    Fault(
        "number of moves instead of visits",
        lambda n, w, c: _ucb(n, w, c, total=len),
        "for {case} the scores are {right}; yours are {yours}. The total is sum(visit_counts), "
        "not len(visit_counts).",
    ),
    Fault(
        "logarithm to base 10",
        lambda n, w, c: _ucb(n, w, c, log=math.log10),
        "for {case} the scores are {right}; yours are {yours}. ln is `math.log`, the natural "
        "logarithm.",
    ),
    Fault(
        "logarithm to base 2",
        lambda n, w, c: _ucb(n, w, c, log=math.log2),
        "for {case} the scores are {right}; yours are {yours}. ln is `math.log`, the natural "
        "logarithm.",
    ),
    Fault(
        "c inside the root",
        lambda n, w, c: _ucb(n, w, c, inside=lambda c, ln, k: math.sqrt(c * ln / k)),
        "for {case} the scores are {right}; yours are {yours}. c multiplies the root; inside it, "
        "doubling c would raise the bonus by 41 % only.",
    ),
    Fault(
        "the root is missing",
        lambda n, w, c: _ucb(n, w, c, inside=lambda c, ln, k: c * ln / k),
        "for {case} the scores are {right}; yours are {yours}. The bonus is the square *root* of "
        "ln(N) / n.",
    ),
    Fault(
        "the root covers the visits only",
        lambda n, w, c: _ucb(n, w, c, inside=lambda c, ln, k: c * ln / math.sqrt(k)),
        "for {case} the scores are {right}; yours are {yours}. The logarithm belongs under the "
        "root too: c * sqrt(ln(N) / n), one root over the whole quotient.",
    ),
    Fault(
        "logarithm of the quotient",
        lambda n, w, c: _ucb(n, w, c, inside=lambda c, ln, k: c * math.sqrt(ln - math.log(k))),
        "for {case} the scores are {right}; yours are {yours}. Take the logarithm of the total "
        "first, then divide by the move's visits: ln(N) / n, not ln(N / n).",
    ),
    Fault(
        _BY_ALL,
        lambda n, w, c: _ucb(n, w, c, inside=lambda c, ln, k: c * math.sqrt(ln / sum(n))),
        "for {case} the scores are {right}; yours are {yours}: every move gets the same bonus. "
        "Under the root, divide by the move's *own* visits.",
    ),
    Fault(
        _BY_ALL,
        lambda n, w, c: _ucb(n, w, c, inside=lambda c, ln, k: c * ln / sum(n)),
        "for {case} the scores are {right}; yours are {yours}: every move gets the same bonus. "
        "Divide by the move's *own* visits, and take the root: c * sqrt(ln(N) / n).",
    ),
    Fault(
        "visits outside the root",
        lambda n, w, c: _ucb(n, w, c, inside=lambda c, ln, k: c * math.sqrt(ln) / k),
        "for {case} the scores are {right}; yours are {yours}. Divide by the move's visits "
        "*under* the root; outside, the bonus shrinks too fast and good moves are given up.",
    ),
    Fault(
        "c is ignored",
        lambda n, w, c: _ucb(n, w, 1.0),
        "for {case} the scores are {right}; yours are {yours}, those of c = 1.",
    ),
    Fault(
        "a 2 under the root",
        lambda n, w, c: _ucb(n, w, c * math.sqrt(2)),
        "for {case} the scores are {right}; yours are {yours}. In this course the 2 of the paper's "
        "formula is part of c: c = sqrt(2) there.",
    ),
    Fault(
        "one visit too many",
        lambda n, w, c: _ucb(n, w, c, inside=lambda c, ln, k: c * math.sqrt(ln / (k + 1))),
        "for {case} the scores are {right}; yours are {yours}. UCB1 divides by N; the 1 + N "
        "belongs to PUCT, in a later chapter.",
    ),
)


@explained_for("2.3")
def check_ucb1(call: Call) -> str:
    cases, given = [], []
    for arguments, right in _UCB_CASES:
        n, w, c = arguments
        shown = f"N = {n}, W = {show(w)}, c = {c:g}"
        value, problem = call.attempt(list(n), list(w), c, shown=shown)
        if isinstance(problem, ZeroDivisionError) and 0 in n:
            raise Wrong(
                "unvisited move divides by zero",
                f"On {shown}, move 1 has no visits and your function divides by them. Its score "
                "is infinity: try it before all others.",
            )
        scores = as_list(call.settle(value, problem))
        if scores is None or len(scores) != len(n):
            raise Wrong(
                UNRECOGNISED,
                f"On {shown}, one score a move is asked for; yours is `{show(value)}`.",
            )
        if any(score != score for score in scores):
            raise Wrong(
                "unvisited move is not a number",
                f"On {shown}, your scores are {show(scores)}. 0 / 0 is not a number, and every "
                "comparison with it is false. Give unvisited moves infinity.",
            )
        cases.append(Case(shown, arguments, right))
        given.append([math.inf if score > 1e6 else round(score, 4) for score in scores])
    rounded = [
        Fault(f.name, lambda *a, give=f.give: [round(x, 4) for x in give(*a)], f.message)
        for f in _UCB_FAULTS
    ]
    compare(cases, given, rounded, tolerance=2e-4)
    return "Mean plus bonus: the less a move has been tried, the more benefit of the doubt."


EXERCISES = (
    Exercise(
        id="2.3",
        title="UCB1",
        minutes=8,
        difficulty=1,
        function="ucb1(visit_counts, value_sum, c)",
        check=check_ucb1,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _UCB_FAULTS),
            "unvisited move divides by zero",
            "unvisited move is not a number",
        ),
        hints=(
            "A score is what you have seen (the mean) plus what you may have missed (the bonus). "
            "The bonus is large for moves tried seldom.",
            "W / N + c * sqrt(ln(total) / N), with total = sum(visit_counts); infinity where "
            "N is 0.",
            "In near-code:\n\n"
            "    log_total = math.log(sum of all visits)\n"
            "    for each move: inf if n == 0 else w / n + c * sqrt(log_total / n)",
        ),
    ),
)
