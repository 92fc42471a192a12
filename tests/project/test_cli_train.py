"""`azlearn train` as a reader types it: new, resumed, refused, shown, in several processes."""

import io
import os
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from shlex import quote

import pytest
import torch

from azlearn import arena
from azlearn.arena import measuring
from azlearn.cli import main, train_display
from azlearn.cli.train import _crowded, _hooks, _proof
from azlearn.cli.train_display import Display
from azlearn.games import TicTacToe
from azlearn.learning import NetworkEvaluator, ResNet, load_network, read_log
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.files import exclusive_lock
from tests.learning.children import ROOT, Command
from tests.learning.tiny_runs import AS_OPTIONS, SETTINGS, assert_same
from tests.project.test_cli import refused, run

NEW = ["train", "--game", "tictactoe", "--ranks", 1]
TINY = ["--set", *AS_OPTIONS]
AZLEARN = Path(sys.executable).parent / "azlearn"


def trained(*arguments) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of a training."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = main([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of four iterations, and how it ended."""
    out = tmp_path_factory.mktemp("finished") / "Jörg's run"
    return out, trained(*NEW, "--iterations", 4, "--out", out, *TINY)


@pytest.fixture(scope="module")
def row(finished):
    """The last of its rows."""
    return read_log(finished[0])[-1]


@pytest.fixture
def out(finished, tmp_path):
    return shutil.copytree(finished[0], tmp_path / "Jörg's run")


def refusal(capsys, *arguments) -> str:
    """The one sentence with which a command refuses."""
    return refused(capsys, "train", *arguments)


# A new run.


def test_a_run_says_what_it_does_and_what_comes_next(finished):
    out, (code, said, err) = finished
    assert (code, err) == (0, "")
    lines = said.splitlines()
    assert lines[0] == "tictactoe: loading PyTorch …"
    assert lines[1] == f"tictactoe: the tiny network in float32, 1 process, folder {out}."
    first = next(line for line in lines if line.startswith("minute"))  # compiling may take long
    assert re.match(r"minute \d+\.\d; iteration 1; games \d+; positions \d+;", first)
    assert re.match(r"Finished after \d+\.\d minutes and \d+ games\.", lines[-4])
    assert lines[-2:] == [
        f"Measure it:      azlearn evaluate {quote(str(out))} --simulations 0 200",
        f"Play against it: azlearn play {quote(str(out))}",
    ]


def test_tic_tac_toe_ends_with_the_proof_or_with_games_that_are_lost(finished):
    """Four iterations teach little; the network that comes with the package is perfect."""
    said, game = finished[1][1].splitlines()[-3], TicTacToe()
    lost = re.findall(r"it loses (\d+)", said)
    assert said.startswith("It can be beaten (moves are cells, numbered row by row): ")
    assert lost
    assert all(game.outcome(game.from_moves(moves)) == -1 for moves in lost)
    assert _proof(load_network("tictactoe")).startswith("Proven unbeatable: ")


def test_a_run_leaves_its_network_its_checkpoint_and_its_figures(finished):
    out, _ = finished
    assert sorted(path.name for path in out.iterdir()) == [
        "000004", "checkpoint.json", "log.jsonl", "network.safetensors", "tensorboard"
    ]  # fmt: skip
    assert load_network(out).info["settings"]["simulations"] == SETTINGS.simulations
    rows = read_log(out)
    assert [row["iteration"] for row in rows] == [1, 2, 3, 4]
    assert {"games_per_second", "value_loss", "policy_loss", "draws"} <= rows[-1].keys()
    assert rows[-1]["spent"] == 1


def test_the_networks_of_a_run_are_measured_over_time(capsys, finished):
    code, said, _ = run(capsys, "evaluate", finished[0], "--over-time", "--simulations", 0)
    assert (code, f"{finished[0]}:4 " in " ".join(said.split())) == (0, True)


@pytest.mark.parametrize("game", ["tictactoe", "connect4"])
def test_the_truth_that_a_run_is_measured_by_is_shown(row, game, monkeypatch, capsys):
    few, alone = arena.load_positions()[:20], arena.NetworkPlayer
    for place in (arena, measuring):
        monkeypatch.setattr(place, "load_positions", lambda: few)
        monkeypatch.setattr(place, "PUCTPlayer", lambda g, e, n: alone(g, e), raising=False)
    rules = SETTINGS.with_changes({"game": game}).make_game()
    torch.manual_seed(0)
    figures = _hooks(game).measure(NetworkEvaluator(rules, ResNet(rules, 4, 1)))
    assert len(figures) == 2
    assert all(0 <= figure <= 1 for figure in figures.values())
    Display().update(row | figures)
    shown = capsys.readouterr().out.rstrip()
    alone, searched = (f"{figure:.1%}" for figure in figures.values())
    assert re.search(rf"without search {alone}; with \d\d simulations {searched}$", shown)


# Resumed.


def test_a_finished_run_is_not_begun_again(capsys, out):
    said = refusal(capsys, "--resume", out)
    assert f"{out} has used its whole budget: 4 iterations in" in said
    assert "set a larger one, such as --iterations 8" in said
    assert "its whole budget: 4 iterations" in refusal(capsys, "--resume", out, "--iterations", 4)
    assert "--minutes" in refusal(capsys, "--resume", out, "--minutes", 1e-9)


def test_one_command_begins_a_run_and_goes_on_with_it(tmp_path):
    out = tmp_path / "run"
    command = [*NEW, "--go-on", "--out", out, *TINY, "precision=fastest"]
    assert trained(*command, "--iterations", 3)[0] == 0
    begun = read_summary(out)
    assert trained(*command, "--iterations", 5)[0] == 0
    assert [row["iteration"] for row in read_log(out)] == [1, 2, 3, 4, 5]
    assert read_summary(out)["settings"] == begun["settings"]
    code, said, err = trained(*command, "--iterations", 5)  # as a scheduler that knows no better
    assert (code, err, "its whole budget: 5 iterations" in said) == (0, "", True)


def test_a_run_with_other_settings_is_not_gone_on_with(capsys, out):
    before = read_summary(out)
    options = ["--game", "tictactoe", "--go-on", "--out", out, "--iterations", 9]
    said = refusal(capsys, *options, *TINY, "seed=4", "simulations=9")
    assert "was started with different settings (seed 0, not 4, simulations 8, not 9)" in said
    assert "was started with different settings (game tictactoe, not connect4" in refusal(
        capsys, "--go-on", "--out", out
    )
    assert read_summary(out) == before


# Refused.


def test_a_resumed_run_keeps_its_settings(capsys, out):
    for option in ("--set seed=1", "--game hex:5", "--preset gpu", "--out x", "--go-on"):
        said = refusal(capsys, "--resume", out, *option.split())
        assert "A resumed run keeps its settings" in said


def test_a_folder_that_holds_a_run_is_left_alone(capsys, out, tmp_path, monkeypatch):
    before = read_summary(out)
    go_on = f"Resume it with `azlearn train --resume {quote(str(out))}`"
    assert go_on in refusal(capsys, "--out", out)
    assert read_summary(out) == before
    monkeypatch.chdir(tmp_path)
    shutil.copytree(out, "runs/connect4")
    assert "runs/connect4 already contains a run" in refusal(capsys)


def test_a_folder_in_use_is_not_read(capsys, out):
    """The other run may be replacing its checkpoint just now."""
    said = f"azlearn: {out} is in use by another process. Wait, or choose another folder.\n"
    shutil.rmtree(out / "000004")
    with exclusive_lock(out):
        assert refusal(capsys, "--resume", out, "--iterations", 9) == said
        assert refusal(capsys, "--out", out) == said
        (out / "checkpoint.json").unlink()
        assert refusal(capsys, "--resume", out, "--iterations", 9) == said


# Shown while it runs.


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_follows_the_budget_and_the_iteration_that_is_under_way(row, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with Display() as display:
        display._bar.mininterval = 0
        display.progress("self-play", 0.426)
        assert "  0%|" in terminal.getvalue()
        assert "iteration 1 self-play: 43%]" in terminal.getvalue()
        display.update(row | {"iteration": 1, "spent": 0.25})
        display.progress("training", 0.5)
    last = terminal.getvalue().split("\r")[-1]
    assert " 25%|" in last
    assert "iteration 2 training: 50%]" in last
    assert capsys.readouterr().out.startswith("minute ")  # the first one's figures


def test_a_long_iteration_says_where_it_is_where_no_bar_can_be_drawn(monkeypatch, capsys):
    clock = iter([0.0, 10.0, 31.0, 31.0, 40.0])
    monkeypatch.setattr(train_display, "monotonic", lambda: next(clock))
    display = Display()
    for share in (0.1, 0.5, 0.6):
        display.progress("self-play", share)
    assert capsys.readouterr().out == "iteration 1 self-play: 50%\n"


@pytest.mark.parametrize(
    ("name", "enough", "few", "sentence"),
    [
        ("living_filters", 0.9, 0.84, "84% of the network's filters are alive"),
        ("living_units", 0.25, 0.2, "20% of the value head's hidden units are active"),
    ],
)
def test_what_dies_is_told_once(name, enough, few, sentence, row, capsys):
    display, told = Display(), []
    for share in (enough, few, few / 2):
        display.update(row | {name: share, "unbeaten_alone": 0.0})
        told.append(capsys.readouterr().out.startswith(f"Only {sentence}"))
    assert told == [False, True, False]


# More than one process: started here, or by torchrun.

_LEAVES = """
from pathlib import Path
import torch
from azlearn.learning.launch import joined_ranks

def train():
    with joined_ranks(2, "cpu", train) as ranks:
        torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.1)
        assert ranks.all_reduce_sum(1) == [2]
    threads = [task.read_text() for task in Path("/proc/self/task").glob("*/comm")]
    assert threads and not any("gloo" in name for name in threads), threads

if __name__ == "__main__":
    train()
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="threads are listed by Linux alone"
)
def test_no_thread_of_the_meeting_outlives_it(tmp_path):
    """One that does may abort the process when it exits, after all has been done."""
    script = tmp_path / "leaves.py"
    script.write_text(_LEAVES)
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, cwd=ROOT, timeout=500,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_two_processes_train_alike_whoever_starts_them(tmp_path):
    """The command itself, and torchrun, whose processes begin cold."""
    arguments = ["train", "--game", "tictactoe", "--iterations", "4", *TINY, "--out"]
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    done = Command(*arguments, ours, "--ranks", 2).finish()
    assert (done.code, done.err) == (0, "")
    assert "\ntictactoe: the tiny network in float32, 2 processes, folder" in done.out
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    torchrun += ["--standalone", "--no-python"]
    done = subprocess.run(
        [*torchrun, AZLEARN, *arguments, theirs],
        capture_output=True, text=True, cwd=ROOT, timeout=500,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.count("Finished after") == 1
    assert len(read_log(theirs)) == 4
    assert_same(ours, theirs)


def test_more_processes_than_cores_are_told_what_they_cost():
    assert _crowded(8, 8, 9) == _crowded(2, 8, 9) == _crowded(1, 1, 0) == ""
    said = "8 processes share 2 cores: an iteration takes about 4.0 times as long as with 2"
    assert _crowded(8, 2, 9).startswith(said)
    assert _crowded(3, 1, 9).startswith(
        "3 processes share 1 core: an iteration takes about 3.0 times"
    )
    fewer = "Only 3 processes fit in memory, so 5 of 8 cores stay idle.\n"
    assert _crowded(3, 8, 3) == fewer
    assert _crowded(1, 2, 0) == "Only 1 process fits in memory, so 1 of 2 cores stay idle.\n"
    too_many = "Only 1 of them fits in memory. Start fewer with --ranks.\n"
    assert _crowded(4, 8, 1) == too_many
