"""What compiled loops count: a reader's rules may make arrays, and lose no memory by it."""

import numpy as np

from azlearn.games import ConnectFour
from azlearn.games.named import find_game
from azlearn.search import BatchedPUCT, Plan, puct
from azlearn.search.engine.backends import COUNTED, cpu_backend
from tests.own_game import SOURCE

OLD = """def options(state):
    return state.first * (1 - state.mover) + state.second * state.mover
"""
NEW = """import numpy as np


def options(state):
    found = np.zeros(3, np.int64)
    found[1] = state.first * (1 - state.mover) + state.second * state.mover
    return found
"""


def test_rules_that_make_arrays_are_searched_compiled(tmp_path):
    source = SOURCE.replace(OLD, NEW).replace("options + action", "options[1] + action")
    assert "np.zeros" in source
    (tmp_path / "race.py").write_text(source, encoding="utf-8")
    game = find_game(f"{tmp_path / 'race.py'}:Race")
    engine = BatchedPUCT(game, 1, 60)
    engine.start(game.stack([game.initial_state()]), 60)
    while len((leaves := engine.select())[0]):
        legal = game.legal_mask(game.state_of([word[0] for word in leaves]))
        engine.update((legal / legal.sum())[None], np.zeros(1))
    assert engine.visit_counts[0, 0].sum() == 60


def test_only_rules_and_plans_of_the_package_go_uncounted():
    class Own(Plan):
        pass

    assert cpu_backend(ConnectFour().rules, type(puct())) == "cpu"
    assert cpu_backend(ConnectFour().rules, Own) == COUNTED
