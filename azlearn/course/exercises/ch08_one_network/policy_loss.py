"""The policy's part of the loss (8.3). The right values are sums of logarithms, worked out by hand."""

import math

import numpy as np

from azlearn.course.exercises.ch08_one_network.tensors import measured, seen_loss
from azlearn.course.kit import Case

LN2, LN3, LN4 = math.log(2), math.log(3), math.log(4)
FAR = "where p is 0 in float32"

NUM_DRAWN = 60
CASES = [
    Case(words, tuple(map(np.array, arrays)), {key: measured(right)})
    for words, *arrays, key, right in (
        # legal: e^0 : e^ln3 = 1 : 3, so p = 1/4, 3/4
        ("logits [0, 2, ln 3] with the second move illegal, π = [0.5, 0, 0.5]", [[0, 2, LN3]], [[True, False, True]], [[0.5, 0, 0.5]], "", LN4 - 0.5 * LN3),
        # row 1: p = 1/4, 1/2, 1/4; row 2: 2 : 4 among the first two, p = 1/3, 2/3
        ("two samples, all moves legal in the first, the third illegal in the second", [[0, LN2, 0], [LN2, LN4, 3]], [[True, True, True], [True, True, False]], [[0.25, 0.75, 0], [1, 0, 0]], "", (0.25 * LN4 + 0.75 * LN2 + LN3) / 2),
        # log p = -200 and 0: e^-200 is 0 in float32, its logarithm is not
        ("logits [0, 200], both legal, π = [0.5, 0.5]", [[0.0, 200.0]], [[True, True]], [[0.5, 0.5]], FAR, 100.0),
    )
]  # fmt: skip


def draw(rng):
    """Ordinary logits; legal ones far below the illegal; one legal move, extreme; all far apart."""
    shape = rng.integers(1, (5, 7))
    kind = rng.choice(["ordinary", "low", "one", "far"])
    legal = rng.random(shape) < {"one": 0, "far": 1}.get(kind, 0.6)
    legal[np.arange(shape[0]), rng.integers(shape[1], size=shape[0])] = True
    logits = rng.integers(-4, 5, size=shape) / (0.04 if kind == "far" else 4)
    if kind == "low":
        logits -= 300 * legal
    elif kind == "one":
        logits = np.where(legal, -1e8, rng.choice([0, 1e8], size=shape))
    weights = legal * rng.random(shape) ** 3
    policy = rng.multinomial(8, weights / weights.sum(1, keepdims=True)) / 8
    return Case("", (logits, legal, policy))


def observe(policy_loss, case):
    logits, legal, _ = case.arguments
    seen = dict.fromkeys(("what comes back", "", FAR))
    seen |= seen_loss(policy_loss, case, {"the logits": 0})
    if legal.all() and np.ptp(logits) > 20:
        seen[""], seen[FAR] = None, seen[""]
    return seen
