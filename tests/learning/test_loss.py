"""The loss against numbers worked out by hand, and against torch's own cross-entropy."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from azlearn.learning import Loss, loss, masked_log_softmax


class Fixed(nn.Module):
    """Answers with its parameters."""

    def __init__(self, logits, value, owners=None):
        super().__init__()
        self.logits, self.value = (nn.Parameter(torch.as_tensor(x)) for x in (logits, value))
        self.owners = owners

    def forward(self, planes):
        return self.logits, self.value

    def with_owners(self, planes):
        return self.logits, self.value, self.owners


def random_batch(n=64, num_actions=7, seed=0):
    """Logits, a mask with at least one legal move a row, and π on the legal moves."""
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(n, num_actions, generator=generator) * 3
    legal = torch.rand(n, num_actions, generator=generator) < 0.6
    legal[:, 3] = True
    pi = torch.rand(n, num_actions, generator=generator) * legal
    return logits, legal, pi / pi.sum(1, keepdim=True)


def test_by_hand():
    """Two positions, three actions; logits are logarithms, so that p can be read off.

    Row 0: p = (1/4, 1/4, 1/2), π = (0, 1/2, 1/2): -π·log p = (ln 4 + ln 2) / 2 = 1.5 ln 2;
    (z - v)² = (1 - 0.5)² = 0.25. Row 1: action 2 is illegal, whatever its logit, so p =
    (3/4, 1/4, 0), π = (1, 0, 0): ln 4/3; (-1 - 0.5)² = 2.25. Means: 1.25, and of the policies.
    l2: 0.1 times the squares of all parameters.
    """
    logits = torch.tensor([[1.0, 1.0, 2.0], [3.0, 1.0, 96.0]]).log()
    network = Fixed(logits, [0.5, 0.5])
    legal = torch.tensor([[True, True, True], [True, True, False]])
    pi, z = torch.tensor([[0, 0.5, 0.5], [1.0, 0, 0]]), torch.tensor([1.0, -1.0])
    parts = loss(network, None, legal, pi, z, l2=0.1)
    assert parts.value.item() == pytest.approx(1.25)
    assert parts.policy.item() == pytest.approx((1.5 * math.log(2) + math.log(4 / 3)) / 2)
    squares = math.log(2) ** 2 + math.log(3) ** 2 + math.log(96) ** 2 + 2 * 0.5**2
    assert parts.l2.item() == pytest.approx(0.1 * squares)
    assert parts.total.item() == pytest.approx(sum(part.item() for part in parts))
    assert Loss._fields == ("value", "policy", "l2", "owners")


def test_the_owners_part_by_hand():
    """Two points differ by 1 and by 2: (1 + 4) / 9 of a board of nine, times the weight."""
    owners, target = torch.zeros(2, 1, 3, 3)
    owners[0, 0, 0], owners[0, 2, 1], target[0, 2, 1] = 1.0, -1.0, 1.0
    network, legal = Fixed(torch.zeros(1, 10), torch.zeros(1), owners), torch.ones(1, 10).bool()
    parts = loss(network, None, legal, torch.full((1, 10), 0.1), torch.zeros(1), 0.0, target, 1.5)
    assert parts.owners.item() == pytest.approx(1.5 * 5 / 9)
    assert parts.total.item() == pytest.approx(1.5 * 5 / 9 + math.log(10))


def test_policy_and_value_parts_are_those_of_torch():
    """Cross-entropy with soft targets over the legal moves; mean squared error. Logits of illegal
    moves, however high, change nothing, and huge ones stay finite."""
    logits, legal, pi = random_batch()
    z, v = torch.linspace(-1, 1, 64), torch.linspace(0.9, -0.9, 64)
    for size in (1, 1e4):
        parts = loss(Fixed(logits * size, v), None, legal, pi, z, l2=0.0)
        of_rows = [
            F.cross_entropy(row[mask][None] * size, target[mask][None])
            for row, mask, target in zip(logits, legal, pi, strict=True)
        ]
        torch.testing.assert_close(parts.policy, torch.stack(of_rows).mean())
        torch.testing.assert_close(parts.value, F.mse_loss(v, z))
        assert parts.l2.item() == 0
    raised = torch.where(legal, logits, logits + 50)
    torch.testing.assert_close(masked_log_softmax(raised, legal), masked_log_softmax(logits, legal))


def test_the_gradient_is_p_minus_pi_on_legal_moves_and_0_on_illegal_ones():
    """The derivative of the cross-entropy, by hand: (p - π) / B; of (z - v)²: 2 (v - z) / B."""
    logits, legal, pi = random_batch(n=16)
    for size in (1, 1e4):
        network, z = Fixed(logits * size, torch.full((16,), 0.25)), torch.ones(16)
        loss(network, None, legal, pi, z, l2=0.0).total.backward()
        p = (logits * size).masked_fill(~legal, -math.inf).softmax(1)
        torch.testing.assert_close(network.logits.grad, (p - pi) / 16)
        torch.testing.assert_close(network.value.grad, torch.full((16,), -1.5 / 16))
