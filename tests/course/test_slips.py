"""Slips: what is stored of them is what they show today, and their words can be read."""

import random

import numpy as np
import pytest

from azlearn.course.checking import run_check
from azlearn.course.comparing import About
from azlearn.course.exercises import EXERCISES, module_of
from azlearn.course.observation import Raised, quiet
from azlearn.course.slip_kinds import KINDS
from azlearn.course.slips import NUDGE, Given, code, path_of, read_known
from tools.build_slips import stale
from tools.mutations import slips

MARKED = [i for i in EXERCISES if EXERCISES[i].marking is not None]


def test_equal_values_have_one_code_and_others_another():
    assert code(1) == code(1.0) == code(np.int64(1)) == code(True) == code(1 + 1e-9)
    assert code((1, 0.5)) == code([1.0, 0.5]) == code(np.array([1, 0.5], np.float32))
    assert code(About([0.52, 0.22], 0.1)) == code(About([0.53, 0.23], 0.1))
    others = [0, 1, -1, 1.001, 0.0625, 1e-3, [1], [1, 0], [[1]], None, "1", Raised("KeyError"), 1e9]
    assert len({*map(code, others)}) == len(others)
    assert code(float("nan")) == code(np.nan) != code(np.inf)


def test_a_value_at_the_edge_of_two_roundings_is_found_again():
    """Single precision on another processor: the last bit is another one."""
    rng = np.random.default_rng(0)
    for value in rng.normal(size=20_000).astype(np.float32).tolist():
        other = float(np.nextafter(np.float32(value), np.float32(9)))
        assert code(value) in {code(other), code(other, NUDGE), code(other, -NUDGE)}


def test_no_file_is_older_than_its_exercise():
    assert stale() == [], "make slips"


@pytest.mark.parametrize("exercise_id", MARKED)
def test_slips_show_what_is_stored(exercise_id):
    """Four of each exercise, made anew on this processor; one may show memory that nobody set."""
    marking, num_found = EXERCISES[exercise_id].marking, 0
    stored = {(slip.line, slip.before, slip.after) for slip, _ in marking.known.slips}
    made = [s for s in slips(marking.solution) if (s.line, s.before, s.after) in stored]
    assert len(made) > 10
    for slip in random.Random(exercise_id).sample(made, 4):
        with quiet():
            seen = marking.observed(marking.function(slip.source)).seen
        given = Given(seen, marking.right.seen, marking.known.numbers)
        only_raises = all(isinstance(found.get(""), Raised) for found in seen[:5])
        is_right = not marking.differing(seen, marking.known.numbers)
        known = any(given.fits(codes) for _, codes in marking.known.slips)
        num_found += known or is_right or only_raises
    assert num_found >= 3


def test_a_slip_is_told_in_words_and_its_place_when_it_is_asked_for():
    import math

    def select(node, c):
        log_total = math.log10(max(node.num_visits, 1))
        scores = {}
        for action in node.legal_actions:
            n = node.visit_counts[action]
            mean = node.value_sum[action] / n if n else math.inf
            scores[action] = mean + c * math.sqrt(log_total / max(n, 1))
        return max(scores, key=scores.get)

    result = run_check(EXERCISES["3.1"], select)
    assert result.diagnosis == "logarithm to base 10"
    assert result.message.startswith(
        "Your results are exactly those of a solution that takes a logarithm to base 10"
    )
    assert "Which base does `math.log` use?" in result.message
    assert "math.log10" not in str(result)
    assert "<summary>Show the place in the solution</summary>" in result._repr_html_()
    assert "math.log10" in result._repr_html_()


def test_every_kind_has_words_that_make_a_sentence():
    for name, (does, asks) in KINDS.items():
        assert does[0].islower()
        assert does[-1] not in ".?"
        assert asks[0].isupper()
        assert asks.endswith("?")
        assert len(name) < 30
    made = {
        kind for i in MARKED for slip, _ in EXERCISES[i].marking.known.slips for kind in slip.kinds
    }
    assert made <= KINDS.keys()


def test_a_file_is_read_as_it_was_written():
    marking = EXERCISES["3.1"].marking
    path = path_of(module_of("3.1").__file__)
    known = read_known(path, marking.right.seen)
    assert set(known.numbers) >= set(range(len(marking.cases)))
    assert all(codes for _, codes in known.slips)
    assert [i for i, _ in known.faults] == [*range(len(marking.faults))]
