"""The engine behind the checks: what is named, in which words, and what is shown of it."""

import numpy as np
import pytest

from azlearn.course import marking as engine
from azlearn.course.checking import COMMON_DIAGNOSES, Exercise, run_check
from azlearn.course.comparing import About, same
from azlearn.course.marking import CHANGED, Case, Marking, attempt
from azlearn.course.sheets import read_sheet

SOLUTION = """def mean(numbers, weight):
    total = 0.0
    for number in numbers:
        total += number
    return weight * total / len(numbers)"""

SHEET = read_sheet(
    """# A weighted mean
id: 9.9
minutes: 1
difficulty: 1
function: mean(numbers, weight)
section: 1 · Means
right: That is the mean.

## Hints
a
---
b
---
c

## Faults
### not divided
- total / len(numbers)
+ total
Divide the sum by the number of numbers.
### the weight is forgotten
- weight * total
+ total
Multiply by the weight.
### one too few
- / len(numbers)
+ / (len(numbers) - 1)
All of them count.
### the input is sorted
- total = 0.0
+ total = 0.0
+ numbers.sort()
Leave what you were given as it is.
### a text
! : text
A number is asked for.
"""
)
CASES = (
    Case("two numbers", ([4.0, 2.0], 1.0), 3.0),
    Case("three numbers, weight ½", ([1.0, 0.0, 5.0], 0.5), 1.0),
)


def draw(rng):
    numbers = rng.integers(-9, 9, rng.integers(1, 6)).astype(float).tolist()
    return Case("", (numbers, float(rng.integers(3))))


@pytest.fixture
def exercise(monkeypatch):
    monkeypatch.setattr(engine, "solution_source", lambda exercise_id: SOLUTION)

    def run_source(exercise_id, source):
        names = {}
        exec(source, names)
        return names

    monkeypatch.setattr(engine, "run_source", run_source)
    marking = Marking(SHEET, CASES, engine.returned, draw)
    return Exercise(
        "9.9", "A weighted mean", 1, 1, "mean(numbers, weight)", None, SHEET.names, SHEET.hints,
        marking=marking,
    )  # fmt: skip


@pytest.fixture
def told(exercise):
    return lambda answer: run_check(exercise, answer)


def test_a_right_answer_is_told_so(told):
    assert told(lambda numbers, weight: weight * np.mean(numbers)).message == "That is the mean."


@pytest.mark.parametrize(
    ("answer", "name", "opening"),
    [
        (lambda n, weight: weight * sum(n), "not divided", "One way to get this"),
        (lambda n, weight: np.mean(n), "the weight is forgotten", "One way to get this"),
        # It raises where the fault does: with one number it divides by zero …
        (lambda n, weight: weight * sum(n) / (len(n) - 1), "one too few", "One way to get this"),
        # … or fits by hand only.
        (lambda n, weight: weight * sum(n) / max(1, len(n) - 1), "one too few", "This looks"),
        (
            lambda n, weight: weight * sum(n) / (1, 7)[len(n) not in (2, 3)],
            "not divided",
            "This looks like",
        ),
    ],
)
def test_what_a_patch_does_is_named_however_it_is_written(told, answer, name, opening):
    result = told(answer)
    assert (result.outcome, result.diagnosis) == ("wrong", name)
    assert result.message.startswith(opening)
    assert f" “{name}”. For " in result.message
    assert result.message.endswith("See chapter 9, section 1, “Means”.")
    told = [result.message, *(row.label for row in result.rows)]
    assert "three numbers, weight ½" in told[-1]  # those by hand are shown first


def test_a_symptom_is_known_by_its_look(told):
    assert told(lambda numbers, weight: "text").diagnosis == "a text"
    assert told(lambda numbers, weight: str(numbers)).diagnosis == "no named fault"


def test_of_the_drawn_cases_the_smallest_is_shown(told, exercise):
    """Wrong for a single number only: no case by hand has one."""
    result = told(
        lambda numbers, weight: (
            weight * np.mean(numbers) + (len(numbers) == 1 and (numbers[0] + 1) ** 2)
        )
    )
    words = [c.words for c in exercise.marking.all_cases if len(c.arguments[0]) == 1]
    assert result.diagnosis == "no named fault"
    assert f"For {min(words, key=len)}, the expected result is " in result.message
    assert result.rows == ()  # the sentence says it


def test_raising_where_no_fault_does_is_the_readers_error(told):
    def answer(numbers, weight):
        if len(numbers) == 3:
            raise KeyError("three")
        return weight * np.mean(numbers)

    result = told(answer)
    assert result.outcome == "error"
    assert "`KeyError`: 'three'" in result.message
    assert "The input was three numbers, weight ½." in result.message


def test_two_faults_are_told_as_two(told):
    result = told(lambda numbers, weight: sum(numbers))
    assert result.diagnosis == "not divided"
    both = "There are two mistakes here: “not divided” and “the weight is forgotten”."
    assert result.message.startswith(both)

    def sorts_too(numbers, weight):
        numbers.sort()
        return weight * sum(numbers)

    result = told(sorts_too)
    both = "There are two mistakes here: “not divided” and “the input is sorted”."
    assert result.message.startswith(both)


def test_input_that_is_changed_is_seen(told):
    def answer(numbers, weight):
        numbers.sort()
        return weight * np.mean(numbers)

    result = told(answer)
    assert result.diagnosis == "the input is sorted"
    assert CHANGED in result.message


@pytest.mark.parametrize("when", [1, 2, 3])
def test_nothing_where_something_should_be_is_a_missing_return(told, when):
    result = told(lambda n, weight: None if len(n) >= when else weight * np.mean(n))
    assert result.diagnosis == COMMON_DIAGNOSES[0] == "returns nothing"


@pytest.mark.parametrize("value", [[1.0], float("nan"), object(), {"a": 1}, 10**400, None])
def test_a_value_of_any_kind_ends_in_a_verdict(told, value):
    result = told(lambda numbers, weight: value)
    assert result.outcome == "wrong"
    assert len(result.message) > 20


def test_what_cannot_be_read_is_the_answers_fault_and_says_where(exercise):
    exercise.marking.observe = lambda answer, case: {"": float(answer(*case.arguments))}
    result = run_check(exercise, lambda numbers, weight: [numbers])
    assert result.outcome == "wrong"
    assert "could not interpret what your function returned for two numbers: " in result.message


def test_a_check_that_fails_itself_says_so(exercise, monkeypatch):
    def verdict(self, given):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(Marking, "verdict", verdict)
    result = run_check(exercise, lambda numbers, weight: 0)
    assert result.outcome == "error"
    assert result.message.startswith("The check itself failed; this says nothing")


def test_raising_can_be_one_of_the_things_looked_at(exercise):
    def observe(answer, case):
        return {"": answer(*case.arguments), "with no numbers": attempt(answer, [], 1.0)}

    exercise.marking.observe = observe
    result = run_check(
        exercise, lambda numbers, weight: weight * sum(numbers) / max(1, len(numbers))
    )
    assert result.outcome == "wrong"
    assert (
        "with no numbers: the expected result is `ZeroDivisionError`; yours is 0" in result.message
    )


def test_what_the_answer_prints_is_shown_on_the_cases_by_hand_only(told, capsys):
    def answer(numbers, weight):
        print("called")
        return weight * np.mean(numbers)

    assert told(answer).is_right
    assert capsys.readouterr().out == "called\n" * len(CASES)


def test_measured_values_are_the_same_up_to_a_distance():
    assert same(About([1.0, np.inf], 0.1), About([1.05, np.inf], 0.0))
    assert not same(About([1.0], 0.1), About([1.2], 1.0))
    assert not same(About([1.0], 0.1), About([1.0, 1.0], 0.1))
