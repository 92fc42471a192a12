"""Giving up: rarely a game that was not lost."""

from dataclasses import replace

import numpy as np
import pytest

from azlearn.learning.resignation import Resignation
from tests.engines import evaluators
from tests.learning.readable_self_play import observe
from tests.learning.self_played import TIC_TAC_TOE, Watched


def results(root_values, outcome):
    """z of every mover where movers alternate; the outcome is for the one who would be next."""
    return [outcome * (-1) ** back for back in range(len(root_values), 0, -1)]


@pytest.mark.parametrize(
    ("root_values", "outcome", "lowest"),
    [
        # Movers alternate; the outcome is for the one who would be next, so -1: the last mover won.
        ([0.2, -0.5, 0.1, -0.9], -1, -0.9),  # moves 4 and 2 are the winner's
        ([0.2, -0.5, 0.1, -0.9], 1, 0.1),  # moves 3 and 1 are
        ([0.2, -0.5, 0.1, -0.9], 0, -0.9),  # a draw: nobody has lost
        ([0.3], -1, 0.3),
    ],
)
def test_the_lowest_value_of_a_side_that_did_not_lose_is_kept(root_values, outcome, lowest):
    resignation = Resignation(0.05)
    observe(resignation, root_values, results(root_values, outcome))
    assert list(resignation.lowest) == [lowest]


def test_a_game_without_a_move_of_such_a_side_says_nothing():
    resignation = Resignation(0.05)
    resignation.threshold = 1.1
    assert not observe(resignation, [], [])
    assert not observe(resignation, [-0.8], [-1])  # one searched move, by the loser
    assert not resignation.lowest


def test_nobody_resigns_before_50_games_or_without_a_rate():
    resignation, never = Resignation(0.05), Resignation(0.0)
    for n in range(60):
        assert (resignation.threshold > -1) == (n >= 50)
        assert never.threshold == -1
        for one in (resignation, never):
            observe(one, [-0.2 - 0.001 * n], [1])
            one.calibrate()


def stream(rng, n):
    """(root values, outcome) of games: the loser's values fall, the winner's dip now and then."""
    for _ in range(n):
        plies = int(rng.integers(8, 40))
        towards = np.linspace(0, 1, plies) ** 2
        noise = rng.normal(0, 0.25, plies)
        # The last mover wins: every second value, from the end, rises to +1.
        signs = np.where((plies - 1 - np.arange(plies)) % 2 == 0, 1, -1)
        yield np.clip(signs * towards + noise, -1, 1).tolist(), -1


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.2])
def test_of_new_games_about_the_asked_share_is_given_up_falsely(rate):
    """500 games set the threshold; 4,000 others are judged by it, move by move."""
    resignation, rng = Resignation(rate), np.random.default_rng(3)
    for game in stream(rng, 500):
        observe(resignation, game[0], results(*game))
    resignation.calibrate()
    false = rightly = 0
    for values, outcome in stream(rng, 4000):
        wrong = any((value < resignation.threshold) for value in values[::-1][::2])
        assert observe(resignation, values, results(values, outcome)) == wrong
        false += wrong
        rightly += any((value < resignation.threshold) for value in values[::-1][1::2])
    # The threshold is a quantile of 500: its own standard error in rate is sqrt(r (1 - r) / 500).
    assert false / 4000 == pytest.approx(rate, abs=4 * (rate / 450) ** 0.5)
    assert rightly / 4000 > 0.9  # and lost games are given up


def test_whoever_is_below_the_threshold_loses_unless_the_game_is_played_out():
    """A threshold above every value: the first move of a game ends it, lost by its mover."""
    changes = {"resign_rate": 0.05, "played_out_fraction": 0.25}
    watched = Watched(replace(TIC_TAC_TOE, **changes))
    watched.resignation.threshold = 1.1
    samples, statistics = watched.play(evaluators(watched.game, "hash").batch, 300)
    resigned, played_out = [], []
    for game, outcome in watched.ended.values():
        if watched.game.outcome(game.state) is None:
            resigned.append(game)
            assert outcome == 1
            assert len(game.records) == 1
        else:
            played_out.append(game)
    assert statistics.resigned == len(resigned) > 60
    assert len(played_out) > 5
    by_position = dict(zip(map(tuple, samples.words.tolist()),
                           samples.value_target.tolist(), strict=True))  # fmt: skip
    only_resigned = {g.records[0].state for g in resigned} - {
        r.state for g in played_out for r in g.records
    }
    assert len(only_resigned) > 10
    assert {by_position[state] for state in only_resigned} == {-1.0}
    # Whom a resignation makes the winner: the other player, by name.
    first = sum(watched.game.to_play(g.records[0].state) == 1 for g in resigned)
    by_rules = sum(watched.game.outcome(g.state) == -1 and
                   watched.game.to_play(g.state) == 1 for g in played_out)  # fmt: skip
    assert statistics.wins == first + by_rules


@pytest.mark.parametrize(("share", "low", "high"), [(0.1, 9, 11), (1.0, 100, 100)])
@pytest.mark.parametrize("rank", [0, 1])
def test_played_out_games_are_the_asked_share_of_every_hundred_of_a_rank(share, low, high, rank):
    changes = {"resign_rate": 0.05, "played_out_fraction": share, "random_opening_fraction": 0.0}
    watched = Watched(replace(TIC_TAC_TOE, **changes, simulations=2, first_simulations=1), rank, 2)
    watched.resignation.threshold = 1.1
    batch = evaluators(watched.game, "hash").batch
    while not {*range(rank, 600, 2)} <= watched.ended.keys():
        watched.play(batch, 100)
    for first in (0, 200, 400):
        games = [watched.ended[number][0] for number in range(first + rank, first + 200, 2)]
        assert low <= sum(watched.game.outcome(game.state) is not None for game in games) <= high


def test_false_resignations_are_counted_in_games_that_the_threshold_has_not_seen():
    """Every game is played out, so that each could have been given up wrongly."""
    changes = {"resign_rate": 0.1, "played_out_fraction": 1.0}
    watched = Watched(replace(TIC_TAC_TOE, **changes, simulations=4, first_simulations=2))
    batch, false, wrong = evaluators(watched.game, "hash").batch, 0, 0
    for _ in range(12):
        threshold, before = watched.resignation.threshold, set(watched.ended)
        _, statistics = watched.play(batch, 300)
        new = [watched.ended[number] for number in watched.ended.keys() - before]
        assert statistics.played_out == len(new) == statistics.games
        assert statistics.resigned == 0
        false += statistics.false_resignations
        for game, outcome in new:  # the outcome is for the player to move at the end
            last = watched.game.to_play(game.state)
            wrong += any(
                record.root_value < threshold
                and (outcome if watched.game.to_play(record.state) == last else -outcome) >= 0
                for record in game.records
            )
    assert false == wrong
    # At most the rate, but for chance: of so small a game's equal values none is below.
    assert 0.02 < false / len(watched.ended) < 0.13


def test_whoever_gives_up_loses_though_the_same_player_may_be_next():
    """In Dots and Boxes a box gives another move: the next to move may be the one who resigns."""
    changes = {"game": "dots_and_boxes:2x2", "resign_rate": 0.05, "played_out_fraction": 0.0001}
    watched = Watched(replace(TIC_TAC_TOE, **changes, random_opening_fraction=1.0))
    watched.resignation.threshold = 1.1
    watched.play(evaluators(watched.game, "hash").batch, 200)
    same_player_next = 0
    for game, outcome in watched.ended.values():
        if watched.game.outcome(game.state) is None:
            mover, following = (
                watched.game.to_play(s) for s in (game.records[0].state, game.state)
            )
            assert outcome == (-1 if following == mover else 1)
            same_player_next += following == mover
    assert same_player_next > 3
