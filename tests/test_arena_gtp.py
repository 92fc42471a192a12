"""The Go Text Protocol, from both sides: programs as players, players as engines."""

import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from azlearn.arena import RandomPlayer, play_match
from azlearn.arena.gtp_engine import GTPEngine
from azlearn.arena.gtp_player import GTPPlayer, action_of, recent_moves
from azlearn.arena.naming import find_player, find_players
from azlearn.games import Go, TicTacToe

ENGINE = f"{Path(sys.executable).parent / 'azlearn'} gtp random --game go5"
GNUGO = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/games")
needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")

# A program that keeps to the protocol until its move is asked for; then it does what MOVE says.
_PROGRAM = """
import sys, time
for line in sys.stdin:
    command = line.split()[0]
    if command == "genmove":
        {move}
    answer = "list_commands\\nboardsize" if command == "list_commands" else ""
    print("= " + answer + "\\n", flush=True)
"""


@pytest.fixture
def program(tmp_path):
    """The command of a program that answers ``genmove`` with some lines of Python."""

    def command(move: str) -> str:
        path = tmp_path / "program.py"
        path.write_text(_PROGRAM.format(move=move))
        return f"{sys.executable} {path}"

    return command


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("sys.exit(3)", r"ended \(exit code 3\) at 'genmove"),
        ("time.sleep(60)", r"did not answer 'genmove \w+' in 1 s"),
        ("print('= resign\\n', flush=True); continue", "resigns"),
        ("print('= C9\\n', flush=True); continue", "plays 'C9', which is not legal"),
        ("print('= nonsense \\ufffd\\n', flush=True); continue", "which is not legal"),
        ("print('? not today\\n', flush=True); continue", "refuses 'genmove .*': not today"),
    ],
)
def test_a_program_that_cannot_go_on_loses_its_game_and_the_match_goes_on(program, move, words):
    game = Go(3, komi=0.5)
    a = GTPPlayer(game, program(move), patience=1)
    match = play_match(a, RandomPlayer(game), 4, openings=["", "B2"])
    assert [played.score for played in match.games] == [0.0] * 4
    for played in match.games:
        assert re.search(words, played.remark), played.remark
    assert sum(match.table()["given_up"].values()) == 4


def test_a_program_among_the_players_means_go(program):
    words = ["uct@5", f"gtp:{program('pass')}"]
    assert [player.game for player in find_players(words)] == [Go(7)] * 2


def test_gnu_go_that_leaves_dead_stones_is_told(program):
    """Without the option its level 1 lost 9 of 40 games of 7x7 to random moves; with it, none."""
    command = f"{program('pass')} gnugo"
    with pytest.warns(UserWarning, match="add --chinese-rules --capture-all-dead"):
        GTPPlayer(Go(3), command)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        GTPPlayer(Go(3), f"{command} --capture-all-dead")


@pytest.mark.parametrize("command", ["no-such-program", "", "'", f"{sys.executable} -c pass"])
def test_what_is_no_program_is_told_at_once(command):
    with pytest.raises(ValueError, match=r"does not start|ended") as error:
        find_player(f"gtp:{command}", Go(5))
    assert "\n" not in str(error.value)


def test_gtp_is_of_go_alone():
    with pytest.raises(ValueError, match="language of Go"):
        GTPPlayer(TicTacToe(), ENGINE)
    with pytest.raises(ValueError, match="language of Go"):
        GTPEngine(RandomPlayer(TicTacToe()))


def test_the_last_moves_are_read_off_a_position():
    """Against the moves that were played, captures, kos and passes among them."""
    rng = np.random.default_rng(1)
    game = Go(4)
    for _ in range(60):
        states, moves = [game.initial_state()], []
        while game.outcome(states[-1]) is None:
            moves.append(int(rng.choice(game.legal_actions(states[-1]))))
            states.append(game.play(states[-1], moves[-1]))
            before, recent = recent_moves(game, states[-1])
            assert recent == moves[-7:]
            cells = np.array(game.cells(states[-1 - len(recent)]))
            assert (before == [cells == 1, cells == 2]).all()


def test_points_are_written_in_any_case_and_i_is_left_out():
    game = Go(9)
    assert action_of(game, "a1") == 72
    assert action_of(game, "J9") == 8
    assert action_of(game, "PASS") == 81
    for word in ("I5", "K1", "A0", "A10", "", "5"):
        assert action_of(game, word) is None


class Client:
    """Types commands into an engine in this process."""

    def __init__(self, player) -> None:
        self.engine = GTPEngine(player)

    def __call__(self, line: str) -> str:
        return self.engine.answer(line)


@pytest.fixture
def client():
    return Client(RandomPlayer(Go(5, komi=0.5)))


def test_every_command_that_the_protocol_requires_is_there(client):
    required = (
        "protocol_version name version known_command list_commands quit boardsize clear_board komi"
        " play genmove"
    )
    listed = client("list_commands")
    assert (listed[:2], listed[-2:]) == ("= ", "\n\n")
    assert set(required.split()) <= set(listed[2:].split())
    assert client("7 protocol_version") == "=7 2\n\n"
    assert client("known_command genmove") == "= true\n\n"
    assert client("known_command cook") == "= false\n\n"
    assert client("  # a comment") == ""
    assert client("") == ""


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("cook", "? unknown command"),
        ("12 cook", "?12 unknown command"),
        ("play b", "? syntax error"),
        ("play b c3 d4", "? syntax error"),
        ("play green c3", "? syntax error"),
        ("play b i3", "? illegal move"),
        ("play b z99", "? illegal move"),
        ("genmove", "? syntax error"),
        ("genmove x", "? syntax error"),
        ("boardsize 25", "? unacceptable size"),
        ("boardsize five", "? unacceptable size"),
        ("komi much", "? komi is no number"),
        ("komi nan", "? unacceptable komi"),
        ("undo", "? cannot undo"),
        ("play b \x00\x1bc3\x7f", "?"),
        ("\ufffd\ufffd", "? unknown command"),
    ],
)
def test_nonsense_gets_an_error_and_changes_nothing(client, line, answer):
    before = client("showboard")
    assert client(line).startswith(answer)
    assert client(line).endswith("\n\n")
    assert client("showboard") == before


def test_a_stone_is_captured_a_suicide_refused_and_taken_back(client):
    for move in ("play w a1", "play b a2", "play b b1"):
        assert client(move) == "=\n\n"
    assert client("showboard").strip().splitlines()[-1].split() == ["1", ".", "X", ".", ".", "."]
    assert client("play w a1").startswith("? illegal move")
    assert client("undo") == "=\n\n"
    assert client("showboard").strip().splitlines()[-1].split() == ["1", "O", ".", ".", ".", "."]
    assert client("komi 7.5") == "=\n\n"
    assert client("final_score") == "= W+7.5\n\n"
    assert client("boardsize 4") == "=\n\n"
    assert client("final_score") == "= W+7.5\n\n"


def test_a_komi_that_the_player_does_not_know_is_counted(client, capsys):
    """A controller may send any komi at all, and an engine has to take it (GTP 2, 4.3.1)."""
    assert client("komi 0.3") == "=\n\n"
    assert client("final_score") == "= W+0.3\n\n"
    assert "plays as with komi 0.5; the score counts 0.3." in capsys.readouterr().err
    client("play b c3")
    assert client("komi -1000") == "=\n\n"
    assert client("final_score") == "= B+1025\n\n"
    assert client("komi 7.5") == "=\n\n"
    assert client("final_score") == "= B+17.5\n\n"


def test_a_network_keeps_its_game_and_says_which():
    network = GTPEngine(find_player("go5", None, 2))
    assert network.answer("komi 7.5") == "=\n\n"
    assert network.answer("final_score") == "= W+7.5\n\n"
    assert network.answer("boardsize 7") == (
        "? unacceptable size: This network plays go with size 5, not go with size 7.\n\n"
    )
    with pytest.raises(ValueError, match=r"go5 plays go with size 5, komi 0\.5, not go with"):
        find_player("go5", Go(7))


def test_moves_go_on_after_two_passes(client):
    for line in ("play b pass", "play w pass"):
        assert client(line) == "=\n\n"
    assert client("genmove b").startswith("= ")
    assert client("play w pass") == "=\n\n"


def test_a_position_is_set_up_by_moves_of_one_player(client):
    """More of them than a game may have moves, and the game goes on."""
    points = [f"{letter}{row}" for letter in "ABDE" for row in range(1, 6)]
    for _ in range(4):
        client("clear_board")
        for point in points:
            assert client(f"play w {point}") == "=\n\n"
        assert client("final_score") == "= W+25.5\n\n"
    for _ in range(60):
        assert client("play b pass") == "=\n\n"
        assert client("play w pass") == "=\n\n"
    assert client("genmove b").startswith("= ")


def play_out(ask, games: int) -> None:
    """Games of the program behind ``ask`` against a random player that keeps the record itself."""
    rng = np.random.default_rng(3)
    game = Go(5, komi=0.5)
    for number in range(games):
        ask("clear_board")
        state = game.initial_state()
        while game.outcome(state) is None:
            colour = game.to_play(state)
            if colour == number % 2:
                action = action_of(game, ask(f"genmove {'bw'[colour]}"))
                assert action in game.legal_actions(state)
            else:
                action = int(rng.choice(game.legal_actions(state)))
                ask(f"play {'bw'[colour]} {game.action_label(action)}")
            state = game.next_state(state, action)
        score = game.score(state)
        assert ask("final_score") == (f"{'BW'[score < 0]}+{abs(score):g}")


def test_the_engine_plays_whole_games_by_the_rules(client):
    def ask(line: str) -> str:
        answer = client(line)
        assert answer[0] == "=", (line, answer)
        return answer[1:].strip()

    play_out(ask, 6)


@pytest.mark.slow
def test_the_command_meets_itself_as_a_program():
    """`azlearn gtp` in another process, driven by a player of a match here."""
    game = Go(5)
    player = find_player(f"gtp:{ENGINE}", game)
    match = play_match(player, RandomPlayer(game), 4)
    assert len(match.games) == 4
    assert all(played.remark == "" for played in match.games)


@pytest.mark.slow
def test_the_command_ends_with_its_input_and_says_nothing_else():
    done = subprocess.run(
        ENGINE.split(), input="name\nplay b c3\n\x00\nquit\nname\n",
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout == "= azlearn random\n\n=\n\n=\n\n"
    assert done.stderr == ""


@pytest.mark.slow
@needs_gnugo
def test_gnu_go_plays_a_match():
    game = Go(5)
    gnugo = GTPPlayer(game, f"{GNUGO} --mode gtp --level 1 --chinese-rules --capture-all-dead")
    match = play_match(gnugo, RandomPlayer(game), 10)
    assert all("resigns" in played.remark or not played.remark for played in match.games)
    assert match.score > 0.8
