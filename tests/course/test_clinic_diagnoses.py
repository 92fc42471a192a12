"""Naming a fault: every way to write it, what is said of it, and what is noted."""

import html
import math

import pytest

from azlearn.course import clinic, progress
from azlearn.course.clinic_cases import PATIENTS, SYMPTOMS, symptom

CASES = clinic.cases()


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    path = tmp_path / "progress.json"
    monkeypatch.setenv("AZLEARN_PROGRESS", str(path))
    return path


def test_the_choices():
    names = list(clinic.choices())
    assert len(names) == len(set(names)) >= len(CASES) + 4
    assert {patient.fault.name for patient in PATIENTS.values()} < set(names)
    assert str(clinic.choices()).splitlines()[10] == " 11  value not negated at backup"
    assert clinic.choices()._repr_html_().count("<li>") == len(names)


@pytest.mark.parametrize("letter", CASES)
def test_the_right_name_shows_the_difference(letter):
    number = list(SYMPTOMS).index(PATIENTS[letter].fault.name) + 1
    verdict = clinic.diagnose(letter, number)
    assert verdict.is_right
    signs = {line[0] for line in verdict.diff}
    assert " " in signs
    assert signs & {"+", "-"}
    changed = [line for line in verdict.diff if line[0] in "+-"]
    assert 1 <= len(changed) <= 6
    assert not any('"""' in line or "noqa" in line for line in verdict.diff)
    assert verdict.message in str(verdict)
    assert html.escape(changed[0]) in verdict._repr_html_()
    for other in set(SYMPTOMS) - {PATIENTS[letter].fault.name}:
        wrong = clinic.diagnose(letter, other)
        assert wrong.outcome == "wrong"
        assert PATIENTS[letter].fault.name not in str(wrong)
        assert len(symptom(other, PATIENTS[letter].c)) > 20
        assert symptom(other, PATIENTS[letter].c) in wrong.message
        assert wrong.diff == []


def test_what_is_said_of_c_fits_the_case():
    """Inside the root c = 1 changes nothing; another c does, by the factor that is named."""
    for letter in CASES:
        c = PATIENTS[letter].c
        said = clinic.diagnose(letter, "c inside the square root").message
        assert ("with c = 1 " in said) == (c == 1)
        assert (f"√({c:g} · ln ΣN / N)" in said) == (c != 1)
    assert "1.4 times the right one" in clinic.diagnose("G", 2).message
    log_total, n = math.log(100), 7
    assert math.sqrt(0.5 * log_total / n) / (0.5 * math.sqrt(log_total / n)) == pytest.approx(
        1.4, abs=0.05
    )


@pytest.mark.parametrize(
    ("letter", "choice"),
    [
        ("A", 11), ("a", "11"), ("case a", " 11. "), (" A ", "Value not negated at backup."),
        ("A", "not negated"), ("A", "value not negatd at backup"),
    ],
)  # fmt: skip
def test_letters_and_choices_may_be_written_in_many_ways(letter, choice):
    assert clinic.diagnose(letter, choice).is_right


@pytest.mark.parametrize("choice", [None, ..., "", 0, 13, "the", "nonsense", -1, 2.5, ["x"]])
def test_what_names_no_fault_is_not_an_attempt(choice, path):
    verdict = clinic.diagnose("A", choice)
    assert verdict.outcome == "not attempted"
    assert "`choices()`" in verdict.message
    assert not path.exists()


def test_a_case_that_is_not_there():
    with pytest.raises(ValueError, match="There is no case 'Z'; the cases are A, B"):
        clinic.case("Z")
    with pytest.raises(ValueError, match="There is no case 7"):
        clinic.diagnose(7, 1)


def test_solved_cases_are_noted(path):
    clinic.diagnose("A", 1)
    assert progress().num_solved == 0
    clinic.diagnose("A", 11)
    clinic.diagnose("B", 1)
    grid = progress()
    assert grid.num_solved == 1
    assert f"1 of {len(grid.cases)} cases of the bug clinics solved" in str(grid)
    assert "✓ case A  right" in str(grid)
    assert "✗ case B  wrong" in str(grid)
    assert "· case C" in str(grid)
    assert "<b>✓ case A</b>" in grid._repr_html_()
