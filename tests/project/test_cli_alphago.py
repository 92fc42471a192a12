"""`azlearn alphago`: a small run from beginning to end, gone on with, and its report."""

import json
import shutil
from dataclasses import asdict

import pytest

from azlearn.alphago import load_stage_network, mse, value_of
from azlearn.alphago.pipeline_settings import preset
from azlearn.arena import accuracy, load_positions
from azlearn.arena.alphago_players import policy_player
from azlearn.arena.alphago_report import SHIPPED, report, shipped
from azlearn.arena.alphago_stages import STAGES, solved_moves
from azlearn.learning import NetworkEvaluator
from tests.project.test_cli import run

SMALL = (
    "network=tiny", "num_games=150", "supervised_epochs=0.05", "rollout_epochs=1", "leak_games=40",
    "gradient_steps=2", "value_games=80", "value_epochs=1", "policy_games=10", "match_games=2",
    "zero_games=2", "simulations=2", "milliseconds=2",
)  # fmt: skip


@pytest.mark.slow
def test_every_stage_is_done_once_and_reported(tmp_path, capsys):
    """Going on makes only what is missing."""
    make = ["alphago", "--out", tmp_path, "--processes", 2, "--set", *SMALL]
    assert run(capsys, *make)[0] == 0
    (tmp_path / "rollout.json").unlink()
    code, out, _ = run(capsys, *make)
    assert (code, out.count("done in"), "rollout: done" in out) == (0, 1, True)
    code, out, err = run(capsys, "alphago", "--report", "--out", tmp_path, "--json")
    assert (code, err) == (0, "")
    figures = json.loads(out)
    assert set(figures["minutes"]) == set(STAGES)
    for section, names in {
        "supervised": ("accuracy_all_features", "accuracy_raw_board"),
        "rollout": ("accuracy",),
        "policy_gradient": (
            "win_rate_against_supervised", "win_rate_against_supervised_without_pool",
        ),
        "value": (
            "train_mse_one_position_a_game", "test_mse_one_position_a_game",
            "train_mse_all_positions", "test_mse_all_positions",
            "test_mse_all_positions_on_one_position_a_game",
        ),
    }.items():  # fmt: skip
        assert figures[section]["seed"] == 0
        for name in names:
            low, high = figures[section][f"{name}_interval"]
            assert low <= figures[section][name] <= high
            assert figures[section][f"{name}_n"] >= 2
    pairs = figures["search"]["equal_simulations"]["pairs"]
    players = {pair["a"] for pair in pairs} | {pair["b"] for pair in pairs}
    assert len(players) == 9
    assert len(pairs) == 36
    assert {row["player"] for row in figures["search"]["equal_simulations"]["ratings"]} == players
    assert figures["zero"]["equal_time"]["games"] == 2


@pytest.mark.parametrize("game", ["connect4", "go7"])
def test_the_run_that_comes_along_is_of_the_preset(game, capsys):
    code, out, _ = run(capsys, "alphago", "--report", "--json", "--game", game)
    assert code == 0
    figures = json.loads(out)
    assert figures["settings"] == asdict(preset("cpu", game))
    assert sum(figures["minutes"].values()) > 1
    for name in ("supervised", "policy_gradient", "value"):
        loaded = load_stage_network(shipped(game) / f"{name}.safetensors")
        assert loaded.info["settings"].items() <= figures["settings"].items()  # from before Go
    code, out, _ = run(capsys, "alphago", "--report", "--game", game.removesuffix("7"))
    assert code == 0
    for words in ("55.4%", "supervised: accuracy all features", "0.234", "Elo", "AlphaGo Zero"):
        assert words in out


def test_its_figures_are_those_of_its_networks():
    """Measured again on solved positions; another processor may round otherwise, so nearly."""
    positions, figures = load_positions(), report()
    for name in ("supervised", "policy_gradient"):
        player = policy_player(load_stage_network(SHIPPED / f"{name}.safetensors"), name)
        found, told = accuracy(player, positions), figures["accuracy"][name]
        assert found["value_preserving"] == pytest.approx(told["value_preserving"], abs=0.003)
    theta = load_stage_network(SHIPPED / "value.safetensors")
    found = mse(value_of(NetworkEvaluator(theta.game, theta.network)), solved_moves())
    told = figures["value"]
    assert found.mse == pytest.approx(told["truth_mse_one_position_a_game"], abs=0.003)
    assert found.num_positions == told["truth_mse_one_position_a_game_n"]


def test_a_stage_without_its_figures_is_one_sentence(tmp_path, capsys):
    shutil.copytree(SHIPPED, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "tournament.json"
    figures = {"ratings": [{"elo": "high"}]}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"figures": figures}))
    code, out, err = run(capsys, "alphago", "--report", "--out", tmp_path)
    assert (code, out) == (2, "AlphaGo: loading PyTorch …\n")
    assert f"The results of a stage in {tmp_path} are damaged or not from" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("zero", "said"), [("go7", "does not play connect4"), ("typo", "There is no network")]
)
def test_a_wrong_network_for_the_matches_is_refused_before_the_first_stage(
    zero, said, tmp_path, capsys
):
    command = ["alphago", "--preset", "small", "--out", tmp_path / "run", "--set", f"zero={zero}"]
    code, _, err = run(capsys, *command)
    assert (code, said in err) == (2, True)
    assert not (tmp_path / "run").exists()


def test_a_report_of_a_game_without_a_shipped_run_asks_for_the_folder(capsys):
    code, _, err = run(capsys, "alphago", "--report", "--game", "go5")
    assert code == 2
    assert "azlearn contains no AlphaGo run of go5. Name the folder" in err


@pytest.mark.parametrize(
    ("word", "name"), [("go", "go7"), ("go:7", "go7"), ("connect4", "connect4")]
)
def test_the_zero_network_of_a_game_is_found_however_it_is_spelled(word, name):
    assert preset("small", word).zero_network() == name
