"""The networks that come with the package are what their papers say: strength, log, settings."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from azlearn import arena
from azlearn.cli import main
from azlearn.games import Go, TicTacToe
from azlearn.learning import load_network, preset, read_log, run_folder, shipped_networks
from azlearn.learning.living_filters import living_share, living_units
from azlearn.learning.settings import read_settings

GAMES = {
    "connect4": ("connect4", "cpu"),
    "connect4_gpu": ("connect4", "gpu"),
    "connect4_long": ("connect4", "cpu"),
    "go5": ("go5", "cpu"),
    "go7": ("go7", "cpu"),
    "tictactoe": ("tictactoe", "cpu"),
}
EACH = pytest.mark.parametrize("name", GAMES)


@EACH
def test_its_log_is_that_of_its_run_which_was_of_the_published_preset(name):
    """Precision is measured where a run starts; c_scale, which has changed, is Gumbel's alone."""
    assert shipped_networks() == [*GAMES]
    info, rows = load_network(name).info, read_log(name)
    settings = read_settings(info["settings"])
    own = {"precision": settings.precision, "c_scale": settings.c_scale}
    assert settings.search == "puct"
    assert settings == replace(preset(*GAMES[name]), **own)
    assert settings.seed == 0
    assert [row["iteration"] for row in rows] == [*range(1, info["counters"]["iteration"] + 1)]
    assert info["counters"].items() <= rows[-1].items()


@EACH
def test_its_filters_live_and_most_of_its_units(name):
    """Asked about positions of all plies; the units count where one of them makes it positive."""
    network, game = load_network(name).network, load_network(name).game
    assert living_share(network) == 1
    states, rng = [game.initial_state()], np.random.default_rng(0)
    for _ in range(1000):
        state = states[-1]
        is_over = game.outcome(state) is not None
        actions = game.legal_actions(state)
        states.append(game.initial_state() if is_over else game.play(state, rng.choice(actions)))
    planes = torch.from_numpy(np.stack([game.encode(state) for state in states]))
    assert living_units(network, planes) > (0.65 if name == "go7" else 0.8)
    sizes = torch.cat([x.flatten() for x in network.parameters()]).abs()
    assert not ((sizes > 0) & (sizes < 1e-30)).any()


def test_the_one_of_tic_tac_toe_never_loses_at_25_simulations():
    """Against every sequence of replies, on both sides."""
    assert arena.find_losing_line(arena.make_player("tictactoe@25"), TicTacToe()) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect4", "connect4_gpu", "connect4_long"])
def test_those_of_connect_four_are_as_strong_as_their_evaluations_say(name):
    """Measured again; another processor may round differently and turn a few moves."""
    rows = json.loads((run_folder(name) / "evaluation.json").read_text())
    said = {row["simulations"]: row["value_preserving"] for row in rows}
    assert said.keys() == {0, 50, 200, 800}
    assert said[200] > 0.95
    for row in arena.evaluate(name, simulations=(0, 50)):
        assert row["value_preserving"] == pytest.approx(said[row["simulations"]], abs=0.01)


def test_the_one_of_small_go_opens_in_the_centre_and_beats_random_play():
    """Black in the centre takes the whole board (van der Werf et al. 2003)."""
    game, rng = Go(5), np.random.default_rng(0)
    for word in ("go5@0", "go5@50", "go5@200"):
        action = arena.make_player(word, game).choose(game.initial_state(), rng)
        assert game.action_label(action) == "C3"
    assert arena.play_match("go5@10", arena.RandomPlayer(game), games=20).score > 0.9


def test_a_folder_of_yours_comes_before_a_shipped_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (run_folder("connect4") / "network.safetensors").is_file()
    (tmp_path / "connect4").mkdir()
    assert read_log("connect4") == []
    names = ", ".join(GAMES)
    with pytest.raises(FileNotFoundError, match=f"one of the shipped networks {names}"):
        load_network("connect4")


def test_it_is_whom_you_play_against_if_you_name_nobody(capsys, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda *_: "q")
    assert main(["play", "--game", "go5"]) == 0
    assert "A B C D E" in capsys.readouterr().out
