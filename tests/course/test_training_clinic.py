"""The second bug clinic: each case shows its fault where it is said to, and right runs do not."""

import html
import json

import numpy as np
import pytest

from azlearn.course import clinic, progress, training_clinic
from azlearn.course.api import CLINICS
from azlearn.course.small_training import GAME, SmallTraining
from azlearn.course.training_cases import PATIENTS, SYMPTOMS
from azlearn.course.training_runs import ITERATIONS, RUNS, positions, runs, train
from azlearn.games import minimax_value
from azlearn.learning.living_filters import ALIVE

CASES = training_clinic.cases()
HEALTHY = ("right", "right again")


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("AZLEARN_PROGRESS", str(tmp_path / "progress.json"))


def curve(run, name):
    return np.array(runs()[run]["curves"][name])


def late(run, name):
    return curve(run, name)[-5:].mean()


def num_dead(run):
    return sum(norm <= ALIVE for norms in runs()[run]["filters"].values() for norm in norms)


def symptoms(run):
    """What can be seen of a run, by the name of the fault that it speaks for."""
    first = runs()[run]["curves"]
    gap = np.abs(curve(run, "empty_alone") - curve(run, "empty_among_others")).max()
    one, two = runs()[run]["visits"]
    return {
        "z for the wrong player": late(run, "won") < late(run, "lost"),
        "evaluation in train mode": gap > 0.05,
        "stale replay": late(run, "policy") > late(run, "policy_fresh") + 0.1,
        "noise everywhere": one != two,
        "τ applied, and π not normalised again": first["policy_fresh"][0] < 0.75,
        "π not mirrored": late(run, "alone") < late(run, "at_25") - 0.2,
        "c of c‖θ‖² far too large": num_dead(run) > 4,
    }


@pytest.mark.parametrize("letter", CASES)
def test_each_case_shows_its_own_fault(letter):
    patient = PATIENTS[letter]
    assert symptoms(patient.run)[patient.name]


@pytest.mark.parametrize("run", HEALTHY)
def test_right_runs_show_none(run):
    assert not any(symptoms(run).values())


@pytest.mark.parametrize("run", HEALTHY)
def test_a_right_run_has_no_dead_filter_and_the_dying_one_plays_as_well(run):
    assert num_dead(run) == 0
    for name in ("at_25", "alone"):
        assert late("heavy decay", name) > late(run, name) - 0.05
    case = training_clinic.case("N")
    assert "in block 2, second" in case.picture().alt
    assert sum(n - living for living, n in case.living().values()) == num_dead("heavy decay")


def test_most_symptoms_are_of_one_case_only():
    """What is seen in two cases must be told apart by another sign."""
    seen = {letter: symptoms(PATIENTS[letter].run) for letter in CASES}
    for letter in CASES:
        others = [name for name, shown in seen[letter].items() if shown]
        assert PATIENTS[letter].name in others
        assert len(others) <= 2, (letter, others)


def test_the_letters_follow_those_of_clinic_one():
    assert [list(letters) for _, letters in CLINICS] == [clinic.cases(), CASES]
    assert {patient.run for patient in PATIENTS.values()} == set(RUNS) - {"right"}
    assert {patient.name for patient in PATIENTS.values()} < set(SYMPTOMS)


def test_the_runs_are_whole():
    assert set(runs()) == {*RUNS, "right again"}
    for run in runs().values():
        assert {len(values) for values in run["curves"].values()} == {ITERATIONS}
        assert set(run["kept"]) <= {"0", "1"}
        assert len(run["record"]["steps"]["leaf"]) == 50


def test_positions_are_one_of_each_and_their_values_true():
    states, truth, _ = positions()
    assert len(states) == 627  # 765 positions up to symmetry, of which 138 are finished
    sample = range(0, len(states), 20)
    assert [minimax_value(GAME, states[i]) for i in sample] == [truth[i] for i in sample]


@pytest.mark.parametrize("letter", CASES)
def test_the_right_name_shows_the_difference(letter):
    verdict = training_clinic.diagnose(letter, PATIENTS[letter].name)
    assert verdict.is_right
    changed = [line for line in verdict.diff if line[0] in "+-"]
    assert 1 <= len(changed) <= 6
    assert "the right training" in str(verdict)
    for other in set(SYMPTOMS) - {PATIENTS[letter].name}:
        wrong = training_clinic.diagnose(letter, other)
        assert wrong.outcome == "wrong"
        assert SYMPTOMS[other] in wrong.message
        assert PATIENTS[letter].name not in str(wrong)
    assert progress().num_solved == 1
    assert f"✓ case {letter}  right" in str(progress())


@pytest.mark.parametrize("choice", [None, ..., "", 0, 13, "the", "nonsense"])
def test_what_names_no_fault_is_not_an_attempt(choice):
    assert training_clinic.diagnose("H", choice).outcome == "not attempted"


def test_a_case_that_is_not_there():
    with pytest.raises(ValueError, match="There is no case 'A'; the cases are H, I"):
        training_clinic.case("A")


@pytest.mark.parametrize("letter", CASES)
def test_nothing_that_is_displayed_names_the_fault(letter):
    case = training_clinic.case(letter)
    picture = case.picture()
    shown = [str(case), picture.html(), case.explorer().describe(), json.dumps(case._run["record"])]
    name = PATIENTS[letter].name
    assert case.explorer().describe().startswith("Search tree on tic-tac-toe with ")
    for text in shown:
        assert name.lower() not in html.unescape(text).lower()
    for name, values in case.curves.items():
        if name in ("alone", "won"):
            assert f"{values[-1]:.2f}" in picture.alt


def test_a_fresh_run_shows_what_the_stored_one_shows():
    right = train(SmallTraining, iterations=1)["curves"]
    powers = train(RUNS["not normalised"], iterations=1)["curves"]
    mode = train(RUNS["train mode"], iterations=4)["curves"]
    assert right["empty_alone"] == right["empty_among_others"]
    assert 1.2 < right["policy_fresh"][0] < np.log(9)
    assert powers["policy_fresh"][0] < right["policy_fresh"][0] / 2
    pairs = zip(mode["empty_alone"], mode["empty_among_others"], strict=True)
    assert max(abs(one - other) for one, other in pairs) > 0.05
