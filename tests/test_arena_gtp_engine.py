"""A player as an engine of the Go Text Protocol."""

import io
import re
import shlex
import subprocess

import numpy as np
import pytest

from azlearn.arena import RandomPlayer
from azlearn.arena.gtp_engine import GTPEngine
from azlearn.arena.gtp_player import GTPPlayer, action_of
from azlearn.arena.player_specs import make_player
from azlearn.games import Go
from tests.gtp_programs import ENGINE, GNUGO, needs_gnugo, says


@pytest.fixture
def client():
    """Types commands into an engine in this process."""
    return GTPEngine(RandomPlayer(Go(5, komi=0.5))).answer


def test_every_command_that_the_protocol_requires_is_there(client):
    required = (
        "protocol_version name version known_command list_commands quit boardsize clear_board komi"
        " play genmove"
    )
    assert set(required.split()) <= set(client("list_commands").split())
    assert client("7 protocol_version") == "=7 2\n\n"
    assert client("known_command genmove") == "= true\n\n"
    assert client("known_command cook") == "= false\n\n"
    assert client("  # a comment") == client("") == ""


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("12 cook", "?12 unknown command"),
        ("\ufffd\ufffd", "? unknown command"),
        ("play green c3", "? syntax error"),
        ("play b i3", "? illegal move"),
        ("play b \x00\x1bc3\x7f", "?"),
        ("genmove", "? syntax error"),
        ("boardsize 25", "? unacceptable size: random plays 2x2 to 9x9"),
        ("fixed_handicap 2", "? invalid number of stones"),  # 5x5
        ("place_free_handicap 25", "? invalid number of stones"),
        ("set_free_handicap a1 A1", "? bad vertex list"),
        ("loadsgf /dev/null", "? cannot load file: This is not a valid SGF record"),
        ("komi much", "? komi must be a number"),
        ("komi nan", "? unacceptable komi"),
        ("undo", "? cannot undo"),
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
    assert stones(client).endswith(".X...")
    assert client("play w a1").startswith("? illegal move")
    assert client("undo") == "=\n\n"
    assert stones(client).endswith("O....")
    assert client("komi 7.5") == "=\n\n"
    for size in (2, 9):  # the smaller one has no room for it
        assert client(f"boardsize {size}") == "=\n\n"
        assert client("final_score") == "= W+7.5\n\n"


def test_a_komi_that_the_player_does_not_know_is_counted(client, capsys):
    """A controller may send any komi at all, and an engine has to take it (GTP 2, 4.3.1)."""
    assert client("komi 0.3") == "=\n\n"
    assert client("final_score") == "= W+0.3\n\n"
    assert "plays as if komi were 0.5; the score uses 0.3." in capsys.readouterr().err
    client("play b c3")
    assert client("komi -1000") == "=\n\n"
    assert client("final_score") == "= B+1025\n\n"
    network = GTPEngine(make_player("go5", None, 2))
    assert network.answer("boardsize 7") == "? unacceptable size: go5 2 plays 5x5\n\n"


def stones(client) -> str:
    """Rows of the board, from the top."""
    return "\n".join(row[3:].replace(" ", "") for row in client("showboard").split("\n")[2:-2])


def test_handicap_stones_are_there_before_the_first_move(client):
    assert client("set_free_handicap C3 a1 E5") == "=\n\n"
    assert stones(client) == "....X\n.....\n..X..\n.....\nX...."
    assert client("undo") == "? cannot undo\n\n"
    assert client("place_free_handicap 2") == "? board not empty\n\n"
    assert client("play w b2") == "=\n\n"
    assert client("undo") == "=\n\n"
    assert stones(client) == "....X\n.....\n..X..\n.....\nX...."
    client("clear_board")
    assert len(client("place_free_handicap 24").split()) == 25
    assert stones(client).count("X") == 24


@needs_gnugo
@pytest.mark.parametrize("size", [6, 7, 8, 9])
def test_fixed_handicaps_are_those_of_gnu_go(client, size):
    typed = [f"boardsize {size}"]
    for number in range(1, 11):
        typed += ["clear_board", f"fixed_handicap {number}"]
    theirs = subprocess.run(
        [GNUGO, "--mode", "gtp"], input="\n".join(typed), capture_output=True, text=True
    ).stdout
    ours = "".join(client(line) for line in typed)
    for mine, its in zip(ours.split("\n\n"), theirs.split("\n\n"), strict=True):
        assert mine[:1] == its[:1]
        if mine[:1] == "=":
            assert {*mine.split()} == {*its.split()}


def test_a_record_is_loaded_as_far_as_a_move(client, tmp_path):
    path = tmp_path / "my game.sgf"
    path.write_text("(;GM[1]FF[4]SZ[3]KM[2.5];B[bb];W[aa];B[cc])")
    assert client(f"loadsgf {path}") == "=\n\n"
    assert stones(client) == "O..\n.X.\n..X"
    assert client(f"loadsgf {path} 3") == "=\n\n"  # before the third move
    assert stones(client) == "O..\n.X.\n..."
    assert client("undo") == "=\n\n"
    assert client("final_score") == "= B+6.5\n\n"


class Searching(RandomPlayer):
    """Notes how it searches, and says what a search would compile."""

    num_simulations, searched = 50, []

    def choose(self, state, rng):
        self.searched.append((self.game.size, self.num_simulations))
        return super().choose(state, rng)


def test_a_search_is_compiled_before_the_first_answer_and_for_every_new_board(capsys):
    Searching.searched.clear()
    engine, searched = GTPEngine(Searching(Go(5))), Searching.searched

    class Out(io.StringIO):
        def write(self, text):
            assert (engine.game.size, 1) in searched  # already
            return super().write(text)

    out = Out()
    engine.serve(["name\n", "time_settings 0 10 1\n", "boardsize 4\n", "genmove b\n"], out)
    assert searched == [(5, 1), (4, 1), (4, 50)]
    told = capsys.readouterr().err
    assert told.count("compiles its search for") == 2
    assert "ignores the clock" in told


def test_a_player_whose_program_fails_does_not_resign(program):
    said = GTPEngine(GTPPlayer(Go(3), program("sys.exit(3)"))).answer("genmove b")
    assert re.match(r"\? '.*' ended \(exit code 3\) at 'genmove black'\.\n\n", said)
    said = GTPEngine(GTPPlayer(Go(3), program(says("= resign")))).answer("genmove b")
    assert said == "= resign\n\n"


def test_a_position_is_set_up_by_moves_of_one_player(client):
    """More of them than a game may have moves, and the game goes on."""
    for letter in "ABDE":
        for row in range(1, 6):
            assert client(f"play w {letter}{row}") == "=\n\n"
    assert client("final_score") == "= W+25.5\n\n"
    for color in "bw" * 60:
        assert client(f"play {color} pass") == "=\n\n"
    assert client("genmove b").startswith("= ")


def test_the_engine_plays_whole_games_by_the_rules(client):
    """Against a random player that keeps the record itself."""
    rng, game = np.random.default_rng(3), Go(5, komi=0.5)
    for number in range(6):
        client("clear_board")
        state = game.initial_state()
        while game.outcome(state) is None:
            color = game.to_play(state)
            if color == number % 2:
                action = action_of(game, client(f"genmove {'bw'[color]}")[1:])
            else:
                action = int(rng.choice(game.legal_actions(state)))
                assert client(f"play {'bw'[color]} {game.action_label(action)}") == "=\n\n"
            state = game.play(state, action)  # refuses what is illegal
        score = game.score(state)
        assert client("final_score").strip() == f"= {'BW'[score < 0]}+{abs(score):g}"


@pytest.mark.slow
def test_the_command_ends_with_its_input_and_says_nothing_else():
    done = subprocess.run(
        shlex.split(ENGINE), input="name\nplay b c3\n\x00\nquit\nname\n",
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout == "= azlearn random\n\n=\n\n=\n\n"
    assert done.stderr == ""
