"""Leagues: agents that break rules lose with a sentence, and a league stops and resumes."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from azlearn.arena import RandomPlayer, TacticalPlayer, matches_of, play_league
from azlearn.arena.agents import AgentPlayer, find_agents
from azlearn.cli import main
from azlearn.games import ConnectFour, Forfeit, TicTacToe
from azlearn.sandbox import Limits, Sandbox, Stopped
from tests.own_game import SOURCE

FOUR, THREE = ConnectFour(), TicTacToe()
FIRST = "def choose(state, rng): return game.legal_actions(state)[0]\n"
WRONG = {
    "illegal": ("def choose(state, rng): return 99", "chose action 99, an illegal move"),
    "error": ("def choose(state, rng): return 1 / 0", "raised ZeroDivisionError: division by zero"),
    "text": ("def choose(state, rng): return 'five'", "raised TypeError"),
    "late": (
        "import time\ndef choose(state, rng): time.sleep(60)",
        "was still running after 1 sec",
    ),
    "gone": ("import os\ndef choose(state, rng): os._exit(0)", "ended its process"),
    "empty": ("x = 1", "cannot be loaded: ValueError: the file defines no function choose"),
    "syntax": ("def choose(:", "cannot be loaded: SyntaxError"),
    "loud": (
        "def choose(state, rng):\n    while True: print('x')",
        "was still running after 1 sec",
    ),
}


def agent(tmp_path, source, name="agent"):
    path = tmp_path / f"{name}.py"
    path.write_text(source)
    return AgentPlayer("tictactoe", path, Limits(seconds=1))


def test_an_agent_plays_and_gets_the_game_and_a_generator(tmp_path):
    player = agent(tmp_path, "def choose(state, rng): return rng.choice(game.legal_actions(state))")
    rng = np.random.default_rng(0)
    chosen = {player.choose(THREE.from_moves("15"), rng) for _ in range(20)}
    assert chosen <= {*THREE.legal_actions(THREE.from_moves("15"))}
    assert len(chosen) > 2
    with pytest.raises(ValueError, match="game is over"):
        player.choose(THREE.from_moves("14253"), rng)
    player.close()


def interrupted(*_):
    raise KeyboardInterrupt


def test_an_interrupted_agent_is_not_heard_about_the_position_before(tmp_path, monkeypatch):
    player, rng = agent(tmp_path, FIRST), np.random.default_rng(0)
    for _ in range(2):  # while it is loaded, then while it thinks
        with monkeypatch.context() as patch:
            patch.setattr(Sandbox, "receive", interrupted)
            with pytest.raises(KeyboardInterrupt):
                player.choose(THREE.initial_state(), rng)
        assert player.choose(THREE.from_moves("1"), rng) == 1
    player.close()


@pytest.mark.parametrize("kind", WRONG)
def test_an_agent_that_breaks_a_rule_loses_with_a_sentence(tmp_path, kind):
    source, said = WRONG[kind]
    player = agent(tmp_path, source, kind)
    with pytest.raises(Forfeit, match=f"{kind} {said}"):
        player.choose(THREE.initial_state(), np.random.default_rng(0))
    with pytest.raises(Forfeit):  # and again in its next game
        player.choose(THREE.initial_state(), np.random.default_rng(0))
    player.close()


def test_the_folder_of_agents(tmp_path):
    agent(tmp_path, FIRST, "anna")
    shutil.copy("azlearn/data/tictactoe/network.safetensors", tmp_path / "ben.safetensors")
    (tmp_path / "notes.txt").write_text("no player")
    (tmp_path / "damaged.safetensors").write_text("no network")
    found, skipped = find_agents(tmp_path, "tictactoe", 10, Limits())
    assert [player.name for player in found] == ["anna", "ben 10"]
    assert len(skipped) == 2
    assert any("damaged" in sentence for sentence in skipped)
    assert find_agents(tmp_path, "connect4", 10, Limits())[0][0].name == "anna"


def test_a_league_resumes_where_it_stopped(tmp_path):
    """Wherever the power fails while it writes."""
    players = [RandomPlayer(FOUR, "a"), TacticalPlayer(FOUR, "b"), RandomPlayer(FOUR, "c")]
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    play_league(players, whole, games=8)
    play_league(players, parts, games=8, minutes=0)
    assert not parts.exists()
    lines = whole.read_text().splitlines(keepends=True)
    for cut in range(9):
        half = "".join(lines[:cut]) + lines[cut][:30]
        parts.write_text(half)
        matches_of(parts, "abc")
        assert parts.read_text() == half  # another process may be writing it
        play_league(players[::-1], parts, games=8)
        for match in matches_of(parts, "abc"):
            played = Counter((game.opening, game.a_first) for game in match.games)
            assert [*played.values()] == [1] * 8
            assert len(match.opening_scores) == 4
        if cut % 4 == 0:  # openings are played two at a time
            assert sorted(parts.read_text().splitlines(True)) == sorted(lines)
    matches = matches_of(whole, "abc")
    assert [len(match.games) for match in matches] == [8, 8, 8]
    assert {(match.a, match.b): match.score for match in matches}["a", "b"] < 0.5
    openings = [{game.opening for game in match.games} for match in matches]
    assert openings[0] == openings[1] == openings[2]  # the same for every pair


@pytest.mark.parametrize(
    ("game", "seed", "there"),
    [
        (THREE, 0, "connect4 with seed 0, not of tictactoe with seed 0"),
        (FOUR, 1, "not of connect4 with seed 1"),
    ],
)
def test_a_file_is_of_one_game_and_one_seed(tmp_path, game, seed, there):
    players, file = [RandomPlayer(FOUR, "a"), RandomPlayer(FOUR, "b")], tmp_path / "games.jsonl"
    play_league(players, file, games=2)
    content = file.read_text()
    with pytest.raises(ValueError, match=there):
        play_league([RandomPlayer(game, "a"), RandomPlayer(game, "b")], file, seed=seed)
    assert file.read_text() == content


def test_a_file_of_an_earlier_or_a_later_version_is_read(tmp_path):
    """Earlier ones did not name the game and the seed; later ones may say more."""
    players, file = [RandomPlayer(FOUR, "a"), RandomPlayer(FOUR, "b")], tmp_path / "games.jsonl"
    play_league(players, file, games=2)
    earlier, later = (json.loads(line) for line in file.read_text().splitlines())
    del earlier["game"], earlier["seed"]
    later["seconds"] = 3
    file.write_text(f"{json.dumps(earlier)}\n{json.dumps(later)}\n")
    content = file.read_text()
    play_league(players, file, games=2)
    assert file.read_text() == content
    play_league(players, file, games=4)
    (match,) = matches_of(file, "ab")
    assert len(match.games) == 4


def test_the_command_writes_a_table_and_the_worst_moves(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "agents"
    folder.mkdir()
    agent(folder, FIRST, "x-1")
    agent(folder, FIRST.replace("[0]", "[-1]"), "x_1")  # a name with the same letters
    agent(folder, WRONG["error"][0], "broken")
    shutil.copy("azlearn/data/tictactoe/network.safetensors", folder / "net.safetensors")
    monkeypatch.chdir(tmp_path)
    command = ["league", "agents", "--game", "tictactoe", "--games", "4", "--simulations", "10"]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "broken raised ZeroDivisionError: division by zero." in said
    page = (tmp_path / "league" / "index.html").read_text()
    assert page.index("<td>net 10</td>") < page.index("<td>x-1</td>") < page.index("broken")
    links = re.findall(r'href="(explorer/[^"]+)"', page)
    assert len({*links}) == len(links) > 0
    games = (tmp_path / "league" / "games.jsonl").read_text().splitlines()
    assert len(games) == 24
    assert {json.loads(line)["a"] for line in games} == {"broken", "net 10", "x-1"}
    assert main(command) == 0  # nothing left to play
    assert len((tmp_path / "league" / "games.jsonl").read_text().splitlines()) == 24


def test_an_agent_and_its_game_may_have_relative_paths(tmp_path, monkeypatch):
    """The agent runs in another folder; its positions are of the game's own type."""
    monkeypatch.chdir(tmp_path)
    Path("race.py").write_text(SOURCE)
    player = agent(Path(), "def choose(state, rng): return game.to_play(state)")
    player.word = "race.py:Race"
    rng, start = np.random.default_rng(0), player.game.initial_state()
    assert player.choose(start, rng) == 0
    assert player.choose(player.game.play(start, 0), rng) == 1
    player.close()


def test_a_league_of_one_is_one_sentence(tmp_path, capsys, monkeypatch):
    agent(tmp_path, FIRST)
    monkeypatch.chdir(tmp_path)
    assert main(["league", str(tmp_path), "--game", "tictactoe"]) == 2
    assert "at least two players" in capsys.readouterr().err


def test_a_sandbox_limits_and_ends_its_process():
    with Sandbox("azlearn.arena.one_agent", Limits(seconds=0.01)) as process:
        with pytest.raises(Stopped, match="still running after 0"):
            process.receive()
        process.send("no JSON")
        assert b"JSONDecodeError" in process.receive(60)
        with pytest.raises(Stopped, match="ended its process"):
            process.receive(60)
