"""What a card looks like: readable colors, no piece of a template left over, the same in text."""

import pytest

import azlearn.course as course
from azlearn.course import cards
from azlearn.course.doctor import NOTE, OK, PROBLEM, Finding, Report
from azlearn.course.exercises import EXERCISES
from azlearn.viz.colors import contrast
from tests.course.answers_ch02 import ucb1_vectorised
from tests.course.registry import wrong_answer

ucb1_len = wrong_answer("2.3", "number of moves instead of visits")

LOOKS = {**cards.OUTCOMES, **cards.FINDINGS, "new": cards.NEW, "hint": cards.HINT}


@pytest.mark.parametrize("name", LOOKS)
def test_white_text_reads_on_every_color(name):
    assert contrast("#ffffff", LOOKS[name].color) >= 4.5


@pytest.mark.parametrize("group", [cards.OUTCOMES, cards.FINDINGS])
def test_without_colors_each_look_is_told_apart_by_its_symbol(group):
    assert len({look.symbol for look in group.values()}) == len(group)


def test_text_is_marked_in_a_notebook_and_plain_in_a_terminal():
    text, page = cards.paragraphs("the *sum* of `a`, not <b>\n\n    code & *so*")
    assert text == "the sum of `a`, not <b>\n\n    code & so"
    assert "the <em>sum</em> of <code>a</code>, not &lt;b&gt;</p>" in page
    assert ">code &amp; *so*</pre>" in page


def test_a_table_stands_in_columns_and_a_cell_may_have_lines():
    text, page = cards.table([("board", "X.\n.O", "<b>")], ("", "right", "yours"))
    assert text == "       right  yours\nboard  X.     <b>\n       .O"
    assert page.count("<tr>") == 2
    assert "&lt;b&gt;" in page
    numbers = cards.table([("4", "16"), ("5", "3")], ("move", "N"), "late", cards.NUMBERS)
    assert numbers.text == "late\nmove   N\n   4  16\n   5   3"


def _raises(*_):
    raise ValueError("no")


def _cards():
    answers = {"not attempted": None, "error": _raises, "wrong": ucb1_len, "right": ucb1_vectorised}
    for outcome, answer in answers.items():
        result = course.check("2.3", answer)
        assert result.outcome == outcome
        yield outcome, result
    yield "progress", course.progress()
    yield "doctor", Report(tuple(Finding("a", status, "b", "c") for status in (OK, NOTE, PROBLEM)))
    for exercise_id in EXERCISES:
        for level in (1, 2, 3):
            yield f"hint {level} of {exercise_id}", course.hint(exercise_id, level)
        yield f"solution of {exercise_id}", course.solution(exercise_id)


def test_no_card_shows_a_piece_of_its_template(tmp_path, monkeypatch):
    monkeypatch.setenv("AZLEARN_PROGRESS", str(tmp_path / "progress.json"))
    for kind, shown in _cards():
        assert "{_" not in shown._repr_html_(), kind


def test_an_error_shows_the_readers_line_as_code():
    page = course.check("2.3", _raises)._repr_html_()
    assert '<pre style="margin:.4em 0;' in page
    assert "raise ValueError" in page


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (("X to move, not to come back:", "X..", ".O."), "X to move, not to come back: X../.O."),
        (("X..", ".O., or", ".X.", "O..", "X plays B2"), "X../.O., or .X./O.., X plays B2"),
        (("X..", ".O.: the legal points",), "X../.O.: the legal points"),
    ],
)  # fmt: skip
def test_boards_and_words_share_one_line(lines, line):
    assert cards.in_line("\n".join(lines)) == line
