"""The table while its opponent thinks in the background: Stop, Take back, and late answers."""

import threading
import time

import numpy as np
import pytest

from azlearn.arena import CompiledUCTPlayer, UCTPlayer
from azlearn.games import ConnectFour, TicTacToe
from azlearn.viz import play, play_session
from tests.viz.slow import Gate, SlowSearch
from tests.viz.test_play import hear

FOUR, THREE = ConnectFour(), TicTacToe()


@pytest.fixture(autouse=True)
def no_loop(monkeypatch):
    """A browser test before these leaves a loop in this thread, which does not turn meanwhile."""

    def none():
        raise RuntimeError("no running event loop")

    monkeypatch.setattr("azlearn.viz.background.asyncio.get_running_loop", none)


def say(table, **message):
    """What the browser sends; the answer is not awaited."""
    table._heard(table, message, [])


def until(true, seconds=10):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)


def test_a_click_returns_at_once_and_the_answer_comes_later():
    t = play(THREE, Gate(THREE))
    say(t, do="play", action=4)
    assert t.moves == [4]
    assert t.is_thinking
    assert t.view["thinking"]
    assert not t.view["yours"]
    assert t.view["say"] == "gate (◯) is thinking …"
    say(t, do="play", action=5)
    assert t.view["error"] == "It is the opponent's turn."
    t.opponent.gate.set()
    assert t.chair.worker.wait(10)
    assert t.moves == [4, 0]
    assert t.view["error"] == ""
    assert not t.view["thinking"]


def test_progress_and_stop_of_a_search():
    t = play(FOUR, SlowSearch(FOUR))
    shares = []
    t.observe(lambda change: shares.append(change["new"]), "progress")
    say(t, do="play", action=3)
    until(lambda: len(shares) > 3)
    assert t.view["can_stop"]
    say(t, do="stop")
    assert t.view["stopping"] or len(t.moves) == 2
    assert t.chair.worker.wait(10)
    assert len(t.moves) == 2  # it moved with what it had
    assert 0 < sum(t.line.last_thought.visits) < 2000
    seen = [share for share in shares if share >= 0]
    assert seen == sorted(seen)
    assert 0 < seen[0] < seen[-1] < 1
    assert (t.progress, t.error) == (-1, "")
    assert t.opponent.stop is None  # the hook is taken out again


def test_two_tables_may_share_an_opponent():
    shared = SlowSearch(FOUR)
    tables = [play(FOUR, shared, moves=moves) for moves in ("", "44")]
    for t in tables:
        say(t, do="play", action=3)
        until(lambda t=t: t.progress > 0)
    for t in tables:
        say(t, do="stop")
        assert t.chair.worker.wait(10)
        tree = t.line.last_thought.search
        assert tree.root.state == t.line.states[-2]
        assert shared.last_tree is tree  # what it was thinking last
    assert shared.stop is None
    shared.num_simulations = 5
    shared.choose(FOUR.initial_state(), np.random.default_rng(0))
    assert sum(shared.last_tree.root.visit_counts) == 5


def test_the_opponents_own_stop_is_asked_as_well():
    slow = SlowSearch(FOUR)
    slow.stop = lambda tree, num_left: num_left <= 1990
    t = play(FOUR, slow)
    hear(t, do="play", action=3)
    assert len(t.moves) == 2
    assert sum(t.line.last_thought.visits) == 10


def test_close_gives_up_the_move_and_closes_the_explorer():
    t = play(FOUR, SlowSearch(FOUR, 20), moves="44")
    hear(t, do="play", action=3)
    hear(t, do="think")
    explorer = t.explorer
    t.level = 2000
    say(t, do="play", action=3)
    t.close()
    assert t.chair.worker.wait_for_end(4)  # 2,000 simulations would take eight seconds
    assert len(t.moves) == 5
    assert not t.is_thinking
    assert (t.comm, explorer.comm) == (None, None)


def test_close_gives_up_the_solver(monkeypatch):
    go_on = threading.Event()
    monkeypatch.setattr(play_session, "truth", lambda game, state: go_on.wait(10))
    t = play(THREE)
    say(t, do="best")
    t.close()
    go_on.set()
    assert t._solver.wait_for_end(5)
    assert t.truth is None


def test_stop_gives_up_the_move_of_a_player_that_cannot_stop():
    t = play(THREE, Gate(THREE))
    say(t, do="play", action=4)
    assert not t.view["can_stop"]
    say(t, do="stop")
    assert t.moves == [4]
    assert not t.is_thinking
    assert t.view["error"].startswith("gate was interrupted. Your game is kept")
    assert t.view["say"] == "gate (◯) is to move."
    t.opponent.gate.set()
    assert t.chair.worker.wait_for_end(10)
    assert t.moves == [4]  # the late answer is not played
    hear(t, do="retry")
    assert t.moves == [4, 0]
    assert t.opponent.asked == 2


def test_a_second_stop_gives_up_a_search_that_hangs():
    t = play(THREE, Gate(THREE))
    t.opponent.stop = None  # says it can, and does not
    say(t, do="play", action=4)
    say(t, do="stop")
    assert t.is_thinking
    assert t.view["say"] == "gate (◯) is asked to move with what it has."
    say(t, do="stop")
    assert not t.is_thinking
    assert "gate was interrupted" in t.view["error"]
    t.opponent.gate.set()
    assert t.chair.worker.wait_for_end(10)
    assert t.moves == [4]


def test_stop_when_nobody_thinks_changes_nothing():
    t = play(THREE, Gate(THREE))
    before = t.view
    say(t, do="stop")
    assert t.view == {**before, "heard": 1}


def test_take_back_new_game_swap_and_load_cancel_the_thinking():
    for message, moves in (
        ({"do": "back"}, []),
        ({"do": "new"}, []),
        ({"do": "swap"}, [4]),
        ({"do": "load", "moves": "12"}, [0, 1]),
    ):
        t = play(THREE, Gate(THREE))
        say(t, do="play", action=4)
        say(t, **message)
        assert (t.moves, t.is_thinking, t.error) == (moves, False, "")
        t.opponent.gate.set()
        assert t.chair.worker.wait_for_end(10)
        assert t.moves == moves
        assert t.view["yours"]


def test_a_text_that_is_no_game_does_not_disturb_the_thinking():
    t = play(THREE, Gate(THREE))
    say(t, do="play", action=4)
    say(t, do="load", moves="99")
    assert t.is_thinking
    assert t.view["error"] == "Move 2, 9, is not possible there."
    t.opponent.gate.set()
    assert t.chair.worker.wait(10)
    assert t.moves == [4, 0]


def test_the_level_may_change_while_it_thinks():
    t = play(FOUR, SlowSearch(FOUR, 300))
    say(t, do="play", action=3)
    say(t, do="level", value=20)
    assert t.is_thinking
    say(t, do="stop")
    assert t.chair.worker.wait(10)
    assert t.level == 20


def test_python_waits_for_the_move_that_was_given_up():
    t = play(THREE, SlowSearch(THREE, 400))
    say(t, do="play", action=4)
    say(t, do="back")
    t.opponent.num_simulations = 5
    t.play(0)
    assert len(t.moves) == 2
    assert t.moves[0] == 0
    assert sum(t.line.last_thought.visits) == 5


def test_the_same_seed_plays_the_same_in_the_background():
    def game(click):
        t = play(FOUR, UCTPlayer(FOUR, 40), seed=5)
        for action in (3, 3, 2):
            if click:
                hear(t, do="play", action=action)
            else:
                t.play(action)
        return t.moves

    assert game(click=True) == game(click=False)


def test_an_error_in_the_background_is_shown():
    class Tired:
        name = "tired"

        def choose(self, state, rng):
            raise RuntimeError("too late for chess")

    t = play(THREE, Tired())
    hear(t, do="play", action=4)
    assert "tired could not move (RuntimeError: too late for chess)." in t.view["error"]
    assert t.moves == [4]
    assert not t.is_thinking


class Compiled(SlowSearch):
    """Its first search waits until ``gate`` is open, as one does that has to be compiled."""

    name = "compiled"

    def __init__(self, game):
        super().__init__(game, num_simulations=50, seconds=0)
        self.gate, self.asked = threading.Event(), []

    def choose(self, state, rng):
        self.asked.append(self.num_simulations)
        assert self.gate.wait(20), "nobody opened the gate"
        return super().choose(state, rng)


PREPARING = "Preparing the search of compiled: about 10 seconds, once."


def test_a_search_is_compiled_while_you_think_of_your_first_move():
    t = play(FOUR, Compiled(FOUR))
    assert t.opponent.asked == []  # nobody looks at the table yet
    say(t, do="open")
    until(lambda: t.opponent.asked == [1])
    assert t.view["preparing"] == PREPARING
    assert t.view["yours"]
    assert t.moves == []
    t.opponent.gate.set()
    assert t.chair._preparer.wait(10)
    assert t.view["preparing"] == ""
    assert (t.error, t.moves, t.opponent.last_tree) == ("", [], None)
    say(t, do="open")  # the page is loaded again
    hear(t, do="play", action=3)
    assert t.opponent.asked == [1, 50]
    assert sum(t.line.last_thought.visits) == 50


def test_a_move_made_meanwhile_is_answered_after_it_and_says_why_it_takes_long():
    t = play(FOUR, Compiled(FOUR))
    say(t, do="open")
    say(t, do="play", action=3)
    assert t.is_thinking
    assert t.view["preparing"] == PREPARING
    until(lambda: t.opponent.asked == [1])
    t.opponent.gate.set()
    assert t.chair._preparer.wait(10)
    assert t.chair.worker.wait(10)
    assert t.opponent.asked == [1, 50]
    assert len(t.moves) == 2
    assert t.view["preparing"] == ""


def test_another_opponent_is_prepared_in_its_turn():
    t = play(FOUR, Compiled(FOUR))
    say(t, do="open")
    old = t.opponent
    t.opponent = Compiled(FOUR)
    until(lambda: t.opponent.asked == [1])
    old.gate.set()
    assert t.view["preparing"] == PREPARING  # the first one being ready says nothing of the second
    t.opponent.gate.set()
    assert t.chair._preparer.wait(10)
    assert t.view["preparing"] == ""


def test_what_goes_wrong_while_preparing_is_told_with_the_first_move():
    class Broken(SlowSearch):
        def choose(self, state, rng):
            raise RuntimeError("no compiler")

    t = play(FOUR, Broken(FOUR))
    say(t, do="open")
    assert t.chair._preparer.wait(10)
    assert t.view["preparing"] == ""
    assert t.error == ""
    hear(t, do="play", action=3)
    assert "could not move (RuntimeError: no compiler)" in t.error


def test_a_player_without_a_search_has_nothing_to_prepare():
    t = play(THREE, Gate(THREE))
    say(t, do="open")
    assert t.view["preparing"] == ""
    assert t.opponent.asked == 0


def test_stop_does_not_wait_for_a_compiler():
    t = play(FOUR, Compiled(FOUR))
    say(t, do="open")
    say(t, do="play", action=3)
    say(t, do="stop")
    assert not t.is_thinking
    assert t.error.startswith("compiled was interrupted. Your game is kept")
    t.opponent.gate.set()


def test_the_compiled_search_stops_too():
    t = play(FOUR, CompiledUCTPlayer(FOUR, 1_000_000))
    say(t, do="play", action=3)
    say(t, do="stop")
    assert t.chair.worker.wait(100)
    assert (t.error, len(t.moves)) == ("", 2)
    assert 0 < sum(t.line.last_thought.visits) < 1_000_000
