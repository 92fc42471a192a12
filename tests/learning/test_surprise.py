"""Positions that surprised the network: how much, and how often they are learnt from."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from azlearn.games import TicTacToe
from azlearn.search.tree_policy import NodeStats
from tests.learning.readable_self_play import (
    ActiveGame,
    ReadableSelfPlay,
    Record,
    num_copies,
    surprise,
)
from tests.learning.self_played import TIC_TAC_TOE

GAME = TicTacToe()


def edges(prior, noise=None):
    return NodeStats(np.ones(len(prior), int), np.zeros(len(prior)), np.array(prior), 0.0, noise)


@pytest.mark.parametrize(
    ("policy", "prior"),
    [([0.5, 0.5, 0.0], [0.1, 0.6, 0.3]), ([0, 1, 0], [0.2, 0.5, 0.3]), ([0.2] * 5, [0.2] * 5)],
)
def test_it_is_scipys_relative_entropy_and_the_noise_of_the_root_does_not_count(policy, prior):
    right = pytest.approx(entropy(policy, prior), abs=1e-12)
    policy, noise = np.array(policy), np.arange(len(prior)) / sum(range(len(prior)))
    assert surprise(policy, edges(prior), 0.25) == right
    assert surprise(policy, edges(0.75 * np.array(prior) + 0.25 * noise, noise), 0.25) == right
    assert surprise(policy, edges(prior, np.zeros(len(prior))), 0.25) == right
    rounded_to_nothing = edges([1.0, 0.0])
    assert 0 < surprise(np.array([0.5, 0.5]), rounded_to_nothing, 0.0) < 20


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


@pytest.mark.parametrize(
    ("settings", "values", "proven", "surprises", "z", "times"),
    [
        # All the weight on the one position that surprised; O, to move there, wins in the end.
        ({"surprise_fraction": 1.0}, [0.0] * 5, [0] * 5, [0, 0, 1.3, 0, 0], [1, -1, 1, -1, 1],
         [0, 0, 5, 0, 0]),
        # X has proven a win, then plays on and loses: behind the proof that is how it went on.
        ({"value_target_mix": 0.5, "use_solver": True}, [0.4, 1.0, -0.2, 0.6, 0.0], [0, 1, 0, 0, 0],
         [0] * 5, [-1, 1, 1, -1, 1], [1] * 5),
    ],
)  # fmt: skip
def test_the_samples_of_a_game_by_hand(settings, values, proven, surprises, z, times):
    self_play = ReadableSelfPlay(replace(TIC_TAC_TOE, num_games=1, **settings))
    pi, share = np.eye(9, dtype=np.float32)[0], self_play.settings.value_target_mix
    states = [GAME.from_moves(moves) for moves in ("1", "15", "152", "1528", "15287")]
    columns = zip(states, values, map(bool, proven), surprises, strict=True)
    records = [Record(state, pi, *others) for state, *others in columns]
    game = ActiveGame(0, GAME.from_moves("152873"), 6, records)  # X to play, and lost
    samples = self_play._samples([(game, -1)])
    targets = [(1 - share) * a + share * b for a, b in zip(z, values, strict=True)]
    wanted = [row for *row, n in zip(states, targets, times, strict=True) for _ in range(n)][::-1]
    assert samples.words.tolist() == [list(state) for state, _ in wanted]
    assert samples.value_target.tolist() == pytest.approx([target for _, target in wanted])
