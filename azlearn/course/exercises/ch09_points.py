"""Chapter 9, the score of the other convention (9.3): points from 0 to 1, W at the child.

The scores were worked out by hand. Then the reader's score runs in whole searches, beside the one
in [-1, 1]: both must visit the same moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, as_list, compare, same, show
from azlearn.course.sections import explained_for
from azlearn.course.your_puct import C, puct_consequence, record_puct
from azlearn.search import Node, Recording

# n_parent, w, n, prior, c, fpu; the score in points by hand: (Q + U + 1) / 2.
_CHILDREN = (
    (16, 3.0, 5, 0.3, 1.0, 0.0, 0.3),  # Q = -0.6, U = 0.3 · 4 / 6 = 0.2
    (16, -4.0, 10, 0.11, 1.0, 0.0, 0.72),  # Q = 0.4, U = 0.11 · 4 / 11 = 0.04
    (16, 0.0, 0, 0.25, 1.0, 0.0, 1.0),  # drawn until tried: 0 + 1
    (16, 0.0, 0, 0.25, 1.0, -1.0, 0.5),  # lost until tried: -1 + 1
    (9, 0.0, 0, 0.2, 2.0, 0.5, 1.35),  # 0.5 + 2 · 0.2 · 3
    (9, 9.0, 9, 0.5, 2.0, -1.0, 0.15),  # Q = -1, U = 2 · 0.5 · 3 / 10 = 0.3
)


def _points(
    q: Callable[[float, int], float] = lambda w, n: 1 - (w / n + 1) / 2,
    first: Callable[[float], float] = lambda fpu: (fpu + 1) / 2,
    scale: float = 0.5,
) -> Callable[..., float]:
    """A score with another q(w, n), another Q for the first play, another share of c."""

    def give(n_parent, w, n, prior, c: float, fpu: float) -> float:
        bonus = scale * c * prior * math.sqrt(n_parent) / (1 + n)
        return (q(w, n) if n else first(fpu)) + bonus

    return give


_GOT = "for {case}, the score is {right}; yours is {yours}. "
_POINT_FAULTS = (
    Fault(
        "unvisited means lost, whatever fpu says",
        _points(first=lambda fpu: 0.0),
        _GOT
        + "In points 0 is a loss. A move without visits is worth `fpu`, and fpu = 0, a draw, is "
        "half a point.",
    ),
    Fault(
        "unvisited means drawn, whatever fpu says",
        _points(first=lambda fpu: 0.5),
        _GOT + "Half a point is fpu = 0. Turn the `fpu` that is given into points.",
    ),
    Fault(
        "fpu not turned into points",
        _points(first=lambda fpu: fpu),
        _GOT + "`fpu` is given on the scale from -1 to 1, like W: (fpu + 1) / 2.",
    ),
    Fault(
        "fpu taken for the other player's",
        _points(first=lambda fpu: (1 - fpu) / 2),
        _GOT + "W is in the child's view, but `fpu` is in the view of the player who chooses.",
    ),
    Fault(
        "the child's view of Q",
        _points(q=lambda w, n: (w / n + 1) / 2),
        _GOT + "Those are the child's points. The player who chooses gets what is left of the one "
        "point.",
    ),
    Fault(
        "c not halved",
        _points(scale=1.0),
        _GOT
        + "The scale from 0 to 1 is half as long as the one from -1 to 1. A c that is not halved "
        "explores twice as much.",
    ),
    Fault(
        "still in [-1, 1]",
        _points(q=lambda w, n: -w / n, first=lambda fpu: fpu, scale=1.0),
        _GOT + "That is our score. In points it is (score + 1) / 2.",
    ),
    Fault(
        "turned over, but not into points",
        _points(q=lambda w, n: 1 - w / n),
        _GOT + "1 - x turns *points* over. W / N is still in [-1, 1]: (W / N + 1) / 2 first.",
    ),
    Fault(
        "negated instead of 1 - q",
        _points(q=lambda w, n: -(w / n + 1) / 2),
        _GOT + "Points never go below 0: the other player gets 1 - q.",
    ),
    Fault(
        "halved but not shifted",
        _points(q=lambda w, n: -w / n / 2, first=lambda fpu: fpu / 2),
        _GOT + "Halving [-1, 1] gives [-1/2, 1/2]; points start at 0.",
    ),
)


@explained_for("9.3")
def check_points(call: Call) -> str:
    cases, given = [], []
    for *arguments, right in _CHILDREN:
        n_parent, w, n, prior, c, fpu = arguments
        shown = f"n_parent = {n_parent}, w = {w:g}, n = {n}, prior = {prior:g}, c = {c:g}, fpu = {fpu:g}"
        value, problem = call.attempt(*arguments, shown=shown)
        if isinstance(problem, ZeroDivisionError) and not n:
            raise Wrong(
                "unvisited move divides by zero",
                f"For {shown}, your function divides by n = 0. A child without visits has no mean: "
                "`fpu` stands in for it.",
            )
        value = call.settle(value, problem)
        if as_list(value) is not None:
            raise Wrong(
                UNRECOGNISED, f"For {shown}, one number is asked for; you gave {show(value)}."
            )
        given.append(value)
        cases.append(Case(shown, tuple(arguments), right))
    compare(cases, given, _POINT_FAULTS, tolerance=1e-5)
    _same_search(call)
    return (
        "Half as long a scale, turned over at the child: every choice of the search below is that of "
        "the search in [-1, 1]."
    )


def _in_values(node: Node, fpu: float) -> list[float]:
    """Our score with the node's own visit under the root, as the other convention has it."""
    scale = C * math.sqrt(1 + node.num_visits)
    moves = zip(node.visit_counts, node.value_sum, node.prior, strict=True)
    return [(w / n if n else fpu) + scale * p / (1 + n) for n, w, p in moves]


@cache
def _in_the_usual_scale(fpu: float) -> Recording:
    return record_puct(scores=lambda node: _in_values(node, fpu))


def _in_points(call: Call, node: Node, fpu: float) -> list[float]:
    parent = 1 + node.num_visits
    moves = zip(node.visit_counts, node.value_sum, node.prior, strict=True)
    return [float(call.quietly(parent, -w, n, p, C, fpu)) for n, w, p in moves]


def _same_search(call: Call) -> None:
    """Both scores in a whole search, for three values of fpu."""
    for fpu in (0.0, -1.0, 0.5):
        call.about(f"a search of 200 simulations, fpu = {fpu:g}")
        ours = _in_the_usual_scale(fpu).tree.root
        yours = record_puct(scores=lambda node, fpu=fpu: _in_points(call, node, fpu)).tree.root
        if not same(ours.visit_counts, yours.visit_counts):
            raise Wrong(
                UNRECOGNISED,
                f"In {call.shown}, your score visits other moves than the one in [-1, 1].",
                [("root N", ours.visit_counts, yours.visit_counts)],
            )


def explore_points(call: Call, diagnosis: str):
    return record_puct(scores=lambda node: _in_points(call, node, 0.0))


def _consequence(found: Recording) -> str:
    return puct_consequence(found, _in_the_usual_scale(0.0).tree.root)


EXERCISES = (
    Exercise(
        id="9.3",
        title="The other convention: points, and what unvisited means",
        minutes=12,
        difficulty=2,
        function="score_in_points(n_parent, w, n, prior, c, fpu)",
        check=check_points,
        explore=explore_points,
        remark=_consequence,
        diagnoses=(*(fault.name for fault in _POINT_FAULTS), "unvisited move divides by zero"),
        hints=(
            "Write our score first: Q = -w / n for the player who chooses, `fpu` without visits, plus "
            "the bonus. Then put the whole of it on the other scale.",
            "score₀₁ = (score + 1) / 2. For a visited child Q becomes 1 - (w / n + 1) / 2, without "
            "visits it is (fpu + 1) / 2, and the bonus is halved.",
            "In near-code:\n\n"
            "    q = 1 - (w / n + 1) / 2 if n is not 0, otherwise (fpu + 1) / 2\n"
            "    return q + (c / 2) * prior * sqrt(n_parent) / (1 + n)",
        ),
    ),
)
