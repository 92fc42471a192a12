"""The claim (13.2): threads run in several orders, and their writes are watched."""

from collections import defaultdict
from typing import Any

import numpy as np

from azlearn.course.comparing import show
from azlearn.course.marking import CHANGED, Case, Seen, exercise

CACHE, BETWEEN, CLAIMS, RACE = (
    "the cache afterwards",
    "the cache between the launches",
    "the claims afterwards",
    "two threads that write to one place in one launch",
)
AGAIN = "the cache after two more launches, in which thread 0 alone keeps an answer, 7"


def at(slots: list[int], size: int, right: list[int] | None = None) -> Case:
    """Thread g answers 10 (g + 1); the cache begins with zeros."""
    answers = [10 * (g + 1) for g in range(len(slots))]
    words = f"slots {show(slots)}, answers {show(answers)}, a cache of {size}"
    hand = right and {CACHE: show(right), CLAIMS: show([0] * size), RACE: "none"}
    return Case(words, (slots, answers, size), hand)


CASES = [
    at([1], 2, [0, 10]),
    at([0, 2, 0], 3, [30, 0, 20]),  # thread 2 comes after thread 0
    at([1, -1, 1, 0], 2, [40, 30]),
    at([-1, 0, -1], 3, [20, 0, 0]),
    at([0, 0, 0, 0], 1, [40]),
]


def draw(rng: np.random.Generator) -> Case:
    """One thread or ten, one slot or six, all with something to keep or few."""
    size, num = int(rng.integers(1, 7)), int(rng.integers(1, 11))
    slots = rng.integers(size, size=num)
    slots[rng.random(num) < rng.choice([0.0, 0.5])] = -1
    return at(slots.tolist(), size)


class Memory(list):
    """A list that knows which thread of which launch has written where."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__([0] * size)
        self.name, self.thread = name, None
        self.writers: dict[Any, set[int]] = defaultdict(set)
        self.is_plain: set[Any] = set()

    def __setitem__(self, place: Any, value: Any) -> None:
        super().__setitem__(place, value)
        if isinstance(place, int):
            place %= len(self)
        self.writers[str(place)].add(self.thread)
        self.is_plain.add(str(place))

    def race(self) -> str:
        """Two threads of this launch that write to one place, one of them not atomically."""
        for place in sorted(self.is_plain):
            if len(self.writers[place]) > 1:
                first, second, *_ = sorted(self.writers[place])
                return f"threads {first} and {second}, to {self.name}[{place}]"
        return ""


def atomic_max(array: Memory, index: int, value: int) -> None:
    """As ``cuda.atomic.max``: no other thread comes between."""
    list.__setitem__(array, index, max(array[index], value))
    array.writers[str(index % len(array))].add(array.thread)


def launched(
    keep: Any, slots: list[int], answers: list[int], memory: tuple, order: list[int]
) -> tuple[str, str]:
    """Both launches, with the threads in one order: the first race, and the cache between them."""
    races, between = [], ""
    for launch in (0, 1):
        for array in memory:
            array.writers.clear()
            array.is_plain.clear()
        for g in order:
            for array in memory:
                array.thread = g
            keep(launch, g, slots, answers, *memory, atomic_max)
        found = [array.race() for array in memory]
        races += [f"{race}, in launch {launch}" for race in found if race]
        between = between or show(list(memory[1]))
    return (races or [""])[0], between


def observe(keep: Any, case: Case) -> Seen:
    slots, answers, size = case.arguments
    given, n = (list(slots), list(answers)), len(slots)
    orders = [list(range(n)), list(range(n))[::-1], [*range(1, n, 2), *range(0, n, 2)]]
    caches, betweens, claimed, races, again = [], [], [], [], []
    for order in orders:
        memory = Memory("claims", size), Memory("cache", size)
        race, between = launched(keep, *given, memory, order)
        races.append(race)
        betweens.append(between)
        claimed.append(show(list(memory[0])))
        caches.append(show(list(memory[1])))
        alone = [max(slots[0], 0), *[-1] * (n - 1)]
        launched(keep, alone, [7] * n, memory, order)
        again.append(show(list(memory[1])))
    return {
        CACHE: _one(caches),
        BETWEEN: _one(betweens),
        CLAIMS: _one(claimed),
        AGAIN: _one(again),
        RACE: next(filter(None, races), "none"),
        CHANGED: given != (slots, answers),
    }


def _one(found: list[str]) -> str:
    """What all orders of the threads have left, or two that differ."""
    other = next((one for one in found if one != found[0]), None)
    return found[0] if other is None else f"{found[0]} or {other}, by the order of the threads"


EXERCISE = exercise(__file__, CASES, observe, draw=draw)
