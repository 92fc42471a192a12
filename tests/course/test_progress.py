"""One local file: atomic, never lost, silent about nothing."""

import json
import multiprocessing
import os

import pytest

import azlearn.course as course
from azlearn.course import progress_file
from azlearn.course.exercises import EXERCISES
from tests.course.answers_ch02 import ucb1_vectorised
from tests.course.registry import wrong_answer

ucb1_len = wrong_answer("2.3", "number of moves instead of visits")


@pytest.fixture
def path(tmp_path, monkeypatch):
    path = tmp_path / "folder" / "progress.json"
    monkeypatch.setenv("AZLEARN_PROGRESS", str(path))
    return path


def _entry(path, exercise_id="2.3"):
    return json.loads(path.read_text())["exercises"][exercise_id]


def test_the_default_is_in_the_home_folder(monkeypatch):
    monkeypatch.delenv("AZLEARN_PROGRESS")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert str(progress_file.progress_path()) == "/home/somebody/.azlearn/progress.json"


def test_what_a_reader_does_is_noted(path):
    assert course.progress().num_right == 0
    course.check("2.3", None)
    assert (_entry(path)["outcome"], _entry(path)["solved"]) == ("not attempted", False)
    course.check("2.3", ucb1_len)
    course.hint("2.3", 2)
    course.hint("2.3", 1)
    course.solution("2.3")
    course.check("2.3", ucb1_vectorised)
    entry = _entry(path)
    assert entry.pop("last").startswith("20")
    assert entry == {
        "outcome": "right", "solved": True, "attempts": 2, "hints": 2, "solution_seen": True,
        "fault: number of moves instead of visits": 1,
    }  # fmt: skip
    course.check("2.3", ucb1_len)
    assert _entry(path)["outcome"] == "wrong"
    assert course.progress().num_right == 1  # solved stays solved
    text = course.progress_text()
    assert repr(course.progress()) == text
    assert f"1 of {len(EXERCISES)} exercises right" in text
    assert "✓ 2.3 UCB1 (8 min)  right, 2 of 3 hints, solution seen" in text
    assert "· 3.3 Backup (15 min)" in text


@pytest.mark.parametrize(
    "content",
    [
        b"{ not json",
        b"",
        b"[1, 2]",
        b'{"version": 1}',
        b'{"version": 99, "exercises": {}}',
        b'{"version": 1, "exercises": {"2.3": "right"}}',
        b"\xff\xfe\x00broken",
        b"[" * 100_000,
        *(
            b'{"version": 1, "exercises": {"2.3": {%s}}}' % field
            for field in (
                b'"attempts": "two"',
                b'"hints": null',
                b'"outcome": "bogus"',
                b'"solved": "yes"',
                b'"stars": ' + b"[" * 400 + b"]" * 400,
            )
        ),
    ],
)
def test_a_broken_file_is_kept_and_named(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    result = course.check("2.3", ucb1_vectorised)
    assert result.outcome == "right"
    assert "renamed to progress.json.bak" in result.note
    assert str(result).endswith("your progress starts from scratch.")
    assert path.with_name("progress.json.bak").read_bytes() == content
    assert _entry(path)["solved"]
    assert course.check("2.3", ucb1_vectorised).note == ""
    path.write_bytes(content)
    assert "renamed to progress.json.bak2" in course.hint("2.3", 2).note
    path.write_bytes(content)
    assert "renamed to progress.json.bak3" in str(course.progress())


def test_a_hint_and_a_solution_tell_what_happened_to_the_file(path):
    path.parent.mkdir()
    path.write_text("broken")
    path.with_name("progress.json.0123456789abcdef.partial").write_text("{")  # of a killed writer
    shown = course.hint("2.3")
    assert sorted(p.name for p in path.parent.iterdir()) == ["progress.json", "progress.json.bak"]
    assert "renamed to progress.json.bak" in shown.note
    assert str(shown).endswith("your progress starts from scratch.")
    assert "renamed to progress.json.bak" in shown._repr_html_()
    path.write_text("broken")
    shown = course.solution("2.3")
    compile(str(shown), "solution", "exec")  # the note does not spoil the source
    for text in (shown.note, str(shown), *shown._repr_mimebundle_().values()):
        assert "renamed to progress.json.bak2" in text
    assert (course.hint("2.3").note, course.solution("2.3").note) == ("", "")


def test_a_check_that_is_not_recorded_leaves_the_file_alone(path):
    assert course.check("2.3", ucb1_vectorised, record=False).is_right
    assert not path.parent.exists()
    course.check("2.3", ucb1_len)
    before = path.read_bytes()
    course.check("2.3", ucb1_vectorised, record=False)
    assert path.read_bytes() == before


def test_writing_is_atomic(path, monkeypatch):
    course.check("2.3", ucb1_vectorised)
    before = path.read_text()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    result = course.check("2.3", ucb1_len)
    assert result.outcome == "wrong"
    assert "No space left on device" in result.note
    assert path.read_text() == before
    assert [p.name for p in path.parent.iterdir()] == ["progress.json"]


@pytest.mark.parametrize("broken", ["read_bytes", "rename"])
def test_a_file_that_cannot_be_read_or_moved_aside_is_not_overwritten(path, monkeypatch, broken):
    for exercise in ("1.1", "1.2"):
        progress_file.record_outcome(exercise, "right")
    if broken == "rename":
        path.write_text("not JSON")
    before = path.read_bytes()

    def fail(*_):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as damaged:
        damaged.setattr(type(path), broken, fail)
        said = [
            progress_file.record_outcome("2.1", "right"),
            progress_file.record_help("2.1", hint=1),
        ]
        shown = str(course.progress())
    assert path.read_bytes() == before
    assert [path] == list(path.parent.iterdir())
    for text in said:
        assert text.startswith(f"Progress was not saved to {path}: ")
    assert f"Progress could not be read from {path}: " in shown
    for text in (*said, shown):
        assert "Input/output error" in text
        assert ("is not a progress file" in text) == (broken == "rename")


def _note_many(first):
    for number in range(first, first + 65):
        assert progress_file.record_outcome(f"x.{number}", "wrong") == ""


def test_two_writers_at_full_speed_lose_nothing(path):
    fork = multiprocessing.get_context("fork")
    writers = [fork.Process(target=_note_many, args=(first,)) for first in (0, 1000)]
    for writer in writers:
        writer.start()
    _note_many(2000)
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert len(progress_file.load().entries) == 3 * 65
    assert [p.name for p in path.parent.iterdir()] == ["progress.json"]


def test_a_byte_order_mark_and_a_field_of_another_version_are_read(path):
    course.check("2.3", ucb1_vectorised)
    content = path.read_bytes().replace(b'"solved"', b'"stars": 5, "solved"')  # of another version
    path.write_bytes(b"\xef\xbb\xbf" + content)
    assert course.progress().num_right == 1
    assert course.hint("2.3", 2).note == ""
    assert (_entry(path)["solved"], _entry(path)["stars"]) == (True, 5)


def test_a_device_stays_one(a_device, monkeypatch):
    monkeypatch.setenv("AZLEARN_PROGRESS", str(a_device))
    assert course.check("2.3", ucb1_vectorised).note == ""
    assert course.progress().num_right == 0
    assert a_device.is_char_device()
    assert [p.name for p in a_device.parent.iterdir()] == ["null"]


def test_a_link_of_the_reader_is_followed(path, tmp_path):
    path.parent.mkdir()
    path.symlink_to(tmp_path / "synced.json")
    course.check("2.3", ucb1_vectorised)
    assert path.is_symlink()
    assert (tmp_path / "synced.json").is_file()


def test_no_home_is_said_in_a_sentence(monkeypatch):
    monkeypatch.setenv("AZLEARN_PROGRESS", "~nosuchuser/progress.json")
    result = course.check("2.3", ucb1_vectorised)
    assert result.is_right
    assert "AZLEARN_PROGRESS is '~nosuchuser/progress.json'" in result.note
    assert "no place to save your progress" in str(course.progress())
    assert "no place to save your progress" in course.hint("2.3").note


def test_a_folder_that_cannot_be_made_does_not_stop_the_check(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AZLEARN_PROGRESS", str(tmp_path / "file" / "progress.json"))
    result = course.check("2.3", ucb1_vectorised)
    assert result.is_right
    assert "Progress was not saved" in result.note
    assert "could not be read" in str(course.progress())


def test_the_grid_has_a_tile_an_exercise(path):
    course.check("2.3", ucb1_len)
    page = course.progress()._repr_html_()
    assert page.count('role="listitem"') == len(EXERCISES) + len(course.progress().cases)
    assert "✗ 2.3" in page
