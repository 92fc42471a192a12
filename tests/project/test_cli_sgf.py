"""Games of Go that `azlearn match` and `azlearn play` keep as SGF records."""

import io

import pytest
from sgfmill import sgf

from azlearn.arena import PlayedGame
from azlearn.arena.records import as_sgf
from azlearn.cli import main
from azlearn.games import Go
from azlearn.games.go.records import from_sgf
from tests.project.test_cli import refused, run


def test_a_match_keeps_its_games(capsys, tmp_path):
    folder = tmp_path / "new" / "games"
    command = ["match", "random", "random", "--game", "go:3", "--games", 4, "--sgf", folder]
    assert run(capsys, *command)[0] == 0
    paths = sorted(folder.iterdir())
    assert [path.name for path in paths] == ["0001.sgf", "0002.sgf", "0003.sgf", "0004.sgf"]
    for path in paths:
        game, actions = from_sgf(path.read_bytes())
        assert game == Go(3)
        assert game.outcome(game.from_moves(game.moves_text(actions))) is not None
    assert "holds games already" in refused(capsys, *command)


def test_records_are_of_go_alone(capsys, tmp_path):
    said = refused(capsys, "match", "random", "random", "--sgf", tmp_path / "x")
    assert said == "azlearn: --sgf keeps games of Go, and these players play connect_four.\n"
    assert not (tmp_path / "x").exists()
    said = refused(capsys, "play", "random", "--sgf", tmp_path / "x")
    assert said == "azlearn: --sgf keeps a game of Go, and random plays connect_four.\n"


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


def test_a_game_at_the_terminal_is_kept_and_its_score_told(capsys, monkeypatch, tmp_path):
    """Points are typed in any case; a stone taken back is not in the record."""
    path = tmp_path / "game.sgf"
    monkeypatch.setattr("sys.stdin", io.StringIO("c3\nu\nC2\npass\n" + "pass\n" * 40))
    command = ["play", "random", "--game", "go:3", "--sgf", str(path)]
    assert main(command) == 0
    out = capsys.readouterr().out
    game, actions = from_sgf(path.read_bytes())
    assert [game.action_label(action) for action in actions[:3:2]] == ["C2", "pass"]
    assert "moves are A3, B3, C3, A2, B2, C2, A1, B1, C1, pass;" in out
    assert "\n    A B C\n" in out
    score = game.score(game.from_moves(game.moves_text(actions)))
    assert f"{'You win' if score > 0 else 'It wins'} by {abs(score):g}.\n" in out
    assert out.endswith(f"The game is in {path}.\n")
    assert "is there already" in refused(capsys, *command)


def test_a_game_that_was_left_is_kept(capsys, monkeypatch, tmp_path):
    path = tmp_path / "game.sgf"
    monkeypatch.setattr("sys.stdin", io.StringIO("b2\nq\n"))
    command = ["play", "random", "--game", "go:3", "--you", "second", "--sgf", str(path)]
    assert main(command) == 0
    actions = from_sgf(path.read_bytes())[1]
    assert len(actions) in (2, 3)
    root = sgf.Sgf_game.from_bytes(path.read_bytes()).get_root()
    assert (root.get("PB"), root.get("PW")) == ("random", "you")
    assert not root.has_property("RE")
