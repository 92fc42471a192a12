"""Relations between wrong results and right ones, and two mistakes at once."""

import numpy as np
import pytest

from azlearn.course.checking import run_check
from azlearn.course.exercises import EXERCISES
from azlearn.course.relations import relation
from azlearn.course.solutions import run_source


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("the opposite sign", lambda row: [-x for x in row]),
        ("in the opposite order", lambda row: row[::-1]),
        ("in another order", lambda row: [*row[1:], row[0]]),
        ("a constant factor", lambda row: [2.5 * x for x in row]),
        ("a constant difference", lambda row: [x + 1 for x in row]),
        ("0 instead of a value", lambda row: [0, *row[1:]]),
        ("the end is missing", lambda row: row[:-1]),
        ("the start is missing", lambda row: row[1:]),
        ("too much at the end", lambda row: [*row, 9]),
        ("always the same", lambda row: 7),
    ],
)
def test_a_relation_is_found(name, wrong):
    rows = [[1, 5, 2, 8], [4, 1, 1.5], [3, -7, 0.5], [2, 0, 6]]
    found = relation([(row, wrong(row)) for row in rows])
    assert found is not None
    assert found.name == name
    assert found.says[-1] == "."
    assert found.asks[-1] == "?"


def test_no_relation_is_made_up():
    rng = np.random.default_rng(0)
    for _ in range(300):
        pairs = [(rng.normal(size=3), rng.normal(size=3)) for _ in range(3)]
        assert relation(pairs) is None
    assert relation([(1, -1), (2, -2)]) is None  # too few
    assert relation([(1, -1)] * 5) is None  # one value is related to any other


def test_two_mistakes_that_act_on_different_cases_are_both_named():
    source = """
def learn_and_play(visit_counts, ply, temperature_plies, temperature, rng):
    visits = np.array(visit_counts, dtype=float)
    policy = visits / visits.sum()
    if ply < temperature_plies:
        weights = (visits / visits.max()) ** temperature
        return policy.tolist(), int(rng.choice(len(visits), p=weights / weights.sum()))
    return policy.tolist(), int(len(visits) - 1 - visits[::-1].argmax())
"""
    answer = run_source("10.1", source)["learn_and_play"]
    result = run_check(EXERCISES["10.1"], answer)
    assert result.diagnosis == "the exponent is τ, not 1 / τ"
    assert result.message.startswith("Your results fit two mistakes at once: ")
    assert "the last of several equal values" in result.message
