"""Chapter 2, ucb1(visit_counts, value_sum, c): answers as readers could have written them."""

import math

import numpy as np

from tests.course.registry import mutant, right


def _scores(bonus, mean=lambda w, n: w / n, unvisited=math.inf):
    def ucb1(visit_counts, value_sum, c):
        total = sum(visit_counts)
        return [
            mean(w, n) + bonus(c, total, n) if n > 0 else unvisited
            for n, w in zip(visit_counts, value_sum, strict=True)
        ]

    return ucb1


def _bonus(c, total, n):
    return c * (math.log(total) / n) ** 0.5


mutant("2.3", "unvisited move scores 0")(_scores(_bonus, unvisited=0))
mutant("2.3", "sum instead of mean")(_scores(_bonus, mean=lambda w, n: w))
mutant("2.3", "logarithm of the move's own visits")(
    _scores(lambda c, total, n: c * math.sqrt(math.log(n) / n))
)
mutant("2.3", "logarithm to base 10")(
    _scores(lambda c, total, n: c * math.sqrt(math.log10(total) / n))
)
mutant("2.3", "logarithm to base 2")(
    _scores(lambda c, total, n: c * math.sqrt(math.log2(total) / n))
)
mutant("2.3", "c inside the root")(_scores(lambda c, total, n: math.sqrt(c * math.log(total) / n)))
mutant("2.3", "the root is missing")(_scores(lambda c, total, n: c * math.log(total) / n))
mutant("2.3", "the root covers the visits only")(
    _scores(lambda c, total, n: c * math.log(total) / math.sqrt(n))
)
mutant("2.3", "logarithm of the quotient")(
    _scores(lambda c, total, n: c * math.sqrt(math.log(total / n)))
)
mutant("2.3", "divided by the visits of all moves")(
    _scores(lambda c, total, n: c * math.sqrt(math.log(total) / total))
)
mutant("2.3", "divided by the visits of all moves")(
    _scores(lambda c, total, n: c * math.log(total) / total)
)
mutant("2.3", "visits outside the root")(
    _scores(lambda c, total, n: c * math.sqrt(math.log(total)) / n)
)
mutant("2.3", "c is ignored")(_scores(lambda c, total, n: math.sqrt(math.log(total) / n)))
mutant("2.3", "a 2 under the root")(_scores(lambda c, t, n: c * math.sqrt(2 * math.log(t) / n)))
mutant("2.3", "one visit too many")(
    _scores(lambda c, total, n: c * math.sqrt(math.log(total) / (1 + n)))
)


@mutant("2.3", "number of moves instead of visits")
def ucb1_len(visit_counts, value_sum, c):
    log = np.log(len(visit_counts))
    pairs = zip(visit_counts, value_sum, strict=True)
    return [w / n + c * np.sqrt(log / n) if n else np.inf for n, w in pairs]


@mutant("2.3", "unvisited move divides by zero")
def ucb1_divides(visit_counts, value_sum, c):
    log = math.log(sum(visit_counts))
    pairs = zip(visit_counts, value_sum, strict=True)
    return [w / n + c * math.sqrt(log / n) for n, w in pairs]


@mutant("2.3", "unvisited move is not a number")
def ucb1_arrays(visit_counts, value_sum, c):
    n, w = np.array(visit_counts, float), np.array(value_sum)
    with np.errstate(divide="ignore", invalid="ignore"):
        return w / n + c * np.sqrt(np.log(n.sum()) / n)


@mutant("2.3", "no named fault")
def ucb1_best(visit_counts, value_sum, c):
    return int(np.argmax(_scores(_bonus)(visit_counts, value_sum, c)))


@right("2.3")
def ucb1_vectorised(visit_counts, value_sum, c):
    n, w = np.array(visit_counts, float), np.array(value_sum)
    scores = np.full(len(n), 1e9)
    seen = n > 0
    scores[seen] = w[seen] / n[seen] + c * np.sqrt(np.log(n.sum())) / np.sqrt(n[seen])
    return scores
