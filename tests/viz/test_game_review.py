"""The worst moves of a game: by the solver, against stored scores, and by a search."""

import threading
from dataclasses import replace

import pytest

from azlearn.arena import UCTPlayer, load_positions
from azlearn.cli.review import chart
from azlearn.games import ConnectFour, TicTacToe
from azlearn.games.solver import SolverMissing
from azlearn.viz import game_review, play
from azlearn.viz.game_review import review_game
from tests.viz.stand_ins import SlowSearch

FOUR, THREE = ConnectFour(), TicTacToe()


@pytest.fixture
def no_solver(monkeypatch):
    def missing(game, state):
        raise SolverMissing("not installed")

    monkeypatch.setattr(game_review, "move_scores", missing)


def test_the_solver_judges_every_move_of_a_small_game():
    # 1 5 2 3 9: O answers X's threat at 3; X's 9 allows 7, which wins for O on 3-5-7.
    found = review_game(THREE, "152397")
    assert found.judge == "the solver"
    assert found.values == (0, 0, 0, 0, 0, -1, -1)
    (worst,) = found.worst()
    assert worst.ply == 4
    assert worst.loss == pytest.approx(1, abs=0.1)
    assert worst.text.startswith("Move 5, ✕ 9: it loses to the next move, 7 draws")
    assert found.worst(side=1) == []
    assert found.worst(first=5) == []


def test_values_in_connect_four_agree_with_the_stored_scores():
    for position in load_positions()[1:21]:
        found = review_game(FOUR, position.moves)
        sign = 1 if found.movers[-1] == 0 else -1
        assert found.values[-1] == sign * position.value


def test_without_a_solver_a_search_judges(no_solver):
    found = review_game(FOUR, "1122374", UCTPlayer(FOUR, 200))
    assert found.judge == "UCT 200"
    assert found.values[6] == pytest.approx(1, abs=0.2)
    assert "the search prefers" in found.moves[5].text
    assert found.worst(1)[0].ply == 5  # O did not block
    assert found.worst(1)[0].best == 3


class Booked(UCTPlayer):
    """Plays the first move of a game without a search, as from an opening book."""

    def choose(self, state, rng):
        action = super().choose(state, rng)
        if not any(state):
            self.last_tree = None
        return action


def test_a_judge_that_answers_without_a_search_is_helped_out(no_solver):
    found = review_game(FOUR, "1122374", Booked(FOUR, 200))
    assert found.values[6] == pytest.approx(1, abs=0.2)
    assert found.moves[0].ply == 0


def test_values_are_written_as_at_the_table(no_solver, monkeypatch):
    looks = iter((game_review._Look(0.125, 8), game_review._Look(0.001)))
    monkeypatch.setattr(game_review, "_by_search", lambda *_: lambda *_: next(looks))
    found = review_game(THREE, "1")
    assert "fell from +0.13 to 0.00; the search prefers 9" in found.moves[0].text
    assert "by a search: +0.13, 0.00." in chart(replace(found, judge="a search")).html()


def test_no_moves_and_illegal_moves_are_one_sentence():
    with pytest.raises(ValueError, match="no moves to review"):
        review_game(THREE, "")
    with pytest.raises(ValueError, match="illegal"):
        review_game(THREE, "11")


def test_a_table_forgets_its_review_when_the_game_changes():
    table = play(THREE, moves="15239")
    assert table.review().worst()[0].ply == 4
    assert table.view["review"]["worst"][0]["at"] == 4
    table.go_to(2)
    assert table.reviewed is not None
    table.play(1)  # the same move again
    assert table.reviewed is not None
    table.play(5)  # another
    assert table.reviewed is None
    assert table.view["review"] == {"text": "", "values": [], "worst": []}


class OneAtATime(SlowSearch):
    """Searches, then plays the first legal move. Fails if it is asked while it searches."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.num_searches, self.is_asked, self._is_free = 0, threading.Event(), threading.Lock()

    def choose(self, state, rng):
        self.num_searches += 1
        self.is_asked.set()
        assert self._is_free.acquire(blocking=False), "asked during a search"
        super().choose(state, rng)
        self._is_free.release()
        return self.game.legal_actions(state)[0]


def say(table, **message):
    """What the browser sends; the answer is not awaited."""
    table._on_message(table, message, [])


def test_an_opponent_that_reviews_the_game_moves_in_between(no_solver):
    """And the page's Stop is about the move, not about the review."""
    game = "2131"  # O plays the first legal move, so the review is of the game that goes on
    table = play(FOUR, OneAtATime(FOUR, 40), moves=game)
    table.go_to(1)
    for do in ("review", "retry", "stop"):
        say(table, do=do)
    assert table.wait(60)
    assert (table.moves, table.error) == ([1, 0], "")
    assert sum(table.line.last_report.visits) < 40
    assert table.reviewed == review_game(FOUR, game, OneAtATime(FOUR, 40))


@pytest.mark.parametrize(
    "cancel",
    [
        lambda table: say(table, do="review"),
        lambda table: say(table, do="load", moves=""),
        lambda table: table.close(),
    ],
    ids=["review again", "load", "close"],
)
def test_a_canceled_review_ends_at_once(no_solver, cancel):
    table = play(FOUR, OneAtATime(FOUR, 100_000), moves="2131")  # seven minutes per position
    say(table, do="review")
    assert table.opponent.is_asked.wait(20)
    cancel(table)
    assert table._reviewer.wait_for_end(20)
    assert (table.opponent.num_searches, table.reviewed) == (1, None)
