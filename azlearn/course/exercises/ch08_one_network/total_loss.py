"""The whole loss (8.4): (z - v)² - π · log p + c‖θ‖², worked out by hand."""

import math

import numpy as np

from azlearn.course.exercises.ch08_one_network.tensors import measured, seen_loss
from azlearn.course.kit import Case

LN2, LN3, LN4 = math.log(2), math.log(3), math.log(4)

NUM_DRAWN = 60
CASES = [
    Case(
        words,
        (*map(np.array, (z, v, pi, log_p)), list(map(np.array, parameters)), c),
        {"": measured(right)},
    )
    for words, z, v, pi, log_p, parameters, c, right in (
        # (0.25 + 0.25) / 2; (ln 2 + ln 4) / 2; 1 + 4 + 0 + 1 + 9 = 15
        ("z = [1, -1], v = [0.5, -0.5], c = 0.01", [1.0, -1.0], [[0.5], [-0.5]], [[0.5, 0.5], [1.0, 0.0]],
         [[-LN2, -LN2], [-LN4, LN3 - LN4]], ([[1.0, 2.0], [0.0, -1.0]], [3.0]), 0.01, 0.25 + 0.75 * LN4 + 0.15),
        # (0.04 + 0.36 + 1.96) / 3; (ln 2 + ln 2 + ln 4) / 3; 4 + 16 + 36 = 56
        ("z = [0, 1, 1], v = [0.2, 0.4, -0.4], c = 0.01", [0.0, 1.0, 1.0], [[0.2], [0.4], [-0.4]], [[1.0, 0.0], [0.25, 0.75], [1.0, 0.0]],
         [[-LN2, -LN2], [-LN2, -LN2], [-LN4, LN3 - LN4]], ([2.0], [[-4.0]], [0.0, 6.0]), 0.01, 2.36 / 3 + 2 * LN4 / 3 + 0.56),
        ("one sample, z = -1, v = 0.5, c = 0", [-1.0], [[0.5]], [[0.0, 1.0]], [[-LN2, -LN2]], ([5.0],), 0.0, 2.25 + LN2),
    )
]  # fmt: skip


def draw(rng):
    """Batches from one sample on; weights of no to four axes; log p far below 0 too."""
    num_samples, num_actions = rng.integers(1, 5, size=2)
    z, v = rng.integers(-4, 5, size=(2, num_samples)) / 4
    policy = rng.multinomial(4, rng.dirichlet([0.5] * num_actions), size=num_samples) / 4
    log_p = rng.choice([0, -0.25, -1, -2.5, -150], size=policy.shape, p=[0.2, 0.3, 0.3, 0.19, 0.01])
    shapes = [rng.integers(1, 4, size=rng.integers(5)) for _ in range(rng.integers(1, 4))]
    parameters = [np.array(rng.integers(-4, 5, size=shape) / 2) for shape in shapes]
    return Case(
        "", (z, v[:, None], policy, log_p, parameters, float(rng.choice([0, 0.01, 0.5, 1])))
    )


def observe(total_loss, case):
    return seen_loss(total_loss, case, {"v": 1, "log_p": 3, "the parameters": 4})
