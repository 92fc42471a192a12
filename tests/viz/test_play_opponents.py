"""What the table makes of its opponent: values, visits, level, failures, and a search to open."""

import math

import pytest

from azlearn.arena import CompiledUCTPlayer, MinimaxPlayer, RandomPlayer, UCTPlayer
from azlearn.games import ConnectFour, Forfeit, TicTacToe
from azlearn.games.game import Fault, OtherRules
from azlearn.search import MCTS, Recorder, random_rollout, uct
from azlearn.viz import Explorer, play
from azlearn.viz.play_moves import KEPT_SEARCHES
from azlearn.viz.play_opponent import Thought
from azlearn.viz.play_view import opinion
from tests.viz.test_play import Leftmost, hear

FOUR, THREE = ConnectFour(), TicTacToe()
SECOND_WINS_AT_5 = "1213747"  # ■ to move, three in a row at the bottom
FIRST_WINS_AT_1 = "121314"  # ● to move, three on top of each other


class Answers(Leftmost):
    """Gives one answer, whatever it is asked."""

    name = "answers"

    def __init__(self, answer):
        self.answer = answer

    def choose(self, state, rng):
        return self.answer


class Recording(Leftmost):
    """Records what it searches."""

    name, num_simulations = "recording", 40

    def choose(self, state, rng):
        recorder = Recorder()
        mcts = MCTS(self.game, uct(1.0), random_rollout(), recorder=recorder)
        action = mcts.run(state, self.num_simulations, rng).best_action()
        self.last_recording = recorder.recording()
        return action


@pytest.mark.parametrize("player", [UCTPlayer, CompiledUCTPlayer])
@pytest.mark.parametrize(
    ("moves", "you", "value", "number", "winner"),
    [(SECOND_WINS_AT_5, "first", -1, "−1.00", "■"), (FIRST_WINS_AT_1, "second", 1, "+1.00", "●")],
)
def test_the_bar_is_the_first_players_whoever_searched(player, moves, you, value, number, winner):
    t = play(FOUR, player(FOUR, 300), you=you, moves=moves)
    assert t.result == -1  # it saw the win
    assert t.view["opinion"]["value"] == value
    assert t.view["opinion"]["number"] == number
    name = t.opponent.name
    assert t.view["opinion"]["text"] == f"{name} expects {number} for ●: {winner} is ahead"


def test_minimax_says_the_exact_value():
    t = play(THREE, MinimaxPlayer(THREE))
    assert t.view["opinion"] is None
    t.play(4)
    assert t.view["opinion"] == {
        "value": 0.0, "number": "0", "text": "minimax knows: a draw", "side": -1, "label": "a draw",
    }  # fmt: skip
    t.load("12")  # ◯ beside ✕ instead of in the middle loses
    t.play(6)
    assert t.view["opinion"]["value"] == 1
    assert t.view["opinion"]["text"] == "minimax knows: ✕ wins"
    assert (t.view["opinion"]["side"], t.view["opinion"]["label"]) == (0, "you are winning")
    assert (t.view["expects"], t.view["searches"]) == (True, False)


def test_a_player_without_a_search_has_no_bar():
    t = play(THREE, RandomPlayer(THREE))
    t.play(4)
    assert (t.view["expects"], t.view["searches"], t.view["why"]) == (False, False, False)
    assert t.view["opinion"] is None
    assert t.view["visits"] is None
    with pytest.raises(ValueError, match="There is no search to show"):
        t.thinking()


def test_visits_lie_where_the_moves_would_have_landed():
    t = play(FOUR, UCTPlayer(FOUR, 200), moves="4")
    tree, seen = t.opponent.last_tree, t.view["visits"]
    assert tree.root.state == FOUR.from_moves("4")
    assert seen["cells"] == [35, 36, 37, 31, 39, 40, 41]  # the fourth on top of the stone
    assert seen["shares"] == [n / 200 for n in tree.root.visit_counts]
    assert seen["texts"][3] == f"{math.floor(tree.root.visit_counts[3] / 2 + 0.5)}%"
    best = t.moves[-1] + 1
    assert seen["text"].startswith(
        f"UCT 200 chose {best} after 200 simulations. Visits: {best}:\u00a0"
    )


def test_a_search_of_another_position_is_not_shown():
    t = play(FOUR, UCTPlayer(FOUR, 50), moves="4")
    stale = t.opponent.last_tree

    class Book(Leftmost):  # plays its second move without searching
        last_tree = stale

    t.opponent = Book(FOUR)
    t.play(3)
    assert t.view["searches"]
    assert t.view["visits"] is None
    assert not t.view["why"]


def test_an_unvisited_answer_has_no_value():
    class Contrary(UCTPlayer):
        def choose(self, state, rng):
            super().choose(state, rng)
            return min(
                self.game.legal_actions(state), key=self.last_tree.root.visit_counts.__getitem__
            )

    t = play(FOUR, Contrary(FOUR, 3), moves="4")
    assert t.view["opinion"] is None
    assert t.view["visits"] is not None


def test_only_the_last_searches_are_kept():
    t = play(FOUR, UCTPlayer(FOUR, 20))
    for action in (3, 3, 2, 1, 6):
        t.play(action)
    kept = [thought.search is not None for thought in t.line.thoughts if thought]
    assert kept == [False] * (len(kept) - KEPT_SEARCHES) + [True] * KEPT_SEARCHES
    assert all(thought.visits for thought in t.line.thoughts if thought)


def test_what_were_you_thinking():
    t = play(FOUR, UCTPlayer(FOUR, 60), moves="44")
    assert not t.view["why"]
    t.play(3)
    explorer = t.thinking()
    assert isinstance(explorer, Explorer)
    assert explorer.recording.tree is t.opponent.last_tree
    assert explorer.recording.tree.root.state == FOUR.from_moves("444")
    hear(t, do="think")
    assert t.explorer.record["root"]["cells"] == FOUR.cells(FOUR.from_moves("444"))
    first = t.explorer
    t.play(0)  # the new answer's search takes its place
    assert t.explorer is not first
    assert t.explorer.record["root"]["cells"] == FOUR.cells(t.line.states[-2])
    t.play(0)
    hear(t, do="think")
    assert t.explorer is None


def test_a_new_game_closes_the_search_of_the_old():
    t = play(FOUR, UCTPlayer(FOUR, 30))
    t.play(3)
    hear(t, do="think")
    assert t.explorer is not None
    t.new_game()
    assert t.explorer is None
    hear(t, do="think")
    assert "Its search cannot be shown here (ValueError: There is no search" in t.view["error"]


def test_a_recorded_search_can_be_stepped_through():
    t = play(FOUR, Recording(FOUR))
    t.play(3)
    assert t.thinking().step == 40
    assert t.view["visits"]["text"].startswith("recording chose ")


def test_level_changes_the_next_search():
    t = play(FOUR, UCTPlayer(FOUR, 30))
    assert t.level == 30
    assert t.view["level"]["steps"] == [1, 2, 5, 10, 20, 30, 50, 100, 200, 500, 1000, 2000]
    steps = play(FOUR, CompiledUCTPlayer(FOUR)).view["level"]["steps"]
    assert (20_000 in steps, steps[-1]) == (True, 1_000_000)
    hear(t, do="level", value=50)
    assert t.view["opponent"] == "UCT 50"
    t.play(3)
    assert sum(t.line.last_thought.visits) == 50
    t.level = 7  # not one of the steps: it becomes one
    assert 7 in t.view["level"]["steps"]
    with pytest.raises(ValueError, match="at least 1, not 0"):
        t.level = 0
    for level in (2.7, "x", None):
        with pytest.raises(ValueError, match="num_simulations must be a whole number"):
            t.level = level
    assert t.level == 7
    hear(t, do="level", value=-3)
    assert t.view["error"] == "num_simulations must be a whole number, at least 1, not -3."
    with pytest.raises(ValueError, match="not a search"):
        play(FOUR, RandomPlayer(FOUR)).level = 10


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (math.nan, "it answered nan, which is not an action"),
        (3.0, "it answered 3.0, which is not an action"),
        (None, "it answered None, which is not an action"),
        (4, "it answered move 5 (action 4), which is illegal here"),
        (-1, "it answered action -1, which is illegal here"),
    ],
)
def test_a_strange_answer_is_named_and_the_game_kept(answer, words):
    t = play(THREE, Answers(answer))
    t.play(4)
    for _ in range(2):
        assert t.moves == [4]
        assert f"answers could not move (ValueError: {words})." in t.view["error"]
        assert not t.is_thinking
        hear(t, do="retry")


class GivesUp(Leftmost):
    """Gives up, or fails, where the middle is taken."""

    name = "gives up"

    def __init__(self, game, said):
        super().__init__(game)
        self.said = said

    def choose(self, state, rng):
        if self.game.cells(state)[4]:
            raise self.said
        return super().choose(state, rng)


@pytest.mark.parametrize("in_background", [False, True])
def test_an_opponent_that_gives_up_has_lost(in_background):
    t = play(THREE, GivesUp(THREE, Forfeit("X resigns.")))
    (lambda: hear(t, do="play", action=4))() if in_background else t.play(4)
    assert (t.is_over, t.result, t.error) == (True, 1, "")
    assert t.view["result"] == {"winner": 0, "text": "You have won"}
    assert t.view["say"].startswith("X resigns: you have won")
    assert (t.view["legal"], t.view["yours"]) == ([], False)
    with pytest.raises(ValueError, match="The game is over"):
        t.play(0)
    t.go_to(0)
    assert (t.is_over, t.view["result"]) == (False, None)
    t.go_to(1)
    assert t.is_over
    t.take_back()
    assert (t.is_over, t.moves) == (False, [])
    t.play(8)
    assert t.moves == [8, 0]
    t.load("5")
    assert t.is_over
    t.swap_sides()  # to see what would have come
    assert (t.is_over, t.error, t.view["yours"]) == (False, "", True)
    t.opponent = Leftmost(THREE)
    assert not t.is_over


@pytest.mark.parametrize("fault", [Fault("It ended."), OtherRules("It refuses.")])
def test_an_opponent_whose_program_fails_may_try_again(fault):
    t = play(THREE, GivesUp(THREE, fault))
    t.play(4)
    assert (t.is_over, t.result, t.moves) == (False, None, [4])
    assert t.error == f"{fault} Your game is kept: let it try again, take back or swap sides."
    t.take_back()
    t.play(8)
    assert (t.moves, t.error) == ([8, 0], "")


def test_an_evaluator_that_answers_nan_is_the_opponents_failure():
    class Lost(Leftmost):
        name = "lost"

        def choose(self, state, rng):
            mcts = MCTS(self.game, uct(1.0), lambda game, state, rng: (None, math.nan))
            return mcts.run(state, 10, rng).best_action()

    t = play(THREE, Lost(THREE))
    hear(t, do="play", action=4)
    assert t.moves == [4]
    assert "lost could not move (ValueError: " in t.view["error"]


@pytest.mark.parametrize(
    ("value", "you", "side", "label"),
    [
        (0.05, 0, -1, "about even"),
        (-0.001, 0, -1, "about even"),
        (0.2, 0, 0, "you are a bit ahead"),
        (0.5, 0, 0, "you are ahead"),
        (0.9, 0, 0, "you are winning"),
        (0.9, 1, 0, "UCT 9 is winning"),
        (-0.5, 0, 1, "UCT 9 is ahead"),
        (-0.2, 1, 1, "you are a bit ahead"),
    ],
)
def test_the_bar_says_who_is_ahead_and_how_far(value, you, side, label):
    thought = Thought("UCT 9", FOUR.initial_state(), 3, value=value)
    told = opinion(FOUR, thought, you)
    assert (told["side"], told["label"]) == (side, label)
    assert f"{told['value']:.2f}" != "-0.00"
