"""The play table's game as text, and two people at one table."""

import pytest

from azlearn.arena import UCTPlayer
from azlearn.games import ConnectFour, Go, TicTacToe
from azlearn.viz import play, review
from azlearn.viz.play_moves import Line, read_moves
from tests.viz.nim import Nim
from tests.viz.test_play import Leftmost, hear, table


def test_a_game_as_text_and_back():
    game = ConnectFour()
    t = table(game)
    t.play(3)
    t.play(6)
    assert t.moves_text == "4171"
    assert t.view["text"] == "4171"
    other = play(game, moves=t.moves_text)
    assert other.state == t.state == game.from_moves("4171")
    assert other.moves == [3, 0, 6, 0]


def test_labels_of_several_characters_are_kept_apart():
    t = play(Nim())
    for action in (1, 0):
        t.play(action)
    assert t.moves_text == "two one"
    t.load("one,two  one")
    assert t.moves == [0, 1, 0]


@pytest.mark.parametrize("text", ["4453", "4 4 5 3", "4,4,5,3", " 44\n53 "])
def test_blanks_and_commas_do_not_matter(text):
    actions, states = read_moves(ConnectFour(), text)
    assert actions == [3, 3, 4, 2]
    assert states[-1] == ConnectFour().from_moves("4453")
    assert len(states) == 5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("4484", "Move 3 is '8'; moves are written 1 to 7."),
        ("44x", "Move 3 is 'x'; moves are written 1 to 7."),
        ("4444444", "Move 7, 4, is not possible there."),
        ("14141415", "Move 8, 5, comes after the end of the game."),
    ],
)
def test_a_text_that_is_no_game_is_refused_in_a_sentence(text, sentence):
    t = table(ConnectFour())
    t.play(3)
    with pytest.raises(ValueError, match=r"^Move") as caught:
        t.load(text)
    assert str(caught.value) == sentence
    assert t.moves_text == "41"
    hear(t, do="load", moves=text)
    assert t.view["error"] == sentence
    assert t.moves_text == "41"


def test_a_bad_start_makes_no_table():
    with pytest.raises(ValueError, match=r"Move 1 is 'z'; moves are written one or two\."):
        play(Nim(), moves="z")


def test_loading_lets_the_opponent_answer():
    t = table(ConnectFour())
    t.load("445")
    assert t.moves_text == "4451"
    assert t.view["say"] == "leftmost played 1. Your turn: you are ●."
    t.load("4453")
    assert t.moves_text == "4453"
    assert t.view["say"] == "Last move: 3. Your turn: you are ●."
    hear(t, do="load", moves="44")
    assert t.moves_text == "44"
    assert t.view["error"] == ""


def test_a_finished_game_loads():
    t = table(ConnectFour())
    t.load("4142434")
    assert t.view["say"] == "You (●) have won after 7 moves."
    assert sorted(t.view["line"]) == [17, 24, 31, 38]


def test_a_move_that_the_rules_refuse_leaves_the_line_as_it_was():
    line = Line(TicTacToe(), "51")
    with pytest.raises(ValueError, match=r"Move 5 \(action 4\)"):
        line.push(4)
    assert (line.actions, line.text, len(line.states), line.thoughts) == (
        [4, 0], "51", 3, [None, None],
    )  # fmt: skip


def test_two_people_take_turns_and_nobody_answers():
    for opponent in (None, "human"):
        t = play(TicTacToe(), opponent)
        assert t.view["say"] == "✕ is to move."
        for action in (4, 0, 3):
            assert t.view["yours"]
            t.play(action)
        assert t.moves == [4, 0, 3]
        assert t.view["say"] == "✕ played 4. ◯ is to move."
        assert t.view["mover"] == 1
        t.take_back()
        assert t.moves == [4, 0]
        assert not t.view["searches"]
        assert t.view["level"] is None
        assert repr(t) == "PlayTable(tic_tac_toe two people: 5 1)"


def test_two_people_and_their_results():
    t = play(TicTacToe(), moves="14253")
    assert (t.result, t.view["say"]) == (1, "✕ has won after 5 moves.")
    t.load("142596")
    assert t.result == -1
    assert t.view["say"] == "◯ has won after 6 moves."
    t.load("123546879")
    assert (t.result, t.view["say"]) == (0, "A draw after 9 moves.")


def test_a_word_that_is_no_opponent_is_refused():
    with pytest.raises(ValueError, match="None or 'human'"):
        play(TicTacToe(), "computer")


def test_the_seat_may_be_taken_by_another():
    t = table()
    assert t.opponent.name == "leftmost"

    class Last(Leftmost):
        name = "last"

        def choose(self, state, rng):
            return self.game.legal_actions(state)[-1]

    t.opponent = Last(t.game)
    t.play(4)
    assert t.moves_text == "59"


def test_a_seat_between_two_people_may_be_taken_and_left():
    t = play(ConnectFour(), moves="4")
    t.opponent = UCTPlayer(t.game, 30)
    assert len(t.moves) == 2  # it was its turn
    assert t.view["opponent"] == "UCT 30"
    t.opponent = "human"
    assert t.opponent is None
    assert t.view["alone"]


def test_the_view_knows_who_took_the_seat():
    game = ConnectFour()
    t = table(game)
    t.opponent = UCTPlayer(game, 30)
    assert t.view["opponent"] == "UCT 30"
    assert t.view["level"]["steps"][-1] == 2000
    assert t.view["can_stop"]
    t.opponent = Leftmost(game)
    assert (t.view["opponent"], t.view["level"]) == ("leftmost", None)


def test_who_cannot_choose_does_not_get_the_seat():
    t = table()
    before = t.opponent
    with pytest.raises(ValueError, match="needs a method choose"):
        t.opponent = 3
    assert t.opponent is before
    t.play(4)
    assert t.moves == [4, 0]


def test_a_game_is_looked_through_and_another_goes_on_from_anywhere():
    t = play(TicTacToe(), moves=[4, 0, 8])
    t.go_to(1)
    assert (t.moves, t.line.record, t.view["of"]) == ([4], [4, 0, 8], 3)
    assert t.view["say"] == "✕ played 5. ◯ is to move."
    t.play(0)  # as before: what follows stays
    assert (t.moves_text, t.line.record) == ("51", [4, 0, 8])
    t.go_to(99)
    assert t.moves == [4, 0, 8]
    t.go_to(-1)
    t.play(2)
    assert t.line.record == [2]


def test_the_opponent_waits_while_one_looks():
    t = table(ConnectFour())
    t.play(3)
    t.go_to(1)
    assert (t.moves, t.is_waiting, t.view["waits"]) == ([3], True, True)
    t.go_on()
    assert t.moves == [3, 0]
    hear(t, do="go", at=1)
    hear(t, do="retry")
    assert t.chair.worker.wait(20)
    assert t.moves == [3, 0]
    hear(t, do="go", at=0)
    t.play(1)
    assert t.moves == [1, 0]


SGF = "(;GM[1]SZ[5]KM[0.5];B[cc];W[bb];B[];W[ba])"


def test_a_record_of_go_is_reviewed_or_loaded(tmp_path):
    path = tmp_path / "game.SGF"
    path.write_text(SGF)
    for t in (review(path), review(str(path)), review(SGF)):
        assert t.game == Go(5, komi=0.5)
        assert (t.moves, t.view["of"]) == ([], 4)
        t.go_to(9)
        assert t.moves_text == "C3 B4 pass B5"
    t.load(SGF.replace(";W[ba]", ""))
    assert t.moves_text == "C3 B4 pass"


@pytest.mark.parametrize(
    ("moves", "game", "words"),
    [
        ("(;SZ[5]KM[0.5];B[cc", Go(5), "This is no SGF record"),
        ("(;SZ[19];B[cc])", None, "19x19 board"),
        ("(;SZ[7];B[cc])", Go(5), r"Go on 7x7 with komi 8\.5, another game"),
        (SGF, TicTacToe(), "another game"),
        ("(;SZ[5];B[cc];W[cc])", None, "Move 2 of this record, C3, is illegal"),
        ("12", None, r"Moves alone do not say of what game they are: review\(moves, game\)"),
        ([4, 4], TicTacToe(), "Move 2, 5, is not possible there"),
        ([4, 9], TicTacToe(), "Move 2, 9, is not possible there"),
        (["x"], TicTacToe(), "Move 1, 'x', is not possible there"),
    ],
)
def test_what_is_no_game_is_one_sentence(moves, game, words):
    with pytest.raises(ValueError, match=words) as error:
        review(moves, game)
    assert "\n" not in str(error.value)
