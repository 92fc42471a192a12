"""The table while its opponent thinks in the background: Stop, Take back, and late answers."""

import _thread
import threading
import time

import pytest

from azlearn.arena import CompiledUCTPlayer
from azlearn.games import ConnectFour, TicTacToe
from azlearn.viz import play, play_table
from tests.viz.slow import Gate, SlowSearch
from tests.viz.test_play import hear, say

FOUR, THREE = ConnectFour(), TicTacToe()


def until(table, true):
    """Waits until it is so, and meanwhile hears what the opponent has to say."""
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, "it never happened"
        table.wait(0.01)


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
        ({"do": "load", "moves": "99"}, "Move 2, 9, is not possible there."),
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


def test_the_compiled_search_stops_too():
    t = play(FOUR, CompiledUCTPlayer(FOUR, 1_000_000))
    say(t, do="play", action=3)
    hear(t, do="stop")
    assert (t.error, len(t.moves)) == ("", 2)
    assert 0 < sum(t.line.last_report.visits) < 1_000_000


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


def test_close_gives_up_the_move_and_closes_the_explorer():
    t = play(FOUR, SlowSearch(FOUR, 20), moves="44")
    hear(t, do="play", action=3)
    hear(t, do="think")
    explorer, t.level = t.explorer, 100_000  # would take seven minutes
    say(t, do="play", action=3)
    t.close()
    assert t._worker.wait_for_end(60)
    assert (len(t.moves), t.is_thinking) == (5, False)
    assert (t.comm, explorer.comm) == (None, None)


def test_close_gives_up_the_solver(monkeypatch):
    go_on = threading.Event()
    monkeypatch.setattr(play_table, "truth", lambda game, state: go_on.wait(60))
    t = play(THREE)
    say(t, do="best")
    t.close()
    go_on.set()
    assert t._solver.wait_for_end(60)
    assert t.truth is None


def test_stop_gives_up_the_move_of_a_player_that_cannot_stop():
    t = thinking(Gate(THREE))
    assert not t.view["can_stop"]
    say(t, do="stop")
    assert (t.moves, t.is_thinking) == ([4], False)
    assert t.view["error"].startswith("gate was interrupted. Your game is kept")
    assert t.view["say"] == "gate (◯) is to move."
    late(t)
    assert t.moves == [4]  # its late answer is not played
    before = t.view
    say(t, do="stop")  # nobody thinks
    assert t.view == {**before, "heard": 3}
    hear(t, do="retry")
    assert (t.moves, t.opponent.asked) == ([4, 0], 2)


def test_a_second_stop_gives_up_a_search_that_hangs():
    hangs = Gate(THREE)
    hangs.stop = None  # says it can, and does not
    t = thinking(hangs)
    say(t, do="stop")
    assert t.is_thinking
    assert t.view["say"] == "gate (◯) is asked to move with what it has."
    say(t, do="stop")
    assert not t.is_thinking
    assert "gate was interrupted" in t.view["error"]
    late(t)
    assert t.moves == [4]


@pytest.mark.parametrize(
    ("message", "moves"),
    [
        ({"do": "back"}, []),
        ({"do": "new"}, []),
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


def test_python_waits_for_the_move_that_was_given_up():
    t = thinking(SlowSearch(THREE, 100_000))
    say(t, do="back")
    t.opponent.num_simulations = 5
    t.play(0)
    assert (len(t.moves), t.moves[0]) == (2, 0)
    assert sum(t.line.last_report.visits) == 5


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

    def __init__(self, game, error=None):
        super().__init__(game, num_simulations=50, seconds=0)
        self.gate, self.error, self.asked = threading.Event(), error, 0

    def choose(self, state, rng):
        self.asked += 1
        assert self.gate.wait(60), "nobody opened the gate"
        if self.error:
            raise self.error
        return super().choose(state, rng)


PREPARING = "Preparing the search of compiled: about 10 seconds, once."


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


def test_a_move_made_meanwhile_is_answered_after_it_and_says_why_it_takes_long():
    t = play(FOUR, Compiled(FOUR))
    say(t, do="open")
    until(t, lambda: t.opponent.asked == 1)
    say(t, do="play", action=3)
    assert (t.is_thinking, t.view["preparing"]) == (True, PREPARING)
    t.opponent.gate.set()
    assert t.wait(60)
    assert (t.opponent.asked, len(t.moves), t.view["preparing"]) == (2, 2, "")


def test_stop_does_not_wait_for_a_compiler():
    t = play(FOUR, Compiled(FOUR))
    say(t, do="open")
    say(t, do="play", action=3)
    say(t, do="stop")
    assert not t.is_thinking
    assert t.error.startswith("compiled was interrupted. Your game is kept")
    late(t)


def test_what_goes_wrong_while_preparing_is_told_with_the_first_move():
    t = play(FOUR, Compiled(FOUR, RuntimeError("no compiler")))
    t.opponent.gate.set()
    hear(t, do="open")
    assert (t.view["preparing"], t.error) == ("", "")
    hear(t, do="play", action=3)
    assert "could not move (RuntimeError: no compiler)" in t.error


def test_a_player_without_a_search_has_nothing_to_prepare():
    t = play(THREE, Gate(THREE))
    say(t, do="open")
    assert (t.view["preparing"], t.opponent.asked) == ("", 0)
