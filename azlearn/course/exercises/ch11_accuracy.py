"""Chapter 11, the solver as a ruler (11.6): how often a policy keeps the value, by tactic.

The positions are small rows of scores, made by hand; which move keeps what is read off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from azlearn.arena import Position
from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, show
from azlearn.course.sections import explained_for

# tactic, the scores of the moves (None = illegal), the policy; whether its best legal move keeps
_ROWS = (
    ("win1", (5, 1, -2, 0), (0.1, 0.6, 0.2, 0.1), True),  # a slower win is a win
    ("win1", (9, -3, -3, 2), (0.7, 0.1, 0.1, 0.1), True),
    ("block1", (-1, 0, -4, -4), (0.2, 0.5, 0.2, 0.1), True),  # holds the draw
    ("block1", (None, -6, 0, -3), (0.5, 0.1, 0.3, 0.1), True),  # its favourite is illegal
    ("quiet", (0, 3, None, -1), (0.6, 0.2, 0.1, 0.1), False),  # a win given away for a draw
    ("quiet", (0, -2, -2, 0), (0.1, 0.1, 0.1, 0.7), True),
    ("quiet", (-5, None, 4, 1), (0.2, 0.5, 0.0, 0.3), True),
    ("quiet", (2, None, -2, 0), (0.1, 0.0, 0.5, 0.4), False),
    ("quiet", (-1, 0, 0, -1), (0.4, 0.3, 0.2, 0.1), False),
    ("quiet", (None, 0, -3, -7), (0.5, 0.4, 0.1, 0.0), True),  # illegal again
)
TACTICS = ("win1", "block1", "quiet")

Positions = Sequence[Position]


def positions(rows: Sequence[tuple] = _ROWS) -> list[Position]:
    """One `Position` a row: what a solver would say, without a board."""
    best = [max(score for score in scores if score is not None) for _, scores, *_ in rows]
    return [
        Position("", 0, _sign(top), scores, tactic, "made")
        for top, (tactic, scores, *_) in zip(best, rows, strict=True)
    ]


def _cases() -> list[Case]:
    parts = (("the ten positions", _ROWS), ("the first four of them", _ROWS[:4]))
    return [
        Case(words, (positions(rows), [list(row[2]) for row in rows]), _rates(rows))
        for words, rows in parts
    ]


def _rates(rows: Sequence[tuple]) -> list[float | None]:
    """Overall and by tactic, from the last column; None where there is no such position."""
    parts = [list(rows), *([row for row in rows if row[0] == tactic] for tactic in TACTICS)]
    return [sum(row[3] for row in part) / len(part) if part else None for part in parts]


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)


def _best_legal(position: Position, policy: Sequence[float]) -> int:
    return max(position.legal_actions, key=lambda action: policy[action])


def _best_of_all(position: Position, policy: Sequence[float]) -> int:
    return int(np.argmax(policy))


def _first_legal_index(position: Position, policy: Sequence[float]) -> int:
    return int(np.argmax([policy[action] for action in position.legal_actions]))


def _keeps(position: Position, action: int) -> bool:
    return position.scores[action] is not None and position.keeps_value(action)


def _none_is_a_draw(position: Position, action: int) -> bool:
    scores = [score or 0 for score in position.scores]
    return _sign(scores[action]) == _sign(max(scores))


def _fault(
    name: str,
    message: str,
    choose: Callable[[Position, Sequence[float]], int] = _best_legal,
    keeps: Callable[[Position, int], float] = _keeps,
    rate: Callable[[list[float]], float] = lambda kept: sum(kept) / len(kept),
    mean_of_rates: bool = False,
) -> Fault:
    def give(positions: Positions, policies: Sequence[Sequence[float]]) -> list[float | None]:
        pairs = list(zip(positions, policies, strict=True))
        each = [float(keeps(position, choose(position, policy))) for position, policy in pairs]
        parts = []
        for tactic in TACTICS:
            part = [k for k, p in zip(each, positions, strict=True) if p.tactic == tactic]
            parts.append(rate(part) if part else None)
        rates = [part for part in parts if part is not None]
        return [sum(rates) / len(rates) if mean_of_rates else rate(each), *parts]

    text = "for {case}, the rates are {right}; yours are {yours}. " + message
    return Fault(name, give, text)


def _points(position: Position, action: int) -> float:
    score = position.scores[action]
    return 0.0 if score is None else (1 + _sign(score)) / 2


_FAULTS = (
    _fault(
        "the best of all moves, not of the legal ones",
        "Where the policy's favourite is illegal, the player would play the best legal move. Its score "
        "is None: leave those out before you look for the largest.",
        choose=_best_of_all,
    ),
    _fault(
        "an illegal move is scored as a draw",
        "None is no score. It means that the move does not exist.",
        choose=_best_of_all,
        keeps=_none_is_a_draw,
    ),
    _fault(
        "a place among the legal moves taken for an action",
        "The third legal move need not be action 2: some columns are missing from that list.",
        choose=_first_legal_index,
    ),
    _fault(
        "only the best score counts",
        "That is the *optimal-score* rate: the fastest win. A slower win keeps the value as well: "
        "compare signs.",
        keeps=lambda p, action: p.scores[action] is not None and p.is_optimal(action),
    ),
    _fault(
        "only wins count",
        "Where the best that can be had is a draw, a draw keeps the value: its score is 0.",
        keeps=lambda p, action: (p.scores[action] or 0) > 0,
    ),
    _fault(
        "not losing is enough",
        "A draw in a won position gives the win away. Compare with the sign of the best score.",
        keeps=lambda p, action: p.scores[action] is not None and p.scores[action] >= 0,
    ),
    _fault(
        "a draw counts half",
        "This is no match: the value is kept or it is not.",
        keeps=_points,
    ),
    _fault(
        "a mean of rates",
        "Two positions of one kind would weigh as much as six of another. Count all positions: kept / "
        "number.",
        mean_of_rates=True,
    ),
    _fault(
        "counts instead of rates",
        "Divide by the number of positions.",
        rate=sum,
    ),
)


@explained_for("11.6")
def check_accuracy(call: Call) -> str:
    given = [_listed(call(*case.arguments, shown=case.shown), case) for case in _cases()]
    compare(_cases(), given, _FAULTS, form=_form)
    return (
        "The best legal move, held against the sign of the best score, each position counted once."
    )


def _listed(value: Any, case: Case) -> list[float | None]:
    names = {"all", *(position.tactic for position in case.arguments[0])}
    if not isinstance(value, dict) or set(value) != names:
        found = sorted(map(str, value)) if isinstance(value, dict) else show(value)
        raise Wrong(
            "not a rate for all and for each tactic",
            f"For {case.shown}, give a dictionary with the keys {', '.join(sorted(names))}. You gave "
            f"{found!s:.80}.",
        )
    return [value.get(name) for name in ("all", *TACTICS)]


def _form(rates: Sequence[float | None]) -> str:
    named = zip(("all", *TACTICS), rates, strict=True)
    return ", ".join(f"{name} {rate:.3g}" for name, rate in named if rate is not None)


EXERCISES = (
    Exercise(
        id="11.6",
        title="How often is the value kept?",
        minutes=12,
        difficulty=2,
        function="keep_rates(positions, policies)",
        check=check_accuracy,
        diagnoses=(
            *(fault.name for fault in _FAULTS),
            "not a rate for all and for each tactic",
        ),
        hints=(
            "Three steps: the move that the policy would play, whether it keeps the value, and the "
            "counting. Illegal moves have the score None.",
            "`max(position.legal_actions, key=policy.__getitem__)` is the move. Signs: a win stays a "
            "win, a draw a draw. `position.best_score` is the best score of a legal move.",
            "In near-code:\n\n"
            "    kept = a dictionary of lists\n"
            "    for every position and its policy:\n"
            "        action = the legal action with the largest share\n"
            "        keeps = the sign of its score is the sign of position.best_score\n"
            '        append keeps to kept["all"] and to kept[position.tactic]\n'
            "    return the mean of every list",
        ),
    ),
)
