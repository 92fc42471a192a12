"""The window over the newest positions."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from azlearn.games import ConnectFour, TicTacToe
from azlearn.learning import ReplayBuffer, Samples

GAME = TicTacToe()


def numbered(first, n):
    """Samples that carry their number in every field."""
    numbers = np.arange(first, first + n)
    policy = np.eye(9, dtype=np.float32)[numbers % 9]
    words = np.stack([numbers, numbers + 1_000_000], axis=1)
    return Samples(words, policy, ((numbers % 3) - 1).astype(np.float32))


def assert_holds(samples, numbers):
    """Exactly the samples of these numbers, in this order, none torn apart."""
    for name, wanted in zip(Samples._fields, numbered(0, max(numbers, default=0) + 1), strict=True):
        got = np.asarray(getattr(samples, name))
        np.testing.assert_array_equal(got, wanted[np.asarray(numbers, int)])
        assert got.dtype == (np.int64 if name == "words" else np.float32)


@given(window=st.integers(1, 12), parts=st.lists(st.integers(0, 30), max_size=8))
@example(window=5, parts=[2, 3, 1, 17, 0])
def test_it_holds_the_newest_positions_whatever_they_come_in(window, parts):
    buffer, total = ReplayBuffer(GAME, window), 0
    assert_holds(buffer.contents(), [])
    for n in parts:
        buffer.add(numbered(total, n))
        total += n
        for most in (0, 1, window, total + 1):
            assert_holds(buffer.latest(most), [*range(max(0, total - min(most, window)), total)])
        assert_holds(buffer.contents(), list(range(max(0, total - window), total)))
        assert (len(buffer), buffer.num_added) == (min(total, window), total)


def test_sampling_is_uniform_over_what_is_held():
    """Chi-square of 20,000 draws; the seed is fixed, the 99.9 % quantile of 49 is 85.4."""
    buffer = ReplayBuffer(GAME, 50)
    buffer.add(numbered(0, 77))
    drawn = buffer.sample(20_000, np.random.default_rng(1))
    numbers, counts = np.unique(drawn.words[:, 0], return_counts=True)
    assert numbers.tolist() == list(range(27, 77))
    expected = 20_000 / 50
    assert ((counts - expected) ** 2 / expected).sum() < 85.4
    assert_holds(drawn, drawn.words[:, 0].tolist())


EVEN = np.full((3, 9), 1 / 9, np.float32)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"words": np.zeros((3, 3), np.int64)}, r"words must be \[3, 2\], not \(3, 3\)"),
        ({"policy_target": EVEN[:2]}, r"policy_target must be \[3, 9\], not \(2, 9\)"),
        ({"policy_target": EVEN * 2}, "policy_target must be 0 or more and sum to 1"),
        ({"policy_target": EVEN * np.nan}, "policy_target must be 0 or more and sum to 1"),
        ({"policy_target": 2 * np.eye(9)[:3] - EVEN}, "policy_target must be 0 or more"),
        ({"value_target": np.array([0, 1.01, 0])}, r"value_target must be in \[-1, 1\]"),
        ({"value_target": np.array([0, 0, np.nan])}, r"value_target must be in \[-1, 1\]"),
    ],
)
def test_samples_that_are_none_are_refused_and_leave_everything_as_it_was(changes, said):
    buffer = ReplayBuffer(GAME, 8)
    buffer.add(numbered(0, 10))
    with pytest.raises(ValueError, match=said) as error:
        buffer.add(numbered(10, 3)._replace(**changes))
    assert "\n" not in str(error.value)
    assert_holds(buffer.contents(), list(range(2, 10)))
    assert buffer.num_added == 10


@pytest.mark.parametrize("window", [5, 20])
def test_a_state_that_leaves_rows_empty_is_refused(window):
    buffer = ReplayBuffer(GAME, 8)
    buffer.add(numbered(0, 10))
    other = ReplayBuffer(GAME, window)
    other.add(numbered(0, 1))
    with pytest.raises(ValueError, match="with the window that it was saved with"):
        other.load_state_dict(buffer.state_dict())
    assert_holds(other.contents(), [0])


def test_an_empty_buffer_and_an_empty_window_are_refused():
    with pytest.raises(ValueError, match="The replay buffer is empty: play some games first"):
        ReplayBuffer(ConnectFour(), 5).sample(1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="window must be at least 1, not 0"):
        ReplayBuffer(GAME, 0)
