"""What compiled loops count: a reader's plan may make arrays, and loses no memory by it."""

import numpy as np

from azlearn.games import TicTacToe
from azlearn.search import BatchedPUCT, Plan
from tests.engines import evaluators, run


class WithArrays(Plan):
    """Scores by visits and priors, with an array on the way."""

    name, parameters = "with arrays", {}

    @staticmethod
    def terms(visit_counts, value_sum, prior, raw_value, numbers):
        return ((prior * (1 + visit_counts)).sum(),)

    @staticmethod
    def score(n, w, p, total):
        return total * p / (1 + n)


def test_a_plan_that_makes_arrays_is_searched_compiled():
    game = TicTacToe()
    visits = []
    for compiled in (True, False):
        engine = BatchedPUCT(game, 1, 60, WithArrays(), compiled=compiled)
        engine.start(game.stack([game.initial_state()]), 60)
        run(engine, evaluators(game, "hash").batch)
        visits.append(engine.visit_counts[0, 0].tolist())
    assert visits[0] == visits[1]
    assert sum(visits[0]) == np.sum(visits[1]) == 60
