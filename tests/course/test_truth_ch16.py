"""What the checks of chapter 16 take for the truth is true: the rules of the package's Othello."""

import numpy as np

from azlearn.course.exercises import EXERCISES
from azlearn.course.small_othello import FILE
from azlearn.games import Othello
from azlearn.games.named import find_game


def test_the_solutions_are_a_game_in_lock_step_with_the_package_s(tmp_path):
    bodies = [EXERCISES[f"16.{number}"].marking.solution for number in (1, 2, 3, 4)]
    (tmp_path / "my_othello.py").write_text(FILE.format("\n\n".join(bodies)), encoding="utf-8")
    mine, theirs = find_game(f"{tmp_path / 'my_othello.py'}:MyOthello"), Othello(6)
    rng, passes = np.random.default_rng(0), 0
    for _ in range(30):
        a, b = mine.initial_state(), theirs.initial_state()
        while legal := mine.legal_actions(a):
            assert legal == theirs.legal_actions(b)
            assert mine.cells(a) == theirs.cells(b)
            assert mine.to_play(a) == theirs.to_play(b)
            passes += legal == [theirs.rules.PASS]
            action = int(rng.choice(legal))
            a, b = mine.play(a, action), theirs.play(b, action)
        assert mine.outcome(a) == theirs.outcome(b) is not None
    assert passes > 5
