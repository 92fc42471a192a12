"""Positions that surprised the network: how much, and how often they are learnt from."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from azlearn.games import TicTacToe
from azlearn.search.tree_policy import NodeStats
from tests.engines import evaluators
from tests.learning.readable_self_play import (
    ActiveGame,
    ReadableSelfPlay,
    Record,
    num_copies,
    surprise,
)
from tests.learning.self_played import TIC_TAC_TOE, Watched

GAME = TicTacToe()


def edges(prior, noise=None):
    return NodeStats(np.ones(len(prior), int), np.zeros(len(prior)), np.array(prior), 0.0, noise)


@pytest.mark.parametrize(
    ("policy", "prior"),
    [([0.5, 0.5, 0.0], [0.1, 0.6, 0.3]), ([0, 1, 0], [0.2, 0.5, 0.3]), ([0.2] * 5, [0.2] * 5)],
)
def test_it_is_scipys_relative_entropy(policy, prior):
    found = surprise(np.array(policy), edges(prior), 0.25)
    assert found == pytest.approx(entropy(policy, prior), abs=1e-12)


def test_the_noise_of_the_root_does_not_count():
    noise, prior = np.array([0.9, 0.1, 0.0]), np.array([0.2, 0.3, 0.5])
    mixed, policy = 0.75 * prior + 0.25 * noise, np.array([0.1, 0.1, 0.8])
    found = surprise(policy, edges(mixed, noise), 0.25)
    assert found == pytest.approx(entropy(policy, prior))
    assert surprise(policy, edges(prior, np.zeros(3)), 0.25) == pytest.approx(found)


def test_a_prior_that_is_rounded_to_nothing_is_no_infinite_surprise():
    assert 0 < surprise(np.array([0.5, 0.5]), edges([1.0, 0.0]), 0.0) < 20
    assert surprise(np.array([1.0, 0.0]), edges([1.0, 0.0]), 0.0) == 0


@given(
    st.lists(st.floats(0, 50), min_size=1, max_size=30), st.floats(0, 1), st.integers(0, 2**32 - 1)
)
def test_copies_are_the_weights_rounded_by_chance(surprises, share, seed):
    n, total = len(surprises), sum(surprises)
    relative = [n * s / total for s in surprises] if total > 0 else [1.0] * n
    weights = np.array([1 - share + share * r for r in relative])
    copies = num_copies(np.array(surprises), share, np.random.default_rng(seed).random(n))
    assert copies.dtype == np.int64
    assert (np.abs(copies - weights) < 1 + 1e-9).all()
    assert weights.sum() == pytest.approx(n)
    if share == 0:
        assert copies.tolist() == [1] * n


def test_in_the_mean_the_copies_are_the_weights():
    rng, surprises = np.random.default_rng(0), np.array([0.0, 0.1, 0.3, 1.6])
    mean = np.mean([num_copies(surprises, 0.5, rng.random(4)) for _ in range(4000)], axis=0)
    np.testing.assert_allclose(mean, [0.5, 0.6, 0.8, 2.1], atol=0.05)  # 0.5 + 0.5 · 4 · s / 2


def test_a_game_by_hand():
    """All the weight on the one position that surprised: it comes five times, the others never."""
    settings = replace(TIC_TAC_TOE, surprise_fraction=1.0, num_games=1)
    self_play, pi = ReadableSelfPlay(settings), np.eye(9, dtype=np.float32)[0]
    states = [GAME.from_moves(text) for text in ("1", "15", "152", "1528", "15287")]
    found = [0.0, 0.0, 1.3, 0.0, 0.0]
    records = [Record(s, pi, 0.0, False, x) for s, x in zip(states, found, strict=True)]
    game = ActiveGame(0, GAME.from_moves("152873"), 6, records)
    samples = self_play._samples([(game, -1)])
    assert samples.words.tolist() == [list(states[2])] * 5
    assert samples.value_target.tolist() == [1.0] * 5  # O has won, who is to move there


def test_self_play_learns_from_what_surprised_it_and_slots_change_nothing():
    settings, evaluate = replace(TIC_TAC_TOE, surprise_fraction=0.5), evaluators(GAME, "hash").batch
    watched = Watched(settings)
    samples, statistics = watched.play(evaluate, 600)
    times = dict.fromkeys(map(tuple, samples.words.tolist()), 0)
    for words in samples.words.tolist():
        times[tuple(words)] += 1
    assert len(samples.words) == pytest.approx(statistics.samples, rel=0.05)
    records = [record for game, _ in watched.ended.values() for record in game.records]
    assert {record.state for record in records} > set(times)  # some are left out
    halves = np.argsort([record.surprise for record in records])
    low, high = halves[: len(halves) // 2], halves[len(halves) // 2 :]
    alike = {record.state: sum(r.state == record.state for r in records) for record in records}
    share = [times.get(r.state, 0) / alike[r.state] for r in records]
    assert np.mean([share[i] for i in high]) > 1.2 * np.mean([share[i] for i in low])
    alone = Watched(replace(settings, num_games=1))
    alone.play(evaluate, 60)
    readable = ReadableSelfPlay(settings)
    for number, mine in alone.ended.items():
        pairs = (readable._samples([game]) for game in (mine, watched.ended[number]))
        for one, other in zip(*pairs, strict=True):
            np.testing.assert_array_equal(one, other)
