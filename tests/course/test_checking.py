"""The four outcomes, and that a check never raises for a reader's mistake."""

import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

import azlearn.course as course
import tests.course.answers_ch02  # noqa: F401
from azlearn.course import progress_file
from azlearn.course.checking import Exercise, run_check
from azlearn.course.comparing import Wrong, same, show
from azlearn.course.exercises import EXERCISES
from azlearn.search import Recording, Tree
from tests.course.answers_ch03 import backup_by_mover, points_after_the_flip
from tests.course.registry import RIGHT, wrong_answer

backup_without_flip = wrong_answer("3.3", "value not negated at backup")


def _double(call):
    given = [(n, call(n, shown=f"n = {n}")) for n in (1, 2, 5)]
    rows = [(f"n = {n}", 2 * n, value) for n, value in given if not same(value, 2 * n)]
    if all(same(value, n * n) for n, value in given):
        raise Wrong("squares", "Add, do not multiply.", rows)
    if rows:
        raise Wrong("no named fault", "Some are wrong.", rows)
    return "Twice."


DOUBLE = Exercise("9.9", "Twice", 1, 1, "double(n)", _double, ("squares",), ("a", "b", "c"))


def test_right_and_wrong():
    result = run_check(DOUBLE, lambda n: 2 * n)
    assert (result.outcome, result.message, result.is_right) == ("right", "Twice.", True)
    result = run_check(DOUBLE, lambda n: n**2)
    assert (result.outcome, result.diagnosis) == ("wrong", "squares")
    assert result.message == "Add, do not multiply."
    assert [(row.label, row.right, row.yours) for row in result.rows] == [
        ("n = 1", "2", "1"),
        ("n = 5", "10", "25"),
    ]


def test_not_attempted():
    def stub(n):
        raise NotImplementedError("Your code here.")

    for answer in (stub, None, ...):
        result = run_check(DOUBLE, answer)
        assert result.outcome == "not attempted"
        assert "double(n)" in result.message


def test_a_stub_that_the_answer_calls_is_named():
    def helper(n):
        raise NotImplementedError

    def double(n):
        return helper(n)

    result = run_check(DOUBLE, double)
    assert result.outcome == "not attempted"
    assert "`double` calls `helper`" in result.message


def test_error_names_type_message_line_and_input():
    def double(n):
        numbers = [2, 4]
        return numbers[n - 1]

    result = run_check(DOUBLE, double)
    assert result.outcome == "error"
    assert "`IndexError`: list index out of range" in result.message
    assert "The input was n = 5." in result.message
    assert "return numbers[n - 1]" in result.code
    assert "in double" in result.code
    result = run_check(DOUBLE, lambda n: int("x" * n))  # raised below: still the reader's own line
    assert 'int("x" * n)' in result.code


@pytest.mark.parametrize("problem", [SystemExit(3), RecursionError("deep"), AssertionError()])
def test_whatever_the_reader_raises_is_an_error(problem):
    def double(n):
        raise problem

    result = run_check(DOUBLE, double)
    assert result.outcome == "error"
    assert type(problem).__name__ in result.message


def test_an_interrupt_is_the_readers_own():
    def double(n):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_check(DOUBLE, double)


def test_another_signature_is_an_error_in_words():
    result = run_check(DOUBLE, lambda n, m: n)
    assert result.outcome == "error"
    assert "The check calls `double(n)`, but yours takes `(n, m)`." in result.message
    assert run_check(DOUBLE, lambda *numbers: 2 * numbers[0]).is_right


def test_a_value_instead_of_the_function():
    result = run_check(DOUBLE, 4)
    assert (result.outcome, result.diagnosis) == ("wrong", "not a function")
    assert 'check("9.9", double)' in result.message


def test_a_value_that_cannot_be_read_is_wrong():
    exercise = Exercise("9.9", "x", 1, 1, "f(n)", lambda call: call(1, shown="1")[0], (), ("",) * 3)
    result = run_check(exercise, lambda n: 7)
    assert (result.outcome, result.diagnosis) == ("wrong", "no named fault")
    assert "could not interpret" in result.message


def test_what_never_ends_is_ended_and_an_earlier_alarm_comes_back():
    def loop(*_):
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue

    before = signal.getsignal(signal.SIGALRM)
    result = run_check(DOUBLE, loop, seconds=0.3)
    assert result.outcome == "error"
    assert result.diagnosis == "was still running after 0.3 seconds"
    assert result.message == "Is there a loop that never ends? The input was n = 1."
    result = run_check(replace(DOUBLE, explore=loop), lambda n: 2 * n, seconds=0.3)
    assert result.is_right
    assert "did not finish" in result.note
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_thread_has_no_alarm_and_still_a_verdict():
    results = []
    thread = threading.Thread(target=lambda: results.append(run_check(DOUBLE, lambda n: 2 * n)))
    thread.start()
    thread.join()
    assert results[0].is_right


# --- the reader's own search ---


def test_the_readers_search_is_there_right_or_wrong():
    for answer, outcome in ((backup_by_mover, "right"), (backup_without_flip, "wrong")):
        result = run_check(EXERCISES["3.3"], answer)
        assert result.outcome == outcome
        assert isinstance(result.recording, Recording)
        assert result.recording.tree.root.num_visits == 200
    assert "which loses at once: only column 4" in result.message
    message = run_check(EXERCISES["3.1"], wrong_answer("3.1", "no exploration")).message
    assert "N = [1, 1, 1, 152, 28, 16, 1]; a correct search has N = [8, 3, 8, 146" in message


def test_a_wrong_sign_is_in_the_record():
    record = run_check(EXERCISES["3.3"], backup_without_flip).recording.to_dict()
    deep = [change for change in record["steps"]["change"] if len(change) > 1]
    assert deep
    assert all(len(set(change)) == 1 for change in deep)  # one colour all the way up


def test_a_search_like_a_right_one_opens_no_tree():
    result = run_check(EXERCISES["3.2"], wrong_answer("3.2", "the existing child is replaced"))
    assert "gives the same visits as a correct one" in result.message
    assert not result.has_search


def test_points_open_the_position_that_is_spoken_of():
    result = run_check(EXERCISES["3.6"], points_after_the_flip)
    assert f"N = {result.recording.tree.root.visit_counts}" in result.message
    assert "a fill of ½ is a draw" in result.explore().notice


def test_a_search_that_cannot_be_recorded_is_shown_without_steps():
    result = run_check(EXERCISES["3.2"], wrong_answer("3.2", "the child is not attached"))
    assert isinstance(result.tree, Tree)
    assert "the root alone" in result.message


def test_a_search_that_breaks_down_leaves_the_verdict_and_a_note():
    result = run_check(EXERCISES["3.1"], lambda node, c: 0)
    assert (result.outcome, result.diagnosis) == ("wrong", "chooses an illegal move")
    assert not result.has_search
    assert "select chose move 1 (action 0), which is illegal here" in result.note
    with pytest.raises(ValueError, match="no search tree"):
        result.explore()


@pytest.mark.parametrize("exercise_id", ["2.1", "3.1", "3.2", "3.3", "3.5", "3.6"])
def test_exercises_of_the_search_open_the_explorer(exercise_id):
    answer = next(a.function for a in RIGHT if a.exercise_id == exercise_id)
    explorer = run_check(EXERCISES[exercise_id], answer).explore()
    assert "Search tree" in explorer.describe()


# --- check, hint, solution ---


def test_unknown_ids_name_the_known_ones():
    for call in (lambda: course.check("7.7", len), lambda: course.hint("7.7"),
                 lambda: course.solution("x")):  # fmt: skip
        with pytest.raises(ValueError, match=r"There is no exercise .*1\.1, 1\.2.*3\.6"):
            call()


def test_hints_have_three_levels():
    hints = [course.hint("3.3", level) for level in (1, 2, 3)]
    assert len({str(hint) for hint in hints}) == 3
    assert "Hint 2 of 3 for 3.3" in str(hints[1])
    assert "<pre" in hints[2]._repr_html_()
    for level in (0, 4, "1", 1.0, True):
        with pytest.raises(ValueError, match="must be 1, 2 or 3"):
            course.hint("3.3", level)


@pytest.fixture
def progress_at(tmp_path, monkeypatch):
    monkeypatch.setenv("AZLEARN_PROGRESS", str(tmp_path / "progress.json"))


def test_what_has_no_name_offers_a_hint_and_so_does_the_third_try(progress_at):
    first = course.check("3.3", lambda path, leaf, value: 1 / 0)
    assert (first.outcome, first.is_stuck) == ("error", False)
    assert 'For a hint, run hint("3.3").' in str(first)
    assert first.offer() == course.hint("3.3", 1)
    second = course.check("3.3", backup_without_flip)
    assert (second.offer, second.is_stuck) == (None, False)
    third = course.check("3.3", backup_without_flip)
    assert third.is_stuck
    assert "Hint 2 of 3" not in str(third)  # it waits to be asked for
    assert third.offer() == course.hint("3.3", 2)
    assert course.check("3.3", backup_by_mover).offer is None


def test_the_hint_button_gives_way_to_the_hint(progress_at, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda item, **kwargs: shown.append(item))
    course.check("3.3", lambda path, leaf, value: 1 / 0)._ipython_display_()
    button = shown[1].children[0]
    assert button.description == "Show a hint"
    button.click()
    (text,) = shown[1].children
    assert "Hint 1 of 3 for 3.3" in text.value


def test_a_solution_takes_a_second_click_before_the_first_try(progress_at):
    shown = course.solution("3.3")
    assert shown._repr_html_().count("<details>") == 2
    assert "You have not tried 3.3 yet." in str(shown)
    assert "def backup" not in str(shown)
    assert "def backup" in shown.source
    course.check("3.3", backup_without_flip)
    assert course.solution("3.3")._repr_html_().count("<details>") == 1
    assert "def backup" in str(course.solution("3.3"))


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_every_solution_can_be_shown_behind_a_click(exercise_id, progress_at):
    progress_file.record_outcome(exercise_id, "wrong")
    shown = course.solution(exercise_id)
    exercise = EXERCISES[exercise_id]
    name = exercise.function.split("(")[0]
    made = f"\n{name} = " if exercise.takes_value else f"def {name}("
    assert made in str(shown)
    assert "SOLUTION" not in str(shown)
    assert "FAULT" not in str(shown)
    bundle = shown._repr_mimebundle_()
    assert bundle["text/html"].startswith("<details>")
    assert made not in bundle["text/plain"]


def test_an_exercise_may_ask_for_a_value():
    def check(call):
        if call(shown="the table") != [1, 2]:
            raise Wrong("other", "It is another list than [1, 2].")
        return "That is it."

    exercise = Exercise(
        "9.9", "A list", 1, 1, "numbers", check, ("other",), ("a", "b", "c"), takes_value=True
    )
    assert run_check(exercise, [1, 2]).is_right
    assert run_check(exercise, lambda: [1, 2]).is_right
    assert run_check(exercise, [2, 1]).diagnosis == "other"
    for missing in (None, ...):
        result = run_check(exercise, missing)
        assert result.outcome == "not attempted"
        assert "Write `numbers` in the cell above" in result.message


def test_cards_escape_the_readers_text_and_have_plain_words():
    result = run_check(DOUBLE, lambda n: f"<b>{n}</b>")
    page = result._repr_html_()
    assert "<b>1</b>" not in page
    assert "&lt;b&gt;1&lt;/b&gt;" in page
    assert "wrong" in page
    assert "✗ 9.9 Twice: wrong\n" in str(result)
    assert "no named fault" not in page + str(result)  # a word of ours, not of the reader's


def test_display_is_the_card_and_then_the_explorer(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda item, **kwargs: shown.append(item))
    run_check(EXERCISES["3.3"], backup_by_mover)._ipython_display_()
    run_check(DOUBLE, lambda n: 2 * n)._ipython_display_()
    assert [type(item).__name__ for item in shown] == ["dict", "Explorer", "dict"]
    assert set(shown[0]) == {"text/html", "text/plain"}


# --- comparing ---


def test_same_looks_through_types_but_not_through_meaning():
    assert same([1, 2.0], (np.int64(1), np.float32(2)))
    assert same(np.array([True, False]), [1, 0])
    assert same(float("inf"), np.inf)
    assert same(0.1 + 0.2, 0.3)
    assert same(None, None)
    for left, right in (
        (None, 0), (0, None), (1, -1), ([1], [1, 2]), ([1], 1), ("a", 1), (float("inf"), 0.0),
        (float("inf"), float("-inf")), (1.0, 1.001),
    ):  # fmt: skip
        assert not same(left, right), (left, right)


def test_show_writes_values_as_a_reader_would():
    assert show(np.array([1.0, 0.5])) == "[1, 0.5]"
    assert show((np.int64(3), [None, True])) == "(3, [None, True])"
    assert show(0.123456) == "0.1235"
