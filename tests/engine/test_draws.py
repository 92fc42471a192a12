"""Random numbers by hash: against published outputs, and against the distributions they claim."""

import numba
import numpy as np
import pytest
import torch
from scipy import stats

from azlearn.search.engine import draws

MODULUS = 2**64
GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
EXTREMES = [0, 1, -1, 2**62, 2**63 - 1, -(2**63), -(2**63) + 1, 0x0123456789ABCDEF]
PURPOSES = (draws.OPENING, draws.NOISE, draws.MOVE, draws.FULL, draws.COPIES, draws.IMAGE)
LIKELY = 1e-4  # the draws are always the same: a p-value below this would stay there


def signed(bits: int) -> int:
    return (bits + 2**63) % MODULUS - 2**63


def reference(bits: int) -> int:
    """The mixing of splitmix64 in Python's whole numbers, which do not wrap around."""
    bits = ((bits ^ (bits >> 30)) * FIRST) % MODULUS
    bits = ((bits ^ (bits >> 27)) * SECOND) % MODULUS
    return bits ^ (bits >> 31)


def whole_by_hand(seed: int, purpose: int, *place: int) -> int:
    bits = reference((reference((seed + GOLDEN) % MODULUS) + GOLDEN + purpose) % MODULUS)
    for part in place:
        bits = reference(((part % MODULUS ^ bits) + GOLDEN) % MODULUS)
    return bits >> 12


@numba.njit
def compiled_row(seed, purpose, game, which):
    return np.array([draws.uniform(seed, purpose, g, 7, which) for g in game])


@numba.njit
def gammas(alpha, n):
    return np.array([draws.gamma(alpha, 1, i // 40, i % 40, 3) for i in range(n)])


@numba.njit
def dirichlets(total, is_legal, n):
    out = np.zeros((n, len(is_legal)))
    for i in range(n):
        draws.dirichlet(out[i], total, is_legal, 5, i, 3)
    return out


@numba.njit
def gumbels(n):
    out = np.zeros((n, 7))
    for i in range(n):
        draws.gumbel(out[i], np.ones(7, np.bool_), 5, i, 3)
    return out


def test_the_published_outputs_of_splitmix64():
    """Seed 1234567, as in the test vectors that come with the reference implementation in C."""
    published = [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
        16408922859458223821,
    ]  # fmt: skip
    words = [signed((1234567 + GOLDEN * i) % MODULUS) for i in range(1, 6)]
    assert [word % MODULUS for word in draws.mixed(torch.tensor(words)).tolist()] == published
    assert [draws.mixed(word) % MODULUS for word in words] == published


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**63 - 1])
def test_python_tensors_and_compiled_code_draw_what_is_worked_out_by_hand(seed):
    games, in_a_tensor = torch.tensor(EXTREMES), torch.tensor(seed)
    for purpose in PURPOSES:
        right = [whole_by_hand(seed, purpose, number, 7, 2) for number in EXTREMES]
        assert draws.whole(in_a_tensor, purpose, games, 7, 2).tolist() == right
        found = [draws.whole(seed, purpose, number, 7, 2) % 2**52 for number in EXTREMES]
        assert found == right
        numbers = compiled_row(seed, purpose, games.numpy(), 2)
        assert numbers.tolist() == [(number + 0.5) / 2**52 for number in right]


def uniforms(purpose=draws.MOVE, seed=3, which=0):
    """Draws as self-play makes them: games in order."""
    return compiled_row(seed, purpose, np.arange(50_000), which)


@pytest.mark.parametrize("purpose", PURPOSES)
def test_draws_are_uniform_in_high_and_in_low_bits(purpose):
    u = uniforms(purpose)
    assert len(np.unique(u)) == len(u)
    assert stats.kstest(u, "uniform").pvalue > LIKELY
    low = (u * 2.0**52).astype(np.int64) & 255
    assert stats.chisquare(np.bincount(low, minlength=256)).pvalue > LIKELY
    for lag in (1, 2, 40):
        assert stats.pearsonr(u[:-lag], u[lag:]).pvalue > LIKELY


def test_draws_for_different_things_are_independent():
    one, others = uniforms(), [uniforms(purpose) for purpose in PURPOSES if purpose != draws.MOVE]
    others += [uniforms(seed=4), uniforms(which=1), uniforms(draws.MOVE + 1, seed=2)]
    for other in others:
        assert not (one == other).any()
        table = np.histogram2d(one, other, bins=16, range=[[0, 1]] * 2)[0]
        assert stats.chisquare(table.ravel()).pvalue > LIKELY


@pytest.mark.parametrize("alpha", [0.03, 0.3, 10 / 7, 1.0, 40.0])
def test_gamma_draws_are_of_the_gamma_distribution(alpha):
    x = gammas(alpha, 40_000)
    assert (x >= 0).all()
    assert abs(x.mean() - alpha) < 4 * np.sqrt(alpha / len(x))
    assert stats.kstest(x, stats.gamma(alpha).cdf).pvalue > LIKELY


@pytest.mark.parametrize("total", [10.0, 0.7])
@pytest.mark.parametrize("legal", [[1] * 7, [1, 0, 1, 1, 0, 0, 1], [0, 1, 0, 0, 0, 0, 1]])
def test_dirichlet_draws_have_the_moments_of_the_formula(total, legal):
    """a = total / k on k legal moves: mean 1/k, variance (1/k)(1 - 1/k) / (total + 1), and
    covariance -1/k² / (total + 1). One move alone is beta distributed."""
    n, k, is_legal = 40_000, sum(legal), np.array(legal, bool)
    x = dirichlets(total, is_legal, n)
    assert not x[:, ~is_legal].any()
    np.testing.assert_allclose(x.sum(axis=1), 1, atol=1e-12)
    x, variance = x[:, is_legal], (1 / k) * (1 - 1 / k) / (total + 1)
    assert abs(x.mean(axis=0) - 1 / k).max() < 4.5 * np.sqrt(variance / n)
    right = np.where(np.eye(k, dtype=bool), variance, -1 / k**2 / (total + 1))
    assert abs(np.cov(x.T) - right).max() < 0.03 * variance
    for column in x.T:
        assert stats.kstest(column, stats.beta(total / k, total - total / k).cdf).pvalue > LIKELY


def test_gumbel_draws_are_of_the_gumbel_distribution():
    for column in gumbels(20_000).T:
        assert stats.kstest(column, stats.gumbel_r.cdf).pvalue > LIKELY
