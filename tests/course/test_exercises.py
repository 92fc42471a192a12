"""Every wrong answer is told by its own name, every right one passes, however it is written."""

import pytest

from azlearn.course.checking import COMMON_DIAGNOSES, run_check
from azlearn.course.exercises import CHAPTERS, EXERCISES
from tests.course import (  # noqa: F401  (they register)
    mutants_ch01_boards,
    mutants_ch01_values,
    mutants_ch02,
    mutants_ch03_choices,
    mutants_ch03_search,
    mutants_ch03_tree,
)
from tests.course.registry import MUTANTS, RIGHT


def _name(answer):
    label = answer.diagnosis.replace(" ", "-") or answer.function.__name__
    return f"{answer.exercise_id}-{label}"


@pytest.mark.parametrize("answer", MUTANTS, ids=_name)
def test_mutant_is_caught_with_its_own_diagnosis(answer, record_property):
    result = run_check(EXERCISES[answer.exercise_id], answer.function)
    caught = (result.outcome, result.diagnosis) == ("wrong", answer.diagnosis)
    record_property("mutant", "caught" if caught else "missed")
    assert caught, f"said: {result}"
    assert len(result.message) > 40
    assert "{" not in result.message, "a placeholder was left in the message"


@pytest.mark.parametrize("answer", RIGHT, ids=_name)
def test_other_right_answer_passes(answer):
    result = run_check(EXERCISES[answer.exercise_id], answer.function)
    assert result.outcome == "right", str(result)
    assert result.message


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.id)
def test_every_diagnosis_has_a_mutant(exercise):
    tried = {answer.diagnosis for answer in MUTANTS if answer.exercise_id == exercise.id}
    assert tried - set(COMMON_DIAGNOSES) == set(exercise.diagnoses)
    assert len(tried) >= 4
    assert any(answer.exercise_id == exercise.id for answer in RIGHT)


def test_catalogue():
    assert list(EXERCISES) == [
        *("1.1", "1.2", "1.3", "1.4", "2.1", "2.2", "2.3"),
        *("3.1", "3.2", "3.3", "3.4", "3.5", "3.6"),
    ]
    assert {exercise.chapter for exercise in EXERCISES.values()} == set(CHAPTERS)
    for exercise in EXERCISES.values():
        assert len(set(exercise.diagnoses)) == len(exercise.diagnoses)
        assert exercise.difficulty in (1, 2, 3)
        assert len(exercise.hints) == len(set(exercise.hints)) == 3
