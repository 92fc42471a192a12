"""What was shown, less what was expected (5.4). The right values are worked out by hand."""

from math import e, log

import numpy as np

from azlearn.course.drawing import drawn_choices
from azlearn.course.kit import CHANGED, About, Case, Raised, attempt, numbers, returned, show

N = e / (1 + e)  # p of a logit that is larger by 1 than the only other one
CASES = [
    # p = 3/4, 1/4; p = [2, 4, 1]/7 and [1, 4]/5; p = 1 - N, N; the same in both
    Case("", ([log(3), 0], [[[1, 0], [0, 1], [1, 1]]], [[True, True, False]], [1]), (-3 / 4, 3 / 4)),
    Case("", ([log(2), 0, -log(2)], [[[1, 0, 1], [1, 1, 0], [0, 0, 1]], [[0, 1, 0], [2, 0, 0], [1, 1, 1]]], [[True, True, True], [True, True, False]], [0, 1]),
        ((1 / 7 + 2 / 5) / 2, (-4 / 7 - 1 / 5) / 2, 4 / 7 / 2)),
    # p = 3/4, 1/4: a feature that is not whole
    Case("", ([2 * log(3)], [[[0.5], [0]]], [[True, True]], [0]), (1 / 8,)),
    Case("", ([1000, 1001], [[[1, 0], [0, 1]]], [[True, True]], [0]), (N, -N)),
    Case("", ([1000, 1001], [[[1, 0], [0, 1], [0, 0]], [[0, 0], [-1, 1], [3, 0]]], [[True, True, False], [True, True, False]], [0, 1]), (N - 1 / 2, 1 / 2 - N)),
]  # fmt: skip


def draw(rng):
    """The last feature may put moves or positions far from the others."""
    legal, action, part = drawn_choices(rng)
    features = np.dstack([rng.integers(-1, 3, (*legal.shape, rng.integers(1, 4))), part])
    weights = rng.integers(-8, 9, features.shape[2]) / 8
    weights[-1] += rng.choice([0, 0, 0, 1000, 5000, -1000, -5000])
    return Case("", (weights.tolist(), features.tolist(), legal.tolist(), action.tolist()))


def observe(gradient, case):
    weights, features, legal, action = map(np.array, case.arguments)
    weights, features = weights.astype(float), features.astype(float)
    logits = features @ weights
    top, where = np.where(legal, logits, -np.inf).max(1), ""
    if np.abs(logits).max() > 100:
        apart = logits.max() - top.min() > 100
        where = " with logits far from the others" if apart else " with extreme logits"

    def tried(*arguments):
        return attempt(gradient, *arguments) if where else gradient(*arguments)

    seen = returned(tried, Case("", (weights, features, legal, action)))
    value = numbers(seen[""])
    if isinstance(seen[""], Raised) or not np.isfinite(np.array(value, dtype=float)).all():
        value = f"no number: {show(seen[''])}"
    else:
        value = About(value, 1e-5)
    return {f"the gradient{where}": value, CHANGED: seen[CHANGED]}
