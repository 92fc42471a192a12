"""The Go Text Protocol, from both sides: programs as players, players as engines."""

import gc
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

from azlearn.arena import RandomPlayer, play_match
from azlearn.arena.gtp_engine import GTPEngine
from azlearn.arena.gtp_player import GTPPlayer, action_of, recent_moves
from azlearn.arena.gtp_program import GTPProgram
from azlearn.arena.naming import find_player, find_players
from azlearn.arena.records import as_sgf
from azlearn.games import Forfeit, Go, TicTacToe
from azlearn.games.game import Fault

ENGINE = f"{Path(sys.executable).parent / 'azlearn'} gtp random --game go5"
GNUGO = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/games")
needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")

# A program that keeps to the protocol, but for what it does at its start, at every command, and as
# its move is asked for.
_PROGRAM = """
import os, sys, time
{start}
for line in sys.stdin:
    command = line.split()[0]
    if command == "genmove":
        {move}
    {every}
    answer = "list_commands\\nboardsize\\nkomi" if command == "list_commands" else ""
    print("= " + answer + "\\n", flush=True)
"""


@pytest.fixture
def program(tmp_path):
    """The command of a program that does some lines of Python."""

    def command(move: str = "pass", start: str = "", every: str = "pass") -> str:
        path = tmp_path / "program.py"
        path.write_text(_PROGRAM.format(move=move, start=start, every=every))
        return f"{sys.executable} {path}"

    return command


def says(*answers: str) -> str:
    """The line of Python that gives these answers to ``genmove``, one after the other."""
    return f"print({list(answers)}.pop(0) + chr(10), flush=True); continue"


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("sys.exit(3)", r"ended \(exit code 3\) at 'genmove"),
        ("time.sleep(60)", r"did not answer 'genmove \w+' in 1 s"),
        ("print('= resign\\n', flush=True); continue", "resigns"),
        ("print('= C9\\n', flush=True); continue", "plays 'C9', which is not legal"),
        ("print('= nonsense \\ufffd\\n', flush=True); continue", "which is not legal"),
        ("print('? not today\\n', flush=True); continue", "refuses 'genmove .*': not today"),
        (says("= RESIGN"), "resigns"),
        (says("= Resign # no hope"), "resigns"),
        (says("="), "plays '', which is not legal"),
        (says("?"), "refuses 'genmove .*': it says no more"),
        (says("= swap"), "plays 'swap', which is not legal"),
        (says("= I1"), "plays 'I1', which is not legal"),
        (
            "print('Boom', 'out of memory', sep=chr(10), file=sys.stderr); os.abort()",
            r"ended \(exit code -6\) .* last line on stderr: 'out of memory'",
        ),
        ("os.close(0); time.sleep(60)", "did not answer|closed its input"),
        ("os.close(1); time.sleep(60)", "closed its output"),
        ("print('= B2', flush=True); time.sleep(60)", "with an empty line at its end in 1 s"),
        ("while True: print('thinking', flush=True)", "did not answer"),
        ("while True: print('thinking' * 99, file=sys.stderr)", "did not answer"),
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
    assert match.table()["void"] == {}


@pytest.mark.parametrize(
    ("how", "start"),
    [
        (says("= B2"), "print('=' * 20, 'engine 1.0 ready', '', sep=chr(10), flush=True)"),
        (says("= b2"), "print('?? loading', '=> done', '', sep=chr(10), flush=True)"),
        (says("=12 B2  # the middle\nand more of it"), ""),
        (says("=\tB2\r\n\r"), ""),
        (says("= B2\n\n= C9"), "print('x' * 200_000, file=sys.stderr)"),
    ],
)
def test_a_move_is_found_among_what_else_a_program_says(program, how, start):
    """A banner is no answer, and nobody has to read its log for it to go on."""
    player = GTPPlayer(Go(3), program(how, start), patience=20)
    for _ in range(2):
        assert player.choose(Go(3).initial_state(), np.random.default_rng(0)) == 4


def test_a_program_may_take_its_time_before_its_first_answer(program):
    tuning = program(says("= B2"), start="time.sleep(1)")
    with pytest.raises(ValueError, match=r"not answer 'list_commands' in 0\.1 s\. .* --patience"):
        GTPPlayer(Go(3), tuning, patience=0.1)
    player = GTPPlayer(Go(3), tuning, patience=(20, 60))
    assert player.choose(Go(3).initial_state(), np.random.default_rng(0)) == 4
    for patience in (0, -1, (), (1, 2, 3), float("inf"), float("nan")):
        with pytest.raises(ValueError, match="one or two numbers of seconds above 0"):
            GTPPlayer(Go(3), tuning, patience)


REFUSES = (
    "if command == 'play' and 'pass' not in line: print('? illegal move\\n', flush=True); continue"
)


@pytest.mark.parametrize(
    ("rules", "asked"),
    [
        ({}, "--game go3:superko, or --game go3:superko,suicide."),
        ({"komi": 2.5}, "--game go3:komi=2.5,superko, or --game go3:komi=2.5,superko,suicide."),
        ({"superko": True, "suicide": True}, "--game go3:superko."),
        ({"superko": True}, "Its rules forbid what ours allow."),
    ],
)
def test_a_program_that_refuses_our_move_has_not_lost(program, rules, asked):
    game = Go(3, **rules)
    player = GTPPlayer(game, program(says("= resign"), every=REFUSES))
    with pytest.raises(ValueError, match=r"^All games are void.* refuses 'play ") as error:
        play_match(player, RandomPlayer(game), 4, openings=["B2", "A1"])
    assert str(error.value).endswith(asked)
    match = play_match(
        player, RandomPlayer(game), 4, openings=["pass", "A1"]
    )  # two without a stone
    assert {played.score for played in match.games} == {0.0}
    assert {played.score for played in match.void} == {None}
    assert len(match.void) + len(match.games) == 4
    assert sum(match.table()["void"].values()) == len(match.void) > 0
    assert match.score == 0.0
    assert "RE[Void]" in as_sgf(game, match.void[0], "a", "b")


@pytest.mark.parametrize(
    ("rules", "moves", "why"),
    [
        ({}, "B2", ": a stone stands there."),
        ({}, "B1 B3 A2", "; a game with suicide is --game go3:suicide."),
        ({"superko": True}, "B1 B3 A2", " --game go3:superko,suicide."),
    ],
)
def test_a_move_that_our_rules_forbid_loses_and_says_why(program, rules, moves, why):
    game = Go(3, **rules)
    point = "B2" if moves == "B2" else "A1"
    player = GTPPlayer(game, program(says(f"= {point}")))
    with pytest.raises(Forfeit, match=f"plays '{point}', which is not legal") as error:
        player.choose(game.from_moves(moves), np.random.default_rng(0))
    assert str(error.value).endswith(why)


def test_a_program_that_ended_is_started_again_for_the_next_move(program, tmp_path):
    crashes_once = f"open({str(tmp_path / 'crashed')!r}, 'x')"  # fails the second time
    player = GTPPlayer(Go(3), program(f"{crashes_once}; {says('= B2')}"))
    move = lambda: player.choose(Go(3).initial_state(), np.random.default_rng(0))  # noqa: E731
    assert move() == 4
    with pytest.raises(Fault, match="FileExistsError"):
        move()
    (tmp_path / "crashed").unlink()
    assert move() == 4


def test_ctrl_c_while_it_thinks_leaves_no_answer_behind(program, tmp_path):
    """It would be taken for the answer to the next question."""
    slow = tmp_path / "slow"
    slow.touch()
    thinks = f"time.sleep(60 if os.path.exists({str(slow)!r}) else 0); {says('= B2')}"
    player = GTPPlayer(Go(3), program(thinks))
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        player.choose(Go(3).initial_state(), np.random.default_rng(0))
    slow.unlink()
    assert player.choose(Go(3).initial_state(), np.random.default_rng(0)) == 4


def test_two_threads_with_one_program_do_not_mix_their_answers(program):
    player = GTPPlayer(
        Go(3), program("time.sleep(0.02); print('= ' + line.split()[1], flush=True)")
    )
    player._program = GTPProgram(program("time.sleep(0.02)", every="print('=', line); continue"))
    game, found = Go(3), []

    def ask(moves: str) -> None:
        try:
            player.choose(game.from_moves(moves), np.random.default_rng(0))
        except Forfeit as forfeit:
            found.append((moves, str(forfeit)))

    threads = [threading.Thread(target=ask, args=(moves,)) for moves in ("", "B2") * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    for moves, said in found:
        assert f"plays 'genmove {'white' if moves else 'black'}'" in said


@pytest.mark.parametrize(
    "start", ["", "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"]
)
def test_nobody_is_left_when_the_player_goes(program, start):
    """Not even a program that takes no notice of its input's end, nor a dead one."""
    stays = "import atexit; atexit.register(time.sleep, 60)" if start else ""
    player = GTPPlayer(Go(3), program(start=f"{start}\n{stays}"))
    pid = player._program._process.pid
    os.kill(pid, 0)
    del player
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


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


@pytest.mark.parametrize(
    "command", ["no-such-program", "", "'", f"{sys.executable} -c pass", __file__, "/", "a\0b"]
)
def test_what_is_no_program_is_told_at_once(command):
    with pytest.raises(ValueError, match=r"does not start|ended") as error:
        find_player(f"gtp:{command}", Go(5))
    assert "\n" not in str(error.value)
    assert "Errno" not in str(error.value)


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
        ("boardsize 25", "? unacceptable size: random plays 2x2 to 9x9"),
        ("fixed_handicap 2", "? invalid number of stones"),  # 5x5
        ("place_free_handicap 1", "? invalid number of stones"),
        ("place_free_handicap 25", "? invalid number of stones"),
        ("place_free_handicap two", "? syntax error"),
        ("set_free_handicap a1", "? bad vertex list"),
        ("set_free_handicap a1 A1", "? bad vertex list"),
        ("set_free_handicap a1 pass", "? bad vertex list"),
        ("loadsgf", "? syntax error"),
        ("loadsgf /no/such.sgf", "? cannot load file"),
        ("loadsgf /dev/null", "? cannot load file: This is no SGF record"),
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
    for size in (7, 25):
        assert network.answer(f"boardsize {size}") == "? unacceptable size: go5 2 plays 5x5\n\n"
    with pytest.raises(ValueError, match=r"go5 plays go with size 5, komi 0\.5, not go with"):
        find_player("go5", Go(7))


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
    numbers = range(1, 11)
    typed = [f"boardsize {size}"]
    for number in numbers:
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
    network = GTPEngine(find_player("go5", None, 2))
    assert network.answer(f"loadsgf {path}") == "? unacceptable size: go5 2 plays 5x5\n\n"


def test_a_komi_stays_where_a_small_board_has_no_room_for_it(client):
    client("boardsize 9")
    client("komi 7.5")
    assert client("boardsize 2") == "=\n\n"
    assert client("final_score") == "= W+7.5\n\n"
    assert client("boardsize 9") == "=\n\n"
    assert client("final_score") == "= W+7.5\n\n"


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
    assert out.getvalue().count("= ") + out.getvalue().count("=\n") == 4
    told = capsys.readouterr().err
    assert told.count("compiles its search for") == 2
    assert "knows no clock" in told


def test_a_player_whose_program_fails_does_not_resign(program):
    engine = GTPEngine(GTPPlayer(Go(3), program("sys.exit(3)")))
    assert re.match(
        r"\? '.*' ended \(exit code 3\) at 'genmove black'\.\n\n", engine.answer("genmove b")
    )
    engine = GTPEngine(GTPPlayer(Go(3), program(says("= resign"))))
    assert engine.answer("genmove b") == "= resign\n\n"


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
