"""Every sheet holds: its patches apply and are told by their names, right answers pass."""

import re
from collections import Counter

import nbformat
import pytest

from azlearn.course.checking import COMMON_DIAGNOSES, NOT_A_FUNCTION, run_check
from azlearn.course.comparing import About
from azlearn.course.exercises import CHAPTERS, EXERCISES, SHEETS
from azlearn.course.observation import KIND
from azlearn.course.results import UNRECOGNISED
from azlearn.course.slip_kinds import KINDS
from azlearn.course.solutions import solution_source
from tests.course.registry import MUTANTS, RIGHT, collect
from tools.build_exercises import ROOT

collect()

SEARCH = re.compile(r"\n\n(In the search below,|The search below|Below stands the root alone)")
UNTRACED = pytest.mark.no_cover  # an exercise's first mistake and its right answers are traced
MADE = [
    pytest.param(exercise_id, number, marks=[UNTRACED] * (number > 0))
    for exercise_id, sheet in SHEETS.items()
    for number, fault in enumerate(sheet.faults)
    if fault.can_be_made
]
WITHOUT_VALUES_BY_HAND = ("9.4",)  # noise: tests/course/test_truth.py
MARKED = [i for i in EXERCISES if EXERCISES[i].marking is not None]


def _name(answer):
    label = answer.diagnosis.replace(" ", "-") or answer.function.__name__
    return f"{answer.exercise_id}-{label}"


def _assert_told(exercise_id, answer, name, record=lambda name, value: None):
    result = run_check(EXERCISES[exercise_id], answer)
    names = {name, *KINDS} if name == UNRECOGNISED else {name}  # what no sheet names may be a slip
    is_told = result.outcome == "wrong" and result.diagnosis in names
    record("mutant", "caught" if is_told else "missed")
    assert is_told, f"said: {result}"
    assert len(result.message) > 40
    assert not re.search(r"\{|\bP\d\b|See \d", result.message), "means nothing to a reader"
    if result.diagnosis != NOT_A_FUNCTION:
        assert SHEETS[exercise_id].read_on in result.message
    if result.has_search:
        assert SEARCH.search(result.message), "what the search below shows is not said"


@pytest.mark.slow
@pytest.mark.parametrize(("exercise_id", "number"), MADE, ids=lambda x: str(x))
def test_a_known_mistake_is_told_by_its_own_name(exercise_id, number, record_property):
    """The sheet's own patch, put into the solution, is what a reader could have written."""
    marking, fault = EXERCISES[exercise_id].marking, SHEETS[exercise_id].faults[number]
    if marking is None:
        pytest.skip("checked by hand: the answers in answers_*.py try its names")
    answer = marking.function(fault.source(marking.solution))
    _assert_told(exercise_id, answer, fault.name, record_property)


@pytest.mark.slow
@UNTRACED
@pytest.mark.parametrize("answer", MUTANTS, ids=_name)
def test_a_wrong_answer_written_in_another_way_is_told_too(answer, record_property):
    _assert_told(answer.exercise_id, answer.function, answer.diagnosis, record_property)


@pytest.mark.parametrize("answer", RIGHT, ids=_name)
def test_other_right_answer_passes(answer):
    result = run_check(EXERCISES[answer.exercise_id], answer.function)
    assert result.outcome == "right", str(result)
    assert result.message
    assert result.note == "", "a right answer, and a complaint about its search"
    assert result.has_search == (EXERCISES[answer.exercise_id].explore is not None)


@pytest.mark.parametrize("exercise_id", MARKED)
def test_the_solution_has_the_values_worked_out_by_hand(exercise_id):
    """At least one, unless a test beside it holds the solution to another truth."""
    marking = EXERCISES[exercise_id].marking
    known = [(i, case.right) for i, case in enumerate(marking.cases) if case.right is not None]
    for number, right in known:
        seen = marking.right.seen[number]
        first = next(key for key in seen if key != KIND)
        values = {**right} if isinstance(right, dict) else {first: right}
        for key, value in values.items():
            if isinstance(seen[key], About) and not isinstance(value, About):
                values[key] = About(value, seen[key].within)
        by_hand = list(marking.right.seen)
        by_hand[number] = seen | values
        assert not marking.differing(by_hand, [number]), marking.cases[number].words
    assert known or exercise_id in WITHOUT_VALUES_BY_HAND


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_names_that_no_patch_makes_are_tried_with_answers(exercise_id):
    sheet = SHEETS[exercise_id]
    tried = {answer.diagnosis for answer in MUTANTS if answer.exercise_id == exercise_id}
    by_patch = EXERCISES[exercise_id].marking is not None
    made = {fault.name for fault in sheet.faults if fault.can_be_made and by_patch}
    assert set(sheet.names) - made <= tried
    assert tried <= {*sheet.names, *COMMON_DIAGNOSES}
    assert len(made | tried) >= 4
    assert any(answer.exercise_id == exercise_id for answer in RIGHT)


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_a_sheet_fits_the_solution_and_the_chapter(exercise_id):
    sheet = SHEETS[exercise_id]
    (path,) = (ROOT / "notebooks").glob(f"{sheet.number[0]:02d}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    lines = [line for c in cells if c.cell_type == "markdown" for line in c.source.split("\n")]
    assert f"## {sheet.section}" in lines
    assert sheet.number[0] in CHAPTERS
    assert sheet.difficulty in (1, 2, 3)
    assert len(set(sheet.hints)) == 3
    for fault in sheet.faults:
        fault.source(solution_source(exercise_id))
    ways = Counter((fault.name, fault.changes, fault.answer, fault.key) for fault in sheet.faults)
    assert max(ways.values()) == 1, "one way to make a mistake stands there twice"
