"""`azlearn match` as a reader types it: the table, the JSON, and what it refuses."""

import json
import re
import shutil
import signal
import subprocess
import sys
from time import monotonic, sleep

import pytest

from azlearn import arena
from azlearn.arena import find_player, play_match
from azlearn.games.named import GAMES
from azlearn.learning import ResNet, save_network
from azlearn.learning.network import SIZES
from tests.project.test_cli import refused, run


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """The path of an untrained network of each game."""
    folder, paths = tmp_path_factory.mktemp("networks"), {}
    for name, rules in GAMES.items():
        paths[name] = folder / f"{name}.safetensors"
        save_network(paths[name], name, ResNet(rules(), **SIZES["tiny"]), {})
    return paths


def match(capsys, *arguments) -> dict:
    code, out, err = run(capsys, "match", *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_json_adds_up(capsys):
    result = match(capsys, "tactical", "random", "--games", 60, "--game", "tictactoe")
    assert (result["a"], result["b"], result["games"]) == ("tactical", "random", 60)
    assert result["openings"] == 30
    assert 30 <= result["distinct_games"] <= 60
    for counts, number in ((result, 60), (result["as_first"], 30), (result["as_second"], 30)):
        assert counts["wins"] + counts["draws"] + counts["losses"] == number
    for name in ("wins", "draws", "losses"):
        assert result[name] == result["as_first"][name] + result["as_second"][name]
    assert result["score"] == (result["wins"] + result["draws"] / 2) / 60 > 0.5
    low, high = result["score_interval"]
    assert 0.5 < low < result["score"] < high < 1
    low, high = result["elo_interval"]
    assert 0 < low < result["elo"] < high


def test_the_table_and_the_line_below_it(capsys):
    arguments = ["tactical", "random", "--games", 20]
    result = match(capsys, *arguments)
    code, out, err = run(capsys, "match", *arguments)
    assert code == 0
    assert re.search(r"tactical – random: 100%.*\[\d\d:\d\d<\d\d:\d\d\]", err)
    assert out.strip().startswith("tactical against random")
    for title, counts in (
        ("as first player", result["as_first"]),
        ("as second player", result["as_second"]),
        ("together", result),
    ):
        row = r" │ +".join(str(counts[name]) for name in ("wins", "draws", "losses"))
        assert re.search(rf"│ {title} +│ +{row} │", out)
    last = out.splitlines()[-1]
    assert last.startswith(f"score {result['score']:.1%}  [")
    assert last.endswith(f"20 games from 10 openings, {result['distinct_games']} of them distinct")


def test_a_score_without_a_loss_has_no_bound_on_its_elo(capsys):
    result = match(capsys, "tactical", "random", "--games", 2, "--seed", 1)
    assert result["wins"] == 2
    assert result["elo"] is None
    _, out, _ = run(capsys, "match", "tactical", "random", "--games", 2, "--seed", 1)
    assert "Elo difference unbounded [" in out


def test_the_seed_decides_everything(capsys):
    arguments = ["uct@20", "random", "--games", 10, "--game", "tictactoe"]
    first = match(capsys, *arguments)
    assert first == match(capsys, *arguments)
    assert any(match(capsys, *arguments, "--seed", seed) != first for seed in (1, 2, 3))


def test_simulations_are_for_players_whose_word_does_not_say(capsys):
    result = match(capsys, "uct@20", "uct", "--games", 2, "--simulations", 5)
    assert (result["a"], result["b"]) == ("compiled UCT 20", "compiled UCT 5")


@pytest.mark.parametrize("game", GAMES)
def test_a_network_brings_its_game(capsys, networks, game):
    path = networks[game]
    result = match(capsys, "random", path, "--games", 2, "--simulations", 0)
    assert result["b"] == f"{path} alone"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody", "random"], "There is no player 'nobody': say random, tactical, uct, solver"),
        (["random", "/no/such.safetensors"], "There is no player '/no/such.safetensors'"),
        (["random", "random", "--games", "3"], "games must be an even number, not 3."),
        (["random", "random", "--games", "0"], "games must be a whole number, at least 2, not 0."),
        (["uct@0", "random"], "must be a whole number, at least 1, not 0."),
        (["random", "uct", "--simulations", "-1"], "must be a whole number, at least 1, not -1."),
        (["random", "random", "--seed", "-1"], "seed must be 0 or more, not -1."),
        (["TTT", "random", "--simulations", "-1"], "must be a whole number, at least 0, not -1."),
        (["TTT", "random", "--game", "connect4"], "plays tic_tac_toe, not connect_four."),
        (["TTT", "C4"], "plays connect_four, not tic_tac_toe."),
        (["CUT", "random"], "is damaged or not a safetensors file"),
        (["FOREIGN", "random"], "holds no network of azlearn."),
    ],
)
def test_what_cannot_be_played_is_one_sentence(capsys, networks, tmp_path, arguments, said):
    from safetensors.torch import save_file
    from torch import zeros

    (tmp_path / "cut.safetensors").write_bytes(networks["connect4"].read_bytes()[:999])
    save_file({"weight": zeros(3)}, tmp_path / "foreign.safetensors")
    files = {
        "TTT": networks["tictactoe"], "C4": networks["connect4"],
        "CUT": tmp_path / "cut.safetensors", "FOREIGN": tmp_path / "foreign.safetensors",
    }  # fmt: skip
    assert said in refused(capsys, "match", *(files.get(word, word) for word in arguments))


@pytest.mark.parametrize("arguments", [[], ["random"], ["random", "random", "--games", "few"]])
def test_what_is_not_a_command_is_exit_code_2(capsys, arguments):
    code, out, err = run(capsys, "match", *arguments)
    assert (code, out) == (2, "")
    assert "--help" in err


def test_a_game_without_a_solver_is_measured_against_uct(capsys):
    command = ["evaluate", "tictactoe", "--simulations", 0, 10, "--seed", 3]
    code, out, err = run(capsys, *command, "--json")
    assert (code, err) == (0, "")
    alone, searched = json.loads(out)
    assert (alone["simulations"], alone["b"]) == (0, "compiled UCT 50")
    assert (searched["simulations"], searched["b"]) == (10, "compiled UCT 10")
    opponent = find_player("uct@10", GAMES["tictactoe"]())
    same = play_match(find_player("tictactoe@10"), opponent, 200, seed=3)
    assert searched["score"] == same.score > 0.5
    assert searched["wins"] + searched["draws"] + searched["losses"] == searched["games"]
    code, out, _ = run(capsys, *command)
    low, high = searched["score_interval"]
    row = f"{searched['score']:.1%}  [{low:.1%}, {high:.1%}]"
    assert re.search(rf"compiled UCT 10 │ +{searched['games']} │ +{re.escape(row)} │", out)


def test_a_weak_player_of_any_game_scores_little_against_uct(capsys):
    code, out, _ = run(capsys, "evaluate", "random", "--game", "hex:3", "--json")
    (row,) = json.loads(out)
    assert code == 0
    assert row["score_interval"][1] < 0.5
    code, _, err = run(capsys, "evaluate", "random", "--game", "hex:3", "--positions", "x.csv")
    assert code == 2
    assert "--positions are of Connect Four, and random plays another game." in err


@pytest.mark.parametrize("name", ["old[/x]", "[bold]", ":smile:", "a[link=x]b"])
def test_no_name_is_taken_for_markup(capsys, networks, tmp_path, monkeypatch, name):
    """A match of an hour must not end in the name of a folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    shutil.copy(networks["tictactoe"], f"{name}.safetensors")
    given, options = f"{name}.safetensors@0", ("--games", 2, "--simulations", 1)
    code, out, _ = run(capsys, "match", given, "random", *options)
    assert code == 0
    assert f"{name}.safetensors alone against random" in " ".join(out.split())
    assert run(capsys, "match", "random", given, "--games", 2)[0] == 0
    code, out, _ = run(capsys, "evaluate", given)
    assert (code, f"│ {given} " in out) == (0, True)


@pytest.fixture
def stopped_after(monkeypatch):
    """Lets an error come out of a match when so many games are finished."""

    def arranged(games, error):
        def playing(*arguments, done, **options):
            left = iter(range(games - 1))

            def counted(game):
                done(game)
                if next(left, None) is None:
                    raise error

            return play_match(*arguments, done=counted, **options)

        monkeypatch.setattr(arena, "play_match", playing)

    return arranged


def test_ctrl_c_shows_and_keeps_what_was_played(capsys, stopped_after, tmp_path):
    out_file = tmp_path / "games.jsonl"
    command = ["match", "tactical", "random", "--games", 40, "--out", out_file]
    stopped_after(7, KeyboardInterrupt)
    code, out, err = run(capsys, *command)
    assert (code, err.splitlines()[-1]) == (130, "azlearn: stopped.")
    played = [json.loads(line) for line in out_file.read_text().splitlines()]
    counts = [sum(game["score"] == score for game in played) for score in (1, 0.5, 0)]
    assert sum(counts) == 7
    assert re.search("together +│ +" + " │ +".join(map(str, counts)), out)
    assert "It ended after 7 of 40 games. Short games end first" in out
    whole = {game.moves for game in play_match("tactical", "random", 40).games}
    assert {game["moves"] for game in played} <= whole
    # What is there is never overwritten.
    before = out_file.read_bytes()
    assert f"{out_file} is there already" in refused(capsys, *command)
    assert out_file.read_bytes() == before


def test_an_error_in_the_middle_keeps_what_was_played(capsys, stopped_after, tmp_path):
    stopped_after(5, ValueError("The solver has gone."))
    command = ["match", "random", "random", "--games", 10, "--out", tmp_path / "games.jsonl"]
    code, out, err = run(capsys, *command)
    assert (code, err.splitlines()[-1]) == (2, "azlearn: The solver has gone.")
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 5
    assert "5 games from" in out


def test_a_whole_match_writes_every_game(capsys, tmp_path):
    out_file = tmp_path / "games.jsonl"
    result = match(capsys, "tactical", "random", "--games", 60, "--out", out_file)
    rows = [json.loads(line) for line in out_file.read_text().splitlines()]
    assert {(row["a"], row["b"]) for row in rows} == {("tactical", "random")}
    assert len({(row["opening"], row["a_first"]) for row in rows}) == len(rows) == 60
    assert result["score"] == sum(row["score"] for row in rows) / 60


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="a terminal of POSIX")
def test_a_closed_terminal_leaves_the_games_of_a_match_without_end(tmp_path):
    out_file = tmp_path / "games.jsonl"
    command = ["match", "random", "random", "--games", "1000000000", "--out", str(out_file)]
    heard = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup nobody would hear it
    try:
        running = subprocess.Popen(
            [sys.executable, "-m", "azlearn", *command], stdout=-1, stderr=-1, bufsize=0
        )
    finally:
        signal.signal(signal.SIGHUP, heard)

    def has_games() -> bool:
        return out_file.exists() and out_file.read_bytes().count(b"\n") > 1

    with running:
        give_up = monotonic() + 120
        while not has_games() and monotonic() < give_up:
            sleep(0.1)
        running.send_signal(signal.SIGHUP)
        try:
            _, err = running.communicate(timeout=60)
        finally:
            running.kill()
    assert running.returncode == -signal.SIGHUP
    assert b"0%|" in err  # the bar
    lines = out_file.read_text().splitlines(keepends=True)
    assert all(json.loads(line)["score"] in (0, 0.5, 1) for line in lines if line.endswith("\n"))
    assert len(lines) > 1


def test_ctrl_c_shows_what_was_measured(capsys, monkeypatch):
    """Rows that are there are shown, those of `evaluate` too."""
    real, asked = arena.measuring.play_match, []

    def playing(*arguments, **options):
        asked.append(arguments)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr(arena.measuring, "play_match", playing)
    command = ["evaluate", "uct", "--game", "tictactoe", "--simulations", 3, 5]
    code, out, _ = run(capsys, *command)
    assert code == 130
    assert re.search(r"│ uct +│ +3 │ compiled UCT 3 │ +108 │", out)
