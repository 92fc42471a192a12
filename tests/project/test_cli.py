"""`azlearn …` as a reader types it: what it prints, and one sentence for what cannot be done."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from importlib.resources import files

import pytest

from azlearn.cli import main
from azlearn.cli.output import number

POSITIONS = files("azlearn") / "data" / "connect_four_positions.csv"


@pytest.fixture
def few_positions(tmp_path):
    """The first twenty solved positions, with the mark that spreadsheets put in front."""
    lines = POSITIONS.read_bytes().splitlines(keepends=True)
    path = tmp_path / "few.csv"
    path.write_bytes(b"\xef\xbb\xbf" + b"".join(lines[:21]))
    return path


def run(capsys, *arguments) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of one command."""
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as stopped:
        code = stopped.code
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def refused(capsys, *arguments) -> str:
    """The one sentence with which a command refuses, after a line on what it was to do."""
    code, out, err = run(capsys, *arguments)
    assert (code, len(out.splitlines()) <= 1) == (2, True), out
    assert err.startswith("azlearn: ")
    assert len(err.splitlines()) == 1, err
    return err


# What it prints.


def test_the_version_and_the_list_of_commands(capsys):
    assert re.fullmatch(r"azlearn \d+\.\d+\.\d+\n", run(capsys, "--version")[1])
    code, out, _ = run(capsys)
    assert code == 0
    for command in ("doctor", "progress", "evaluate"):
        assert command in out


def test_progress_counts_the_exercises(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("AZLEARN_PROGRESS", str(tmp_path / "progress.json"))
    code, out, _ = run(capsys, "progress")
    assert code == 0
    assert re.match(r"0 of \d+ exercises right", out)
    assert list(tmp_path.iterdir()) == []


def test_evaluate_gives_a_row_for_each_number_of_simulations(capsys, few_positions):
    command = ["evaluate", "uct", "--positions", few_positions, "--simulations", "5", "50"]
    code, out, err = run(capsys, *command, "--json")
    rows = json.loads(out)
    assert (code, err) == (0, "")
    assert [row["simulations"] for row in rows] == [5, 50]
    for row in rows:
        assert row["n"] == 20
        low, high = row["value_preserving_interval"]
        assert 0 <= low < row["value_preserving"] < high <= 1
        assert row["optimal_score"] <= row["value_preserving"]
    assert json.loads(run(capsys, *command, "--json")[1]) == rows
    assert json.loads(run(capsys, *command, "--json", "--seed", "1")[1]) != rows
    code, out, err = run(capsys, *command)
    assert code == 0
    assert re.search(r"uct +│ +50 │ +20 │ +\d+\.\d% +\[\d+\.\d%, \d+\.\d%\]", out)
    assert re.search(r"compiled UCT 50: 100%.*\[\d\d:\d\d<\d\d:\d\d\]", err)


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (-0.04, ".1f", "0.0"), (-0.06, ".1f", "-0.1"), (-0.4, "+.0f", "+0"),
        (-0.0004, ".1%", "0.0%"), (-10.0, "+.0f", "-10"),
    ],
)  # fmt: skip
def test_no_number_is_printed_as_minus_zero(value, form, text):
    assert number(value, form) == text


_SAYS_WHAT_IS_IMPORTED = """
import io, sys
from contextlib import redirect_stdout
from azlearn.cli import main
class Found(Exception): pass
class Finder:
    def find_spec(self, name, *_):
        if name in ("torch", "numba", "numpy", "scipy"): raise Found(name)
sys.meta_path.insert(0, Finder())
for line in sys.argv[1:]:
    with redirect_stdout(io.StringIO()) as out:
        try: main(line.split())
        except (Found, SystemExit) as error: pass
    print(f"{line} > {out.getvalue()}", end="")
"""


def test_a_command_says_what_it_does_before_it_imports_what_takes_seconds():
    first = {
        "evaluate random --simulations 5": "Measuring random: loading …",
        "match random tactical": "random against tactical, 400 games: loading …",
        "play uct": "uct: loading …",
        "train --game tictactoe": "tictactoe: loading PyTorch …",
        "train --resume runs/mine": "runs/mine: loading PyTorch …",
        "alphago --report": "AlphaGo: loading PyTorch …",
    }
    lines = [*first, "evaluate --help"]
    command = [sys.executable, "-c", _SAYS_WHAT_IS_IMPORTED, *lines]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for line, said in first.items():
        assert f"{line} > {said}\n" in done.stdout
    assert "--simulations" in done.stdout.partition("evaluate --help > ")[2]  # answers at once


# What cannot be done.

FILE_EXISTS = "afile: File exists. Choose another name."
NOT_A_FOLDER = "Not a directory. Choose a folder, not a file, or a path through folders."


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("evaluate random --positions gone.csv", "There is no positions file gone.csv."),
        ("evaluate random --positions afile", "afile"),
        ("evaluate uct --simulations 0", "must be a whole number, at least 1, not 0."),
        ("evaluate uct --simulations", "uct needs at least one number of simulations."),
        ("evaluate random --over-time", "random contains no snapshots. Name a run"),
        ("evaluate random --game hex:3 --positions x", "--positions is only for Connect Four;"),
        ("alphago --preset small --out afile", FILE_EXISTS),
        ("alphago --game go5 --records gone", "gone is not a folder. Name a folder"),
        ("class afile", f"afile: {NOT_A_FOLDER}"),
        ("explore --out folder", "folder already exists"),
        ("play random --game go5 --sgf folder", "folder already exists"),
        ("play random --sgf x", "--sgf is only for Go, but random plays connect_four."),
        ("match random random --out gone/x", "gone is not a folder. Choose another file"),
        ("match random random --game go5 --sgf afile", FILE_EXISTS),
        ("match random random --sgf x", "--sgf is only for Go, but these players play connect"),
        ("train --game tictactoe --out afile", "afile is not an empty folder"),
        ("train --game tictactoe --out afile/run", f"afile/run: {NOT_A_FOLDER}"),
        ("train --game ''", "game is empty"),
        ("train --game ~nosuchuser/x.py:Y", "There is no file ~nosuchuser/x.py, which"),
        ("train --set sims=4", "There is no setting 'sims'; the settings are game, network, "),
        ("train --set simulations", "--set takes NAME=VALUE, such as seed=1, not 'simulations'."),
        ("train --set gate_games=20", "gate_games: 20 gate games are too few: even a player"),
        ("train --preset tpu", "There is no preset 'tpu'; the presets are cpu, gpu"),
        ("train --device tpu", "such as mps, not 'tpu'."),
        ("train --device cuda", "There is no CUDA device that this PyTorch can use"),
        ("train --checkpoint-minutes -1", "checkpoint-minutes must be 0 or more, not -1.0."),
        # Numbers beyond all bounds.
        (f"evaluate uct@{10**20}", "num_simulations must be at most 1,000,000,000."),
        ("train --minutes 1e400", "minutes must be a number above 0, not inf."),
        ("train --set learning_rate=1e38", "learning_rate must be below 1e30, not 1e+38."),
        (f"train --set window={10**20}", "window must be below 2**63, not 1000000000000"),
        ("alphago --json", "--json needs --report."),
        ("alphago --set speed=3", "There is no setting 'speed'; the settings are game, seed"),
        ("alphago --set match_games=3", "match_games must be even, 2 or more, not 3."),
        ("alphago --report --set seed=1", "--report cannot be combined with"),
        ("alphago --report --out nowhere", "nowhere contains no AlphaGo run. Start one with"),
        ("match nobody random", "Unknown player 'nobody'. Use random, tactical, uct, solver"),
        ("match random random --games 3", "games must be an even number, not 3."),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_leaves_files_alone(
    capsys, tmp_path, monkeypatch, line, said
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "afile").write_text("mine")
    (tmp_path / "folder").mkdir()
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    code, _, err = run(capsys, *shlex.split(line))
    assert (code, len(err.splitlines()), said in err) == (2, 1, True), err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["afile", "folder"]
    assert (tmp_path / "afile").read_text() == "mine"


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("evaluate utc", "uct"),
        ("evaluate conect4@50", "connect4"),
        ("play runs/mien", "runs/mine"),
        ("train --set simulatons=9", "simulations"),
        ("evaluate zzzzzz", None),
        # The names below are known: something else is wrong.
        ("match connect4 uct --game go7", None),
        ("play runs/mine", None),
        ("train --set simulations=many", None),
    ],
)
def test_what_is_misspelt_is_guessed(capsys, monkeypatch, tmp_path, line, meant):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    said = refused(capsys, *line.split())
    assert said.endswith(f" Did you mean {meant}?\n") if meant else "Did you mean" not in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("evalute uct", "Available subcommands: doctor, course"),
        ("evaluate uct --simulation 5", "--simulations N"),
        ("match random random --games few", "--games"),
    ],
)
def test_what_is_not_a_command_is_exit_code_2(capsys, line, said):
    code, out, err = run(capsys, *line.split())
    assert (code, out) == (2, "")
    assert said in err
    assert "--help" in err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt, 130, "stopped."),
        (MemoryError, 2, "There is not enough memory."),
        (
            MemoryError("Allocation failed (probably too large).\nThis error may …"), 2,
            "There is not enough memory: Allocation failed (probably too large).",
        ),
        (ImportError("No module named 'torch'"), 2,
         "No module named 'torch'. Reinstall the course with: make install."),
    ],
)  # fmt: skip
def test_what_goes_wrong_on_the_way_is_one_sentence(capsys, monkeypatch, error, code, said):
    def fails(*args, **kwargs):
        raise error

    monkeypatch.setattr("azlearn.arena.evaluate", fails)
    assert run(capsys, "evaluate", "random")[::2] == (code, f"azlearn: {said}\n")


# Processes of their own.


def started(*arguments, stdout, unbuffered=False) -> subprocess.CompletedProcess:
    """A command in a process of its own, which prints to ``stdout``."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1" if unbuffered else ""}
    command = [sys.executable, "-m", "azlearn", *arguments]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, env=environment)


@pytest.mark.parametrize("unbuffered", [False, True])
def test_an_output_that_nobody_reads_ends_it_quietly(unbuffered):
    """As after `| true`."""
    reader, writer = os.pipe()
    os.close(reader)
    done = started("--help", stdout=writer, unbuffered=unbuffered)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
def test_a_full_disk_is_one_sentence():
    with open("/dev/full", "w") as full:
        done = started("--version", stdout=full)
    assert done.returncode == 2
    assert done.stderr == b"azlearn: No space left on device. Make room on the disk.\n"


def test_bytes_that_are_no_text_and_a_terminal_of_ascii_will_do(monkeypatch):
    given = io.TextIOWrapper(io.BytesIO(b"\xff\n4\nq\n"), encoding="utf-8")
    said = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdin", given)
    monkeypatch.setattr("sys.stdout", said)
    assert main(["play", "random"]) == 0
    printed = said.buffer.getvalue()
    assert b"is not a legal move. Type 1, 2, 3" in printed
    assert b"It plays" in printed
    assert b". . . X . " in printed  # stones that can be told apart


def test_a_folder_that_is_gone_is_one_sentence(capsys, monkeypatch, tmp_path):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    said = refused(capsys, "train", "--iterations", 1)
    assert said == "azlearn: The current folder no longer exists. Change to another one.\n"
