"""A move without a question (13.2): the function runs under the guard. Moves are worked out by hand."""

from typing import Any

import numpy as np

from azlearn.course.comparing import show
from azlearn.course.exercises.ch13_gpu.watched import LOOPS, WAITS, loops, watched
from azlearn.course.marking import CHANGED, Case, Seen, exercise
from azlearn.course.numbers import numbers

# Each game: visits, ply, u; with two temperature plies. Then the move.
GAMES = (
    ([2, 0, 5, 3], 0, 0.1, 0),  # 0.1 · 10 = 1; the sums are 2, 2, 7, 10: the first is above
    ([2, 0, 5, 3], 1, 0.2, 2),  # 2: the first sum is not above 2, nor is the second
    ([2, 0, 5, 3], 2, 0.1, 2),  # ply 2 comes after the two: the most visited
    ([2, 0, 5, 3], 1, 0.95, 3),  # 9.5
    ([4, 4, 0, 0], 7, 0.9, 0),  # of equals the first
    ([0, 0, 0, 9], 0, 0.01, 3),  # 0.09: sums 0, 0, 0, 9
)


def at(*games: int) -> Case:
    visits, ply, u, moves = zip(*(GAMES[i] for i in games), strict=True)
    shown = visits if len(games) < 9 else f"{[*visits[:2]]} and so on"
    words = f"visits {show(shown)}, plies {show(ply[:8])}, u {show(u[:8])}, 2 temperature plies"
    right = {"how many moves": len(games), "": show(list(moves))}
    return Case(words, (np.array(visits), np.array(ply), np.array(u), 2), right)


CASES = [at(0, 1, 2), at(3, 4, 5), at(2), at(*[*range(6)] * 8)]


def draw(rng: np.random.Generator) -> Case:
    """One game or more, one move or seven; ties, moves without visits; all early, all late."""
    size = num_games, num_moves = int(rng.integers(1, 6)), int(rng.integers(1, 8))
    visits = rng.integers(rng.choice([2, 4, 30]), size=size)
    visits[np.arange(num_games), rng.integers(num_moves, size=num_games)] += 1
    ply = rng.integers(rng.choice([1, 6, 40]), size=num_games)
    u = rng.choice([rng.random(), 0.25, 0.5, 0.75], size=num_games)
    plies = int(rng.integers(6))
    parts = [show(part.round(3)) for part in (visits, ply, u)]
    words = "visits {}, plies {}, u {}, {} temperature plies".format(*parts, plies)
    return Case(words, (visits, ply, u, plies))


def observe(choose: Any, case: Case) -> Seen:
    import torch

    *tables, plies = case.arguments
    given = [torch.from_numpy(table.copy()) for table in tables]
    copies = [one.clone() for one in given]
    value, waits, num_calls = watched(choose, *given, plies)
    found = numbers(value)
    seen = {
        "how many moves": len(found) if isinstance(found, list) else show(found),
        "": show(found),
    }
    if len(tables[0]) > 9:
        one = watched(choose, *(copy[:1].clone() for copy in copies), plies)
        seen[LOOPS] = loops(num_calls, one[2])
    return seen | {WAITS: waits, CHANGED: numbers(given) != numbers(copies)}


EXERCISE = exercise(__file__, CASES, observe, draw=draw)
