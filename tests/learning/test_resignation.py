"""Giving up: rarely a game that was not lost."""

from dataclasses import replace

import pytest

from azlearn.learning.resignation import Resignation
from tests.engines import evaluators
from tests.learning.readable_self_play import observe
from tests.learning.self_played import TIC_TAC_TOE, Watched


def test_nobody_resigns_before_50_games_or_without_a_rate():
    resignation, never = Resignation(0.05), Resignation(0.0)
    for n in range(60):
        assert (resignation.threshold > -1) == (n >= 50)
        assert never.threshold == -1
        for one in (resignation, never):
            observe(one, [-0.2 - 0.001 * n], [1])
            observe(one, [-0.8], [-1])  # one searched move, by the loser, says nothing
            one.calibrate()
    # At most one in twenty lies below: the third of 60.
    assert sorted(resignation.lowest)[2] == resignation.threshold


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


@pytest.mark.parametrize(
    ("rank", "share", "low", "high"), [(0, 0.1, 9, 11), (1, 0.1, 9, 11), (0, 1.0, 100, 100)]
)
def test_played_out_games_are_the_asked_share_of_every_hundred_of_a_rank(rank, share, low, high):
    changes = {"resign_rate": 0.05, "played_out_fraction": share, "random_opening_fraction": 0.0}
    watched = Watched(replace(TIC_TAC_TOE, **changes, simulations=2, first_simulations=1), rank, 2)
    watched.resignation.threshold = 1.1
    batch = evaluators(watched.game, "hash").batch
    while not {*range(rank, 400, 2)} <= watched.ended.keys():
        watched.play(batch, 100)
    for first in (0, 200):
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
