"""`azlearn train` as a reader types it: new, resumed, refused."""

import io
import json
import re
import shutil
from contextlib import redirect_stderr, redirect_stdout
from shlex import quote

import pytest
import torch

from azlearn import arena
from azlearn.arena import measuring
from azlearn.cli import main
from azlearn.cli.train import _hooks, _proof
from azlearn.cli.train_display import Display
from azlearn.cli.train_folder import Plan, open_run
from azlearn.games import TicTacToe
from azlearn.learning import (
    Budget,
    NetworkEvaluator,
    ResNet,
    load_network,
    preset,
    read_log,
    run_folder,
)
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.files import exclusive_lock
from tests.learning.tiny_runs import AS_OPTIONS, SETTINGS, edit_summary
from tests.project.test_cli import refused, run

NEW = ["train", "--game", "tictactoe", "--ranks", 1]
TINY = ["--set", *AS_OPTIONS]


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
        f"Measure it: azlearn evaluate {quote(str(out))} --simulations 0 200",
        f"Play it:    azlearn play {quote(str(out))}",
    ]


def test_tic_tac_toe_ends_with_the_proof_or_with_games_that_are_lost(finished):
    """Four iterations teach little; the network that comes with the package is perfect."""
    said, game = finished[1][1].splitlines()[-3], TicTacToe()
    lost = re.findall(r"it loses (\d+)", said)
    assert said.startswith("It can be beaten (cells are numbered row by row): ")
    assert lost
    assert all(game.outcome(game.from_moves(moves)) == -1 for moves in lost)
    assert _proof(load_network("tictactoe")).startswith("Nobody beats it, proven: ")


@pytest.mark.parametrize(("game", "minutes"), [("tictactoe", 3), ("connect4", 60)])
def test_how_long_a_run_takes_if_nothing_is_said(tmp_path, game, minutes):
    plan = Plan(tmp_path / "new", preset(game, "cpu"), None, "cpu", 2.0, False)
    with open_run(plan, 1, lambda plan: None) as (plan, _):
        assert plan.budget == Budget(minutes=minutes)


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


def test_its_own_commands_take_the_folder(capsys, finished):
    out, _ = finished
    code, said, _ = run(capsys, "match", out, "random", "--games", 4, "--simulations", 0, "--json")
    assert code == 0
    assert json.loads(said)["games"] == 4
    command = ["evaluate", out, "--over-time", "--simulations", 0]
    code, said, _ = run(capsys, *command, "--json")
    rows = json.loads(said)
    assert (code, rows[0]["b"]) == (0, "compiled UCT 50")
    assert [row["player"] for row in rows] == [f"{out}:4"]


def test_the_same_seed_gives_the_same_network(finished, tmp_path):
    out, _ = finished
    again = tmp_path / "again"
    assert trained(*NEW, "--iterations", 4, "--out", again, *TINY)[0] == 0
    other = tmp_path / "other"
    assert trained(*NEW, "--iterations", 4, "--out", other, *TINY, "seed=1")[0] == 0
    files = [path / "000004" / "training.safetensors" for path in (out, again, other)]
    first, second, third = (path.read_bytes() for path in files)
    assert first == second != third


def test_a_gate_plays_real_matches(tmp_path):
    gate = ["gate_games=30", "gate_every=2", "gate_simulations=4"]
    code, _, err = trained(*NEW, "--iterations", 4, "--out", tmp_path / "run", *TINY, *gate)
    assert (code, err) == (0, "")
    rows = read_log(tmp_path / "run")
    assert ["accepted" in row for row in rows] == [False, True, False, True]


@pytest.mark.parametrize("game", ["tictactoe", "connect4"])
def test_the_truth_that_a_run_is_measured_by_is_shown(finished, game, monkeypatch, capsys):
    few, alone = arena.load_positions()[:20], arena.NetworkPlayer
    for place in (arena, measuring):
        monkeypatch.setattr(place, "load_positions", lambda: few)
        monkeypatch.setattr(place, "PUCTPlayer", lambda g, e, n: alone(g, e), raising=False)
    rules = SETTINGS.with_changes({"game": game}).make_game()
    torch.manual_seed(0)
    figures = _hooks(game).measure(NetworkEvaluator(rules, ResNet(rules, 4, 1)))
    assert len(figures) == 2
    assert all(0 <= figure <= 1 for figure in figures.values())
    Display().update(read_log(finished[0])[-1] | figures)
    shown = capsys.readouterr().out.rstrip()
    alone, searched = (f"{figure:.1%}" for figure in figures.values())
    assert re.search(rf"alone {alone}; at \d\d simulations {searched}$", shown)


# Resumed.


def test_a_run_goes_on_with_more(out):
    code, _, err = trained("train", "--resume", out, "--iterations", 6)
    assert (code, err) == (0, "")
    assert [row["iteration"] for row in read_log(out)] == list(range(1, 7))
    assert read_summary(out)["budget"] == {"minutes": None, "iterations": 6}
    assert load_network(out).info["counters"]["iteration"] == 6


def test_a_finished_run_is_not_begun_again(capsys, out):
    said = refusal(capsys, "--resume", out)
    assert f"{out} has done 4 iterations in" in said
    assert "give it more, such as --iterations 8" in said
    assert "has done 4 iterations" in refusal(capsys, "--resume", out, "--iterations", 4)
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
    assert (code, err, "has done 5 iterations" in said) == (0, "", True)


def test_a_run_with_other_settings_is_not_gone_on_with(capsys, out):
    before = read_summary(out)
    options = ["--game", "tictactoe", "--go-on", "--out", out, "--iterations", 9]
    said = refusal(capsys, *options, *TINY, "seed=4", "simulations=9")
    assert "was begun with other settings (seed 0, not 4, simulations 8, not 9)" in said
    assert "was begun with other settings (game tictactoe, not connect4" in refusal(
        capsys, "--go-on", "--out", out
    )
    assert read_summary(out) == before


@pytest.mark.parametrize(
    "theirs",
    ["to mother.txt", "000000/notes.txt", "202401/", "log.jsonl", "network.safetensors"],
)
def test_a_folder_with_files_of_the_reader_is_no_place_for_a_run(capsys, tmp_path, theirs):
    path = tmp_path / "letters" / theirs
    path.parent.mkdir(parents=True)
    if theirs.endswith("/"):
        path.mkdir()
    elif theirs == "network.safetensors":  # their only one
        shutil.copy(run_folder("tictactoe") / theirs, path)
    else:
        path.write_text("mine")
    for options in ([], ["--go-on"]):
        said = refusal(capsys, *options, "--out", str(tmp_path / "letters"))
        assert "is not an empty folder" in said
    assert path.exists()


# Refused.


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--set sims=4", "There is no setting 'sims'; there are game, network, "),
        ("--set simulations", "--set takes NAME=VALUE, such as seed=1, not 'simulations'."),
        ("--set simulations=many", "simulations must be a whole number, not 'many'."),
        ("--set simulations=0", "simulations must be at least 1, not 0."),
        ("--set gate_games=20", "gate_games: Of 20 games even a player that wins them all"),
        ("--set network=huge", "network must be one of tiny, small, medium, paper"),
        ("--preset tpu", "There is no preset 'tpu'; there are: cpu, gpu"),
        ("--game chess", "game must be one of connect4, tictactoe, othello"),
        ("--device tpu", "such as mps, not 'tpu'."),
        ("--device cuda", "There is no CUDA device that this PyTorch can use"),
        ("--ranks 0", "ranks must be at least 1, not 0."),
        ("--minutes nan", "minutes must be a number above 0, not nan."),
        ("--iterations 0", "iterations must be a whole number, at least 1, not 0."),
        ("--checkpoint-minutes -1", "checkpoint-minutes must be 0 or more, not -1.0."),
        ("--resume nowhere", "nowhere holds no checkpoint: there is nothing to go on with."),
    ],
)
def test_what_cannot_be_done_is_one_sentence(capsys, tmp_path, monkeypatch, line, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert said in refusal(capsys, *line.split())
    assert not list(tmp_path.rglob("*.*"))


def test_a_resumed_run_keeps_its_settings(capsys, out):
    for option in ("--set seed=1", "--game hex:5", "--preset gpu", "--out x", "--go-on"):
        said = refusal(capsys, "--resume", out, *option.split())
        assert "A resumed run keeps its settings" in said


def test_a_folder_that_holds_a_run_is_left_alone(capsys, out, tmp_path, monkeypatch):
    before = read_summary(out)
    go_on = f"go on with `azlearn train --resume {quote(str(out))}`"
    assert go_on in refusal(capsys, "--out", out)
    assert read_summary(out) == before
    (tmp_path / "file").write_text("mine")
    assert "is not an empty folder" in refusal(capsys, "--out", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    monkeypatch.chdir(tmp_path)
    shutil.copytree(out, "runs/connect4")
    assert "runs/connect4 holds a run already" in refusal(capsys)


def test_a_folder_in_use_is_not_read(capsys, out):
    """The other run may be replacing its checkpoint just now."""
    said = f"azlearn: {out} is in use: another process trains there.\n"
    shutil.rmtree(out / "000004")
    with exclusive_lock(out):
        assert refusal(capsys, "--resume", out, "--iterations", 9) == said
        assert refusal(capsys, "--out", out) == said
        (out / "checkpoint.json").unlink()
        assert refusal(capsys, "--resume", out, "--iterations", 9) == said


def test_a_checkpoint_that_is_damaged_is_one_sentence(capsys, out):
    more = ["--resume", out, "--iterations", 9]
    edit_summary(out, lambda summary: summary["settings"].update(colour="red"))
    assert "There is no setting 'colour'" in refusal(capsys, *more)
    edit_summary(out, lambda summary: summary["settings"].pop("colour"))
    path = out / "000004" / "training.safetensors"
    path.write_bytes(bytes(path.stat().st_size))
    assert refusal(capsys, *more).startswith(f"azlearn: {path} is damaged or cut short")
