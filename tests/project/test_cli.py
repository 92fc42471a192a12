"""`azlearn …` as a reader types it: what it prints, and one sentence for what cannot be done."""

import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from azlearn.cli import main
from azlearn.cli.output import number

POSITIONS = files("azlearn") / "data" / "connect_four_positions.csv"


@pytest.fixture
def few_positions(tmp_path):
    lines = POSITIONS.read_text().splitlines(keepends=True)
    path = tmp_path / "few.csv"
    path.write_text("".join(lines[:21]))
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


def test_version_is_the_one_of_the_package(capsys):
    code, out, _ = run(capsys, "--version")
    assert code == 0
    assert re.fullmatch(r"azlearn \d+\.\d+\.\d+\n", out)


def test_without_a_command_it_lists_the_commands(capsys):
    code, out, _ = run(capsys)
    assert code == 0
    for command in ("doctor", "progress", "evaluate"):
        assert command in out


def test_help_answers_without_importing_the_heavy_packages():
    code = (
        "import sys; from azlearn.cli import main\n"
        "try: main(['evaluate', '--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('torch', 'numba', 'scipy', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_doctor_prints_every_line_uncut(capsys):
    code, out, _ = run(capsys, "doctor")
    assert code == 0
    assert "Everything the course needs is here." in out
    assert len(out.strip().splitlines()) == 12


def test_a_broken_installation_is_one_sentence(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "azlearn.course.doctor", None)
    code, out, err = run(capsys, "doctor")
    assert (code, out) == (2, "")
    assert "make install" in err
    assert len(err.splitlines()) == 1


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
    again = json.loads(run(capsys, *command, "--json")[1])
    assert again == rows
    other = json.loads(run(capsys, *command, "--json", "--seed", "1")[1])
    assert other != rows


def test_evaluate_prints_a_table_and_a_progress_bar(capsys, few_positions):
    code, out, err = run(capsys, "evaluate", "random", "--positions", few_positions)
    assert code == 0
    assert re.search(r"random .* 20 .* \d+\.\d% +\[\d+\.\d%, \d+\.\d%\]", out)
    assert re.search(r"random: 100%.*\[\d\d:\d\d<\d\d:\d\d\]", err)


def test_the_readable_search_can_be_measured_too(capsys, few_positions):
    command = ["evaluate", "uct", "--positions", few_positions, "--simulations", "5", "--json"]
    code, out, _ = run(capsys, *command, "--engine", "readable")
    assert code == 0
    assert json.loads(out)[0]["n"] == 20


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "nobody"),
        (["uct", "--positions", "/no/such.csv"], "There is no positions file /no/such.csv."),
        (["uct", "--simulations", "0"], "must be a whole number, at least 1, not 0."),
        (["uct", "--simulations"], "uct needs a number of simulations: there is none."),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_exit_code_2(capsys, arguments, said):
    assert said in refused(capsys, "evaluate", *arguments)


@pytest.mark.parametrize(
    "content",
    [b"", b"a,b\n1,2\n", b"\xff\xfe\x00binary", b"moves,ply,value,best\n4,1,0,4\n"],
)
def test_a_malformed_file_is_one_sentence_that_names_it(capsys, tmp_path, content):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    assert "bad.csv" in refused(capsys, "evaluate", "random", "--positions", path)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["evaluate", "random", "--simulations", "5"], "Measuring random: loading …"),
        (["match", "random", "tactical"], "random against tactical, 400 games: loading …"),
        (["play", "uct"], "uct: loading …"),
        (["train", "--game", "tictactoe"], "tictactoe: loading PyTorch …"),
        (["train", "--resume", "runs/mine"], "runs/mine: loading PyTorch …"),
        (["watch", "runs/mine"], "runs/mine: loading …"),
        (["alphago", "--report"], "AlphaGo: loading PyTorch …"),
    ],
)
def test_a_command_says_what_it_does_before_it_imports_what_takes_seconds(arguments, line):
    code = (
        "import sys; from azlearn.cli import main\n"
        "class Found(Exception): pass\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name in ('torch', 'numba', 'numpy', 'scipy'): raise Found(name)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "try: main(sys.argv[1:])\n"
        "except Found: pass\n"
    )
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{line}\n"


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["evalute", "uct"], "evaluate"),
        (["wtach", "runs/c4"], "watch"),
        (["evaluate", "utc"], "uct"),
        (["evaluate", "conect4@50"], "connect4"),
        (["match", "random", "tictactoo"], "tictactoe"),
        (["match", "random", "random", "--game", "otello:6"], "othello"),
        (["play", "--game", "conect4"], "connect4"),
        (["play", "runs/mien"], "runs/mine"),
        (["watch", "runs/mien"], "runs/mine"),
        (["train", "--resume", "runs/mien"], "runs/mine"),
        (["train", "--game", "tictacto"], "tictactoe"),
        (["train", "--preset", "cpuu"], "cpu"),
        (["train", "--set", "simulatons=9"], "simulations"),
        (["train", "--set", "network=smal"], "small"),
        (["alphago", "--set", "num_game=9"], "num_games"),
        (["alphago", "--preset", "cppu"], "cpu"),
    ],
)
def test_what_is_misspelt_is_guessed(capsys, monkeypatch, tmp_path, arguments, meant):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    assert refused(capsys, *arguments).endswith(f" Did you mean {meant}?\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("uct",),
        ("evaluate", "zzzzzz"),
        # The names below are known: something else is wrong.
        ("match", "connect4", "uct", "--game", "go7"),
        ("match", "random", "random", "--game", "hex.py:Hex"),
        ("play", "--game", "go:99"),
        ("play", "runs/mine"),
        ("play", "runs/damaged"),
        ("train", "--resume", "runs/mine"),
        ("train", "--set", "simulations=many"),
        ("train", "--game", "othello", "--set", "simulations=0"),
        ("alphago", "--game", "go7", "--set", "num_games=0"),
    ],
)
def test_what_is_known_or_like_nothing_known_is_not_guessed(
    capsys, monkeypatch, tmp_path, arguments
):
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "mine2", "damaged"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    (tmp_path / "runs" / "damaged" / "network.safetensors").write_text("no network")
    assert "Did you mean" not in refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (-0.0, ".1f", "0.0"),
        (-0.04, ".1f", "0.0"),
        (-0.06, ".1f", "-0.1"),
        (-0.4, "+.0f", "+0"),
        (-0.004, "+.2f", "+0.00"),
        (-0.0004, ".1%", "0.0%"),
        (-10.0, "+.0f", "-10"),
        (1.5, ".1f", "1.5"),
    ],
)
def test_no_number_is_printed_as_minus_zero(value, form, text):
    assert number(value, form) == text


def test_what_rich_prints_is_no_markup_anywhere():
    """Names of players and folders are the reader's: one place makes the console, without it."""
    texts = {path.name: path.read_text() for path in Path(str(files("azlearn"))).rglob("*.py")}
    assert [name for name, text in texts.items() if "Console(" in text] == ["output.py"]
    assert not [name for name, text in texts.items() if "from_markup" in text]


def test_evaluate_shows_one_bar_for_all_rows(capsys, few_positions):
    command = ["evaluate", "uct", "--positions", few_positions, "--simulations", 5, 10]
    code, out, err = run(capsys, *command)
    assert code == 0
    assert err.count("100%") == 1
    assert re.search(r"compiled UCT 10: +35%.*compiled UCT 10: 100%", err, re.S)  # 6 of 6 + 11
    assert "about" not in out


def test_a_line_too_long_for_a_table_is_one_sentence(capsys, few_positions):
    few_positions.write_text(few_positions.read_text() + "x" * 200_000 + "\n")
    said = refused(capsys, "evaluate", "random", "--positions", few_positions)
    assert f"Line 22 of {few_positions} is not a labelled position" in said


def test_an_unknown_option_is_exit_code_2(capsys):
    code, _, err = run(capsys, "evaluate", "uct", "--enginee", "compiled")
    assert code == 2
    assert "enginee" in err


def test_ctrl_c_stops_without_a_traceback(capsys, monkeypatch):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("azlearn.arena.evaluate", stop)
    assert run(capsys, "evaluate", "random")[::2] == (130, "azlearn: stopped.\n")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("", "There is not enough memory for that."),
        (
            "Unable to allocate 18.6 TiB for an array",
            "There is not enough memory for that: Unable to allocate 18.6 TiB for an array.",
        ),
        (
            "Allocation failed (probably too large).\nThis error may …",
            "There is not enough memory for that: Allocation failed (probably too large).",
        ),
    ],
    ids=["bare", "numpy", "numba"],
)
def test_too_little_memory_is_one_sentence(capsys, monkeypatch, message, said):
    def hungry(*args, **kwargs):
        raise MemoryError(message)

    monkeypatch.setattr("azlearn.arena.evaluate", hungry)
    assert run(capsys, "evaluate", "random")[::2] == (2, f"azlearn: {said}\n")


def started(*arguments, stdout, unbuffered=False, **options) -> subprocess.CompletedProcess:
    """A command in a process of its own, which prints to ``stdout``."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1" if unbuffered else ""}
    command = [sys.executable, "-m", "azlearn", *arguments]
    return subprocess.run(command, stdout=stdout, env=environment, check=False, **options)


@pytest.fixture
def unread():
    """A pipe that nobody reads any more, as after `| true`."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.mark.parametrize("unbuffered", [False, True])
@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_an_output_that_nobody_reads_ends_it_quietly(unread, argument, unbuffered):
    done = started(argument, stdout=unread, unbuffered=unbuffered, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_result_that_nobody_reads_ends_it_quietly(unread, few_positions):
    arguments = ("evaluate", "random", "--positions", str(few_positions), "--json")
    done = started(*arguments, stdout=unread, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_error_that_nobody_reads_ends_it_too(unread):
    done = started("match", "random", "random", "--games", "3", stdout=unread, stderr=unread)
    assert done.returncode == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_full_disk_is_one_sentence(unbuffered):
    with open("/dev/full", "w") as full:
        done = started("--version", stdout=full, unbuffered=unbuffered, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == b"azlearn: No space left on device. Make room on the disk.\n"
