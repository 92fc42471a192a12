"""A step of the replay window (10.4): the oldest go, and all that stay are drawn alike.

Samples are triples (state, π, z), told apart by their numbers, in the order of play.
"""

from itertools import chain
from operator import eq

import numpy as np

from azlearn.course.drawing import shares
from azlearn.course.kit import CHANGED, Case, gives, row
from azlearn.games import State

CLOSE = 0.06  # the shares of 1,200 draws come within a quarter of it
CASES = [
    Case("", ([], [1, 2, 3], 8, 20), [1, 2, 3]),
    Case("", ([1, 2, 3], [4, 5, 6], 8, 20), [1, 2, 3, 4, 5, 6]),
    Case("", ([1, 2, 3, 4, 5, 6], [7, 8, 9], 8, 20), [2, 3, 4, 5, 6, 7, 8, 9]),
    Case("", ([1, 2, 3, 4], [5, 6, 7, 8], 8, 6), [1, 2, 3, 4, 5, 6, 7, 8]),
    Case("", ([2, 3, 4, 5, 6, 7, 8, 9], [10, 11, 12], 8, 20), [5, 6, 7, 8, 9, 10, 11, 12]),
    Case("", ([5, 6, 7, 8], [9, 10, 11, 12, 13, 14], 4, 20), [11, 12, 13, 14]),
]


def draw(rng):
    """Nothing new, a window that was larger, room for one; a position may have come up before."""
    num_old, num_new = (int(number) for number in rng.integers(7, size=2))
    samples = np.arange(max(num_old + num_new, 1)) + 101
    if rng.random() < 0.5:
        samples = rng.choice(samples, len(samples))
    size, num = int(rng.integers(1, 10)), int(rng.integers(1, 8))
    return Case("", (samples[:num_old].tolist(), samples[num_old:].tolist(), size, num))


@gives("(window, batch)")
def observe(replay_step, case):
    window, new, size, num = case.arguments
    made: dict[int, tuple] = {}

    def samples(numbers: list[int]) -> list[tuple]:
        """Each with a state, a policy and a result; the same number is the same sample."""
        return [made.setdefault(n, (State(n, 0), [0.25, 0.75], -1)) for n in numbers]

    def numbered(found: list) -> list:
        """The numbers of samples, by identity; in words what is none."""
        known = {id(sample): number for number, sample in made.items()}
        return [known.get(id(one), "no sample") for one in found]

    num_calls, batches, changed = 1200 // num if case.right else 1, [], False
    rngs = [np.random.default_rng(0)] * num_calls, map(np.random.default_rng, (5, 5, 6))
    for rng in chain(*rngs):
        given = samples(window), samples(new)
        found = [row(part) for part in row(replay_step(*given, size, num, rng), 2)]
        after, batch = map(numbered, found)
        changed |= [*map(numbered, given)] != [window, new]
        batches.append(batch)
    drawn = list(chain(*batches[:num_calls]))
    seen = {
        "the window afterwards": after,
        "number of samples in the batch": len(batches[0]),
        "drawn, and no sample": sorted({*drawn} - {*window, *new}, key=str),
        "drawn, and not in the window": sorted({*drawn} - {*after}, key=str),
    }
    if case.right:
        share, num_drawn = 1 / max(len(after), 1), max(len(drawn), 1)
        found = [drawn.count(sample) / num_drawn for sample in after]
        twice = sum(map(eq, drawn, drawn[1:])) / num_drawn
        seen |= {
            "whether two batches differ": batches[-1] != batches[-2],
            "shares of the window's samples": shares(found, [share] * len(after), CLOSE),
            "share of samples drawn twice in a row": shares(twice, share, CLOSE),
        }
    alike = batches[-3] == batches[-2]
    return seen | {"whether the same seed draws the same": alike, CHANGED: changed}
