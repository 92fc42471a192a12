"""The commands with a program of others at the other side of the board."""

import io

import pytest

from azlearn.arena import RandomPlayer
from azlearn.cli import main
from tests.gtp_programs import says, write_program

CRASH = "print('no memory', file=sys.stderr); sys.exit(3)"
REFUSES = (
    "if command == 'play' and 'pass' not in line: print('? illegal move\\n', flush=True); continue"
)


@pytest.fixture
def play(capsys, monkeypatch):
    """Plays Go 3x3 with these answers; gives what was printed. Exit code 0, nothing on stderr."""

    def with_answers(answers, *arguments):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{word}\n" for word in answers)))
        assert main(["play", *map(str, arguments), "--game", "go3"]) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        return printed.out

    return with_answers


@pytest.mark.parametrize("you", ["first", "second"])
@pytest.mark.parametrize(
    ("move", "words", "how"),
    [
        ("= resign", " resigns: you have won.", "R"),
        ("= Z9", " plays 'Z9', which is not legal: you have won.", "F"),
    ],
)
def test_a_program_that_gives_up_has_lost(play, tmp_path, you, move, words, how):
    record = tmp_path / "game.sgf"
    command = f"gtp:{write_program(tmp_path, says(move))}"
    out = play(["B2", "q"], command, "--you", you, "--sgf", record)
    assert words in out
    assert f"RE[{'B' if you == 'first' else 'W'}+{how}]" in record.read_text()


def test_a_program_that_fails_may_try_again_and_the_game_is_kept(play, tmp_path):
    once = tmp_path / "once"
    once.touch()
    fails = f"os.path.exists({str(once)!r}) and (os.remove({str(once)!r}), sys.exit(3))"
    command = f"gtp:{write_program(tmp_path, f'{fails}; ' + says('= A1'))}"
    out = play(["B2", "", "q"], command, "--sgf", tmp_path / "game.sgf")
    assert " ended (exit code 3) at 'genmove white'.\nenter lets it try again" in out
    assert "It plays A1." in out
    assert "B[bb];W[ac]" in (tmp_path / "game.sgf").read_text().replace("\n", "")
    assert play(["B2", "u", "q"], f"gtp:{write_program(tmp_path, CRASH)}").count(" ○ ") == 0


def test_a_move_that_the_program_refuses_can_be_taken_back(play, tmp_path):
    command = f"gtp:{write_program(tmp_path, says('= A1'), every=REFUSES)}"
    out = play(["B2", "u", "pass", "q"], command)
    assert "refuses 'play black B2': illegal move. Its rules forbid what ours allow" in out
    assert "--game go3:superko" in out
    assert "It plays A1." in out
    assert "won" not in out


def test_evaluate_says_why_games_were_given_up(capsys, tmp_path, monkeypatch):
    uct = "azlearn.arena.measuring.CompiledUCTPlayer"
    monkeypatch.setattr(uct, lambda game, simulations: RandomPlayer(game))  # nothing to compile
    command = write_program(tmp_path, says("= resign"))
    assert main(["evaluate", f"gtp:{command}", "--game", "go3"]) == 0
    assert f"Given up, 200 of the games: {command!r} resigns." in capsys.readouterr().out


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
