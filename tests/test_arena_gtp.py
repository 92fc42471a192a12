"""Programs that speak the Go Text Protocol as players."""

import gc
import os
import re
import signal
import threading

import numpy as np
import pytest

from azlearn.arena import RandomPlayer, play_match
from azlearn.arena.gtp_engine import GTPEngine
from azlearn.arena.gtp_player import GTPPlayer, action_of, recent_moves
from azlearn.arena.player_specs import find_players, make_player
from azlearn.arena.records import as_sgf
from azlearn.games import Forfeit, Go, TicTacToe
from azlearn.games.game import Fault
from tests.gtp_programs import ENGINE, GNUGO, PYTHON, needs_gnugo, says


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("sys.exit(3)", r"ended \(exit code 3\) at 'genmove"),
        ("time.sleep(60)", r"did not answer 'genmove \w+' in 1 s"),
        ("print('= nonsense \\ufffd\\n', flush=True); continue", "which is not legal"),
        (says("? not today"), "rejected 'genmove .*': not today"),
        (says("= Resign # no hope"), "resigns"),
        (
            "print('Boom', 'out of memory', sep=chr(10), file=sys.stderr); os.abort()",
            r"ended \(exit code -6\) .* last line on stderr: 'out of memory'",
        ),
        ("os.close(1); time.sleep(60)", "closed its output"),
        ("print('= B2', flush=True); time.sleep(60)", "with a final empty line in 1 s"),
        ("while True: print('thinking' * 99, file=sys.stderr)", "did not answer"),
    ],
)
def test_a_program_that_cannot_go_on_loses_its_game_and_the_match_goes_on(program, move, words):
    game = Go(3, komi=0.5)
    a = GTPPlayer(game, program(move), patience=(1, 60))
    match = play_match(a, RandomPlayer(game), 2, openings=["B2"])
    assert [played.score for played in match.games] == [0.0] * 2
    for played in match.games:
        assert re.search(words, played.remark), played.remark
    assert sum(match.table()["given_up"].values()) == 2
    assert match.table()["void"] == {}


@pytest.mark.parametrize(
    ("how", "start"),
    [
        (says("= B2"), "print('=' * 20, 'engine 1.0 ready', '', sep=chr(10), flush=True)"),
        (says("=12 B2  # the middle\nand more of it"), ""),
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
    for patience in (0, (), float("nan")):
        with pytest.raises(ValueError, match="one or two numbers of seconds above 0"):
            GTPPlayer(Go(3), tuning, patience)


REFUSES = (
    "if command == 'play' and 'pass' not in line: print('? illegal move\\n', flush=True); continue"
)


@pytest.mark.parametrize(
    ("rules", "asked"),
    [
        ({"komi": 2.5}, "--game go3:komi=2.5,superko, or --game go3:komi=2.5,superko,suicide."),
        ({"superko": True}, "Its rules ban a move ours allow."),
    ],
)
def test_a_program_that_refuses_our_move_has_not_lost(program, rules, asked):
    game = Go(3, **rules)
    player = GTPPlayer(game, program(says("= resign"), every=REFUSES))
    with pytest.raises(ValueError, match=r"^All games are void.* rejected 'play ") as error:
        play_match(player, RandomPlayer(game), 4, openings=["B2", "A1"])
    assert str(error.value).endswith(asked)
    match = play_match(player, RandomPlayer(game), 4, openings=["pass", "A1"])
    assert {played.score for played in match.void} == {None}
    assert len(match.void) + len(match.games) == 4
    assert sum(match.table()["void"].values()) == len(match.void) > 0
    assert match.score == 0.0
    assert "RE[Void]" in as_sgf(game, match.void[0], "a", "b")


@pytest.mark.parametrize(
    ("moves", "point", "why"),
    [
        ("B2", "B2", ": there is a stone already."),
        ("B1 B3 A2", "A1", " --game go3:superko,suicide."),
    ],
)
def test_a_move_that_our_rules_forbid_loses_and_says_why(program, moves, point, why):
    game = Go(3, superko=True)
    player = GTPPlayer(game, program(says(f"= {point}")))
    with pytest.raises(Forfeit, match=f"plays '{point}', which is not legal") as error:
        player.choose(game.from_moves(moves), np.random.default_rng(0))
    assert str(error.value).endswith(why)


def test_a_program_that_ended_is_started_again_for_the_next_move(program, tmp_path):
    crashes_once = f"open({str(tmp_path / 'crashed')!r}, 'x')"  # fails the second time
    player = GTPPlayer(Go(3), program(f"{crashes_once}; {says('= B2')}"))
    asked = Go(3).initial_state(), np.random.default_rng(0)
    assert player.choose(*asked) == 4
    with pytest.raises(Fault, match="FileExistsError"):
        player.choose(*asked)
    (tmp_path / "crashed").unlink()
    assert player.choose(*asked) == 4


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
    echo = "time.sleep(0.02); print('= ' + line.split()[1] + chr(10), flush=True); continue"
    player, found = GTPPlayer(Go(3), program(echo)), []

    def ask(moves: str) -> None:
        try:
            player.choose(Go(3).from_moves(moves), np.random.default_rng(0))
        except Forfeit as forfeit:
            found.append((moves, str(forfeit)))

    threads = [threading.Thread(target=ask, args=(moves,)) for moves in ("", "B2") * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(f"plays '{'white' if moves else 'black'}'" in said for moves, said in found)


@pytest.mark.parametrize("start", ["", "import atexit; atexit.register(time.sleep, 60)"])
def test_nobody_is_left_when_the_player_goes(program, start):
    """Not even a program that takes no notice of its input's end, nor a dead one."""
    player = GTPPlayer(Go(3), program(start=start))
    pid = player._program._process.pid
    os.kill(pid, 0)
    del player
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_gnu_go_that_leaves_dead_stones_is_told(program):
    """Without the option its level 1 lost 9 of 40 games of 7x7 to random moves; with it, none."""
    command = f"{program('pass')} gnugo"
    with pytest.warns(UserWarning, match="Add --chinese-rules --capture-all-dead") as told:
        _ = [GTPPlayer(Go(3), command + option) for option in ("", " --capture-all-dead")]
    assert len(told) == 1


@pytest.mark.parametrize("command", ["no-such-program", "'", f"{PYTHON} -c pass", __file__, "a\0b"])
def test_what_is_no_program_is_told_at_once(command):
    with pytest.raises(ValueError, match=r"does not start|ended") as error:
        make_player(f"gtp:{command}", Go(5))
    assert "\n" not in str(error.value)
    assert "Errno" not in str(error.value)


def test_gtp_is_of_go_alone(program):
    words = ["uct@5", f"gtp:{program('pass')}"]
    assert [player.game for player in find_players(words)] == [Go(7)] * 2
    with pytest.raises(ValueError, match="GTP is only for Go"):
        GTPPlayer(TicTacToe(), ENGINE)
    with pytest.raises(ValueError, match="GTP is only for Go"):
        GTPEngine(RandomPlayer(TicTacToe()))


def test_the_last_moves_are_read_off_a_position():
    """Against the moves that were played, captures, kos and passes among them."""
    game, rng = Go(4), np.random.default_rng(1)
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
    points = {"a1": 72, "J9": 8, "PASS": 81} | dict.fromkeys(("I5", "K1", "A0", "A10", ""))
    assert {word: action_of(Go(9), word) for word in points} == points


@pytest.mark.slow
@needs_gnugo
def test_gnu_go_plays_a_match():
    game = Go(5)
    gnugo = GTPPlayer(game, f"{GNUGO} --mode gtp --level 1 --chinese-rules --capture-all-dead")
    match = play_match(gnugo, RandomPlayer(game), 10)
    assert all("resigns" in played.remark or not played.remark for played in match.games)
    assert match.score > 0.8
