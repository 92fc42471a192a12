"""The play table: the game behind it, and its front end in a browser."""

import base64

import numpy as np
import pytest

from azlearn.games import ConnectFour, TicTacToe
from azlearn.viz import play
from tests.viz.nim import Nim
from tests.viz.tactics import Tactics


class Leftmost:
    """Plays the first legal move."""

    name = "leftmost"

    def __init__(self, game):
        self.game = game

    def choose(self, state, rng):
        return self.game.legal_actions(state)[0]


class Dice(Leftmost):
    name = "dice"

    def choose(self, state, rng):
        return int(rng.choice(self.game.legal_actions(state)))


class Broken(Leftmost):
    name = "broken"
    repaired = False

    def choose(self, state, rng):
        if not self.repaired:
            raise RuntimeError("no idea")
        return super().choose(state, rng)


def table(game=None, opponent=Leftmost, **options):
    game = game or TicTacToe()
    return play(game, opponent(game), **options)


def hear(table, **message):
    """What the browser sends, and the answer awaited."""
    table._heard(table, message, [])
    assert table.chair.worker.wait(10)


def test_the_opponent_answers():
    t = table()
    t.play(4)
    assert t.moves == [4, 0]
    assert t.view["cells"] == [2, 0, 0, 0, 1, 0, 0, 0, 0]
    assert t.view["moves"] == "5 1"
    assert t.view["say"] == "leftmost played 1. Your turn: you are ✕."
    assert t.view["last"] == 0
    assert t.view["legal"] == [1, 2, 3, 5, 6, 7, 8]


def test_second_side_lets_the_opponent_open():
    t = table(you="second")
    assert t.moves == [0]
    assert t.view["yours"]


def test_a_won_game_is_said_and_its_line_marked():
    t = table()
    for action in (4, 3, 5):
        t.play(action)
    assert t.result == 1
    assert t.view["say"] == "You (✕) have won after 5 moves."
    assert t.view["line"] == [3, 4, 5]
    assert t.view["over"]
    assert t.view["legal"] == []
    with pytest.raises(ValueError, match="over"):
        t.play(8)


def test_a_lost_game_is_said():
    t = table()
    for action in (3, 4, 8):
        t.play(action)
    assert t.result == -1
    assert t.view["say"] == "leftmost (◯) has won after 6 moves."


def test_a_draw_is_said():
    t = table(TicTacToe(), Leftmost)
    for action in (4, 1, 6, 5, 8):
        t.play(action)
    assert t.game.to_text(t.state).split() == ["O", "X", "O", "O", "X", "X", "X", "O", "X"]
    assert t.result == 0
    assert t.view["say"] == "A draw after 9 moves."


def test_take_back_and_new_game():
    t = table()
    t.play(4)
    t.play(8)
    t.take_back()
    assert t.moves == [4, 0]
    t.take_back()
    t.take_back()
    assert t.moves == []
    t.play(4)
    t.new_game()
    assert t.moves == []
    assert t.view["cells"] == [0] * 9


def test_take_back_as_second_keeps_the_opening():
    t = table(you="second")
    t.take_back()
    assert t.moves == [0]


def test_swap_sides_makes_the_other_move():
    t = table()
    t.swap_sides()
    assert t.you == 1
    assert t.moves == [0]


def test_the_opponents_error_keeps_the_game():
    t = table(opponent=Broken)
    t.play(4)
    assert t.moves == [4]
    assert "broken could not move (RuntimeError: no idea)." in t.view["error"]
    assert not t.view["yours"]
    t.opponent.repaired = True
    hear(t, do="retry")
    assert t.moves == [4, 0]
    assert t.view["error"] == ""


def test_an_interrupted_opponent_can_try_again():
    class Slow(Leftmost):
        def choose(self, state, rng):
            raise KeyboardInterrupt

    t = table(opponent=Slow)
    with pytest.raises(KeyboardInterrupt):
        t.play(4)
    assert t.moves == [4]
    assert not t.view["thinking"]
    assert "leftmost was interrupted." in t.view["error"]  # with it comes the button
    assert t.view["say"] == "leftmost (◯) is to move."
    t.opponent = Leftmost(t.game)
    hear(t, do="retry")
    assert t.moves == [4, 0]
    assert t.view["error"] == ""


def test_an_illegal_answer_is_the_opponents_error():
    t = table(TicTacToe(), Leftmost)
    t.opponent.choose = lambda state, rng: 4
    t.play(4)
    assert t.moves == [4]
    assert "could not move (ValueError" in t.view["error"]


def test_messages_from_the_browser():
    t = table()
    hear(t, do="play", action=4)
    assert t.moves == [4, 0]
    hear(t, do="play", action=4)
    assert t.moves == [4, 0]
    assert "legal" in t.view["error"]
    for what, moves in (("back", []), ("swap", [0]), ("new", [0]), ("swap", [0, 1])):
        hear(t, do=what)
        assert (t.error, t.moves) == ("", moves)
    hear(t, do="dance")
    assert t.moves == [0, 1]


def test_a_games_own_error_is_shown():
    class Moody(TicTacToe):
        def play(self, state, action):
            raise KeyError("oops")

    t = table(Moody())
    t._heard(t, {"do": "play", "action": 1}, [])
    assert "That did not work (KeyError: 'oops')." in t.view["error"]
    assert t.moves == []


def test_same_seed_same_game():
    def moves(seed):
        t = table(ConnectFour(), Dice, seed=seed)
        for _ in range(6):
            if t.result is None:
                t.play(int(np.flatnonzero(t.game.legal_mask(t.state))[-1]))
        return t.moves

    assert moves(1) == moves(1)
    assert len({tuple(moves(seed)) for seed in range(5)}) > 1


def test_bad_arguments_are_a_sentence():
    with pytest.raises(ValueError, match="'first' or 'second'"):
        table(you="third")
    with pytest.raises(ValueError, match="choose"):
        play(TicTacToe(), object())


def test_a_game_without_a_board_has_buttons():
    t = table(Nim())
    t.play(1)
    assert t.view["moves"] == "two one"
    assert t.view["cells"] == []
    assert t.view["labels"] == ["one", "two"]
    data, _ = t._repr_mimebundle_()
    assert "run the cell" in data["text/html"]


def test_a_game_with_cells_alone_can_be_played():
    t = table(Tactics())
    for _ in range(4):
        t.play(3)
    assert t.view["say"] == "You (●) have won after 7 moves."
    assert t.view["line"] == []
    assert t.view["labels"] == [*"1234567"]


def test_a_saved_notebook_shows_the_board():
    t = table()
    t.play(4)
    data, _ = t._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert 'alt="Board of tic tac toe, X to move.' in data["text/html"]
    svg = base64.b64decode(data["text/html"].split("base64,")[1].split('"')[0])
    assert b"<svg" in svg


def test_the_end_is_said_in_a_word_and_whose_it_is():
    t = table()
    assert t.view["result"] is None
    for action in (4, 3, 5):
        t.play(action)
    assert t.view["result"] == {"winner": 0, "text": "You have won"}
    t.swap_sides()
    assert t.view["result"] == {"winner": 0, "text": "leftmost has won"}
    t.opponent = None
    assert t.view["result"] == {"winner": 0, "text": "✕ has won"}
    t.load("51237468")
    assert t.view["result"] is None
    t.load("512374689")
    assert t.view["result"] == {"winner": -1, "text": "A draw"}
    t.load("415293")
    assert t.view["result"] == {"winner": 1, "text": "◯ has won"}
