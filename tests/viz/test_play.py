"""The game behind the play table: moves, texts, opponents, and what the page is told of them; and
Stop, Take back and late answers while an opponent thinks in the background.
"""

import _thread
import threading

import numpy as np
import pytest

from azlearn.arena import CompiledUCTPlayer, MinimaxPlayer, RandomPlayer, UCTPlayer
from azlearn.games import ConnectFour, Forfeit, Go, TicTacToe
from azlearn.games.game import Fault, OtherRules
from azlearn.learning import load_network, resolve_evaluator
from azlearn.search import MCTS, random_rollout, uct
from azlearn.viz import Explorer, explore, play, play_table, review
from azlearn.viz.formatting import signed
from azlearn.viz.play_moves import KEPT_SEARCHES
from azlearn.viz.play_opponent import MoveReport
from azlearn.viz.play_view import opinion
from azlearn.viz.replaying import cells_at
from tests.moving_games import Breakthrough, Clobber, HalfTold, Mixed, Numbered
from tests.viz.nim import Nim
from tests.viz.page import recorded, until
from tests.viz.stand_ins import Gate, SlowSearch

FOUR, THREE = ConnectFour(), TicTacToe()


class Leftmost:
    """Plays the first legal move."""

    name = "leftmost"

    def __init__(self, game):
        self.game = game

    def choose(self, state, rng):
        return self.game.legal_actions(state)[0]


class Answers(Leftmost):
    """Gives one answer, or raises it, where the middle is taken."""

    name = "answers"

    def __init__(self, game, answer):
        super().__init__(game)
        self.answer = answer

    def choose(self, state, rng):
        if not self.game.cells(state)[4]:
            return super().choose(state, rng)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def table(game=THREE, opponent=Leftmost, **options):
    return play(game, opponent(game), **options)


def say(table, **message):
    """What the browser sends; the answer is not awaited."""
    table._on_message(table, message, [])


def hear(table, **message):
    """What the browser sends, and the answer awaited."""
    say(table, **message)
    assert table.wait(60)


# Moves, and what is said of them.


def test_the_opponent_answers():
    t = table()
    t.play(4)
    assert t.moves == [4, 0]
    view = t.view
    assert view["cells"] == [2, 0, 0, 0, 1, 0, 0, 0, 0]
    assert view["say"] == "leftmost played 1. Your turn: you are ✕."
    data, _ = t._repr_mimebundle_()  # a saved notebook shows the board
    assert "application/vnd.jupyter.widget-view+json" in data
    assert 'alt="Board of tic tac toe, X to move.' in data["text/html"]
    assert (view["moves"], view["last"], view["legal"]) == ("5 1", 0, [1, 2, 3, 5, 6, 7, 8])
    second = table(you="second")
    assert (second.moves, second.view["yours"]) == ([0], True)


@pytest.mark.parametrize(
    ("moves", "result", "alone", "against", "ended", "line"),
    [
        ("14253", 1, "✕ has won", "You (✕) have won", "You have won", [0, 1, 2]),
        ("142596", -1, "◯ has won", "leftmost (◯) has won", "leftmost has won", [3, 4, 5]),
        ("123546879", 0, "A draw", "A draw", "A draw", []),
    ],
)
def test_the_end_is_said(moves, result, alone, against, ended, line):
    for t, said, short in (
        (play(THREE, moves=moves), alone, alone),
        (table(moves=moves), against, ended),
    ):
        assert (t.result, t.is_over, t.view["line"]) == (result, True, line)
        assert t.view["say"] == f"{said} after {len(moves)} moves."
        assert t.view["result"] == {"winner": {1: 0, -1: 1, 0: -1}[result], "text": short}
        assert (t.view["over"], t.view["yours"], t.view["legal"]) == (True, False, [])
        with pytest.raises(ValueError, match="over"):
            t.play(8)
    t.swap_sides()
    assert t.result == -result
    t.take_back()
    assert t.view["result"] is None


def test_take_back_new_game_and_swap():
    t = table()
    t.play(4)
    t.play(8)
    t.take_back()
    assert t.moves == [4, 0]
    t.take_back()
    t.take_back()
    assert t.moves == []
    t.swap_sides()
    assert (t.you, t.moves) == (1, [0])
    t.take_back()
    assert t.moves == [0]  # the opening is not yours
    t.play(4)
    t.new_game()
    assert t.moves == [0]
    hear(t, do="dance")
    assert t.moves == [0]
    assert "dance" in t.view["error"]
    hear(t, do="swap")
    assert (t.moves, t.view["error"]) == ([0, 1], "")


def test_the_same_seed_plays_the_same_by_click_and_by_method():
    def moves(seed, click):
        t = play(FOUR, RandomPlayer(FOUR), seed=seed)
        for action in (3, 3, 2):
            (lambda: hear(t, do="play", action=action))() if click else t.play(action)
        return t.moves_text

    assert moves(1, click=True) == moves(1, click=False)
    assert len({moves(seed, click=False) for seed in range(5)}) > 1


# Games as text.


def test_a_game_as_text_and_back():
    t = table(FOUR)
    t.play(3)
    t.play(6)
    assert t.moves_text == t.view["text"] == "4171"
    other = play(FOUR, moves=t.moves_text)
    assert other.state == t.state == FOUR.from_moves("4171")
    nim = play(Nim(), moves=[1, 0])  # labels of several characters are kept apart
    assert nim.moves_text == "two one"
    for text in ("one,two  one", " ONE\ntwo one"):  # nor do blanks, commas and capitals matter
        nim.load(text)
        assert nim.moves == [0, 1, 0]
    other.load(" 4 4,5\n3")
    assert other.moves_text == "4453"
    sentence = "Move 3 is '8', but moves are written as 1 to 7."
    with pytest.raises(ValueError, match=sentence):
        other.load("4484")
    hear(other, do="load", moves="4484")
    assert (other.view["error"], other.moves_text) == (sentence, "4453")
    t.load("445")
    assert t.moves_text == "4451"  # the opponent answers
    t.load("4453")
    assert t.view["say"] == "Last move: 3. Your turn: you are ●."


def test_a_move_that_is_refused_leaves_the_game_as_it_was():
    t = play(THREE, moves="51")
    for action in (4, 1.0, "1", True, None, [1]):
        hear(t, do="play", action=action)
        assert (t.moves, len(t.line.states)) == ([4, 0], 3)
        refused = r"Move 5 (action 4)" if action == 4 else "which is not a whole number"
        assert refused in t.error
    hear(t, do="play", action=1)
    assert (t.moves, t.error) == ([4, 0, 1], "")


def test_a_game_is_looked_through_and_another_goes_on_from_anywhere():
    t = play(THREE, moves=[4, 0, 8])
    t.go_to(1)
    assert (t.moves, t.line.record, t.view["of"]) == ([4], [4, 0, 8], 3)
    t.play(0)  # as before: what follows stays
    assert (t.moves_text, t.line.record) == ("51", [4, 0, 8])
    t.go_to(99)
    assert t.moves == [4, 0, 8]
    t.go_to(-1)
    t.play(2)
    assert t.line.record == [2]
    t = table(FOUR)  # the opponent waits while one looks
    t.play(3)
    hear(t, do="go", at=1)
    assert (t.moves, t.is_waiting, t.view["waits"]) == ([3], True, True)
    hear(t, do="retry")
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
        ("(;SZ[5]KM[0.5];B[cc", Go(5), "This is not a valid SGF record"),
        ("(;SZ[7];B[cc])", Go(5), r"Go on 7x7 with komi 8\.5, which is a different game"),
        ("(;SZ[5];B[cc];W[cc])", None, "Move 2 of this record, C3, is illegal"),
        ("12", None, r"Pass the game too: review\(moves, game\)"),
        ([4, 9], THREE, r"Move 2 \(9\) is illegal there"),
        ("z", Nim(), r"Move 1 is 'z', but moves are written as one or two\."),
    ],
)
def test_what_is_no_game_is_one_sentence(moves, game, words):
    with pytest.raises(ValueError, match=words) as error:
        review(moves, game)
    assert "\n" not in str(error.value)


# Who sits opposite.


def test_the_seat_may_be_taken_and_left(tmp_path):
    t = play(FOUR, moves="4")
    t.opponent = UCTPlayer(FOUR, 30)
    assert len(t.moves) == 2  # it was its turn
    assert (t.view["opponent"], t.view["level"]["steps"][-1]) == ("UCT 30", 2000)
    assert t.view["can_stop"]
    t.opponent = Leftmost(FOUR)
    assert (t.view["opponent"], t.view["level"]) == ("leftmost", None)
    t.play(6)
    assert t.moves[-1] == 0
    for nobody in (object(), "computer", 3):
        with pytest.raises(ValueError, match=r"must have a method choose.* None or 'human'"):
            t.opponent = nobody
    with pytest.raises(ValueError, match=r"no network 'conect4'.* Did you mean connect4\?"):
        t.opponent = "conect4"
    (tmp_path / "bad.safetensors").write_text("nothing")
    with pytest.raises(ValueError, match=r"^\S*bad\.safetensors is damaged"):
        t.opponent = tmp_path / "bad.safetensors"
    network = load_network("tictactoe")
    for one in ("tictactoe", network, network.network, resolve_evaluator(network, THREE)):
        with pytest.raises(ValueError, match=r"^This network (plays tic|does not play connect)"):
            t.opponent = one
    assert t.view["opponent"] == "leftmost"
    t.opponent = "human"
    assert t.opponent is None
    assert t.view["alone"]
    with pytest.raises(ValueError, match="'first' or 'second'"):
        table(you="third")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (np.nan, "it returned nan, which is not an action"),
        (4, "it returned move 5 (action 4), which is illegal here"),
        (RuntimeError("no idea"), "no idea"),
        (Fault("It ended."), "It ended."),
        (OtherRules("It refuses."), "It refuses."),
    ],
)
def test_an_opponents_error_is_named_and_the_game_kept(answer, words):
    t = play(THREE, Answers(THREE, answer))
    t.play(4)
    kind = "RuntimeError" if isinstance(answer, Exception) else "ValueError"
    told = words if isinstance(answer, Fault) else f"answers could not move ({kind}: {words})."
    for _ in range(2):
        assert (t.moves, t.is_over, t.is_thinking, t.view["yours"]) == ([4], False, False, False)
        assert t.error.startswith(f"{told} Your game is kept: let it try again")
        assert t.view["say"] == "answers (◯) is to move."
        hear(t, do="retry")
    t.opponent.answer = 7
    hear(t, do="retry")
    assert (t.moves, t.view["error"]) == ([4, 7], "")


@pytest.mark.parametrize("in_background", [False, True])
def test_an_opponent_that_gives_up_has_lost(in_background):
    t = play(THREE, Answers(THREE, Forfeit("X resigns.")))
    (lambda: hear(t, do="play", action=4))() if in_background else t.play(4)
    assert (t.is_over, t.result, t.error) == (True, 1, "")
    assert t.view["result"] == {"winner": 0, "text": "You have won"}
    assert t.view["say"] == "X resigns: you have won after 1 move."
    assert (t.view["legal"], t.view["yours"]) == ([], False)
    with pytest.raises(ValueError, match="The game is over"):
        t.play(0)
    t.go_to(0)
    assert (t.is_over, t.view["result"]) == (False, None)
    t.go_to(1)
    assert t.is_over
    t.take_back()
    assert (t.is_over, t.moves) == (False, [])
    t.play(4)
    t.swap_sides()  # to see what would have come
    assert (t.is_over, t.error, t.view["yours"]) == (False, "", True)


# What it thought.

SECOND_WINS_AT_5 = "1213747"  # ■ to move, three in a row at the bottom
FIRST_WINS_AT_1 = "121314"  # ● to move, three on top of each other


@pytest.mark.parametrize("player", [UCTPlayer, CompiledUCTPlayer])
@pytest.mark.parametrize(
    ("moves", "you", "value", "number"),
    [(SECOND_WINS_AT_5, "first", -1, "−1.00"), (FIRST_WINS_AT_1, "second", 1, "+1.00")],
)
def test_the_bar_is_the_first_players_whoever_searched(player, moves, you, value, number):
    t = play(FOUR, player(FOUR, 300), you=you, moves=moves)
    assert t.result == -1  # it saw the win
    told, name = t.view["opinion"], t.opponent.name
    assert (told["value"], told["number"]) == (value, number)
    assert told["text"] == f"{name} expects {number} for ●: {name} is winning"


@pytest.mark.parametrize(
    ("value", "you", "side", "label"),
    [
        (-0.001, 0, -1, "about even"),
        (0.375, 0, 0, "you are ahead"),  # +0.38, as in the browser
        (0.9, 0, 0, "you are winning"),
        (0.9, 1, 0, "UCT 9 is winning"),
        (-0.5, 0, 1, "UCT 9 is ahead"),
        (-0.2, 1, 1, "you are a bit ahead"),
    ],
)
def test_the_bar_says_who_is_ahead_and_how_far(value, you, side, label):
    told = opinion(FOUR, MoveReport("UCT 9", FOUR.initial_state(), 3, value=value), you)
    assert (told["side"], told["label"]) == (side, label)
    assert f"{told['value']:.2f}" != "-0.00"
    assert f" {signed(value)} for" in told["text"]


def test_minimax_says_the_exact_value():
    t = play(THREE, MinimaxPlayer(THREE))
    assert t.view["opinion"] is None
    t.play(4)
    assert t.view["opinion"] == {
        "value": 0.0, "number": "0", "text": "minimax knows: a draw", "side": -1, "label": "a draw",
    }  # fmt: skip
    t.load("12")  # ◯ beside ✕ instead of in the middle loses
    t.play(6)
    assert t.view["opinion"]["text"] == "minimax knows: you are winning"
    assert (t.view["opinion"]["value"], t.view["opinion"]["side"]) == (1, 0)
    assert (t.view["expects"], t.view["searches"]) == (True, False)
    t = play(THREE, RandomPlayer(THREE), moves="51")  # one without a search has no bar
    t.play(8)
    assert (t.view["expects"], t.view["searches"], t.view["why"]) == (False, False, False)
    assert (t.view["opinion"], t.view["visits"]) == (None, None)
    with pytest.raises(ValueError, match="There is no search to show"):
        t.thinking()


def test_visits_lie_where_the_moves_would_have_landed():
    t = play(FOUR, UCTPlayer(FOUR, 200), moves="4")
    tree, seen = t.opponent.last_tree, t.view["visits"]
    assert tree.root.state == FOUR.from_moves("4")
    assert seen["cells"] == [35, 36, 37, 31, 39, 40, 41]  # the fourth on top of the stone
    assert seen["shares"] == [n / 200 for n in tree.root.visit_counts]
    assert seen["texts"][3] == f"{int(tree.root.visit_counts[3] / 2 + 0.5)}%"
    best = t.moves[-1] + 1
    told = f"UCT 200 chose {best} after 200 simulations. Visits: {best}:\u00a0"
    assert seen["text"].startswith(told)


def test_a_search_of_another_position_is_not_shown_nor_an_unvisited_value():
    class Book(Leftmost):  # plays its second move without searching
        last_tree = MCTS(FOUR, uct(), random_rollout()).run(FOUR.from_moves("4"), 50)

    class Contrary(UCTPlayer):
        def choose(self, state, rng):
            super().choose(state, rng)
            legal = self.game.legal_actions(state)
            return min(legal, key=self.last_tree.root.visit_counts.__getitem__)

    t = play(FOUR, Book(FOUR))
    t.play(2)
    assert (t.view["searches"], t.view["visits"], t.view["why"]) == (True, None, False)
    t = play(FOUR, Contrary(FOUR, 3), moves="4")
    assert t.view["opinion"] is None
    assert t.view["visits"] is not None


def test_what_were_you_thinking():
    t = play(FOUR, UCTPlayer(FOUR, 60), moves="44")
    assert not t.view["why"]
    t.play(3)
    explorer = t.thinking()
    assert isinstance(explorer, Explorer)
    assert explorer.recording.tree is t.opponent.last_tree
    hear(t, do="think")
    first = t.explorer
    assert first.record["root"]["cells"] == FOUR.cells(FOUR.from_moves("444"))
    t.play(0)  # the new answer's search takes its place
    assert t.explorer is not first
    assert t.explorer.record["root"]["cells"] == FOUR.cells(t.line.states[-2])
    hear(t, do="think")
    assert t.explorer is None
    hear(t, do="think")
    t.new_game()  # closes the search of the old
    assert t.explorer is None
    hear(t, do="think")
    assert "The search cannot be shown here (ValueError: There is no search" in t.view["error"]


def test_only_the_last_searches_are_kept_and_a_recorded_one_can_be_stepped_through():
    t = play(FOUR, UCTPlayer(FOUR, 20))
    for action in (3, 3, 2, 1, 6):
        t.play(action)
    kept = [report.search is not None for report in t.line.reports if report]
    assert (sum(kept), kept) == (KEPT_SEARCHES, sorted(kept))
    opponent = Leftmost(FOUR)
    opponent.last_recording = recorded(moves="4", simulations=40)
    t = play(FOUR, opponent)
    t.play(3)
    assert t.thinking().step == 40


def test_level_changes_the_next_search():
    t = play(FOUR, UCTPlayer(FOUR, 30))
    assert t.level == 30
    assert t.view["level"]["steps"] == [1, 2, 5, 10, 20, 30, 50, 100, 200, 500, 1000, 2000]
    assert play(FOUR, CompiledUCTPlayer(FOUR)).view["level"]["steps"][-1] == 1_000_000
    hear(t, do="level", value=50)
    assert t.view["opponent"] == "UCT 50"
    t.play(3)
    assert sum(t.line.last_report.visits) == 50
    t.level = 7  # not one of the steps: it becomes one
    assert 7 in t.view["level"]["steps"]
    for level in (0, 2.7, "x", None):
        with pytest.raises(ValueError, match="num_simulations must be a whole number"):
            t.level = level
    assert t.level == 7
    hear(t, do="level", value=-3)
    assert t.view["error"] == "num_simulations must be a whole number, at least 1, not -3."
    with pytest.raises(ValueError, match="no number of simulations"):
        play(FOUR, RandomPlayer(FOUR)).level = 10


# Games of moving pieces.


@pytest.mark.parametrize(
    ("game", "moves"),
    [(Breakthrough(), ""), (HalfTold(), ""), (Numbered(), ""), (Clobber(), ""), (Mixed(), "a1 c3")],
)
def test_where_a_piece_comes_from_is_told(game, moves):
    record = explore(game, moves, num_simulations=60).record
    nodes = record["nodes"]
    for i in range(1, len(nodes["parent"])):
        before, after = cells_at(record, nodes["parent"][i]), cells_at(record, i)
        mover = nodes["to_play"][nodes["parent"][i]]
        start, end = nodes["origin"][i], nodes["cell"][i]
        if end >= 0:
            assert after[end] == mover + 1 != before[end]
        if start >= 0:
            assert before[start] == mover + 1 != after[start]
    assert max(nodes["origin"]) >= 0
    assert set(record["root"]["lands"]) == {-1}  # several moves end on one cell
    t = play(game, moves=moves)
    assert (t.opponent, t.view["searches"], t.view["level"]) == (None, False, None)  # two people
    view = t.view
    assert max(view["starts"]) >= 0
    assert len(set(zip(view["starts"], view["lands"], strict=True))) > 1
    stones = explore(FOUR, "44", num_simulations=20).record  # a game that places stones has none
    assert stones["nodes"]["origin"] is None
    assert play(FOUR, Leftmost(FOUR)).view["starts"] == [-1] * 7


FOUR, THREE = ConnectFour(), TicTacToe()


def thinking(opponent, **message):
    """A table whose opponent has been asked, and what it was asked for."""
    t = play(opponent.game, opponent)
    say(t, **{"do": "play", "action": 4, **message})
    assert t.is_thinking
    return t


def late(table):
    """The gate opens for an answer that nobody waits for any more."""
    table.opponent.gate.set()
    assert table._worker.wait_for_end(60)


def test_a_click_returns_at_once_and_the_answer_comes_later():
    t = thinking(Gate(THREE))
    assert t.moves == [4]
    assert (t.view["thinking"], t.view["yours"]) == (True, False)
    assert t.view["say"] == "gate (◯) is thinking …"
    for message, error in (
        ({"do": "play", "action": 5}, "It is the opponent's turn."),
        ({"do": "load", "moves": "99"}, "Move 2 (9) is illegal there."),
    ):
        say(t, **message)  # does not disturb the thinking
        assert (t.view["error"], t.is_thinking) == (error, True)
    t.opponent.gate.set()
    assert t.wait(60)
    assert (t.moves, t.view["error"], t.view["thinking"]) == ([4, 0], "", False)


def test_progress_level_and_stop_of_a_search():
    t = play(FOUR, SlowSearch(FOUR))
    t.opponent.stop = own = lambda tree, simulations_left: False
    shares = []
    t.observe(lambda change: shares.append(change["new"]), "progress")
    say(t, do="play", action=3)
    until(t, lambda: len(shares) > 3)
    say(t, do="level", value=20)  # of the next move
    assert (t.is_thinking, t.view["can_stop"]) == (True, True)
    hear(t, do="stop")
    assert (t.view["stopping"], t.level, len(t.moves)) == (False, 20, 2)  # with what it had
    assert 0 < sum(t.line.last_report.visits) < 2000
    seen = [share for share in shares if share >= 0]
    assert seen == sorted(seen)
    assert 0 < seen[0] < seen[-1] < 1
    assert (t.progress, t.error) == (-1, "")
    assert t.opponent.stop is own  # the table's is taken out again
    t.level, t.opponent.stop = 200, lambda tree, simulations_left: simulations_left <= 190
    t.play(0)  # and its own is asked as well
    assert sum(t.line.last_report.visits) == 10


def test_two_tables_that_share_an_opponent_take_turns():
    shared = SlowSearch(FOUR, 100)
    tables = [play(FOUR, shared, moves=moves) for moves in ("", "44")]
    for t in tables:
        say(t, do="play", action=3)
    for t in tables:
        assert t.wait(60)
        report = t.line.last_report
        assert report.search.root.state == t.line.states[-2]
        assert sum(report.visits) == 100
    assert shared.stop is None


def test_close_gives_up_the_move_and_the_solver_and_closes_the_explorer(monkeypatch):
    t = play(FOUR, SlowSearch(FOUR, 20), moves="44")
    hear(t, do="play", action=3)
    hear(t, do="think")
    explorer, t.level = t.explorer, 100_000  # would take seven minutes
    say(t, do="play", action=3)
    go_on = threading.Event()
    monkeypatch.setattr(play_table, "truth", lambda game, state: go_on.wait(60))
    say(t, do="best")
    t.close()
    go_on.set()
    assert t._worker.wait_for_end(60)
    assert t._solver.wait_for_end(60)
    assert (len(t.moves), t.is_thinking, t.truth) == (5, False, None)
    assert (t.comm, explorer.comm) == (None, None)


@pytest.mark.parametrize("says_it_can", [False, True])
def test_stop_gives_up_the_move_of_a_player_that_cannot_stop(says_it_can):
    opponent = Gate(THREE)
    if says_it_can:
        opponent.stop = None
    t = thinking(opponent)
    assert t.view["can_stop"] == says_it_can
    if says_it_can:  # it is asked once, and given up the second time
        say(t, do="stop")
        assert t.is_thinking
        assert t.view["say"] == "gate (◯) has been asked to move now."
    say(t, do="stop")
    assert (t.moves, t.is_thinking) == ([4], False)
    assert t.view["error"].startswith("gate was interrupted. Your game is kept")
    assert t.view["say"] == "gate (◯) is to move."
    late(t)
    assert t.moves == [4]  # its late answer is not played
    hear(t, do="retry")
    assert (t.moves, t.opponent.asked) == ([4, 0], 2)


@pytest.mark.parametrize(
    ("message", "moves"),
    [
        ({"do": "back"}, []),
        ({"do": "swap"}, [4]),
        ({"do": "load", "moves": "12"}, [0, 1]),
    ],
)
def test_what_changes_the_game_cancels_the_thinking(message, moves):
    t = thinking(Gate(THREE))
    say(t, **message)
    for _ in range(2):
        assert (t.moves, t.is_thinking, t.error, t.view["yours"]) == (moves, False, "", True)
        late(t)


def test_an_interrupted_opponent_can_try_again():
    class Slow(Gate):
        def choose(self, state, rng):
            if not self.asked:
                _thread.interrupt_main()  # Ctrl-C, or Interrupt Kernel
            return super().choose(state, rng)

    t = play(THREE, Slow(THREE))
    with pytest.raises(KeyboardInterrupt):
        t.play(4)
    assert (t.moves, t.view["thinking"]) == ([4], False)
    assert "gate was interrupted." in t.view["error"]  # with it comes the button
    late(t)
    hear(t, do="retry")
    assert (t.moves, t.view["error"]) == ([4, 0], "")


# A search that is compiled before it is needed.


class Compiled(SlowSearch):
    """Its first search waits until ``gate`` is open, as one does that has to be compiled."""

    name = "compiled"

    def __init__(self, game):
        super().__init__(game, num_simulations=50, seconds=0)
        self.gate, self.asked = threading.Event(), 0

    def choose(self, state, rng):
        self.asked += 1
        assert self.gate.wait(60), "nobody opened the gate"
        return super().choose(state, rng)


PREPARING = "Preparing the search of compiled (about 10 seconds, only once) …"


def test_a_search_is_compiled_while_you_think_of_your_first_move():
    t = play(FOUR, Compiled(FOUR))
    assert t.opponent.asked == 0  # nobody looks at the table yet
    say(t, do="open")
    until(t, lambda: t.opponent.asked == 1)
    assert (t.view["preparing"], t.view["yours"]) == (PREPARING, True)
    old, t.opponent = t.opponent, Compiled(FOUR)
    until(t, lambda: t.opponent.asked == 1)
    old.gate.set()
    assert t.view["preparing"] == PREPARING  # the first one being ready says nothing of the second
    t.opponent.gate.set()
    assert t.wait(60)
    assert (t.view["preparing"], t.error, t.moves) == ("", "", [])
    assert sum(t.opponent.last_tree.root.visit_counts) == 1
    say(t, do="open")  # the page is loaded again
    hear(t, do="play", action=3)
    assert t.opponent.asked == 2
    assert sum(t.line.last_report.visits) == 50
    waiting = play(THREE, Gate(THREE))  # a player without a search has nothing to prepare
    say(waiting, do="open")
    assert (waiting.view["preparing"], waiting.opponent.asked) == ("", 0)


def test_a_move_made_meanwhile_is_answered_after_it_or_stopped():
    t = play(FOUR, Compiled(FOUR))
    say(t, do="open")
    say(t, do="play", action=3)
    assert (t.is_thinking, t.view["preparing"]) == (True, PREPARING)  # why it takes long
    say(t, do="stop")  # does not wait for a compiler
    assert not t.is_thinking
    assert t.error.startswith("compiled was interrupted. Your game is kept")
    say(t, do="retry")
    t.opponent.gate.set()
    assert t.wait(60)
    assert (len(t.moves), t.view["preparing"], t.error) == (2, "", "")


def test_the_caption_of_a_saved_board_names_the_players():
    """In text, Black's ● would have the page's color: white on a dark page."""
    data, _ = play(Go(5))._repr_mimebundle_()
    assert "Black is to move. (Run the cell to play.)" in data["text/html"]
