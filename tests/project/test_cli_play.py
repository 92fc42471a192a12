"""`azlearn play` at a keyboard that is a pipe: whole games, take-back, thoughts, wrong answers."""

import io
import re

import numpy as np
import pytest

from azlearn.arena import RandomPlayer
from azlearn.cli import main
from azlearn.cli.play import _Game
from azlearn.cli.play import play as play_command
from azlearn.games import ConnectFour, TicTacToe
from azlearn.learning import ResNet, save_network
from azlearn.learning.network import SIZES

PROMPT = "your move: "


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


def test_four_in_a_column_wins(play):
    """The random player with this seed does not stop it."""
    for seed in range(50):
        out = play(["4"] * 4 + ["q"], "random", "--seed", seed)
        if "You win." in out:
            break
    assert out.splitlines()[-1] == "You win."
    last = boards(out)[-1].splitlines()
    assert [row.split()[3] for row in last[2:6]] == ["●"] * 4
    assert last[6] == "1 2 3 4 5 6 7"


def test_as_second_player_it_begins(play):
    out = play(["q"], "tactical", "--you", "second")
    lines = out.splitlines()
    assert lines[1] == "You are ■, tactical is ●."
    assert re.fullmatch(r"It plays [1-7]\.", lines[3])
    assert boards(out)[0].count("●") == 1


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def test_whole_games_of_tic_tac_toe_end_as_the_board_says(play):
    """You take the first free cell each time; for some seeds that is enough."""
    ends = set()
    for seed in range(20):
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
    out = play(["5", "u", "1", "q"], "random", "--game", "tictactoe")
    seen = boards(out)
    assert seen[0] == seen[3] == "1 2 3\n4 5 6\n7 8 9"
    assert seen[1] == "1 2 3\n4 X 6\n7 8 9"  # your move, before the answer
    assert (seen[2].split()[4], seen[2].count("O")) == ("X", 1)
    assert seen[4] == "X 2 3\n4 5 6\n7 8 9"


def test_take_back_as_second_player_keeps_its_first_move(play):
    out = play(["4", "u", "q"], "random", "--you", "second")
    seen = boards(out)
    assert seen[0] == seen[3]
    stones = [(board.count("●"), board.count("■")) for board in seen]
    assert stones == [(1, 0), (1, 1), (2, 1), (1, 0)]


def test_take_back_without_a_move_says_so(play):
    assert "There is no move of yours to take back." in play(["u", "q"], "random")
    assert "no move of yours" in play(["u", "q"], "random", "--you", "second")


def test_what_it_was_thinking(play):
    out = play(["?", "4", "?", "u", "?", "q"], "uct@60")
    nothing = "It has no search to show: it has not moved yet, or never searches."
    assert out.count(nothing) == 2  # at the start, and when its move has been taken back
    rows = re.findall(r"  ([1-7]): +(\d+) visits, Q ([+-]\d\.\d\d) for it", out)
    assert sorted(row[0] for row in rows) == [str(n) for n in range(1, 8)]
    visits = [int(row[1]) for row in rows]
    assert sum(visits) == 60
    assert visits == sorted(visits, reverse=True)
    assert f"It plays {rows[0][0]}." in out
    assert f"  it expected {rows[0][0]} " in out


def test_a_player_without_a_search_has_nothing_to_show(play):
    assert "It has no search to show" in play(["4", "?", "q"], "tactical")


@pytest.mark.parametrize("word", ["0", "8", "44", "x", "", "[/]", "[red]", "-1", "4.0", "²", "４"])
def test_a_wrong_answer_is_asked_again(play, word):
    out = play([word, "4", "q"], "random")
    assert f"{word!r} is no move here: 1, 2, 3, 4, 5, 6, 7, or u, ?, q.\n" in out
    assert out.count(PROMPT) == 3
    assert boards(out)[1].count("●") == 1


def test_a_full_column_and_a_taken_cell_are_no_moves(play, capsys):
    table = _Game(RandomPlayer(ConnectFour()), 0, np.random.default_rng(0))
    table.states.append(ConnectFour().from_moves("111111"))
    table._your_move("1")
    assert capsys.readouterr().out == "'1' is no move here: 2, 3, 4, 5, 6, 7, or u, ?, q.\n"
    assert len(table.states) == 2
    out = play(["5", "5", "q"], "random", "--game", "tictactoe")
    assert re.search(r"'5' is no move here: (\d, ){7}or u", out)


@pytest.mark.parametrize("answers", [[], ["4"], ["4", "?"]])
def test_the_end_of_the_input_ends_the_game(play, answers):
    assert play(answers, "uct@10").endswith(PROMPT + "\n")


@pytest.mark.parametrize("word", ["q", "quit", " Q "])
def test_leaving(play, word):
    assert play([word], "random").count(PROMPT) == 1


@pytest.mark.parametrize(("name", "rules"), [("connect4", ConnectFour), ("tictactoe", TicTacToe)])
def test_a_network_brings_its_game_and_its_thoughts(play, tmp_path, name, rules):
    path = tmp_path / "[mine].safetensors"  # brackets are no markup
    save_network(path, name, ResNet(rules(), **SIZES["tiny"]), {})
    out = play(["1", "?", "q"], path, "--simulations", 12)
    assert out.splitlines()[1].endswith(f", {path} 12 is {'■' if name == 'connect4' else 'O'}.")
    visits = re.findall(r"(\d+) visits", out)
    assert sum(map(int, visits)) == 12
    out = play(["1", "?", "q"], path, "--simulations", 0)
    assert f"{path} alone is" in out
    assert "It has no search to show" in out


def test_the_seed_decides_its_moves(play):
    games = {play(["1", "2", "3", "q"], "random", "--seed", seed) for seed in (0, 0, 1, 2, 3)}
    assert 2 <= len(games) <= 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "There is no player 'nobody'"),
        (["random", "--seed", "-1"], "seed must be 0 or more, not -1."),
        (["uct", "--simulations", "0"], "must be a whole number, at least 1, not 0."),
    ],
)
def test_what_cannot_be_played_is_one_sentence(capsys, arguments, said):
    assert main(["play", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out.endswith(": loading …\n") or not printed.out
    assert said in printed.err
    assert len(printed.err.splitlines()) == 1


def test_a_network_of_no_numbers_ends_the_game_in_one_sentence(capsys, monkeypatch, tmp_path):
    path = tmp_path / "broken.safetensors"
    network = ResNet(ConnectFour(), **SIZES["tiny"])
    for weights in network.parameters():
        weights.data.fill_(np.nan)
    save_network(path, "connect4", network, {})
    monkeypatch.setattr("sys.stdin", io.StringIO("4\n"))
    assert main(["play", str(path), "--simulations", "5"]) == 2
    printed = capsys.readouterr()
    assert boards(printed.out)
    assert printed.err.startswith("azlearn: ")
    assert len(printed.err.splitlines()) == 1


def test_a_terminal_that_is_gone_is_no_refusal(monkeypatch):
    def gone(self):
        raise BrokenPipeError

    monkeypatch.setattr(_Game, "play", gone)
    with pytest.raises(BrokenPipeError):  # main ends it quietly
        play_command("random")


def test_ctrl_c_leaves_without_a_traceback(capsys, monkeypatch):
    class Keyboard(io.StringIO):
        def readline(self, *_):
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", Keyboard())
    assert main(["play", "random"]) == 130
    assert capsys.readouterr().err == "azlearn: stopped.\n"
