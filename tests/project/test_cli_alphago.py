"""`azlearn alphago`: a small run from beginning to end, gone on with, and its report."""

import json
import os
import shutil
from dataclasses import asdict

import numpy as np
import pytest

from azlearn.alphago import load_stage_network, mse, value_of
from azlearn.alphago.pipeline_settings import preset
from azlearn.alphago.positions import read_positions
from azlearn.arena import accuracy, load_positions
from azlearn.arena.alphago_players import policy_player
from azlearn.arena.alphago_report import SHIPPED, report, shipped
from azlearn.arena.alphago_stages import STAGES, solved_moves
from azlearn.atomic_io import locked
from azlearn.cli import main
from azlearn.games import ConnectFour, State
from azlearn.learning import NetworkEvaluator

SMALL = (
    "network=tiny", "num_games=150", "supervised_epochs=0.05", "rollout_epochs=1", "leak_games=40",
    "gradient_steps=2", "value_games=80", "value_epochs=1", "policy_games=10", "match_games=2",
    "zero_games=2", "simulations=2", "milliseconds=2",
)  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """One run for all processes of the tests, a minute long: who comes second finds it done."""
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    with locked(root, patience=600):
        out = root / "alphago"
        assert main(["alphago", "--out", str(out), "--processes", "2", "--set", *SMALL]) == 0
    return out


def printed(capsys, *arguments):
    code = main(["alphago", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.slow
def test_every_stage_is_done_and_reported(run, capsys):
    code, out, err = printed(capsys, "--report", "--out", run, "--json")
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
    for section in ("supervised", "policy_gradient", "value"):
        assert 0.9 < figures[section]["living_filters"] <= 1  # nothing dies in so short a run
    assert figures["rollout"]["microseconds_per_move"] > 0
    pairs = figures["search"]["equal_simulations"]["pairs"]
    players = {pair["a"] for pair in pairs} | {pair["b"] for pair in pairs}
    assert len(players) == 9
    assert len(pairs) == 36
    assert {row["player"] for row in figures["search"]["equal_simulations"]["ratings"]} == players
    assert figures["zero"]["equal_time"]["games"] == 2


@pytest.mark.slow
def test_the_share_of_known_test_boards(run):
    game, told = ConnectFour(), report(run)["value"]
    sides = read_positions(run / "value_positions.safetensors", game)

    def boards(positions):
        planes = game.batch_encode(State(positions.me, positions.opp))
        return [min(p.tobytes(), p[:, :, ::-1].tobytes()) for p in np.asarray(planes, np.int8)]

    for side, name in {"one": "one_position_a_game", "all": "all_positions"}.items():
        known = set(boards(sides[side]))
        share = np.mean([board in known for board in boards(sides[f"{side}_test"])])
        assert told[f"test_share_known_{name}"] == pytest.approx(share)
    assert share > 0  # whole games begin alike


@pytest.mark.slow
def test_going_on_makes_only_what_is_missing(run, capsys, tmp_path):
    run = shutil.copytree(run, tmp_path / "run")
    figures = {path.name: path.read_bytes() for path in run.glob("*.json")}
    (run / "rollout.json").unlink()
    code, out, _ = printed(capsys, "--out", run, "--processes", 1, "--set", *SMALL)
    assert code == 0
    assert out.count("done in") == 1
    assert "rollout: done" in out
    again = {path.name: path.read_bytes() for path in run.glob("*.json")}
    first, second = (json.loads(found["rollout.json"])["figures"] for found in (figures, again))
    assert first == second  # the same seed, the same figures
    assert {name for name in figures if figures[name] != again[name]} <= {"rollout.json"}
    code, _, err = printed(capsys, "--out", run, "--set", *SMALL, "seed=1")
    assert code == 2
    assert "was made with other settings (seed 0, not 1): use a new folder." in err


@pytest.mark.parametrize("game", ["connect4", "go7"])
def test_the_run_that_comes_along_is_of_the_preset(game, capsys):
    code, out, _ = printed(capsys, "--report", "--json", "--game", game)
    assert code == 0
    figures = json.loads(out)
    assert figures["settings"] == asdict(preset("cpu", game))
    assert sum(figures["minutes"].values()) > 1
    for name in ("supervised", "policy_gradient", "value"):
        loaded = load_stage_network(shipped(game) / f"{name}.safetensors")
        assert loaded.info["settings"].items() <= figures["settings"].items()  # from before Go
    code, out, _ = printed(capsys, "--report", "--game", game)
    assert code == 0
    for words in ("55.4 %", "supervised: accuracy all features", "0.234", "Elo", "AlphaGo Zero"):
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


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--json", "--json goes with --report."),
        ("--preset moon", "There is no preset 'moon'; there are: cpu, small."),
        ("--set speed=3", "There is no setting 'speed'; there are game, seed, network"),
        ("--set num_games=0", "num_games must be at least 1, not 0."),
        ("--set supervised_epochs=0", "epochs must be above 0"),
        ("--set match_games=3", "match_games must be even, 2 or more, not 3."),
        ("--processes 0", "processes must be a whole number, at least 1, not 0."),
        ("--report --set seed=1", "A report takes no settings"),
        ("--report --out nowhere", "nowhere holds no run of AlphaGo: azlearn alphago --out now"),
    ],
)
def test_refusals_are_one_sentence(line, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = printed(capsys, *line.split())
    assert code == 2
    assert words in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "runs").exists()  # nothing is claimed


@pytest.mark.parametrize(
    ("stage", "figures"),
    [
        ("value", {"train": {"mse": 1, "num_positions": 2}}),
        ("value", {"train": {"mse": 1, "num_positions": 2}, "test": [0.2]}),
        ("tournament", {"ratings": [{"elo": "high"}]}),
    ],
)
def test_a_stage_without_its_figures_is_one_sentence(tmp_path, capsys, stage, figures):
    shutil.copytree(SHIPPED, tmp_path, dirs_exist_ok=True)
    path = tmp_path / f"{stage}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"figures": figures}))
    code, out, err = printed(capsys, "--report", "--out", tmp_path)
    assert (code, out) == (2, "AlphaGo: loading PyTorch …\n")
    assert f"The figures of a stage in {tmp_path} are damaged or foreign" in err
    assert len(err.splitlines()) == 1
