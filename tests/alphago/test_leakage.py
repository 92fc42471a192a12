"""The leak, where there is nothing to understand: results drawn by lot."""

import numpy as np
import pytest

from azlearn.alphago import positions_of, value_network
from azlearn.alphago.fitting import FitSettings
from azlearn.alphago.value_network import leak
from azlearn.games import ConnectFour
from tests.alphago.records import random_records

GAME = ConnectFour()


def games_won_by_lot(num_games):
    """z is a coin flip of the game, for the player to move in each position."""
    positions = positions_of(GAME, random_records(GAME, num_games, seed=7))
    winner = np.random.default_rng(8).choice([-1, 1], size=num_games)
    z = winner[positions.game_number] * (1 - 2 * (positions.ply % 2))
    return positions._replace(z=z.astype(np.float32))


def test_results_by_lot_are_foretold_only_where_they_leak():
    """Nothing can do better than 1, the error of a value of 0, without the leak."""
    settings = FitSettings(epochs=30, batch_size=64, learning_rate=5e-3)
    found = leak(games_won_by_lot(30), "raw", "tiny", settings, 0.5)
    assert found.num_test == 15
    assert found.apart > 0.9
    assert found.together < 0.5
    assert found.gain == pytest.approx(found.apart - found.together)
    assert 0 < found.gain_interval[0] < found.gain < found.gain_interval[1]


def test_only_the_siblings_differ(monkeypatch):
    learnt = []
    monkeypatch.setattr(value_network, "fit", lambda *args: learnt.append(args))
    positions = games_won_by_lot(20)
    found = leak(positions, "all", "tiny", held_out_share=0.2, rng=3)
    (apart, together) = (args[2] for args in learnt)
    rows = [set(zip(side.game_number, side.ply, strict=True)) for side in (apart, together)]
    assert len(rows[0]) == len(rows[1]) == len(apart.me) == len(together.me) == found.num_train
    every = set(zip(positions.game_number, positions.ply, strict=True))
    test_games = set(range(20)) - set(apart.game_number)
    assert rows[0] == {row for row in every if row[0] not in test_games}
    of_test_games = {row for row in every if row[0] in test_games}
    left_out = of_test_games - rows[1]
    assert sorted(number for number, _ in left_out) == sorted(test_games)  # one of each
    assert len(test_games) == found.num_test == 4
    assert rows[1] - of_test_games < rows[0]
    # The two networks are the same untrained one, so nothing can be gained.
    assert found.gain == 0


def test_impossible_shares_and_too_few_games_are_refused():
    for share in (0, 0.6, float("nan")):
        with pytest.raises(
            ValueError, match=r"held_out_share must be more than 0 and at most 0\.5"
        ):
            leak(games_won_by_lot(4), held_out_share=share)
    with pytest.raises(ValueError, match=r"4 games are too few to hold out 0\.2 of them"):
        leak(games_won_by_lot(4), held_out_share=0.2)
