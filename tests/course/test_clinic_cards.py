"""What a card shows: the moves with their marks, what the numbers can tell, and no fault's name."""

import html
import json
import re

import pytest

from azlearn.course import clinic
from azlearn.course.clinic import Score, told_apart
from azlearn.course.clinic_cases import PATIENTS

CASES = {letter: clinic.case(letter) for letter in clinic.cases()}
CARDS = {letter: case.card() for letter, case in CASES.items()}


@pytest.mark.parametrize("letter", CASES)
def test_nothing_shown_before_the_diagnosis_names_the_fault(letter):
    case = CASES[letter]
    explorer, card = case.explorer(), CARDS[letter]
    shown = [repr(case), card._repr_html_(), explorer.describe(), explorer.to_svg()]
    shown += [explorer.notice, json.dumps(explorer.record["rule"]), type(case).__name__]
    name = PATIENTS[letter].fault.name
    assert not [text for text in shown if name.lower() in html.unescape(text).lower()]
    assert explorer.record["rule"] == {"name": "custom"}
    assert f"Case {letter}" in str(card)
    assert "known" in str(card)


def test_cards_say_the_same_everywhere():
    card = CARDS["A"]
    page, text = card._repr_html_(), str(card)
    for row in card.tables[1]:
        assert f">{row.visits}</td>" in page
    for score in card.scores:
        assert f"{score.kept} of {score.n}" in page
        assert f"{score.kept} of {score.n}" in text
    assert [score.who for score in card.scores] == ["this search", "a right search", "random moves"]
    assert page.count('<img class="azl-both" alt=') == 3  # follow the dark theme
    assert "plays 4" not in text


@pytest.mark.parametrize("letter", CASES)
def test_moves_are_marked_by_the_truth_beside_them(letter):
    card = CARDS[letter]
    page, text = card._repr_html_(), str(card)
    for turn in card.turns:
        label = card.game.action_label(turn.action)
        mark = "✓" if label in re.findall(r"[1-7]", turn.truth) else "✗"
        assert f">{mark} plays {label}</b>" in page
        assert f"{mark} {card._said(turn)}" in text
    assert {turn.is_right for turn in CARDS["B"].turns} == {True, False}


@pytest.mark.parametrize("letter", CASES)
def test_the_move_played_stands_next_to_the_tree(letter):
    case, card = CASES[letter], CARDS[letter]
    label = card.game.action_label(case.action)
    assert case.action == card.turns[0].action
    assert case.explorer().notice == f"When this search is over, it plays {label}."
    assert str(card).endswith(f"{card.num_simulations} simulations are done, it plays {label}.")
    (played,) = (line for line in str(card).splitlines() if line.endswith("◂ played"))
    assert played.split()[0] == label
    assert card._repr_html_().count("◂ played") == 1


@pytest.mark.parametrize("letter", CASES)
def test_tables_are_those_of_the_select_phase(letter):
    """ "simulation 20 of 200": the explorer's number, and the visits of the 19 before it."""
    card, explorer = CARDS[letter], CASES[letter].explorer()
    before = 600 if letter == "E" else 0
    for rows, at in zip(card.tables, card.at, strict=True):
        assert sum(row.visits for row in rows) == before + at - 1
        assert f"simulation {at} of {card.num_simulations}" in str(card)
        assert explorer.record["steps"]["simulation"][at - 1] == at


def test_what_the_scores_can_tell():
    kept = (True,) * 30
    lost = (False,) * 6 + kept[6:]
    assert told_apart(Score("a", lost), Score("b", kept))  # 0 of 6, p = 0.03
    assert told_apart(Score("a", kept), Score("b", lost))
    assert not told_apart(Score("a", (False,) * 5 + kept[5:]), Score("b", kept))  # p = 0.06
    assert not told_apart(Score("a", kept), Score("b", kept))
    assert not told_apart(Score("a", lost), Score("b", lost[::-1]))
    assert {letter for letter, card in CARDS.items() if card.told_apart} == {"A", "D"}
    for card in CARDS.values():
        assert ("too close to a right search" in str(card)) == (not card.told_apart)
        assert card._comparison in card._repr_html_()
        assert "95 % interval" in card._repr_html_()
        assert f'played so far, in order: "{card.moves}"' in str(card)
