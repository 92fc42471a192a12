"""Random numbers by hash: against published outputs, and against the distributions they claim."""

import numpy as np
import pytest
import torch
from scipy import stats

from azlearn.learning.device import hashed_draws as draws

MODULUS = 2**64
GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
EXTREMES = [0, 1, -1, 2**62, 2**63 - 1, -(2**63), -(2**63) + 1, 0x0123456789ABCDEF]
PURPOSES = (draws.START, draws.NOISE, draws.MOVE, draws.SAMPLE, draws.TURN, draws.IMAGE)
LIKELY = 1e-4  # the draws are always the same: a p-value below this would stay there


def signed(bits: int) -> int:
    return (bits + 2**63) % MODULUS - 2**63


def reference(bits: int) -> int:
    """The mixing of splitmix64 in Python's whole numbers, which do not wrap around."""
    bits = ((bits ^ (bits >> 30)) * FIRST) % MODULUS
    bits = ((bits ^ (bits >> 27)) * SECOND) % MODULUS
    return bits ^ (bits >> 31)


def unmixed(bits: int) -> int:
    """What ``reference`` makes ``bits`` of: every step of it backwards."""

    def unshifted(bits: int, shift: int) -> int:
        found = bits
        for _ in range(64 // shift + 1):
            found = bits ^ (found >> shift)
        return found

    bits = unshifted(bits, 31) * pow(SECOND, -1, MODULUS) % MODULUS
    bits = unshifted(bits, 27) * pow(FIRST, -1, MODULUS) % MODULUS
    return unshifted(bits, 30)


def base(seed: int, purpose: int) -> int:
    return reference((reference((seed + GOLDEN) % MODULUS) + GOLDEN + purpose) % MODULUS)


def test_the_published_outputs_of_splitmix64():
    """Seed 1234567, as in the test vectors that come with the reference implementation in C."""
    published = [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
        16408922859458223821,
    ]  # fmt: skip
    state = 1234567 + GOLDEN * np.arange(1, 6, dtype=object)
    words = np.array([signed(int(word)) for word in state])
    assert [word % MODULUS for word in draws.mixed(words).tolist()] == published
    assert draws.mixed(torch.from_numpy(words)).tolist() == draws.mixed(words).tolist()


def test_the_mixing_at_the_ends_of_int64(device):
    words = torch.tensor(EXTREMES, device=device)
    right = [signed(reference(word % MODULUS)) for word in EXTREMES]
    assert draws.mixed(words).tolist() == right
    assert draws.mixed(np.array(EXTREMES)).tolist() == right
    assert [unmixed(reference(word % MODULUS)) for word in EXTREMES] == [
        word % MODULUS for word in EXTREMES
    ]


def test_a_draw_worked_out_in_whole_numbers(device):
    """A word for the seed and the purpose; then one for every number of the place."""
    first, second = torch.tensor(EXTREMES, device=device), torch.tensor(7, device=device)
    for seed in (0, 1, 2**31, 2**63 - 1):
        for purpose in PURPOSES:
            found = draws.uniform(seed, purpose, first, second)
            assert found.dtype == torch.float64
            for number, u in zip(EXTREMES, found.tolist(), strict=True):
                bits = base(seed, purpose)
                for part in (number, 7):
                    bits = reference(((part % MODULUS ^ bits) + GOLDEN) % MODULUS)
                assert u == ((bits >> 12) + 0.5) / 2**52


def test_the_ends_0_and_1_are_never_drawn(device):
    """The places whose hash is all zeros and all ones: the least and the greatest draw."""
    for seed in (0, 5):
        for bits, right in ((0, 2.0**-53), (MODULUS - 1, 1 - 2.0**-53)):
            place = (unmixed(bits) - GOLDEN) % MODULUS ^ base(seed, draws.MOVE)
            there = torch.tensor([signed(place)], device=device)
            assert draws.uniform(seed, draws.MOVE, there).tolist() == [right]
    # … so that a draw times a length is always an index.
    for length in (1, 3, 7, 16_384, 2**20 + 1, 2_000_000, 2**31):
        assert int(torch.tensor(1 - 2.0**-53, dtype=torch.float64) * length) == length - 1


def test_places_broadcast():
    rows, columns = torch.arange(3)[:, None], torch.arange(5)
    found = draws.uniform(1, draws.MOVE, rows, columns)
    assert found.shape == (3, 5)
    for row in range(3):
        for column in range(5):
            alone = draws.uniform(1, draws.MOVE, torch.tensor(row), torch.tensor(column))
            assert found[row, column] == alone


def uniform_by_place(n=200_000, seed=3, purpose=draws.MOVE):
    """Draws as self-play makes them: games in order, plies within each."""
    place = torch.arange(n)
    return draws.uniform(seed, purpose, place // 40, place % 40).numpy()


@pytest.mark.parametrize("seed", [0, 1, 2**62])
@pytest.mark.parametrize("purpose", PURPOSES)
def test_draws_are_uniform_in_high_and_in_low_bits(seed, purpose):
    u = uniform_by_place(seed=seed, purpose=purpose)
    assert len(np.unique(u)) == len(u)
    assert stats.kstest(u, "uniform").pvalue > LIKELY
    assert stats.chisquare(np.bincount((u * 1024).astype(int), minlength=1024)).pvalue > LIKELY
    low = (u * 2.0**52).astype(np.int64) & 255
    assert stats.chisquare(np.bincount(low, minlength=256)).pvalue > LIKELY


def neighbours():
    """Pairs of draws that differ in one thing only: (what, one, other)."""
    game, ply = torch.arange(100_000) // 40, torch.arange(100_000) % 40
    one = draws.uniform(3, draws.MOVE, game, ply)
    yield "seeds", one, draws.uniform(4, draws.MOVE, game, ply)
    yield "games", one, draws.uniform(3, draws.MOVE, game + 1, ply)
    yield "plies", one, draws.uniform(3, draws.MOVE, game, ply + 1)
    yield "a place and the same turned round", one, draws.uniform(3, draws.MOVE, ply, game)
    yield "a place and a longer one", one, draws.uniform(3, draws.MOVE, game, ply, ply * 0)
    yield "one number and two", draws.uniform(3, draws.MOVE, torch.arange(100_000)), one
    for purpose in PURPOSES:
        if purpose != draws.MOVE:
            yield f"purposes {purpose}", one, draws.uniform(3, purpose, game, ply)
    # A seed and a purpose must not add up to the same thing.
    yield "seed and purpose", one, draws.uniform(2, draws.MOVE + 1, game, ply)


@pytest.mark.parametrize(("one", "other"), [
    pytest.param(one, other, id=what) for what, one, other in neighbours()
])  # fmt: skip
def test_draws_for_different_things_are_independent(one, other):
    off = torch.arange(len(one)) % 40 != torch.arange(len(one)) // 40  # (k, k) turned is itself
    one, other = one[off].numpy(), other[off].numpy()
    assert not (one == other).any()
    table = np.histogram2d(one, other, bins=16, range=[[0, 1]] * 2)[0]
    assert stats.chisquare(table.ravel()).pvalue > LIKELY
    assert stats.pearsonr(one, other).pvalue > LIKELY


def test_games_one_after_the_other_have_no_memory():
    u = uniform_by_place()
    for lag in (1, 2, 39, 40, 41):
        assert stats.pearsonr(u[:-lag], u[lag:]).pvalue > LIKELY


@pytest.mark.parametrize("alpha", [0.03, 0.3, 10 / 7, 1.0, 2.5, 40.0])
def test_gamma_draws_are_of_the_gamma_distribution(alpha, device):
    """A mean and a variance of alpha, and the whole distribution by Kolmogorov and Smirnov."""
    place = torch.arange(40_000, device=device)
    shape = torch.full((40_000,), alpha, dtype=torch.float64, device=device)
    x = draws.gamma(shape, 1, draws.NOISE, place).cpu().numpy()
    assert np.isfinite(x).all()
    assert (x >= 0).all()
    error = np.sqrt(alpha / len(x))
    assert abs(x.mean() - alpha) < 4 * error
    fourth = 3 * alpha**2 + 6 * alpha  # the fourth central moment
    assert abs(x.var() - alpha) < 4 * np.sqrt((fourth - alpha**2) / len(x))
    assert stats.kstest(x, stats.gamma(alpha).cdf).pvalue > LIKELY


def test_eight_tries_are_enough():
    """Marsaglia and Tsang accept more than 95 of 100 tries; eight failures do not come up here."""
    n = torch.arange(300_000)
    x = draws.gamma(torch.full((300_000,), 1e-9, dtype=torch.float64) + 1, 2, draws.NOISE, n)
    assert (x > 0).all()


@pytest.mark.parametrize("total", [10.0, 1.0, 0.7])
@pytest.mark.parametrize("legal", [[1] * 7, [1, 0, 1, 1, 0, 0, 1], [0, 1, 0, 0, 0, 0, 1]])
def test_dirichlet_draws_have_the_moments_of_the_formula(total, legal, device):
    """a = total / k on k legal moves: mean 1/k, variance (1/k)(1 - 1/k) / (total + 1), and
    covariance -1/k² / (total + 1). One move alone is beta distributed."""
    n, k = 40_000, sum(legal)
    mask = torch.tensor(legal, dtype=torch.bool, device=device).expand(n, 7)
    game = torch.arange(n, device=device)
    x = draws.dirichlet(total, mask, 5, game, game * 0 + 3)
    assert x.dtype == torch.float64
    x = x.cpu().numpy()
    assert not x[:, ~np.array(legal, bool)].any()
    np.testing.assert_allclose(x.sum(axis=1), 1, atol=1e-12)
    x = x[:, np.array(legal, bool)]
    variance = (1 / k) * (1 - 1 / k) / (total + 1)
    assert abs(x.mean(axis=0) - 1 / k).max() < 4.5 * np.sqrt(variance / n)
    covariance = np.cov(x.T)
    right = np.where(np.eye(k, dtype=bool), variance, -1 / k**2 / (total + 1))
    assert abs(covariance - right).max() < 0.03 * variance
    for column in x.T:
        assert stats.kstest(column, stats.beta(total / k, total - total / k).cdf).pvalue > LIKELY


def test_one_legal_move_has_all_the_noise_and_none_has_none():
    mask = torch.tensor([[False, True, False], [False, False, False]])
    numbers = torch.tensor([0, 1])
    assert draws.dirichlet(10.0, mask, 0, numbers).tolist() == [[0, 1, 0], [0, 0, 0]]


def test_a_games_draws_do_not_depend_on_its_slot_or_its_neighbours(device):
    numbers = torch.tensor([4, 9, 2, 7], device=device)
    mask = torch.ones(4, 7, dtype=torch.bool, device=device)
    together = draws.dirichlet(10.0, mask, 1, numbers, numbers * 0)
    for row, number in enumerate(numbers):
        alone = draws.dirichlet(10.0, mask[:1], 1, number[None], number[None] * 0)
        assert torch.equal(alone[0], together[row])
