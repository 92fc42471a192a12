"""The claim (13.2): threads run in several orders, and their writes are watched."""

from collections import defaultdict

from azlearn.course.kit import CHANGED, Case, show

CACHE, BETWEEN = "the cache afterwards", "the cache between the launches"
CLAIMS = "the claims afterwards"
RACE = "two threads that write to one place in one launch"
AGAIN = "the cache after two more launches, in which thread 0 alone keeps an answer, 7"


def at(slots: list[int], size: int, right: list[int] | None = None) -> Case:
    """A later thread may have the smaller answer; the cache begins with zeros.

    Answers not by hand are neither whole nor all above 0.
    """
    less = 0 if right else 55.5
    answers = [10 * ((7 * g + 3) % 11 + 1) - less for g in range(len(slots))]
    words = f"slots {show(slots)}, answers {show(answers)}, a cache of {size}"
    hand = right and {CACHE: show(right), CLAIMS: show([0] * size), RACE: "none"}
    return Case(words, (slots, answers, size), hand)


CASES = [
    at([1], 2, [0, 40]),
    at([0, 2, 0], 3, [70, 0, 110]),  # thread 2 comes after thread 0
    at([1, -1, 1, 0], 2, [30, 70]),
    at([-1, 0, -1], 3, [110, 0, 0]),
    at([0, 0, 0, 0], 1, [30]),
]


def draw(rng):
    """One thread or ten, one slot or six, all with something to keep or few."""
    size, num = int(rng.integers(1, 7)), int(rng.integers(1, 11))
    slots = rng.integers(size, size=num)
    slots[rng.random(num) < rng.choice([0.0, 0.5])] = -1
    return at(slots.tolist(), size)


class Memory(list):
    """A list that knows which thread of which launch has written where."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__([0] * size)
        self.name, self.thread, self.is_plain = name, None, set()
        self.writers = defaultdict(set)  # by place

    def __setitem__(self, place, value) -> None:
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


def launched(keep, slots: list, answers: list, memory: tuple, order: list) -> tuple[str, str]:
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


def observe(keep, case):
    slots, answers, size = case.arguments
    given, n = (list(slots), list(answers)), len(slots)
    orders = [list(range(n)), list(range(n))[::-1], [*range(1, n, 2), *range(0, n, 2)]]
    looks, races = [], []
    for order in orders:
        claims, cache = memory = Memory("claims", size), Memory("cache", size)
        race, between = launched(keep, *given, memory, order)
        races.append(race)
        looks.append({CACHE: show(list(cache)), BETWEEN: between, CLAIMS: show(list(claims))})
        launched(keep, [max(slots[0], 0), *[-1] * (n - 1)], [7] * n, memory, order)
        looks[-1][AGAIN] = show(list(cache))
    seen = {key: _one([look[key] for look in looks]) for key in looks[0]}
    race = next(filter(None, races), "none")
    return seen | {RACE: race, CHANGED: given != (slots, answers)}


def _one(found: list[str]) -> str:
    """What all orders of the threads have left, or two that differ."""
    other = next((one for one in found if one != found[0]), None)
    return found[0] if other is None else f"{found[0]} or {other}, by the order of the threads"
