"""A mean of the real ones (13.3), with nan and inf in rows that do not count. Means by hand."""

import numpy as np

from azlearn.course.exercises.ch13_gpu.watched import seen_of_tensors
from azlearn.course.kit import Case, attempt, has_gradient, numbers, show, single, tensor

NAN, INF = float("nan"), float("inf")


def at(loss: list[float], is_real: list[int], right: float | None = None) -> Case:
    words = f"loss {show(loss)}, is_real {show(is_real)}"
    hand = None if right is None else {"how many numbers": 1, "": right}
    return Case(words, (np.array(loss, float), np.array(is_real, bool)), hand)


NUM_DRAWN = 80
CASES = [
    at([2, 4, 9], [1, 1, 0], 3),
    at([0.5, 7, 1.5, 7], [1, 0, 1, 0], 1),
    at([5, 5], [0, 0], 0),
    at([NAN, 3, INF, 1], [0, 1, 0, 1], 2),
    at([NAN, 3], [1, 1], NAN),
    at([4], [1], 4),
    at([-3, 1], [1, 1], -1),
]


def draw(rng):
    """One row or eight; none real, all real; unused rows with nan and inf; a real one with nan."""
    num = int(rng.integers(1, 9))
    is_real = rng.random(num) < rng.choice([0.0, 0.5, 1.0])
    loss = rng.integers(1, 40, size=num) / 8
    loss[~is_real] = rng.choice([loss[0], NAN, INF, -INF, 0], size=num)[~is_real]
    if rng.random() < 0.15:
        loss[rng.integers(num)] = rng.choice([NAN, INF])
    return at(loss.tolist(), is_real.astype(int).tolist())


def observe(mean_loss, case):
    value, seen = seen_of_tensors(mean_loss, *case.arguments)
    number = single(value)
    loss, is_real = case.arguments
    learning = attempt(mean_loss, tensor(loss, requires_grad=True), tensor(is_real))
    flows = {"whether a gradient flows back": has_gradient(learning)}
    return {"how many numbers": int(np.size(numbers(number))), "": number, **seen, **flows}
