"""The solver as a ruler (11.6): how often a policy keeps the value, by tactic.

The positions are small rows of scores, made by hand; which move keeps what is read off.
"""

import copy

import numpy as np

from azlearn.arena import Position
from azlearn.course.kit import CHANGED, Case, numbers, show

# tactic, the scores of the moves (None = illegal), the policy
ROWS = (
    ("win1", (5, 1, -2, 0), (0.1, 0.6, 0.2, 0.1)),  # a slower win is a win
    ("win1", (9, -3, -3, 2), (0.7, 0.1, 0.1, 0.1)),
    ("block1", (-1, 0, -4, -4), (0.2, 0.5, 0.2, 0.1)),  # holds the draw
    ("block1", (None, -6, 0, -3), (0.5, 0.1, 0.3, 0.1)),  # its favorite is illegal
    ("quiet", (0, 3, None, -1), (0.6, 0.2, 0.1, 0.1)),  # no: a win given away for a draw
    ("quiet", (0, -2, -2, 0), (0.1, 0.1, 0.1, 0.7)),
    ("quiet", (-5, None, 4, 1), (0.2, 0.5, 0.0, 0.3)),
    ("quiet", (2, None, -2, 0), (0.1, 0.0, 0.5, 0.4)),  # no
    ("quiet", (-1, 0, 0, -1), (0.4, 0.3, 0.2, 0.1)),  # no
    ("quiet", (None, 0, -3, -7), (0.5, 0.4, 0.1, 0.0)),  # illegal again
)
TACTICS = "win1", "block1", "quiet", "far away"


def case(words: str, rows, *rates: float) -> Case:
    """Each row as a ``Position``: what a solver would say, without a board."""
    positions = []
    for tactic, scores, _ in rows:
        best = max(score for score in scores if score is not None)
        positions.append(Position("", 0, (best > 0) - (best < 0), scores, tactic, "made"))
    right = dict(zip(("all", *TACTICS), rates, strict=False)) or None
    return Case(words, (positions, [list(policy) for *_, policy in rows]), right)


CASES = [
    case("the ten positions", ROWS, 7 / 10, 2 / 2, 2 / 2, 3 / 6),
    case("the first three of them", ROWS[:3], 3 / 3, 2 / 2, 1 / 1),
    case("three with illegal moves that nobody likes best", [*ROWS[4:6], ROWS[7]], 1 / 3),
]


def draw(rng):
    """One position or more; equal shares, shares of 0, illegal favorites, lost positions."""
    rows, num_actions = [], int(rng.integers(1, 6))
    for _ in range(rng.integers(1, 7)):
        scores = [
            None if rng.random() < 0.3 else int(rng.integers(-3, 4)) for _ in range(num_actions)
        ]
        scores[rng.integers(num_actions)] = int(rng.integers(-1, 2))
        policy = rng.multinomial(4, rng.dirichlet(np.full(num_actions, 0.7))) / 4
        rows.append((str(rng.choice(TACTICS)), tuple(scores), tuple(policy.tolist())))
    return case("; ".join(f"{tactic} {show(s)} {show(p)}" for tactic, s, p in rows), rows)


def observe(keep_rates, case):
    positions, policies = case.arguments
    given = copy.deepcopy(policies)
    rates = keep_rates(list(positions), given)
    if not isinstance(rates, dict):
        return {"the names": f"{show(rates):.80}"}
    seen = {str(name): numbers(rate) for name, rate in rates.items()}
    return {"the names": f"{', '.join(sorted(seen)):.80}", **seen, CHANGED: given != policies}
