"""Best moves at the play table, held against hand-made positions and against play to the end."""

import random
import sys

import pytest

from azlearn.arena import load_positions
from azlearn.games import ConnectFour, TicTacToe, solver
from azlearn.viz import play
from azlearn.viz.solver_hints import moves_to_end, truth
from tests.viz.nim import Nim
from tests.viz.stand_ins import Tactics
from tests.viz.test_play import hear, say

FOUR, THREE = ConnectFour(), TicTacToe()


def signs(game, moves):
    known = truth(game, game.from_moves(moves))
    return {game.action_label(a): sign for a, sign in enumerate(known.signs) if sign}, known.text


def asked(game, **options):
    """What the button "Best move" shows."""
    t = play(game, **options)
    hear(t, do="best")
    assert t.error == ""
    return t.view["best"]


def test_a_win_at_once_and_what_the_other_moves_are_worth():
    # ✕ on 1 2, ◯ on 4 5, ✕ to move: 3 wins, 6 stops ◯ there, everything else loses to 6.
    t = play(THREE, moves="1425")
    assert t.show_best() == [2]
    seen = t.view["best"]
    assert seen["text"].startswith("Best: 3 (wins at once). W wins, D draws, L loses;")
    assert seen["cells"] == seen["actions"] == [2, 5, 6, 7, 8]
    assert seen["signs"][0] == "W1"
    assert seen["signs"][2:] == ["L1", "L1", "L1"]
    t.play(8)
    assert t.view["best"] is None  # it was about another position


def test_positions_whose_truth_is_known():
    found, text = signs(THREE, "1")  # a corner is answered in the middle
    assert found.pop("5") == "D"
    assert [sign[0] for sign in found.values()] == ["L"] * 7
    assert text == "Best: 5 (draws)."
    # ✕ on 1 and 8, ◯ on 2 and 3, no threats: 7 threatens 4 and 9, and 9 threatens 5 and 7.
    found, text = signs(THREE, "1283")
    assert found["7"] == found["9"] == "W2"
    assert "W1" not in found.values()
    assert "7" in text.split("(")[0]
    found, text = signs(THREE, "")
    assert (set(found.values()), text) == ({"D"}, "Every move draws.")


@pytest.mark.parametrize(("game", "plies"), [(THREE, 0), (FOUR, 30)])
def test_the_number_of_moves_is_how_long_perfect_play_takes(game, plies):
    if game is FOUR:
        pytest.importorskip("bitbully")
    rng, decided = random.Random(0), 0
    while decided < 15:
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


def test_connect_four_agrees_with_the_labelled_positions():
    pytest.importorskip("bitbully")
    for position in load_positions()[::100]:
        t = play(FOUR, moves=position.moves)
        assert t.show_best() == [a for a in position.legal_actions if position.is_optimal(a)]
        assert t.truth.scores == list(position.scores)
        legal = [score for score in t.truth.scores if score is not None]
        letters = ["LDW"[1 + (score > 0) - (score < 0)] for score in legal]
        assert [sign[0] for sign in t.view["best"]["signs"]] == letters
    wins = [p for p in load_positions() if p.tactic == "win1"]
    assert len(wins) > 50
    assert {moves_to_end(FOUR, p.state, p.best_score) for p in wins} == {1}


def test_without_the_solver_the_table_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "bitbully", None)
    solver._bitbully.cache_clear()
    try:
        with pytest.raises(solver.SolverMissing):
            play(FOUR).show_best()
        seen = asked(FOUR)
        assert "pip install bitbully" in seen["text"]
        assert seen["actions"] == []
    finally:
        solver._bitbully.cache_clear()


def test_the_button_shows_and_hides_and_no_late_answer_is_shown():
    t = play(THREE, moves="1425")
    say(t, do="best")
    assert t.view["best"] is not None
    assert t.wait(60)
    assert t.view["best"]["best"] == [2]
    hear(t, do="best")
    assert t.view["best"] is None
    say(t, do="best")
    t.play(5)
    assert t._solver.wait_for_end(60)
    assert (t.view["best"], t.truth) == (None, None)


def test_other_games_have_plain_letters_or_a_sentence_that_says_why_not():
    class Odd(TicTacToe):
        def to_play(self, state):
            if state.me and state.opp:
                raise KeyError("who?")
            return super().to_play(state)

    assert "too large" in asked(Tactics())["text"]
    seen = asked(Nim())  # five matches: take two, and three are lost for the other
    assert seen["text"] == (
        "Best: two (wins). W wins, D draws, L loses; the number counts the winner's moves."
    )
    assert (seen["best"], seen["signs"], seen["cells"]) == ([1], ["L", "W"], [])
    assert asked(Odd())["text"] == "The solver failed (KeyError: 'who?')."
    with pytest.raises(ValueError, match="The game is over"):
        play(THREE, moves="14253").show_best()
