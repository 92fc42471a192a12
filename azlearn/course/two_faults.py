"""Two known mistakes in one answer: the pair of patches that explains all that is seen of it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from azlearn.course.observation import Observation, Raised, all_alike, quiet

if TYPE_CHECKING:
    from azlearn.course.marking import Made, Marking

_MOST_PAIRS = 30  # run for an answer


class Pairs:
    """The pairs of an exercise's patches; what one answer had them run on, the next need not."""

    def __init__(self, marking: "Marking") -> None:
        self._marking = marking
        self._patches = [made for made in marking.wrong if made.fault.changes]
        self._idle = [_agreement(marking.right.seen, made.seen) for made in self._patches]
        self._known: dict[tuple[int, int], tuple[Callable | None, list[Observation]]] = {}

    def first_of_two(self, given: list[Observation]) -> "Made | None":
        """The first of two faults that explain everything together; to raise alike is no reason.

        Where one of them changes nothing, the answer mostly looks like the other: the pairs of
        which this holds most are run.
        """
        if any(isinstance(seen.get(""), Raised) for seen in given):
            return None
        idle, fits = self._idle, [_agreement(given, made.seen) for made in self._patches]
        pairs = combinations(range(len(idle)), 2)
        against = {(i, j): sum(idle[i] & ~fits[j]) + sum(idle[j] & ~fits[i]) for i, j in pairs}
        for pair in sorted(against, key=against.__getitem__)[:_MOST_PAIRS]:
            with quiet():
                if all(map(all_alike, given, self._seen(*pair))):
                    return self._patches[pair[0]]
        return None

    def _seen(self, i: int, j: int) -> Iterator[Observation]:
        """What is seen of two patches in one answer, case after case; each is looked at once."""
        answer, known = self._both(i, j)
        for number, case in enumerate(self._marking.all_cases):
            if number == len(known):
                known.append(self._marking.look(answer, case)[0])
            yield known[number]

    def _both(self, i: int, j: int) -> tuple[Callable | None, list[Observation]]:
        if (i, j) not in self._known:
            one, other = self._patches[i].fault, self._patches[j].fault
            both = replace(one, changes=one.changes + other.changes)
            try:
                answer, seen = self._marking.function(both.source(self._marking.solution)), []
            except (ValueError, SyntaxError) as problem:  # they change the same line
                answer, seen = None, [{"": Raised(type(problem).__name__)}]
            self._known[i, j] = answer, seen
        return self._known[i, j]


def _agreement(one: list[Observation], other: list[Observation]) -> np.ndarray:
    """bool[num_cases]: where two answers look the same."""
    return np.array([*map(all_alike, one, other)])
