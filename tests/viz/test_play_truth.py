"""Best moves at the play table, held against hand-made positions and against play to the end."""

import random
import sys

import pytest

from azlearn.arena import load_positions
from azlearn.games import ConnectFour, TicTacToe, solver
from azlearn.viz import play
from azlearn.viz.play_truth import moves_to_end, truth
from tests.viz.nim import Nim
from tests.viz.tactics import Tactics
from tests.viz.test_play import table

FOUR, THREE = ConnectFour(), TicTacToe()


def signs(game, moves):
    known = truth(game, game.from_moves(moves))
    return {game.action_label(a): sign for a, sign in enumerate(known.signs) if sign}, known.text


def test_a_win_at_once_and_what_the_other_moves_are_worth():
    # ✕ on 1 2, ◯ on 4 5, ✕ to move: 3 wins, 6 stops ◯ there, everything else loses to 6.
    t = table(moves="1425")
    assert t.show_best() == [2]
    seen = t.view["best"]
    assert seen["text"].startswith("Best: 3 (wins at once). W wins, D draws, L loses;")
    assert seen["cells"] == seen["actions"] == [2, 5, 6, 7, 8]
    assert seen["signs"][0] == "W1"
    assert seen["signs"][2:] == ["L1", "L1", "L1"]
    t.play(8)
    assert t.view["best"] is None  # it was about another position


def test_a_corner_is_answered_in_the_middle():
    found, text = signs(THREE, "1")
    assert found.pop("5") == "D"
    assert {sign[0] for sign in found.values()} == {"L"}
    assert len(found) == 7
    assert text == "Best: 5 (draws)."


def test_a_fork_wins_in_two_moves():
    # ✕ on 1 and 8, ◯ on 2 and 3, no threats: 7 threatens 4 and 9, and 9 threatens 5 and 7.
    found, text = signs(THREE, "1283")
    assert found["7"] == found["9"] == "W2"
    assert "W1" not in found.values()
    assert "7" in text.split("(")[0]


def test_the_empty_board_is_a_draw_wherever_one_plays():
    found, text = signs(THREE, "")
    assert set(found.values()) == {"D"}
    assert text == "Every move draws."


def test_two_threats_at_once_cannot_be_met():
    pytest.importorskip("bitbully")
    found, text = signs(FOUR, "33445")  # ● on 3 4 5 at the bottom wins on 2 or 6
    assert set(found.values()) == {"L1"}
    assert text == "Every move loses to the next move."


@pytest.mark.parametrize(("game", "plies"), [(THREE, 0), (FOUR, 30)])
def test_the_number_of_moves_is_how_long_perfect_play_takes(game, plies):
    if game is FOUR:
        pytest.importorskip("bitbully")
    rng, decided = random.Random(0), 0
    while decided < 25:
        state = game.initial_state()
        for _ in range(plies or rng.randrange(1, 7)):
            if game.outcome(state) is not None:
                break
            state = game.play(state, rng.choice(game.legal_actions(state)))
        if game.outcome(state) is not None:
            continue
        known = truth(game, state)
        score = known.scores[known.best[0]]
        promised = moves_to_end(game, state, score)
        assert (promised is None) == (score == 0)
        mover, count, now = game.to_play(state), 0, state
        while game.outcome(now) is None:
            count += (game.to_play(now) == mover) == (score > 0)
            now = game.play(now, truth(game, now).best[0])
        assert abs(game.outcome(now)) == (score != 0)
        if score:
            assert count == promised
            decided += 1


def test_the_numbers_of_labelled_positions():
    wins = [p for p in load_positions() if p.tactic == "win1"]
    blocks = [p for p in load_positions() if p.tactic == "block1"]
    assert len(wins) > 50
    assert len(blocks) > 50
    assert {moves_to_end(FOUR, p.state, p.best_score) for p in wins} == {1}
    lost = [min(s for s in p.scores if s is not None) for p in blocks]
    ends = {moves_to_end(FOUR, p.state, s) for p, s in zip(blocks, lost, strict=True)}
    assert ends == {1}


def test_connect_four_agrees_with_the_labelled_positions():
    pytest.importorskip("bitbully")
    for position in load_positions()[::100]:
        t = play(FOUR, moves=position.moves)
        best = [a for a in position.legal_actions if position.is_optimal(a)]
        assert t.show_best() == best
        assert t.truth.scores == list(position.scores)
        letters = [
            "LDW"[1 + (score > 0) - (score < 0)] for score in t.truth.scores if score is not None
        ]
        assert [sign[0] for sign in t.view["best"]["signs"]] == letters


def test_without_the_solver_the_table_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "bitbully", None)
    solver._bitbully.cache_clear()
    try:
        t = play(FOUR)
        with pytest.raises(solver.SolverMissing):
            t.show_best()
        ask(t)
        assert "pip install bitbully" in t.view["best"]["text"]
        assert t.view["best"]["actions"] == []
    finally:
        solver._bitbully.cache_clear()


def ask(table):
    """The button, and the solver's answer awaited."""
    table._heard(table, {"do": "best"}, [])
    assert table._solver.wait(20)


def test_the_button_shows_and_hides():
    t = table(moves="1425")
    t._heard(t, {"do": "best"}, [])
    assert t.view["best"] is not None
    assert t._solver.wait(10)
    assert t.view["best"]["best"] == [2]
    ask(t)
    assert t.view["best"] is None


def test_an_answer_that_comes_too_late_is_not_shown():
    t = table(moves="1425")
    t._heard(t, {"do": "best"}, [])
    t.play(5)
    assert t._solver.wait_for_end(10)
    assert t.view["best"] is None
    assert t.truth is None


def test_a_game_too_large_says_so():
    t = table(Tactics())
    ask(t)
    assert "too large" in t.view["best"]["text"]
    assert t.error == ""


def test_a_solver_that_fails_is_a_sentence():
    class Odd(TicTacToe):
        def to_play(self, state):
            if state.me and state.opp:
                raise KeyError("who?")
            return super().to_play(state)

    t = play(Odd())
    ask(t)
    assert t.view["best"]["text"] == "The solver failed (KeyError: 'who?')."


def test_a_finished_game_has_no_best_move():
    t = table(moves="14253")
    with pytest.raises(ValueError, match="The game is over"):
        t.show_best()


def test_a_game_that_does_not_count_stones_has_plain_letters():
    t = play(Nim())
    assert t.show_best() == [1]  # five matches: take two, and three are lost for the other
    assert t.view["best"]["text"] == (
        "Best: two (wins). W wins, D draws, L loses; the number counts the winner's moves."
    )
    assert t.view["best"]["signs"] == ["L", "W"]
    assert t.view["best"]["cells"] == []
