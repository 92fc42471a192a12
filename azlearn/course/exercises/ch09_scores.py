"""Chapter 9, the PUCT score (9.2), worked out by hand beside each case."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, show
from azlearn.course.sections import explained_for
from azlearn.course.three_moves import LEGAL, TIC_TAC_TOE, node_with
from azlearn.course.your_puct import C, puct_consequence, record_puct
from azlearn.search import Node

# N, W, P, c on the actions 2, 6, 8; the scores of the three by hand.
_NODES = (
    ((3, 1, 0), (1.5, -1, 0), (0.5, 0.3, 0.2), 2.0, (1.0, -0.4, 0.8)),
    ((10, 5, 1), (4, -1, 0), (0.1, 0.3, 0.6), 1.0, (0.436364, 0.0, 1.2)),
    ((10, 5, 1), (4, -1, 0), (0.1, 0.3, 0.6), 0.5, (0.418182, -0.1, 0.6)),
    ((9, 0, 0), (-9, 0, 0), (0.7, 0.2, 0.1), 1.0, (-0.79, 0.6, 0.3)),
    ((0, 0, 0), (0, 0, 0), (0.2, 0.7, 0.1), 1.5, (0.3, 1.05, 0.15)),
)


def _node(visits: Sequence[int], sums: Sequence[float], prior: Sequence[float]) -> Node:
    node = node_with(visits, sums)
    node.prior, node.raw_value = [0.0] * TIC_TAC_TOE.num_actions, 0.25
    for action, p in zip(LEGAL, prior, strict=True):
        node.prior[action] = p
    return node


def _right_bonus(n: int, p: float, total: int, c: float) -> float:
    return c * p * math.sqrt(max(total, 1)) / (1 + n)


def _mean(w: float, n: int) -> float:
    return w / n if n else 0.0


def _fault(
    name: str,
    message: str,
    bonus: Callable[..., float] = _right_bonus,
    mean: Callable[..., float] = _mean,
) -> Fault:
    """A score whose bonus(n, p, total, c), or whose mean(w, n), is another."""

    def give(visits, sums, prior, c: float) -> list[float]:
        total = sum(visits)
        moves = zip(visits, sums, prior, strict=True)
        return [mean(w, n) + bonus(n, p, total, c) for n, w, p in moves]

    return Fault(name, give, f"at {{case}}, the scores of 2, 6, 8 are {{right}}; yours are "
                 f"{{yours}}. {message}")  # fmt: skip


_SCORE_FAULTS = (
    _fault(
        "√0 at the root",
        "Before the first visit ΣN is 0, so is its root, and the prior counts for nothing: the first "
        "legal move is tried, whatever the network says. Take 1 where ΣN is 0.",
        lambda n, p, total, c: c * p * math.sqrt(total) / (1 + n),
    ),
    _fault(
        "one visit too many under the root",
        "Those are the scores with √(1 + ΣN). Some programs count the node's own evaluation like "
        "that; here the sum runs over the moves of the node.",
        lambda n, p, total, c: c * p * math.sqrt(1 + total) / (1 + n),
    ),
    _fault(
        "1 + N forgotten",
        "Divide by 1 + N: without the 1 a move that was never tried is divided by 0, or the first "
        "visit costs it nothing.",
        lambda n, p, total, c: c * p * math.sqrt(max(total, 1)) / max(n, 1),
    ),
    _fault(
        "1 + N forgotten",
        "Divide by 1 + N: without the 1 a move that was never tried scores infinity, and the prior "
        "does not decide any more who is tried.",
        lambda n, p, total, c: c * p * math.sqrt(max(total, 1)) / n if n else math.inf,
    ),
    _fault(
        "ΣN below the line",
        "Below the line stands 1 + N of the move itself, not of all of them: a move that is left "
        "alone would otherwise never gain on the others.",
        lambda n, p, total, c: c * p * math.sqrt(max(total, 1)) / (1 + total),
    ),
    _fault(
        "the move's own N under the root",
        "Under the root stands ΣN, the visits of all moves of the node.",
        lambda n, p, total, c: c * p * math.sqrt(n) / (1 + n),
    ),
    _fault(
        "the root around the whole fraction",
        "Only ΣN stands under the root; 1 + N divides what comes out of it.",
        lambda n, p, total, c: c * p * math.sqrt(max(total, 1) / (1 + n)),
    ),
    _fault(
        "ΣN without its root",
        "Those are the scores with ΣN where √ΣN is wanted: the bonus would outgrow every Q.",
        lambda n, p, total, c: c * p * max(total, 1) / (1 + n),
    ),
    _fault(
        "a logarithm under the root",
        "That is UCT's ln ΣN. PUCT has √ΣN.",
        lambda n, p, total, c: c * p * math.sqrt(math.log(max(total, 1))) / (1 + n),
    ),
    _fault(
        "the prior is not used",
        "`node.prior[a]` is missing in the bonus.",
        lambda n, p, total, c: c * math.sqrt(max(total, 1)) / (1 + n),
    ),
    _fault("no exploration", "Only W / N is left.", lambda n, p, total, c: 0.0),
    _fault(
        "exploration only",
        "The mean W / N must count too.",
        mean=lambda w, n: 0.0,
    ),
    _fault(
        "opponent's view of Q",
        "W on an edge is in the view of the player who moves here: no minus sign when selecting.",
        mean=lambda w, n: -_mean(w, n),
    ),
    _fault("sum instead of mean", "Divide W by N.", mean=lambda w, n: w),
    _fault(
        "W divided by 1 + N",
        "The 1 belongs to the bonus; Q is W / N.",
        mean=lambda w, n: w / (1 + n),
    ),
    _fault(
        "c is ignored",
        "Those are the scores of c = 1.",
        lambda n, p, total, c: _right_bonus(n, p, total, 1.0),
    ),
    _fault(
        "unvisited move scores infinity",
        "That is UCT's habit. Here a move without visits has Q = 0, and its prior decides whether it "
        "is tried at all.",
        mean=lambda w, n: w / n if n else math.inf,
    ),
    _fault(
        "the node's own value for a move without visits",
        "Some programs do that (`fpu`, section 6). Here Q of a move without visits is 0.",
        mean=lambda w, n: w / n if n else 0.25,
    ),
)


@explained_for("9.2")
def check_scores(call: Call) -> str:
    cases, given = [], []
    for visits, sums, prior, c, right in _NODES:
        shown = _in_words(visits, sums, prior, c)
        value, problem = call.attempt(_node(visits, sums, prior), c, shown=shown)
        if isinstance(problem, ZeroDivisionError):
            raise Wrong(
                "a move without visits divides by zero",
                f"At {shown}, your function divides by the N of a move that has none (illegal ones "
                "have none either). Its Q is 0, and its bonus is divided by 1 + N.",
            )
        given.append(_of_legal(call.settle(value, problem), shown))
        cases.append(Case(shown, (visits, sums, prior, c), right))
    compare(cases, given, _SCORE_FAULTS, tolerance=1e-5)
    return "The mean as the mover sees it, plus a bonus that the prior hands out and every visit shares."


def _in_words(visits, sums, prior, c: float) -> str:
    numbers = [show(list(map(float, x))) for x in (visits, sums, prior)]
    return (
        f"moves {list(LEGAL)} with N = {numbers[0]}, W = {numbers[1]}, P = {numbers[2]}, c = {c:g}"
    )


def _of_legal(value: Any, shown: str) -> list[Any]:
    scores = as_list(value)
    if scores is None or len(scores) != TIC_TAC_TOE.num_actions:
        raise Wrong(
            "not one score an action",
            f"At {shown}, a list of {TIC_TAC_TOE.num_actions} scores is asked for, one an action, "
            f"legal or not; you gave {show(value):.80}.",
        )
    return [scores[action] for action in LEGAL]


def explore_scores(call: Call, diagnosis: str):
    return record_puct(scores=lambda node: call.quietly(node, C))


EXERCISES = (
    Exercise(
        id="9.2",
        title="PUCT scores",
        minutes=10,
        difficulty=2,
        function="puct_scores(node, c)",
        check=check_scores,
        explore=explore_scores,
        remark=puct_consequence,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _SCORE_FAULTS),
            "a move without visits divides by zero",
            "not one score an action",
        ),
        hints=(
            "Two terms, as in UCT. In the second the prior replaces the logarithm: it hands out the "
            "bonus, and each visit to a move divides that move's share. What if nothing was visited?",
            "`q + c * prior * sqrt(total) / (1 + n)` with `total = sum(node.visit_counts) or 1`, and "
            "q = 0 where n is 0.",
            "In near-code:\n\n"
            "    total = sum of all visits of the node, or 1 if there are none\n"
            "    for every action, with its n, w and p:\n"
            "        q = w / n, or 0 if n is 0\n"
            "        score = q + c * p * sqrt(total) / (1 + n)",
        ),
    ),
)
