"""Both bug clinics: what a case shows, naming a fault in any way, and what is noted of it."""

import html
import json
import math

import numpy as np
import pytest

from azlearn.course import clinic, progress, training_clinic
from azlearn.course.api import CLINICS
from azlearn.course.bug_clinic import Score, describe_difference
from azlearn.course.patches import patched
from azlearn.course.stored_runs import training_runs
from azlearn.games import minimax_value
from azlearn.learning.living_filters import ALIVE
from azlearn.minimal import AlphaZero
from tools.training_runs import GAME, ITERATIONS, RUNS, positions, train

SHOWN = {
    letter: module.case(letter) for module in (clinic, training_clinic) for letter in module.cases()
}
CASES = {letter: shown._case for letter, shown in SHOWN.items()}
SEARCHES = clinic.cases()
TRAININGS = training_clinic.cases()
RIGHT = ("right", "right again")


def of(letter):
    return clinic if letter in SEARCHES else training_clinic


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    path = tmp_path / "progress.json"
    monkeypatch.setenv("AZLEARN_PROGRESS", str(path))
    return path


def test_the_letters_of_both_are_those_of_the_progress():
    assert [list(letters) for _, letters in CLINICS] == [SEARCHES, TRAININGS]
    assert {case.evidence for letter, case in CASES.items() if letter in TRAININGS} == set(RUNS) - {
        "right"
    }


@pytest.mark.parametrize("module", [clinic, training_clinic])
def test_there_are_more_names_than_cases(module):
    names = list(module.choices())
    assert len(names) == len(set(names)) == len(module.choices()) >= len(module.cases()) + 4
    assert {CASES[letter].name for letter in module.cases()} < set(names)
    assert str(module.choices()).splitlines()[10] == f" 11  {names[10]}"
    assert module.choices()._repr_html_().count("<li>") == len(names)


@pytest.mark.parametrize("letter", SHOWN)
def test_nothing_shown_before_the_diagnosis_names_the_fault(letter):
    shown, name = SHOWN[letter], CASES[letter].name.lower()
    explorer = shown.explorer()
    texts = [str(shown), shown._repr_html_(), explorer.describe(), explorer.to_svg()]
    texts += [explorer.notice, json.dumps(explorer.record["rule"]), type(shown).__name__]
    assert not [text for text in texts if name in html.unescape(text).lower()]
    assert texts[0].startswith(f"Case {letter}: What is wrong with this ")


@pytest.mark.parametrize("letter", SHOWN)
def test_the_right_name_shows_the_difference_and_a_wrong_one_what_it_would_look_like(letter):
    module, case = of(letter), CASES[letter]
    verdict = module.diagnose(letter, list(module.choices()).index(case.name) + 1)
    assert verdict.is_right
    assert case.shows in str(verdict)
    assert f"the correct {SHOWN[letter].kind}" in str(verdict)
    changed = [line for line in verdict.diff if line[0] in "+-"]
    assert 1 <= len(changed) <= 6
    assert any(line[0] == " " for line in verdict.diff)
    assert not any('"""' in line or "noqa" in line for line in verdict.diff)
    assert html.escape(changed[0]) in verdict._repr_html_()
    for other in set(module.choices()) - {case.name}:
        wrong, words = module.diagnose(letter, other), module.CLINIC.symptom(letter, other)
        assert (wrong.outcome, wrong.diff) == ("wrong", ())
        assert len(words) > 20
        assert words in wrong.message
        assert case.name not in str(wrong)
    assert progress().num_solved == 1
    assert f"✓ case {letter}  right" in str(progress())


def test_what_is_said_of_c_fits_the_case():
    """Inside the root c = 1 changes nothing; another c does, by the factor that is named."""
    for letter in SEARCHES:
        c = CASES[letter].evidence.c
        said = clinic.diagnose(letter, "c inside the square root").message
        assert ("with c = 1 " in said) == (c == 1)
        assert (f"√({c:g} · ln ΣN / N)" in said) == (c != 1)
    assert "1.4 times the right one" in clinic.diagnose("G", 2).message
    assert math.sqrt(0.5) / 0.5 == pytest.approx(1.4, abs=0.05)


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


def test_solved_cases_are_noted():
    clinic.diagnose("A", 1)
    assert progress().num_solved == 0
    clinic.diagnose("A", 11)
    clinic.diagnose("B", 1)
    text = str(progress())
    assert f"1 of {len(SHOWN)} cases of the bug clinics solved" in text
    assert "✗ case B  wrong" in text
    assert "· case C" in text
    assert "<b>✓ case A</b>" in progress()._repr_html_()


def test_what_the_scores_can_tell():
    kept = (True,) * 30
    lost = (False,) * 6 + kept[6:]
    assert describe_difference(Score("a", lost), Score("b", kept))  # 0 of 6, p = 0.03
    assert describe_difference(Score("a", kept), Score("b", lost))
    assert not describe_difference(
        Score("a", (False,) * 5 + kept[5:]), Score("b", kept)
    )  # p = 0.06
    assert not describe_difference(Score("a", kept), Score("b", kept))
    assert not describe_difference(Score("a", lost), Score("b", lost[::-1]))


# --- a search ------------------------------------------------------------------------------------


def test_a_card_says_the_same_everywhere():
    shown = SHOWN["A"]
    page, text = shown._repr_html_(), str(shown)
    assert [score.who for score in shown.scores] == [
        "this search",
        "a correct search",
        "random moves",
    ]
    for score in shown.scores:
        assert f"{score.kept} of {score.n}" in page
        assert f"{score.kept} of {score.n}" in text
    for row in shown.tables[200]:
        assert f">{row.visits}</td>" in page
    assert page.count('<img class="azl-both" alt=') == 3  # follow the dark theme
    assert "plays 4" not in text


@pytest.mark.parametrize("letter", SEARCHES)
def test_a_card_marks_the_moves_by_the_truth_and_says_what_the_score_can_tell(letter):
    shown = SHOWN[letter]
    page, text = shown._repr_html_(), str(shown)
    for played in shown.turns:
        label = str(played.action + 1)
        mark = "✓" if label in played.turn.good else "✗"
        assert f">{mark} plays {label}</span>" in page
        assert f"{mark} {played.said}" in text
    label = str(shown.action + 1)
    assert shown.action == shown.turns[0].action
    assert shown.explorer().notice == f"When this search is over, it plays {label}."
    assert text.endswith(f"{shown.asked.num_simulations} simulations are done, it plays {label}.")
    (line,) = (line for line in text.splitlines() if line.endswith("◂ played"))
    assert line.split()[0] == label
    assert page.count("◂ played") == 1
    close = "too close to that of a correct search"
    assert [close in form for form in (page, text)] == [letter not in "AD"] * 2


@pytest.mark.parametrize("letter", SEARCHES)
def test_tables_are_those_of_the_select_phase(letter):
    """ "simulation 20 of 200": the explorer's number, and the visits of the 19 before it."""
    shown, before = SHOWN[letter], 600 if letter == "E" else 0
    for at, rows in shown.tables.items():
        assert sum(row.visits for row in rows) == before + at - 1
        assert f"simulation {at} of {shown.asked.num_simulations}" in str(shown)
        assert shown.recording.to_dict()["steps"]["simulation"][at - 1] == at


# --- a training ----------------------------------------------------------------------------------


def curve(run, name):
    return np.array(training_runs()[run]["curves"][name])


def late(run, name):
    return curve(run, name)[-5:].mean()


def num_dead(run):
    layers = training_runs()[run]["filters"].values()
    return sum(norm <= ALIVE for norms in layers for norm in norms)


def symptoms(run):
    """What can be seen of a run: the names of the faults that it speaks for."""
    one, two = training_runs()[run]["visits"]
    seen = {
        "z for the wrong player": late(run, "won") < late(run, "lost"),
        "evaluation in train mode":
            np.abs(curve(run, "empty_alone") - curve(run, "empty_among_others")).max() > 0.05,
        "stale replay": late(run, "policy") > late(run, "policy_fresh") + 0.1,
        "noise everywhere": one != two,
        "τ applied, and π not normalized again": curve(run, "policy_fresh")[0] < 0.75,
        "π not mirrored": late(run, "alone") < late(run, "at_25") - 0.2,
        "c of c‖θ‖² far too large": num_dead(run) > 4,
    }  # fmt: skip
    return {name for name, is_seen in seen.items() if is_seen}


@pytest.mark.parametrize("letter", TRAININGS)
def test_a_training_shows_its_own_fault_and_one_other_at_most(letter):
    case = CASES[letter]
    assert case.name in symptoms(case.evidence)
    assert len(symptoms(case.evidence)) <= 2


@pytest.mark.parametrize("run", RIGHT)
def test_right_trainings_show_none_and_the_dying_one_plays_as_well(run):
    assert symptoms(run) == set()
    assert num_dead(run) == 0
    for name in ("at_25", "alone"):
        assert late("heavy decay", name) > late(run, name) - 0.05


def test_curves_and_dead_filters_are_told_in_words():
    picture = SHOWN["N"].picture()
    assert "in block 2, second" in picture.alt
    assert sum(n - living for living, n in SHOWN["N"].living().values()) == num_dead("heavy decay")
    for name in ("alone", "won"):
        assert f"{SHOWN['N'].curves[name][-1]:.2f}" in picture.alt


def test_the_stored_trainings_are_whole():
    assert set(training_runs()) == {*RUNS, "right again"}
    for run in training_runs().values():
        assert {len(values) for values in run["curves"].values()} == {ITERATIONS}
        assert set(run["kept"]) <= {"0", "1"}
        assert len(run["record"]["steps"]["leaf"]) == 50


def test_positions_are_one_of_each_and_their_values_true():
    states, truth, _ = positions()
    assert len(states) == 627  # 765 positions up to symmetry, of which 138 are finished
    sample = range(0, len(states), 20)
    assert [minimax_value(GAME, states[i]) for i in sample] == [truth[i] for i in sample]


def test_a_fresh_run_shows_what_the_stored_one_shows():
    right = train(AlphaZero, iterations=1)["curves"]
    powers = train(RUNS["not normalized"], iterations=1)["curves"]
    mode = train(patched(AlphaZero, *CASES["I"].patches), iterations=4)["curves"]
    assert right["empty_alone"] == right["empty_among_others"]
    assert 1.2 < right["policy_fresh"][0] < np.log(9)
    assert powers["policy_fresh"][0] < right["policy_fresh"][0] / 2
    pairs = zip(mode["empty_alone"], mode["empty_among_others"], strict=True)
    assert max(abs(one - other) for one, other in pairs) > 0.05
