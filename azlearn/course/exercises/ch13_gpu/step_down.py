"""A descent step as look-ups (13.4). The scores are worked out by hand, one game at a time."""

from typing import Any

import numpy as np

from azlearn.course.comparing import show
from azlearn.course.exercises.ch13_gpu.watched import LOOPS, WAITS, loops, watched
from azlearn.course.marking import CHANGED, Case, Seen, exercise
from azlearn.course.numbers import numbers, shape

ALL, EVEN = [1, 1, 1, 1], [0.25] * 4
ROOT = ([9, 0, 0, 0], [9.0, 0, 0, 0], [1.0, 0, 0, 0], ALL, [1, 0, 0, 0])
OTHER = ([0, 4, 0, 0], [0, 4.0, 0, 0], EVEN, ALL, [0, 0, 0, 0])

# Each game: the row to go on from, three rows of (N, W, P, legal, child); then (action, next).
GAMES = (
    # √4 = 2. Scores 0.5 + 2·0.4/4 = 0.7; 0 + 2·0.3 = 0.6; -1 + 2·0.2/2 = -0.8; 0 + 2·0.1 = 0.2.
    (1, (ROOT, ([3, 0, 1, 0], [1.5, 0, -1.0, 0], [0.4, 0.3, 0.2, 0.1], ALL, [2, 0, 0, 0]), OTHER), (0, 2)),
    # √9 = 3; only 0 and 2 are legal: -0.75 + 3·0.5/5 = -0.45; -0.9 + 3·0.5/6 = -0.65.
    (2, (ROOT, OTHER, ([4, 0, 5, 0], [-3.0, 0, -4.5, 0], [0.5, 0, 0.5, 0], [1, 0, 1, 0], [0, 0, 1, 0])), (0, 2)),
    # No visits yet: the root of the sum counts as 1, and the priors decide.
    (2, (ROOT, OTHER, ([0] * 4, [0.0] * 4, [0.1, 0.2, 0.6, 0.1], ALL, [0] * 4)), (2, 2)),
    # √16 = 4: 0.2 + 4·0.25/11 = 0.29; 0 + 4·0.25/4 = 0.25; 0.5 + 4·0.25/4 = 0.75; 0 + 1 = 1.
    (0, (([10, 3, 3, 0], [2.0, 0, 1.5, 0], EVEN, ALL, [1, 2, 0, 0]), OTHER, OTHER), (3, 0)),
    # √4 = 2: 0 + 2·0.5/5 = 0.2; 1 is not legal; 0 + 2·0.25 = 0.5 … twice: the first of equals.
    (1, (ROOT, ([4, 0, 0, 0], [0.0, 0, 0, 0], [0.5, 0, 0.25, 0.25], [1, 0, 1, 1], [2, 0, 0, 0]), OTHER), (2, 1)),
    # √1 = 1: -1 + 1·0.7/2 = -0.65; 0 + 1·0.3 = 0.3. Behind the second lies row 2.
    (0, (([1, 0, 0, 0], [-1.0, 0, 0, 0], [0.7, 0.3, 0, 0], [1, 1, 0, 0], [1, 2, 0, 0]), OTHER, OTHER), (1, 2)),
)  # fmt: skip


def at(*games: int) -> Case:
    nodes = [GAMES[i][0] for i in games]
    tables = [[[row[k] for row in GAMES[i][1]] for i in games] for k in range(5)]
    right = {
        key: show([GAMES[i][2][j] for i in games]) for j, key in enumerate(("actions", "next"))
    }
    rows = nodes if len(games) < 9 else f"{nodes[:6]} and so on"
    return Case(f"{len(games)} games at rows {rows}", (nodes, *map(np.array, tables)), right)


CASES = [at(0, 1, 2), at(3, 4, 5, 1), at(2), at(*range(6), *[*range(6)] * 7)]


def draw(rng: np.random.Generator) -> Case:
    """One game or more; one move; equal moves; all moves bad; a prior of 0; no visits; no child."""
    size = num_games, num_nodes, num_actions = rng.integers((1, 2, 1), (rng.choice([2, 20]), 5, 7))
    legal = rng.random(size) < rng.choice([0.5, 1])
    legal[..., rng.integers(num_actions)] = True
    visits = legal * rng.integers(rng.choice([1, 2, 4, 30]), size=size)
    value_sum = visits * rng.uniform(-1, rng.choice([-0.9, 1]), size=size)
    prior = legal * (rng.random(size) * (rng.random(size) < 0.8) + 1e-9)
    prior /= prior.sum(-1, keepdims=True)
    prior[prior < 1e-6] = 0
    tables = visits, value_sum, prior, legal
    for table in tables:  # the last move is like the first
        table[..., -1] = table[..., 0]
    legal[..., 0] = legal[..., -1] = legal[..., 0] | ~legal.any(-1)
    child = np.maximum(0, rng.integers(-2, num_nodes, size=size)) * (visits > 0)
    nodes = rng.integers(num_nodes, size=num_games).tolist()
    here = [show((1.0 * table[range(num_games), nodes]).round(2)) for table in tables]
    words = "games at rows {}, N {}, W {}, P {}, legal {}".format(nodes, *here)
    return Case(f"{words:.500}", (nodes, *tables, child))


def observe(step_down: Any, case: Case) -> Seen:
    import torch

    nodes = case.arguments[0]
    types = torch.int64, torch.int64, torch.float64, torch.float64, torch.bool, torch.int64
    given = [torch.tensor(x, dtype=t) for x, t in zip(case.arguments, types, strict=True)]
    copies = [one.clone() for one in given]
    value, waits, num_calls = watched(step_down, *given)
    pair = [numbers(part) for part in value] if isinstance(value, (tuple, list)) else []
    shapes = [list(shape(part)) for part in pair]
    if shapes != [[len(nodes)]] * 2:
        return {"shapes": show(shapes) if shapes else f"{show(value):.80}"}
    seen = {"shapes": show(shapes), "actions": show(pair[0]), "next": show(pair[1])}
    if len(nodes) > 9:
        one = watched(step_down, *(copy[:1].clone() for copy in copies))
        seen[LOOPS] = loops(num_calls, one[2])
    seen[WAITS] = waits
    return seen | {CHANGED: numbers(given) != numbers(copies)}


EXERCISE = exercise(__file__, CASES, observe, draw=draw)
