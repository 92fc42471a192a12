"""A teacher's table: counted by hand from made-up files; a bad file is told and skipped."""

import csv
import io
import json

import pytest

from azlearn.cli import main

SIGN = "fault: no sign change"


def entry(solved, attempts, **more):
    outcome = "right" if solved else "wrong"
    return {"outcome": outcome, "solved": solved, "attempts": attempts, **more}


@pytest.fixture
def folder(tmp_path):
    students = [
        {"3.3": entry(True, 5, hints=2, **{SIGN: 3, "fault: no visit": 1}), "3.1": entry(True, 1)},
        {"3.3": entry(False, 3, **{SIGN: 3, "fault: \x1b[2J": 1}), "case A": entry(True, 1)},
        {"3.3": {"outcome": "not attempted", "solution_seen": True}},
        {"3.3": entry(False, 1)},  # of a version that noted no faults
    ]
    for number, exercises in enumerate(students, start=1):
        content = {"version": 1, "exercises": exercises}
        (tmp_path / f"student-{number:02}.json").write_text(json.dumps(content))
    (tmp_path / "notes.txt").write_text("not looked at")
    return tmp_path


def test_the_rows_are_what_a_teacher_would_count(folder, capsys):
    assert main(["class", str(folder), "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["id"], first["tried"], first["solved"], first["tries"]) == ("3.1", 1, 1, 1)
    assert second.pop("title") == "Backup"
    assert second == {
        "id": "3.3", "tried": 3, "solved": 1, "stalled": 2, "tries": 3.0, "hints": 1,
        "solution_seen": 1, "faults": [["no sign change", 2], ["no visit", 1]],
    }  # fmt: skip


def test_csv_and_the_table_say_the_same(folder, capsys):
    assert main(["class", str(folder), "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["id"], row["stalled"], row["faults"]) for row in rows] == [
        ("3.1", "0", ""),
        ("3.3", "2", "no sign change (2); no visit (1)"),
    ]
    assert main(["class", str(folder)]) == 0
    table = capsys.readouterr().out
    assert "4 students" in table
    assert "no sign change (2)" in table


def test_a_bad_file_is_named_and_left_as_it_is(folder, capsys):
    bad = {
        "student-05.json": '{"version": 1, "exercises": {"3.3"',
        "student-06.json": '["a list"]',
        "student-07.json": '{"version": 9, "exercises": {}}',
        "student-08.json": '{"version": 1, "exercises": {"3.3": {"attempts": "many"}}}',
        "student-09.json": '{"version": 1, "exercises": {"3.3": {"attempts": -4}}}',
    }
    for name, text in bad.items():
        (folder / name).write_text(text)
    assert main(["class", str(folder), "--json"]) == 0
    printed = capsys.readouterr()
    assert [row["tried"] for row in json.loads(printed.out)] == [1, 3]
    lines = printed.err.splitlines()
    assert len(lines) == len(bad)
    assert all(name in line for name, line in zip(bad, lines, strict=True))
    assert {name: (folder / name).read_text() for name in bad} == bad


def test_no_folder_and_no_files_are_a_sentence(tmp_path, capsys):
    assert main(["class", str(tmp_path)]) == 2
    assert "contains no progress files" in capsys.readouterr().err
    assert main(["class", str(tmp_path / "none")]) == 2
    assert "none" in capsys.readouterr().err
    assert main(["class", str(tmp_path), "--json", "--csv"]) == 2
