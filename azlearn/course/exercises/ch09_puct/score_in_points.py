"""The score of the other convention (9.3): points from 0 to 1, W at the child."""

from collections.abc import Callable

from azlearn.course.kit import Case
from azlearn.course.solutions import run_source, solution_source
from azlearn.course.your_puct import C, puct_consequence, record_puct
from azlearn.search import Node, Recording

CASES = [  # n_parent, w, n, prior, c, fpu; by hand (Q + U + 1) / 2
    Case("", (16, 3.0, 5, 0.3, 1.0, 0.0), 0.3),  # Q = -0.6, U = 0.3 · 4 / 6 = 0.2
    Case("", (16, -4.0, 10, 0.11, 1.0, 0.0), 0.72),  # Q = 0.4, U = 0.11 · 4 / 11 = 0.04
    Case("", (16, 0.0, 0, 0.25, 1.0, 0.0), 1.0),  # drawn until tried: 0 + 1
    Case("", (16, 0.0, 0, 0.25, 1.0, -1.0), 0.5),  # lost until tried: -1 + 1
    Case("", (9, 0.0, 0, 0.2, 2.0, 0.5), 1.35),  # 0.5 + 2 · 0.2 · 3
    Case("", (9, 9.0, 9, 0.5, 2.0, -1.0), 0.15),  # Q = -1, U = 2 · 0.5 · 3 / 10 = 0.3
]


def draw(rng):
    """W = 0 or ±N, no or many siblings, a prior of 0 or 1; fpu is never 0."""
    n, siblings = (int(rng.choice([0, 1, 2, rng.integers(1000)])) for _ in range(2))
    w = round(n * float(rng.choice([-1, 0, 1, rng.uniform(-1, 1)])), 2) + 0.0
    rest = (float(rng.choice(some)) for some in ([0, 1, 0.25, 0.07], [0.5, 1.25, 3], [-1, -0.3, 1]))
    return Case("", (1 + n + siblings, w, n, *rest))


def search_by(score: Callable[..., float]) -> Recording:
    """200 simulations that choose by ``score``, with fpu = 0."""

    def scores(node: Node) -> list[float]:
        moves = zip(node.visit_counts, node.value_sum, node.prior, strict=True)
        return [float(score(1 + node.num_visits, -w, n, p, C, 0.0)) for n, w, p in moves]

    return record_puct(scores=scores)


def remark(found):
    right = run_source("9.3", solution_source("9.3"))["score_in_points"]
    return puct_consequence(found, search_by(right).tree.root)


def explore(call, diagnosis):
    return search_by(call.quietly)
