"""The improved policy (15.4). The exponentials were worked out by hand."""

from azlearn.course.drawing import drawn_prior
from azlearn.course.kit import Case, gives, returned, row

CASES = [
    Case("", ([0.5, 0.5], [0.1, 0.0], 0, 10.0, 1.0), [0.7310586, 0.2689414]),  # e / (e + 1)
    Case("", ([0.2, 0.8], [0.3, 0.3], 5, 50.0, 1.0), [0.2, 0.8]),  # equal Q: the prior
    # sigma 1 and 0: 0.25 e = 0.679570 of 1.429570
    Case("", ([0.25, 0.75, 0.0], [0.05, 0.0, 0.9], 10, 10.0, 1.0), [0.4753667, 0.5246333, 0.0]),
    Case("", ([0.5, 0.5], [0.2, 0.0], 6, 4.0, 0.5), [0.7310586, 0.2689414]),  # sigma 1 and 0
    Case("", ([0.5, 0.5], [0.2, 0.0], 6, 0.25, 0.8), [0.7310586, 0.2689414]),  # 6.25 * 0.8 * 0.2
    Case("", ([0.3, 0.3, 0.4], [1.0, 1.0, -1.0], 750, 50.0, 1.0), [0.5, 0.5, 0.0]),  # e^800
    Case("", ([0.0, 0.5, 0.5], [1.0, -1.0, -1.0], 950, 50.0, 1.0), [0.0, 0.5, 0.5]),
    Case("", ([1.0], [-0.7], 16, 50.0, 1.0), [1.0]),
]


def draw(rng):
    """Priors of 0, equal Q, one move, no visits, and so many that exp overflows."""
    size = int(rng.integers(1, 8))
    q_values = rng.integers(-4, 5, size=size) / 4 * rng.choice([0, 0.05, 1])
    visits, c_visit = int(rng.choice([0, 1, 4, 100, 2000])), float(rng.choice([0, 1, 50]))
    c_scale = float(rng.choice([0.1, 1]))
    return Case("", (drawn_prior(rng, size), q_values.tolist(), visits, c_visit, c_scale))


@gives("a list with one probability per action")
def observe(improved_policy, case):
    seen = returned(improved_policy, case)
    return seen | {"": list(map(float, row(seen[""], len(case.arguments[0]))))}
