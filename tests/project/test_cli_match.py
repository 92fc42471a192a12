"""`azlearn match`, and `azlearn evaluate` in games: the tables, the JSON, and what is kept."""

import json
import re
import shutil
from pathlib import Path

import pytest
from safetensors.torch import save_file
from sgfmill import sgf
from torch import zeros

from azlearn import arena
from azlearn.arena import PlayedGame, make_player, play_match
from azlearn.arena.records import as_sgf
from azlearn.cli import main
from azlearn.games import Go
from azlearn.games.go.records import from_sgf
from azlearn.games.named import GAMES
from azlearn.learning import ResNet, save_network
from azlearn.learning.network import SIZES
from tests.gtp_programs import says, write_program
from tests.project.test_cli import refused, run
from tests.project.test_cli_play import REFUSES


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """The path of an untrained network of each of three games."""
    folder, paths = tmp_path_factory.mktemp("networks"), {}
    for name in ("connect4", "tictactoe", "othello"):
        paths[name] = folder / f"{name}.safetensors"
        save_network(paths[name], name, ResNet(GAMES[name](), **SIZES["tiny"]), {})
    return paths


def match(capsys, *arguments) -> dict:
    code, out, err = run(capsys, "match", *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_json_adds_up_and_the_table_says_the_same(capsys, tmp_path):
    arguments = ["tactical", "random", "--games", 60, "--game", "tictactoe"]
    result = match(capsys, *arguments)
    assert (result["a"], result["b"], result["openings"]) == ("tactical", "random", 30)
    for name in ("wins", "draws", "losses"):
        assert result[name] == result["as_first"][name] + result["as_second"][name]
    assert result["score"] == (result["wins"] + result["draws"] / 2) / 60 > 0.5
    low, high = result["elo_interval"]
    assert 0 < low < result["elo"] < high

    code, out, err = run(capsys, "match", *arguments, "--out", tmp_path / "games.jsonl")
    assert code == 0
    assert re.search(r"tactical – random: 100%.*\[\d\d:\d\d<\d\d:\d\d\]", err)
    for title, counts in (
        ("as first player", result["as_first"]),
        ("as second player", result["as_second"]),
        ("together", result),
    ):
        row = r" │ +".join(str(counts[name]) for name in ("wins", "draws", "losses"))
        assert re.search(rf"│ {title} +│ +{row} │", out)
    last = out.splitlines()[-1]
    assert last.startswith(f"score {result['score']:.1%}  [")
    assert last.endswith(f"60 games ({result['distinct_games']} distinct) from 30 openings")

    rows = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert len({(row["opening"], row["a_first"]) for row in rows}) == len(rows) == 60
    assert result["score"] == sum(row["score"] for row in rows) / 60


def test_the_seed_and_the_simulations_are_those_that_are_asked_for(capsys):
    arguments = ["uct@20", "uct", "--simulations", 5, "--games", 10, "--game", "tictactoe"]
    first = match(capsys, *arguments)
    assert (first["a"], first["b"]) == ("compiled UCT 20", "compiled UCT 5")
    assert first == match(capsys, *arguments)
    assert any(match(capsys, *arguments, "--seed", seed) != first for seed in (1, 2, 3))


def test_a_network_brings_its_game(capsys, networks):
    path = networks["othello"]
    result = match(capsys, "random", path, "--games", 2, "--simulations", 0)
    assert result["b"] == f"{path} without search"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("TTT random --simulations -1", "must be a whole number, at least 0, not -1."),
        ("TTT C4", "plays connect_four, not tic_tac_toe."),
        ("CUT random", "is damaged or not a safetensors file"),
        ("FOREIGN random", "does not contain a network of azlearn."),
    ],
)
def test_what_cannot_be_played_is_one_sentence(capsys, networks, tmp_path, line, said):
    (tmp_path / "cut.safetensors").write_bytes(networks["connect4"].read_bytes()[:999])
    save_file({"weight": zeros(3)}, tmp_path / "foreign.safetensors")
    files = {
        "TTT": networks["tictactoe"], "C4": networks["connect4"],
        "CUT": tmp_path / "cut.safetensors", "FOREIGN": tmp_path / "foreign.safetensors",
    }  # fmt: skip
    assert said in refused(capsys, "match", *(files.get(word, word) for word in line.split()))


def test_a_game_without_a_solver_is_measured_against_uct(capsys):
    command = ["evaluate", "tictactoe", "--simulations", 0, 10, "--seed", 3]
    code, out, err = run(capsys, *command, "--json")
    assert (code, err) == (0, "")
    alone, searched = json.loads(out)
    assert (alone["simulations"], alone["b"]) == (0, "compiled UCT 50")
    assert (searched["simulations"], searched["b"]) == (10, "compiled UCT 10")
    opponent = make_player("uct@10", GAMES["tictactoe"]())
    same = play_match(make_player("tictactoe@10"), opponent, 200, seed=3)
    assert searched["score"] == same.score > 0.5
    assert searched["wins"] + searched["draws"] + searched["losses"] == searched["games"]
    code, out, _ = run(capsys, *command)
    low, high = searched["score_interval"]
    row = f"{searched['score']:.1%}  [{low:.1%}, {high:.1%}]"
    assert re.search(rf"compiled UCT 10 │ +{searched['games']} │ +{re.escape(row)} │", out)


def test_no_name_is_taken_for_markup(capsys, networks, tmp_path, monkeypatch):
    """A match of an hour must not end in the name of a folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old[").mkdir()
    name = "old[/x]:smile:.safetensors"
    shutil.copy(networks["tictactoe"], name)
    code, out, _ = run(capsys, "match", f"{name}@0", "random", "--games", 2)
    assert (code, f"{name} without search against random" in " ".join(out.split())) == (0, True)
    code, out, _ = run(capsys, "evaluate", f"{name}@0")
    assert (code, f"│ {name}@0 " in out) == (0, True)


# A match that does not end.


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt, 130, "azlearn: stopped."),
        (ValueError("The solver has gone."), 2, "azlearn: The solver has gone."),
    ],
)
def test_what_was_played_is_shown_and_kept(capsys, monkeypatch, tmp_path, error, code, said):
    """An error comes out of the match when seven games are finished."""

    def playing(*arguments, done, **options):
        left = iter(range(6))

        def counted(game):
            done(game)
            if next(left, None) is None:
                raise error

        return play_match(*arguments, done=counted, **options)

    out_file = tmp_path / "games.jsonl"
    command = ["match", "tactical", "random", "--games", 40, "--out", out_file]
    monkeypatch.setattr(arena, "play_match", playing)
    ended, out, err = run(capsys, *command)
    assert (ended, err.splitlines()[-1]) == (code, said)
    played = [json.loads(line) for line in out_file.read_text().splitlines()]
    counts = [sum(game["score"] == score for game in played) for score in (1, 0.5, 0)]
    assert sum(counts) == 7
    assert re.search("together +│ +" + " │ +".join(map(str, counts)), out)
    assert "Stopped after 7 of 40 games. Short games finish first" in out
    whole = {game.moves for game in play_match("tactical", "random", 40).games}
    assert {game["moves"] for game in played} <= whole
    # Nothing is written before the first game, and what is there is never overwritten.
    assert "even number" in refused(capsys, *command[:4], 3, "--out", tmp_path / "odd.jsonl")
    assert not (tmp_path / "odd.jsonl").exists()
    before = out_file.read_bytes()
    assert f"{out_file} already exists" in refused(capsys, *command)
    assert out_file.read_bytes() == before


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no folder that refuses files")
def test_a_file_that_cannot_be_written_is_told_before_the_first_game(capsys, monkeypatch):
    monkeypatch.setattr(arena, "play_match", None)
    assert "/proc/games.jsonl" in refused(
        capsys, "match", "uct", "uct", "--out", "/proc/games.jsonl"
    )


# Go, with records and with programs of others.


def test_a_match_keeps_its_games_of_go(capsys, tmp_path):
    folder = tmp_path / "new" / "games"
    command = ["match", "random", "random", "--game", "go:3", "--games", 4, "--sgf", folder]
    assert run(capsys, *command)[0] == 0
    paths = sorted(folder.iterdir())
    assert [path.name for path in paths] == ["0001.sgf", "0002.sgf", "0003.sgf", "0004.sgf"]
    for path in paths:
        game, actions = from_sgf(path.read_bytes())
        assert game == Go(3)
        assert game.outcome(game.from_moves(game.moves_text(actions))) is not None
    assert "already contains games" in refused(capsys, *command)


@pytest.mark.parametrize(
    ("a_first", "score", "remark", "result"),
    [
        (True, 0.0, "'gnugo' resigns.", "W+R"),
        (False, 0.0, "'gnugo' plays 'C9', which is not legal.", "B+F"),
        (False, 1.0, "'gnugo' ended (exit code 3) at 'genmove white'.", "W+F"),
    ],
)
def test_a_game_that_was_given_up_says_so(a_first, score, remark, result):
    text = as_sgf(Go(5), PlayedGame("", "C3 pass", a_first, score, remark), "mine", "gnugo")
    root = sgf.Sgf_game.from_string(text).get_root()
    names = ("mine", "gnugo") if a_first else ("gnugo", "mine")
    assert (root.get("PB"), root.get("PW")) == names
    assert (root.get("RE"), root.get("C")) == (result, remark)


def test_a_match_under_other_rules_is_void(capsys, tmp_path):
    command = write_program(tmp_path, says("= A1"), every=REFUSES)
    match = ["match", "random", f"gtp:{command}", "--games", "2", "--game", "go3"]
    games = tmp_path / "games"
    assert main([*match, "--sgf", str(games)]) == 2
    printed = capsys.readouterr()
    assert "azlearn: All games are void, so there is no score." in printed.err
    assert "--game go3:superko,suicide." in printed.err
    assert "score" not in printed.out
    assert all("RE[Void]" in record.read_text() for record in games.iterdir())


@pytest.mark.parametrize("command", ["play", "evaluate", "match"])
def test_patience_is_an_option(capsys, tmp_path, command):
    program = f"gtp:{write_program(tmp_path, start='time.sleep(60)')}"
    players = ["random", program] if command == "match" else [program]
    assert main([command, *players, "--game", "go3", "--patience", "0.2"]) == 2
    assert "did not answer 'list_commands' in 0.2 s. Give it more time" in capsys.readouterr().err
