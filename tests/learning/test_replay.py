"""The window over the newest positions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from azlearn.games import ConnectFour, TicTacToe
from azlearn.learning import ReplayBuffer, Samples

GAME = TicTacToe()


def numbered(first, n, num_actions=9):
    """Samples that carry their number in every field."""
    numbers = np.arange(first, first + n)
    policy = np.zeros((n, num_actions), np.float32)
    policy[np.arange(n), numbers % num_actions] = 1
    words = np.stack([numbers, numbers + 1_000_000], axis=1)
    return Samples(words, policy, ((numbers % 3) - 1).astype(np.float32))


def assert_holds(samples, numbers):
    """Exactly the samples of these numbers, in this order, none torn apart."""
    for name, wanted in zip(Samples._fields, numbered(0, max(numbers, default=0) + 1), strict=True):
        got = np.asarray(getattr(samples, name))
        np.testing.assert_array_equal(got, wanted[np.asarray(numbers, int)])
        assert got.dtype == (np.int64 if name == "words" else np.float32)


def test_the_window_grows_then_slides():
    buffer = ReplayBuffer(GAME, 5)
    assert len(buffer) == buffer.num_added == 0
    assert_holds(buffer.contents(), [])
    for first, n, held in ((0, 2, [0, 1]), (2, 3, [0, 1, 2, 3, 4]), (5, 1, [1, 2, 3, 4, 5])):
        buffer.add(numbered(first, n))
        assert_holds(buffer.contents(), held)
        assert len(buffer) == len(held)
        assert buffer.num_added == first + n
    buffer.add(numbered(6, 17))  # more than fit: the last ones stay
    assert_holds(buffer.contents(), [18, 19, 20, 21, 22])
    buffer.add(numbered(23, 0))
    assert_holds(buffer.contents(), [18, 19, 20, 21, 22])
    assert buffer.num_added == 23


@given(window=st.integers(1, 12), parts=st.lists(st.integers(0, 30), max_size=8))
def test_it_holds_the_newest_positions_whatever_they_come_in(window, parts):
    buffer, total = ReplayBuffer(GAME, window), 0
    for n in parts:
        buffer.add(numbered(total, n))
        total += n
        assert_holds(buffer.contents(), list(range(max(0, total - window), total)))
        assert len(buffer) == min(total, window)


@pytest.mark.parametrize("num_added", [30, 50, 77])
def test_sampling_is_uniform_over_what_is_held(num_added):
    """Chi-square of 20,000 draws; the seed is fixed, 99.9 % quantiles 58.3 (29), 85.4 (49)."""
    buffer = ReplayBuffer(GAME, 50)
    buffer.add(numbered(0, num_added))
    drawn = buffer.sample(20_000, np.random.default_rng(1))
    held = min(num_added, 50)
    numbers, counts = np.unique(drawn.words[:, 0], return_counts=True)
    assert numbers.tolist() == list(range(num_added - held, num_added))
    expected = 20_000 / held
    assert ((counts - expected) ** 2 / expected).sum() < {30: 58.3, 50: 85.4}[held]
    assert_holds(drawn, drawn.words[:, 0].tolist())


def test_a_buffer_of_a_state_dict_goes_on_like_the_first():
    first, second = ReplayBuffer(GAME, 7), ReplayBuffer(GAME, 7)
    first.add(numbered(0, 17))
    second.load_state_dict(first.state_dict())
    assert second.num_added == 17
    for buffer in (first, second):
        buffer.add(numbered(17, 2))
        assert_holds(buffer.contents(), list(range(12, 19)))
    drawn = [
        buffer.sample(9, np.random.default_rng(3)).words.tolist() for buffer in (first, second)
    ]
    assert drawn[0] == drawn[1]


def changed(**changes):
    return numbered(10, 3)._replace(**changes)


EVEN = np.full((3, 9), 1 / 9, np.float32)


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        (changed(words=np.zeros((3, 3), np.int64)), r"words must be \[3, 2\], not \(3, 3\)"),
        (changed(policy_target=EVEN[:2]), r"policy_target must be \[3, 9\], not \(2, 9\)"),
        (numbered(10, 3, 7), r"policy_target must be \[3, 9\], not \(3, 7\)"),
        (changed(value_target=np.zeros((3, 1))), r"value_target must be \[3\], not \(3, 1\)"),
        (changed(policy_target=EVEN * 2), "policy_target must be 0 or more and sum to 1"),
        (changed(policy_target=EVEN * 0), "policy_target must be 0 or more and sum to 1"),
        (changed(policy_target=EVEN * np.nan), "policy_target must be 0 or more and sum to 1"),
        (changed(policy_target=2 * np.eye(9)[:3] - EVEN), "policy_target must be 0 or more"),
        (changed(value_target=np.array([0, 1.01, 0])), r"value_target must be in \[-1, 1\]"),
        (changed(value_target=np.array([0, 0, np.nan])), r"value_target must be in \[-1, 1\]"),
    ],
)
def test_samples_that_are_none_are_refused_and_leave_everything_as_it_was(samples, words):
    buffer = ReplayBuffer(GAME, 8)
    buffer.add(numbered(0, 10))
    with pytest.raises(ValueError, match=words) as error:
        buffer.add(samples)
    assert "\n" not in str(error.value)
    assert_holds(buffer.contents(), list(range(2, 10)))
    assert buffer.num_added == 10


def test_an_empty_buffer_and_an_empty_window_are_refused():
    with pytest.raises(ValueError, match="The replay buffer is empty: play some games first"):
        ReplayBuffer(ConnectFour(), 5).sample(1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="window must be at least 1, not 0"):
        ReplayBuffer(GAME, 0)
