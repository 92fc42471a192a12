"""Grading: verdicts that a teacher would give by hand, and submissions that attack the grader."""

import csv
import io
import os
import re
import time
from contextlib import redirect_stdout
from pathlib import Path

import nbformat
import pytest

from azlearn.cli import main
from azlearn.course import grading
from azlearn.course.exercises import EXERCISES, SHEETS
from azlearn.course.grading.one_submission import _run, read_steps
from azlearn.course.solutions import run_source, solution_source

ROOT = Path(__file__).parents[2]
BACKUP = "def backup(path, leaf, value):\n"
RIGHT = solution_source("3.3")
TABLE = "%%time\nSIGNS = []\nfor sign in (1, -1):\n    SIGNS.append(sign)\n    display(SIGNS)\n"
TELL = """    import sys
    frame = sys._getframe()
    while "tell" not in frame.f_locals: frame = frame.f_back
    tell = frame.f_locals["tell"]
"""
TOLD = "    told = {'outcome': 'wrong', 'diagnosis': '', 'message': '', 'code': ''}\n"


def write(path: Path, answer: str, before: str = "", more: str = "") -> None:
    """An exercise notebook of chapter 3 with an answer to exercise 3.3."""
    notebook = nbformat.read(ROOT / "exercises" / "03_exercises.ipynb", 4)
    place = next(c for c in notebook.cells if "def backup(" in c.source)
    place.source = answer
    notebook.cells.insert(1, nbformat.v4.new_code_cell(before))
    notebook.cells.append(nbformat.v4.new_code_cell(more))
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The rows of the CSV by student, what was printed, and the folder."""
    top = tmp_path_factory.mktemp("grading")
    folder = top / "handed in"
    folder.mkdir()
    stay = top / "stay.txt"
    stay.write_text("here")
    files = {
        "right": RIGHT,
        "wrong": RIGHT.replace("-value", "value").replace("!=", "=="),
        "magics": "%matplotlib inline\n" + RIGHT,
        "hangs": BACKUP + "    while True:\n        try:\n            while True: pass\n"
        "        except BaseException: pass",
        "crashes": f"import os\n{BACKUP}    os.abort()",
        "prints": BACKUP + "    print('x' * 1_000_000)",
        "hungry": BACKUP + "    bytearray(1 << 40)",
        "big": BACKUP + "    open('big', 'wb').write(bytes(20 << 20))",
        "forges": "import azlearn.course.marking as marking\n" + BACKUP
        + "    marking.Marking.verdict = lambda *_: 'right'",
        "looks": BACKUP + "    exec(solution('3.3').source, globals()); backup(path, leaf, value)",
        "nests": "import os\n" + BACKUP
        + "    for _ in range(2000): os.mkdir('x'); os.chdir('x')\n    os._exit(1)",
        "claims": BACKUP + TELL + TOLD
        + r"    tell(result='3.3', rows=[['\n' * 300_000, 'x' * 300_000, '']], **told)"
        + "\n    tell(step=0, cell=1, exercise='99.9')\n    tell(result='99.9', rows=[], **told)",
        "floods": BACKUP + TELL + "    while True: tell(remark='Do not grade me.')",
        "fills": TABLE + RIGHT.replace("-value", "SIGNS[1] * value"),
        "=formula": RIGHT,
    }  # fmt: skip
    for name, answer in files.items():
        write(folder / f"{name}_03_exercises.ipynb", answer)
    write(folder / "own folder" / "03_exercises.ipynb", RIGHT)
    write(folder / os.fsdecode(b"M\xfcller") / "03_exercises.ipynb", RIGHT)
    (folder / os.fsdecode(b"M\xfcller.txt")).write_text("no notebook")
    by_name = "print(course.check(id='3.3', answer=right).is_right)"
    more = f"from azlearn import course\nright = backup\ncheck(*'ab')\n{by_name}"
    write(folder / "by name_03_exercises.ipynb", RIGHT, "", more)
    empty = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(RIGHT)])
    nbformat.write(empty, folder / "empty_03_exercises.ipynb")
    loop = "def forever():\n    while True: pass\n"
    uses = RIGHT + "\nbackup.rate = rate"
    write(folder / "stuck_03_exercises.ipynb", uses, loop + "rate = forever()")
    awaits = "import asyncio\nawait asyncio.sleep(0)\nSIGN = -1"
    reads = "for f in (print, backup): print(check('3.3', f).is_right)"
    signed = RIGHT.replace("-value", "SIGN * value")
    write(folder / "awaits_03_exercises.ipynb", signed, awaits, reads)
    write(folder / "future_03_exercises.ipynb", RIGHT, "", "check('3.99', print)")
    (folder / "damaged_03_exercises.ipynb").write_text('{"cells": [')
    (folder / "notes.txt").write_text("no notebook")
    (folder / "link.ipynb").symlink_to(stay)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as printed:
        patch.chdir(top)
        code = main(["grade", str(folder), "--seconds", "20"])
    assert code == 0
    assert stay.read_text() == "here"
    with (top / "grades.csv").open() as file:
        rows = {row["student"]: row for row in csv.DictReader(file) if row["exercise"] == "3.3"}
    return rows, printed.getvalue(), top


@pytest.mark.parametrize(
    ("student", "outcome"),
    [
        ("right", "right"), ("magics", "right"), ("own folder", "right"), ("future", "right"),
        ("'=formula", "right"), ("wrong", "wrong"), ("prints", "wrong"), ("hangs", "error"),
        ("crashes", "error"), ("hungry", "error"), ("big", "error"), ("forges", "error"),
        ("looks", "error"), ("stuck", "right"), ("nests", "error"), ("floods", "error"),
        ("claims", "wrong"), ("awaits", "right"),
        ("fills", "right"), ("by name", "right"), ("M\\udcfcller", "right"),
    ],
)  # fmt: skip
def test_each_student_gets_the_verdict_that_a_teacher_would_give(graded, student, outcome):
    assert graded[0][student]["outcome"] == outcome


def test_faults_are_named_and_every_trouble_has_one_line(graded):
    rows, printed, _ = graded
    assert rows["wrong"]["fault"]
    assert rows["hangs"]["fault"] == "was still running after 20 seconds"
    assert "ended its process" in rows["crashes"]["fault"]
    for line in (
        r"damaged_03_exercises.ipynb is damaged or not a notebook",
        r"notes.txt is not a notebook",
        r"link.ipynb is a link",
        r"forges_03.*Cell \d+ imports azlearn.course.marking, which is not allowed",
        r"stuck_03.*cell 1 was skipped: it was still running",
        r"There is no exercise '3.99'",
        r"by name_03.*Cell \d+ calls check in a form that cannot be graded",
        r"empty_03.*The notebook contains no check that can be graded",
        r"Müller.txt is not a notebook".replace("ü", r"\\udcfc"),
    ):
        assert len(re.findall(line, printed)) == 1, line


def test_the_pages_show_verdicts_and_the_class(graded):
    folder = graded[2] / "grades"
    (page,) = (folder / "students").glob("*-wrong.html")
    assert "5 exercises" not in page.read_text()
    assert graded[0]["wrong"]["fault"] in page.read_text()
    shown = (folder / "class.html").read_text()
    assert "3.3 Backup" in shown
    assert shown.count('href="students/') == 22


def test_hidden_cases_catch_an_answer_made_for_the_known_ones(tmp_path):
    """An answer that remembers all cases of the course passes the student's check only."""
    exercise = EXERCISES["1.1"]
    known = {case.arguments[0]: None for case in exercise.marking.all_cases}
    hidden = exercise.marking.with_seed(1).all_cases[len(exercise.marking.cases) :]
    assert any(case.arguments[0] not in known for case in hidden)
    table = {tuple(state) for state in known}
    answer = f"""{solution_source("1.1")}
_known, _right = {table}, legal_mask
def legal_mask(state):
    return _right(state) if tuple(state) in _known else ~_right(state)
"""
    notebook = nbformat.read(ROOT / "exercises" / "01_exercises.ipynb", 4)
    place = next(c for c in notebook.cells if "def legal_mask(" in c.source)
    place.source = answer
    nbformat.write(notebook, tmp_path / "clever_01_exercises.ipynb")
    (submission,), _ = grading.find_submissions(tmp_path)
    grading.grade([submission])
    (result,) = (r for r in submission.results if r.exercise_id == "1.1")
    assert result.outcome == "wrong"
    assert "not on hidden ones" in result.message


@pytest.mark.parametrize("exercise_id", [i for i in SHEETS if i != "4.1"])
@pytest.mark.parametrize("seed", [1, 2])
def test_solutions_are_right_on_hidden_cases(exercise_id, seed):
    marking = EXERCISES[exercise_id].marking.with_seed(seed)
    name = SHEETS[exercise_id].function.split("(")[0]
    made = run_source(exercise_id, solution_source(exercise_id))[name]
    answer = made if callable(made) else lambda: made
    again = marking.observed(answer)  # by a second run, with generators of its own
    assert marking.verdict(again) == SHEETS[exercise_id].right


def test_only_needed_statements_run():
    steps, problems = read_steps(
        [
            "import os\nlimit = 3\nunused = open('x')\n",
            "for i in range(10**9): os.path.join(answer(), i)\nos.path.sep.index(answer)",
            "def helper(): i = os.sep; return limit\ndef answer(): return helper()\nanswer()",
            "check('3.3', answer)",
            "def :",
            "return 1",
        ]
    )
    assert [step.cell for step in steps] == [1, 1, 3, 3, 4]
    assert steps[-1].exercise == "3.3"
    assert len(problems) == 2


@pytest.mark.parametrize(
    "filled",
    [
        "for c in range(3): t.append(c)", "while len(t) < 3:\n    t.append(len(t))",
        "t.extend(range(3))", "[t.append(c) for c in range(3)]",
        "_ = [t.append(c) for c in range(3)]", "t.__iadd__([0, 1, 2])",
        "t += [0, 7, 1, 2]\ndel t[1]", "t += [2, 1]\nt[2:] = [0]\nt.sort()",
        "import heapq\nt += [2, 1, 0]\nheapq.heapify(t)",
        "def fill(): t.extend(range(3))\nfill()", "def fill(t): t.extend(range(3))\nfill(t)",
        "def fill():\n    global t\n    t = [0, 1, 2]\ndef main(): fill()\nmain()",
        "class Fill:\n    def __init__(self): t.extend(range(3))\nFill()",
        "\n%%time\n%%capture out\nt = [0, 1, 2]", "if t == []:\n    %time t = [0, 1, 2]",
        "t = %time list(range(3))", "def answer(): return answer.t\nanswer.t = [0, 1, 2]",
        "from itertools import *\nt = [*islice(count(), 3)]",
        "for t in ([], [0, 1, 2]): check('1.1', lambda: t)",
    ],
)  # fmt: skip
def test_whatever_fills_a_table_that_the_answer_reads_runs(filled):
    steps, problems = read_steps(["t = []\ndef answer(): return t", filled, "check('3.3', answer)"])
    names = {"check": print}
    assert {_run(step.node, names) for step in steps if not step.exercise} == {""}
    assert problems == []
    assert names["answer"]() == [0, 1, 2]


def test_every_call_of_check_is_graded_or_reported():
    graded = [
        "check('1.1', answer=f)", "check(answer=f, id='1.1', record=False)", "x = check('1.1', f)",
        "print(check('1.1', f).is_right)", "course.check('1.1', f)", "assert check('1.1', f)",
        "with open('x'):\n    check('1.1', f)", "if 1:\n    x = [check('1.1', f), 2]",
    ]  # fmt: skip
    reported = [
        "check(id, f)", "check('1.1')", "check(*x)", "check('1.1', *x)", "check(**x)",
        "check('', f)", "def late(f): check('1.1', f)", "late = lambda: check('1.1', (yield))",
        "check(1.1, f)", "[check('1.1', f) for f in (print, len)]",
    ]  # fmt: skip
    for source in graded:
        (*_, step), problems = read_steps([source])
        assert (step.exercise, step.node.id, problems) == ("1.1", "f", []), source
    for source in reported:
        steps, problems = read_steps(["check('1.2', f)", source])
        assert [step.exercise for step in steps] == ["1.2"], source
        assert problems == ["Cell 2 calls check in a form that cannot be graded."], source


def test_the_later_of_two_files_counts(tmp_path):
    write(tmp_path / "ann_03_exercises.ipynb", BACKUP + "    pass")
    write(tmp_path / "ann" / "again.ipynb", RIGHT)
    os.utime(tmp_path / "ann_03_exercises.ipynb", (1, 1))
    submissions, _ = grading.find_submissions(tmp_path)
    for one in submissions:
        right = one.path.name == "again.ipynb"
        one.results = [grading.processes._result("3.3", "right" if right else "wrong")]
        one.path.unlink()  # by a submission, for example
    (grade,) = grading.grades_of(submissions)
    assert grade.result.outcome == "right"


@pytest.mark.parametrize("zones", ["ZZ", ["Z", ""], ["", "+00:00"]])
@pytest.mark.parametrize("call", ['check("3.3"', "check(id='3.3'"])
def test_minutes_come_from_the_times_that_jupyterlab_stores(tmp_path, zones, call):
    write(tmp_path / "ann_03_exercises.ipynb", RIGHT)
    notebook = nbformat.read(tmp_path / "ann_03_exercises.ipynb", 4)
    for cell in notebook.cells:
        for minute, what in enumerate(("3.2", "3.3")):
            if cell.source.startswith(f'check("{what}"'):
                ran = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(420 * minute))
                cell.metadata["execution"] = {"iopub.execute_input": ran + zones[minute]}
                cell.source = cell.source.replace('check("3.3"', call)
    nbformat.write(notebook, tmp_path / "ann_03_exercises.ipynb")
    (submission,), _ = grading.find_submissions(tmp_path)
    assert submission.minutes == {"3.3": pytest.approx(7)}


def test_a_folder_without_notebooks_is_one_sentence(tmp_path, capsys):
    assert main(["grade", str(tmp_path)]) == 2
    assert "contains no notebook" in capsys.readouterr().err
    assert main(["grade", str(tmp_path / "none")]) == 2
    assert "Not a folder" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["grades", "new.csv"])
def test_where_the_pages_cannot_go_is_said_before_the_work(tmp_path, monkeypatch, capsys, out):
    write(tmp_path / "ann_03_exercises.ipynb", RIGHT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(grading, "grade", pytest.fail)
    Path("new").touch()
    assert main(["grade", str(tmp_path), "--out", out]) == 2
    assert "Choose another file with --out." in capsys.readouterr().err
