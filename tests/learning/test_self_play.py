"""Self-play: its games are legal, its targets true, and nothing depends on the slots."""

from dataclasses import replace

import numpy as np
import pytest

from tests.engines import evaluators
from tests.learning.self_played import TIC_TAC_TOE, Watched, game_in, moves_of

CONNECT_FOUR = replace(TIC_TAC_TOE, game="connect4", opening_plies=12, temperature_plies=14)
GAMES = pytest.mark.parametrize("settings", [TIC_TAC_TOE, CONNECT_FOUR], ids=lambda s: s.game)


def played(settings, num_moves, *, kind="hash", calls=1, ranks=(), **changes):
    """``(self_play, samples of each call, statistics of each call)``."""
    watched = Watched(replace(settings, **changes), *ranks)
    batch = evaluators(watched.game, kind).batch
    samples, statistics = zip(*(watched.play(batch, num_moves) for _ in range(calls)), strict=True)
    return watched, samples, statistics


def contents(ended, number):
    """Everything in a finished game that can be compared."""
    game, outcome = ended[number]
    records = [(r.state, r.policy.tolist(), r.root_value) for r in game.records]
    return game.state, game.ply, outcome, records


@GAMES
def test_games_do_not_depend_on_slots_calls_or_ranks(settings):
    few_moves = 36 if settings is TIC_TAC_TOE else 120
    alone, *_ = played(settings, few_moves, num_games=1)
    assert len(alone.ended) >= 4
    others = [
        played(settings, few_moves * 3, num_games=16),
        played(settings, few_moves // 4, num_games=3, calls=8),
        played(settings, few_moves * 3, num_games=3, ranks=(1, 2)),
    ]
    for other, *_ in others:
        common = alone.ended.keys() & other.ended.keys()
        assert len(common) >= 2
        for number in common:
            assert contents(alone.ended, number) == contents(other.ended, number)
    assert {number % 2 for number in other.ended} == {1}  # the second rank of two


@GAMES
def test_every_target_is_the_result_for_the_player_to_move(settings):
    """Each game is replayed by the rules, which say who has won; a draw is 0 for both."""
    watched, (samples,), (statistics,) = played(settings, 400, num_games=16)
    rules, expected, results = watched.game, [], []
    for game, _ in watched.ended.values():
        state = game.records[0].state
        assert rules.batch_to_play(state) == (game.ply - len(game.records)) % 2
        for action in moves_of(rules, game):
            state = rules.play(state, action)
        assert state == game.state
        assert rules.outcome(state) is not None
        winner = None if rules.outcome(state) == 0 else 1 - rules.to_play(state)
        results.append(winner)
        for record in reversed(game.records):
            mover = rules.to_play(record.state)
            z = 0.0 if winner is None else 1.0 if mover == winner else -1.0
            expected.append((*record.state, z))
    legal = rules.batch_legal_mask(rules.State(*samples.words.T))
    np.testing.assert_allclose(samples.policy_target.sum(1), 1, atol=1e-6)
    assert (samples.policy_target >= 0).all()
    assert not samples.policy_target[~legal].any()
    found = zip(*samples.words.T.tolist(), samples.value_target.tolist())  # noqa: B905
    assert list(found) == expected
    assert {z for *_, z in expected} >= ({-1, 0, 1} if settings is TIC_TAC_TOE else {-1, 1})
    assert statistics.games == len(results)
    assert (statistics.wins, statistics.draws) == (results.count(0), results.count(None))
    assert statistics.plies == sum(game.ply for game, _ in watched.ended.values())
    assert statistics.samples == len(expected)
    assert statistics.resigned == 0


@GAMES
@pytest.mark.parametrize("plies", [3, 8])
def test_openings_are_random_and_never_finished(settings, plies):
    """Eight random moves often finish tic-tac-toe: those are drawn anew."""
    for share in (0.0, 0.5, 1.0):
        changes = {"num_games": 300, "random_opening_fraction": share, "opening_plies": plies}
        watched = Watched(replace(settings, **changes))
        rules, games = watched.game, [game_in(watched, slot) for slot in range(300)]
        stones = [sum(cell > 0 for cell in rules.cells(game.state)) for game in games]
        assert stones == [game.ply for game in games]
        assert all(rules.outcome(game.state) is None for game in games)
        assert max(stones) <= plies
        with_opening = np.mean([n > 0 for n in stones])
        # 0.5: some of the finished ones come back without an opening.
        assert with_opening == share if share in (0.0, 1.0) else 0.33 < with_opening < 0.6
        if share:
            assert set(stones) - {0} == set(range(1, plies + 1))
            assert len({game.state for game in games}) > 20
    assert {game.number for game in games} == set(range(300))


@pytest.mark.parametrize("temperature_plies", [0, 3])
def test_moves_are_drawn_from_the_visits_at_first_and_then_the_most_visited(temperature_plies):
    """Drawn, the most visited is chosen as often as its shares add up to, within 4 errors."""
    watched, *_ = played(
        TIC_TAC_TOE, 400, temperature_plies=temperature_plies, random_opening_fraction=0.3
    )
    expected = variance = hits = 0.0
    for game, _ in watched.ended.values():
        first = game.ply - len(game.records)
        for ply, (record, action) in enumerate(
            zip(game.records, moves_of(watched.game, game), strict=True), first
        ):
            assert record.policy[action] > 0
            if ply >= temperature_plies:
                assert record.policy[action] == record.policy.max()
            else:
                share = float(record.policy.max())
                expected += share
                variance += share * (1 - share)
                hits += action == record.policy.argmax()
    if temperature_plies:
        assert variance > 10
        assert abs(hits - expected) < 4 * variance**0.5
    else:
        assert expected == 0


@pytest.mark.parametrize("symmetry", ["none", "random"])
def test_the_evaluator_is_asked_about_unfinished_positions_only_and_counted(symmetry):
    """No answer is kept where each question draws a mirror image."""
    watched, asked = Watched(replace(TIC_TAC_TOE, symmetry=symmetry)), []
    batch = evaluators(watched.game, "hash").batch

    def evaluate(leaves, legal_mask):
        np.testing.assert_array_equal(watched.game.batch_legal_mask(leaves), legal_mask)
        assert legal_mask.any(1).all()
        asked.extend(zip(*(word.tolist() for word in leaves), strict=True))
        return batch(leaves)

    _, statistics = watched.play(evaluate, 200)
    assert statistics.evaluations == len(asked) > len({*asked})
    assert (statistics.cached == 0) == (symmetry == "random")
    assert 200 <= statistics.moves < 200 + TIC_TAC_TOE.num_games


def test_what_the_evaluator_before_has_said_is_forgotten():
    """Games begun after the change are those of a run that never knew the first evaluator."""
    watched, *_ = played(TIC_TAC_TOE, 150, kind="hash")
    begun = watched.next_number
    watched.play(evaluators(watched.game, "constant").batch, 150)
    other, *_ = played(TIC_TAC_TOE, 300, kind="constant")
    common = [n for n in watched.ended.keys() & other.ended.keys() if n >= begun]
    assert len(common) > 5
    assert all(contents(watched.ended, n) == contents(other.ended, n) for n in common)
