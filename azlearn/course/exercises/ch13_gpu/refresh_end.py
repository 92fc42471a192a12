"""Where a descent ends (13.5). Ends are worked out by hand, on lines that can be drawn on paper."""

from typing import Any

import numpy as np

from azlearn.course.comparing import show
from azlearn.course.exercises.ch13_gpu.watched import LOOPS, WAITS, loops, watched
from azlearn.course.marking import CHANGED, Case, Seen, exercise
from azlearn.course.numbers import numbers, shape

# Each game: the line, the node behind each one's best move, `end` of nodes 0 to 7; the new ends.
GAMES = (
    # All stay: the last, 7, has nothing behind it; 5 leads to 7, 2 to 5, 0 to 2.
    ([0, 2, 5, 7], [2, 5, 7, 0], [5, 1, 5, 3, 4, 5, 6, 7], [7, 7, 7, 7]),
    # The root now prefers 1, whose descents end at 6. Below, as before.
    ([0, 2, 5, 7], [1, 5, 7, 0], [5, 6, 5, 3, 4, 5, 6, 7], [6, 7, 7, 7]),
    # 2 now prefers a move with no node behind it: a descent ends at 2. The root still leads there.
    ([0, 2, 5, 7], [2, 0, 7, 0], [5, 1, 5, 3, 4, 5, 6, 7], [2, 2, 7, 7]),
    # 5 has turned to 6, which ends at itself; 2 and 0 follow.
    ([0, 2, 5, 7], [2, 5, 6, 0], [5, 1, 5, 3, 4, 5, 6, 7], [6, 6, 6, 7]),
    # A short path, its last node repeated before the new one.
    ([0, 3, 3, 7], [3, 7, 7, 0], [3, 1, 2, 3, 4, 5, 6, 7], [7, 7, 7, 7]),
    # The root turns to 4, from where descents go on to 6; 3 has nothing behind its best move.
    ([0, 3, 3, 7], [4, 0, 0, 0], [3, 1, 2, 3, 6, 5, 6, 7], [6, 3, 3, 7]),
)  # fmt: skip


def at(*games: int) -> Case:
    line, behind, end, right = (
        np.array(part) for part in zip(*(GAMES[i] for i in games), strict=True)
    )
    return Case(worded(line, behind, end), (line, behind, end), {"": show(right)})


def worded(line: np.ndarray, behind: np.ndarray, end: np.ndarray) -> str:
    parts = (show(part if len(part) < 5 else part[:2]) for part in (line, behind, end))
    text = "line {}, behind {}, end {}".format(*parts)
    return text if len(line) < 5 else f"{len(line)} games, {text} and so on"


CASES = [at(0), at(1, 2), at(3, 4, 5), at(*[*range(6)] * 8)]


def draw(rng: np.random.Generator) -> Case:
    """One game or more; the root alone; short lines, filled up; the best moves as they come."""
    num_games, levels = int(rng.integers(1, 5)), int(rng.integers(1, 7))
    num_nodes = levels + int(rng.integers(1, 6)) if levels > 1 else 1
    games = [_game(rng, levels, num_nodes) for _ in range(num_games)]
    line, behind, end = (np.array(part) for part in zip(*games, strict=True))
    return Case(worded(line, behind, end), (line, behind, end))


def _game(rng: np.random.Generator, levels: int, num_nodes: int) -> tuple[list, list, list]:
    """A line from 0 to the new node, the nodes behind the best moves, and where descents ended.

    Nodes are numbered as they came: what lies behind one has a higher number.
    """
    if levels == 1:
        return [0], [0], [0]
    new = num_nodes - 1
    inner = rng.permutation(np.arange(1, new))[: rng.integers(levels - 1)]
    path = [0, *sorted(inner.tolist())]
    end = [int(rng.integers(node, new)) for node in range(new)] + [new]
    behind = {new: 0}
    for node, next_node in zip(path, [*path[1:], new], strict=True):
        others = [other for other in range(node + 1, new) if other not in path]
        kinds = [0, next_node, next_node, int(rng.choice(others)) if others else 0]
        behind[node] = kinds[rng.integers(4)]
    line = path + path[-1:] * (levels - 1 - len(path)) + [new]
    return line, [behind[node] for node in line], end


def observe(refresh_end: Any, case: Case) -> Seen:
    import torch

    given = [torch.from_numpy(part.copy()) for part in case.arguments]
    copies = [one.clone() for one in given]
    value, waits, num_calls = watched(refresh_end, *given)
    found = numbers(value)
    if isinstance(found, list):
        seen = {"shape": show(list(shape(found))), "": show(found)}
    else:
        seen = {"shape": "a single number"}
    if len(copies[0]) > 9:
        one = watched(refresh_end, *(copy[:1].clone() for copy in copies))
        seen[LOOPS] = loops(num_calls, one[2])
    return seen | {WAITS: waits, CHANGED: numbers(given) != numbers(copies)}


EXERCISE = exercise(__file__, CASES, observe, draw=draw)
