"""Every wrong answer is told by its own name, every right one passes, however it is written."""

import re

import nbformat
import pytest

from azlearn.course.build import ROOT
from azlearn.course.checking import COMMON_DIAGNOSES, NOT_A_FUNCTION, run_check
from azlearn.course.exercises import CHAPTERS, EXERCISES
from azlearn.course.sections import SECTIONS, read_on
from tests.course import (  # noqa: F401  (they register)
    mutants_ch01_boards,
    mutants_ch01_values,
    mutants_ch02,
    mutants_ch02_ucb1,
    mutants_ch03_choices,
    mutants_ch03_search,
    mutants_ch03_tree,
    mutants_ch04_lines,
    mutants_ch04_repairs,
    mutants_ch04_reuse,
    mutants_ch05_gradient,
    mutants_ch05_learning,
    mutants_ch05_measuring,
    mutants_ch05_split,
    mutants_ch06_baseline,
    mutants_ch06_loss,
    mutants_ch06_pool,
    mutants_ch06_position,
    mutants_ch06_rewards,
    mutants_ch07_home,
    mutants_ch07_leaf,
    mutants_ch07_simulation,
    mutants_ch08_loss,
    mutants_ch08_network,
    mutants_ch09_noise,
    mutants_ch09_scores,
    mutants_ch09_search,
    mutants_ch10_game,
    mutants_ch10_learning,
    mutants_ch11_matches,
    mutants_ch11_rates,
    mutants_ch12_asking,
    mutants_ch12_lookups,
    mutants_ch12_rows,
    mutants_ch12_step,
    mutants_ch12_virtual_loss,
)
from tests.course.registry import MUTANTS, RIGHT

SEARCH = re.compile(r"\n\n(In the search below,|The search below|Below stands the root alone)")


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
    assert not re.search(r"\bP\d\b|See \d", result.message), "means nothing to a reader"
    if result.diagnosis != NOT_A_FUNCTION:
        assert read_on(answer.exercise_id) in result.message
    if result.has_search:
        assert SEARCH.search(result.message), "what the search below shows is not said"


@pytest.mark.parametrize("answer", RIGHT, ids=_name)
def test_other_right_answer_passes(answer):
    result = run_check(EXERCISES[answer.exercise_id], answer.function)
    assert result.outcome == "right", str(result)
    assert result.message
    assert result.note == "", "a right answer, and a complaint about its search"
    assert result.has_search == (EXERCISES[answer.exercise_id].explore is not None)


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.id)
def test_every_diagnosis_has_a_mutant(exercise):
    tried = {answer.diagnosis for answer in MUTANTS if answer.exercise_id == exercise.id}
    assert tried - set(COMMON_DIAGNOSES) == set(exercise.diagnoses)
    assert len(tried) >= 4
    assert any(answer.exercise_id == exercise.id for answer in RIGHT)


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_the_section_to_read_on_is_there(exercise_id):
    chapter = EXERCISES[exercise_id].chapter
    (path,) = (ROOT / "notebooks").glob(f"{chapter:02d}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    lines = [
        line for cell in cells if cell.cell_type == "markdown" for line in cell.source.split("\n")
    ]
    assert f"## {SECTIONS[exercise_id]}" in lines
    assert read_on(exercise_id).startswith(f"To read on: chapter {chapter}, section ")


def test_catalogue():
    assert list(EXERCISES) == [
        *("1.1", "1.2", "1.3", "1.4", "2.1", "2.2", "2.3"),
        *("3.1", "3.2", "3.3", "3.4", "3.5", "3.6"),
        *("4.1", "4.2", "4.3", "4.4", "4.5", "4.6"),
        *("5.1", "5.2", "5.3", "5.4", "5.5"),
        *("6.1", "6.2", "6.3", "6.4", "6.5", "6.6"),
        *("7.1", "7.2", "7.3", "7.4", "7.5"),
        *("8.1", "8.2", "8.3", "8.4", "8.5", "8.6"),
        *("9.1", "9.2", "9.3", "9.4", "9.5", "9.6"),
        *("10.1", "10.2", "10.3", "10.4", "10.5", "10.6"),
        *("11.1", "11.2", "11.3", "11.4", "11.5", "11.6"),
        *("12.1", "12.2", "12.3", "12.4", "12.5", "12.6"),
    ]
    assert {exercise.chapter for exercise in EXERCISES.values()} == set(CHAPTERS)
    for exercise in EXERCISES.values():
        assert len(set(exercise.diagnoses)) == len(exercise.diagnoses)
        assert exercise.difficulty in (1, 2, 3)
        assert len(exercise.hints) == len(set(exercise.hints)) == 3
