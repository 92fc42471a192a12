"""`azlearn play` at a keyboard that is a pipe: whole games, take-back, thoughts, wrong answers."""

import io
import re

import pytest
from sgfmill import sgf

from azlearn.cli import main
from azlearn.cli.play import default_player
from azlearn.games import TicTacToe
from azlearn.games.go.records import from_sgf
from azlearn.games.named import make_game
from azlearn.learning import ResNet, save_network
from azlearn.learning.network import SIZES
from tests.gtp_programs import says, write_program
from tests.project.test_cli import refused

PROMPT = "your move: "
REFUSES = (
    "if command == 'play' and 'pass' not in line: print('? illegal move\\n', flush=True); continue"
)


@pytest.fixture
def play(capsys, monkeypatch):
    """Plays with these answers; gives what was printed. Exit code 0, nothing on stderr."""

    def with_answers(answers, *arguments):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{word}\n" for word in answers)))
        assert main(["play", *map(str, arguments)]) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        return printed.out

    return with_answers


def boards(out: str) -> list[str]:
    """The boards that were shown, each as its lines."""
    rows, found = [], []
    for line in [*out.replace(PROMPT, "\n").splitlines(), ""]:
        if re.fullmatch(r"  (\S )*\S", line):
            rows.append(line.strip())
        elif rows:
            found.append("\n".join(rows))
            rows = []
    return found


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def test_whole_games_of_tic_tac_toe_end_as_the_board_says(play):
    """You take the first free cell each time; for some seeds that is enough."""
    ends = set()
    for seed in range(10):
        for you, mine, its in (("first", "X", "O"), ("second", "O", "X")):
            answers = [str(cell) for cell in range(1, 10)] * 9
            out = play(answers, "random", "--game", "tictactoe", "--seed", seed, "--you", you)
            assert f"\nYou are {mine}, random is {its}.\n" in out
            marks = boards(out)[-1].split()
            winners = {marks[a] for a, b, c in LINES if marks[a] == marks[b] == marks[c]}
            said = "You win." if mine in winners else "It wins." if its in winners else "A draw."
            assert out.endswith(f"\n{said}\n")
            ends.add((you, said))
    assert len(ends) >= 4


def test_take_back_goes_to_before_your_last_move(play):
    seen = boards(play(["5", "u", "1", "q"], "random", "--game", "tictactoe"))
    assert seen[0] == seen[3] == "1 2 3\n4 5 6\n7 8 9"
    assert seen[1] == "1 2 3\n4 X 6\n7 8 9"  # your move, before the answer
    assert (seen[2].split()[4], seen[2].count("O")) == ("X", 1)
    assert seen[4] == "X 2 3\n4 5 6\n7 8 9"
    out = play(["u", "4", "u", "q"], "random", "--you", "second")
    assert "There is nothing to take back: you have not moved yet." in out
    assert re.search(r"\nIt plays [1-7]\.\n", out)
    stones = [(board.count("●"), board.count("■")) for board in boards(out)]
    assert stones == [(1, 0), (1, 1), (2, 1), (1, 0)]  # it keeps its first move


def test_what_it_was_thinking(play):
    out = play(["?", "4", "?", "u", "?", "q"], "uct@60")
    nothing = "There is no search to show: the opponent has not moved yet, or it does not search."
    assert out.count(nothing) == 2  # at the start, and when its move has been taken back
    rows = re.findall(r"  ([1-7]): +(\d+) visits, Q ([+-]\d\.\d\d)\n", out)
    assert sorted(row[0] for row in rows) == [str(n) for n in range(1, 8)]
    visits = [int(row[1]) for row in rows]
    assert sum(visits) == 60
    assert visits == sorted(visits, reverse=True)
    assert f"It plays {rows[0][0]}." in out
    assert f"  expected line: {rows[0][0]} " in out
    assert "There is no search to show" in play(["4", "?", "q"], "tactical")


def test_a_wrong_answer_is_asked_again(play):
    wrong = ["0", "8", "44", "x", "", "[/]", "[red]", "-1", "4.0", "²", "４"]
    out = play([*wrong, "4", "q"], "random")
    for word in wrong:
        assert f"{word!r} is not a legal move. Type 1, 2, 3, 4, 5, 6, 7, or u, ? or q.\n" in out
    assert out.count(PROMPT) == len(wrong) + 2
    out = play(["5", "5", "q"], "random", "--game", "tictactoe")
    assert re.search(r"'5' is not a legal move. Type (\d, ){7}or u", out)


def test_the_end_of_the_input_and_q_end_the_game(play):
    assert play(["4", "?"], "uct@10").endswith(PROMPT + "\n")
    for word in ("q", "quit", " Q "):
        assert play([word], "random").count(PROMPT) == 1


def test_a_network_brings_its_game_and_its_thoughts(play, tmp_path):
    path = tmp_path / "[mine].safetensors"  # brackets are no markup
    save_network(path, "tictactoe", ResNet(TicTacToe(), **SIZES["tiny"]), {})
    out = play(["1", "?", "q"], path, "--simulations", 12)
    assert out.splitlines()[1].endswith(f", {path} 12 is O.")
    assert sum(map(int, re.findall(r"(\d+) visits", out))) == 12
    out = play(["1", "?", "q"], path, "--simulations", 0)
    assert f"{path} without search is" in out
    assert "There is no search to show" in out


@pytest.mark.parametrize(
    ("word", "player"),
    [(None, "connect4"), ("go", "go7"), ("go:5", "go5"), ("go5:komi=24", "uct"), ("hex", "uct")],
)
def test_the_opponent_if_you_name_none_is_the_network_of_this_very_game_or_uct(word, player):
    assert default_player(word and make_game(word)) == player


def test_ctrl_c_leaves_without_a_traceback(capsys, monkeypatch):
    class Keyboard(io.StringIO):
        def readline(self, *_):
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", Keyboard())
    assert main(["play", "random"]) == 130
    assert capsys.readouterr().err == "azlearn: stopped.\n"


# Go, with records and with programs of others.


def test_a_game_of_go_is_kept_and_its_score_told(play, capsys, tmp_path):
    """Points are typed in any case; a stone taken back is not in the record."""
    path = tmp_path / "game.sgf"
    command = ["random", "--game", "go:3", "--sgf", path]
    out = play(["c3", "u", "C2", "pass", *["pass"] * 40], *command)
    game, actions = from_sgf(path.read_bytes())
    assert [game.action_label(action) for action in actions[:3:2]] == ["C2", "pass"]
    assert "your moves: A3, B3, C3, A2, B2, C2, A1, B1, C1, pass;" in out
    assert "\n    A B C\n" in out
    score = game.score(game.from_moves(game.moves_text(actions)))
    assert f"{'You win' if score > 0 else 'It wins'} by {abs(score):g}.\n" in out
    assert out.endswith(f"Saved the game to {path}.\n")
    assert "already exists" in refused(capsys, "play", *command)
    assert "--sgf cannot be combined" in refused(capsys, "play", *command, "--out", "new.html")
    assert "Add --out" in refused(capsys, "play", "random", "--open")


def test_a_game_that_was_left_is_kept(play, tmp_path):
    path = tmp_path / "game.sgf"
    play(["b2", "q"], "random", "--game", "go:3", "--you", "second", "--sgf", path)
    assert len(from_sgf(path.read_bytes())[1]) in (2, 3)
    root = sgf.Sgf_game.from_bytes(path.read_bytes()).get_root()
    assert (root.get("PB"), root.get("PW")) == ("random", "you")
    assert not root.has_property("RE")


@pytest.mark.parametrize(
    ("you", "move", "words", "how"),
    [
        ("first", "= resign", " resigns: you have won.", "B+R"),
        ("second", "= Z9", " plays 'Z9', which is not legal: you have won.", "W+F"),
    ],
)
def test_a_program_that_gives_up_has_lost(play, tmp_path, you, move, words, how):
    record = tmp_path / "game.sgf"
    command = f"gtp:{write_program(tmp_path, says(move))}"
    assert words in play(["B2", "q"], command, "--game", "go3", "--you", you, "--sgf", record)
    assert f"RE[{how}]" in record.read_text()


def test_a_program_that_fails_may_try_again_and_the_game_is_kept(play, tmp_path):
    once = tmp_path / "once"
    once.touch()
    fails = f"os.path.exists({str(once)!r}) and (os.remove({str(once)!r}), sys.exit(3))"
    command = f"gtp:{write_program(tmp_path, f'{fails}; ' + says('= A1'))}"
    out = play(["B2", "", "q"], command, "--game", "go3", "--sgf", tmp_path / "game.sgf")
    assert " ended (exit code 3) at 'genmove white'.\nEnter: let it try again" in out
    assert "It plays A1." in out
    assert "B[bb];W[ac]" in (tmp_path / "game.sgf").read_text().replace("\n", "")
