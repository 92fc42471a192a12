"""Chapter 5, the loss and the gradient: answers as readers could have written them."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.course.registry import mutant, right

# --- 5.1 imitation_loss(logits, legal_mask, action) ---


def _log_p(logits, legal_mask):
    return logits.masked_fill(~legal_mask, -math.inf).log_softmax(1)


def _picked(log_p, action):
    return log_p.gather(1, action[:, None])[:, 0]


@mutant("5.1", "masked after the soft-max, or not at all")
def loss_without_mask(logits, legal_mask, action):
    return F.cross_entropy(logits, action)


@mutant("5.1", "masked after the soft-max, or not at all")
def loss_masked_late(logits, legal_mask, action):
    log_p = logits.log_softmax(1).masked_fill(~legal_mask, 0)
    return -_picked(log_p, action).mean()


@mutant("5.1", "masked with 0")
def loss_masked_with_zero(logits, legal_mask, action):
    return F.cross_entropy(logits * legal_mask, action)


@mutant("5.1", "mask upside down")
def loss_upside_down(logits, legal_mask, action):
    return F.cross_entropy(logits.masked_fill(legal_mask, -math.inf), action)


@mutant("5.1", "0 times minus infinity")
def loss_one_hot(logits, legal_mask, action):
    target = F.one_hot(action, logits.shape[1])
    return -(target * _log_p(logits, legal_mask)).sum(1).mean()


@mutant("5.1", "0 times minus infinity")
def loss_one_hot_mean(logits, legal_mask, action):
    return -(F.one_hot(action, logits.shape[1]) * _log_p(logits, legal_mask)).mean()


@mutant("5.1", "summed over the batch")
def loss_sum(logits, legal_mask, action):
    return F.nll_loss(_log_p(logits, legal_mask), action, reduction="sum")


@mutant("5.1", "mean over the moves, too")
def loss_mean_of_all(logits, legal_mask, action):
    log_p = _log_p(logits, legal_mask).masked_fill(~legal_mask, 0)
    return -(F.one_hot(action, logits.shape[1]) * log_p).mean()


@mutant("5.1", "one loss a position")
def loss_each(logits, legal_mask, action):
    return F.nll_loss(_log_p(logits, legal_mask), action, reduction="none")


@mutant("5.1", "the sign lost")
def loss_negative(logits, legal_mask, action):
    return _picked(_log_p(logits, legal_mask), action).mean()


@mutant("5.1", "probabilities instead of logarithms")
def loss_of_probabilities(logits, legal_mask, action):
    p = logits.masked_fill(~legal_mask, -math.inf).softmax(1)
    return F.nll_loss(p, action)  # which takes logarithms for granted


@mutant("5.1", "probabilities instead of logarithms")
def loss_one_minus_p(logits, legal_mask, action):
    return (1 - _picked(_log_p(logits, legal_mask), action).exp()).mean()


@mutant("5.1", "the logarithm of the mean")
def loss_log_of_mean(logits, legal_mask, action):
    return -_picked(_log_p(logits, legal_mask).exp(), action).mean().log()


@mutant("5.1", "soft-max twice")
def loss_soft_max_twice(logits, legal_mask, action):
    p = logits.masked_fill(~legal_mask, -math.inf).softmax(1)
    return F.cross_entropy(p, action)


@mutant("5.1", "soft-max twice")
def loss_soft_max_masked_twice(logits, legal_mask, action):
    return F.cross_entropy(logits.softmax(1).masked_fill(~legal_mask, -math.inf), action)


@mutant("5.1", "logits without a soft-max")
def loss_of_logits(logits, legal_mask, action):
    return F.nll_loss(logits.masked_fill(~legal_mask, -math.inf), action)


@mutant("5.1", "soft-max down the batch")
def loss_down_the_batch(logits, legal_mask, action):
    log_p = logits.masked_fill(~legal_mask, -math.inf).log_softmax(0)
    return -_picked(log_p, action).mean()


@mutant("5.1", "the network's favourite, not the expert's move")
def loss_of_the_favourite(logits, legal_mask, action):
    return -_log_p(logits, legal_mask).amax(1).mean()


@mutant("5.1", "every position is asked for every move of the batch")
def loss_of_columns(logits, legal_mask, action):
    return -_log_p(logits, legal_mask)[:, action].mean()


@mutant("5.1", "the logarithm of a rounded 0")
def loss_by_hand(logits, legal_mask, action):
    weights = (logits - logits.amax(1, keepdim=True)).exp() * legal_mask
    return -_picked(weights / weights.sum(1, keepdim=True), action).log().mean()


@mutant("5.1", "the logarithm of a rounded 0")
def loss_with_epsilon(logits, legal_mask, action):
    p = logits.masked_fill(~legal_mask, -math.inf).softmax(1)
    return -(_picked(p, action) + 1e-8).log().mean()


@mutant("5.1", "no gradient")
def loss_as_number(logits, legal_mask, action):
    return -_picked(_log_p(logits, legal_mask), action).mean().item()


@mutant("5.1", "no gradient")
def loss_in_numpy(logits, legal_mask, action):
    logits = np.where(legal_mask.numpy(), logits.detach().numpy(), -np.inf)
    logits -= logits.max(1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    return -log_p[range(len(log_p)), action.numpy()].mean()


@mutant("5.1", "returns nothing")
def loss_backward(logits, legal_mask, action):
    F.nll_loss(_log_p(logits, legal_mask), action).backward()


@mutant("5.1", "no named fault")
def loss_in_bits(logits, legal_mask, action):
    return -_picked(_log_p(logits, legal_mask), action).mean() / math.log(2)


@right("5.1")
def loss_of_torch(logits, legal_mask, action):
    return F.cross_entropy(logits.masked_fill(~legal_mask, -1e9), action)


@right("5.1")
def loss_by_logsumexp(logits, legal_mask, action):
    losses = [
        row[legal].logsumexp(0) - row[move]
        for row, legal, move in zip(logits, legal_mask, action, strict=True)
    ]
    return torch.stack(losses).mean()


# --- 5.4 log_likelihood_gradient(weights, features, legal_mask, action) ---


def _policy(weights, features, legal_mask):
    logits = np.where(legal_mask, features @ weights, -np.inf)
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def _played(features, action):
    return features[range(len(action)), action]


def _with(p):
    """The right way with another p(weights, features, legal_mask)."""

    def log_likelihood_gradient(weights, features, legal_mask, action):
        expected = np.einsum("ba,baf->bf", p(weights, features, legal_mask), features)
        return (_played(features, action) - expected).mean(axis=0)

    return log_likelihood_gradient


_gradient = _with(_policy)


def _soft_max(logits):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


mutant("5.4", "illegal moves are expected, too")(_with(lambda w, f, legal: _soft_max(f @ w)))
mutant("5.4", "masked after the soft-max")(_with(lambda w, f, legal: _soft_max(f @ w) * legal))
mutant("5.4", "masked with 0")(_with(lambda w, f, legal: _soft_max(f @ w * legal)))
mutant("5.4", "all legal moves alike")(
    _with(lambda w, f, legal: legal / legal.sum(axis=1, keepdims=True))
)
mutant("5.4", "logits instead of probabilities")(_with(lambda w, f, legal: f @ w * legal))
mutant("5.4", "no named fault")(_with(lambda w, f, legal: _policy(2 * w, f, legal)))


@mutant("5.4", "downhill")
def gradient_of_the_loss(weights, features, legal_mask, action):
    surplus = _policy(weights, features, legal_mask)
    surplus[range(len(action)), action] -= 1  # as for the logits of a cross-entropy
    return np.einsum("ba,baf->f", surplus, features) / len(action)


@mutant("5.4", "summed over the positions")
def gradient_summed(weights, features, legal_mask, action):
    p = _policy(weights, features, legal_mask)
    return _played(features, action).sum(0) - (p[..., None] * features).sum((0, 1))


@mutant("5.4", "mean over the moves, too")
def gradient_mean_of_all(weights, features, legal_mask, action):
    surplus = np.eye(features.shape[1])[action] - _policy(weights, features, legal_mask)
    return (surplus[..., None] * features).mean(axis=(0, 1))


@mutant("5.4", "one gradient a position")
def gradient_each(weights, features, legal_mask, action):
    p = _policy(weights, features, legal_mask)
    return _played(features, action) - (p[..., None] * features).sum(axis=1)


@mutant("5.4", "only what the expert shows")
def gradient_shown(weights, features, legal_mask, action):
    return _played(features, action).mean(axis=0)


@mutant("5.4", "only what the policy expects")
def gradient_expected(weights, features, legal_mask, action):
    return (_policy(weights, features, legal_mask)[..., None] * features).sum(1).mean(0)


@mutant("5.4", "only what the policy expects")
def gradient_expected_off(weights, features, legal_mask, action):
    return -(_policy(weights, features, legal_mask)[..., None] * features).sum(1).mean(0)


@mutant("5.4", "the favourite instead of the expectation")
def gradient_perceptron(weights, features, legal_mask, action):
    favourite = np.where(legal_mask, features @ weights, -np.inf).argmax(axis=1)
    return (_played(features, action) - _played(features, favourite)).mean(axis=0)


@mutant("5.4", "the favourite instead of the expert's move")
def gradient_self_taught(weights, features, legal_mask, action):
    favourite = _policy(weights, features, legal_mask).argmax(axis=1)
    return _gradient(weights, features, legal_mask, favourite)


@mutant("5.4", "the gradient of p, not of log p")
def gradient_of_p(weights, features, legal_mask, action):
    p = _policy(weights, features, legal_mask)
    surplus = _played(features, action) - (p[..., None] * features).sum(axis=1)
    return (p[range(len(action)), action][:, None] * surplus).mean(axis=0)


@mutant("5.4", "the step is taken already")
def gradient_step(weights, features, legal_mask, action):
    return weights + _gradient(weights, features, legal_mask, action)


@mutant("5.4", "changes what it was given")
def gradient_in_place(weights, features, legal_mask, action):
    weights += _gradient(weights, features, legal_mask, action)
    return weights


@mutant("5.4", "changes what it was given")
def gradient_clears_the_illegal(weights, features, legal_mask, action):
    p = _policy(weights, features, legal_mask)
    features[~legal_mask] = 0
    return _played(features, action).mean(0) - (p[..., None] * features).sum(1).mean(0)


@mutant("5.4", "e to a large logit overflows")
def gradient_without_shift(weights, features, legal_mask, action):
    return _with(lambda w, f, legal: _shares(np.exp(f @ w) * legal))(
        weights, features, legal_mask, action
    )


def _shares(weights):
    return weights / weights.sum(axis=1, keepdims=True)


@mutant("5.4", "e to a large logit overflows")
def gradient_with_math(weights, features, legal_mask, action):
    p = [[math.exp(phi @ weights) for phi in position] for position in features]
    return _with(lambda *_: _shares(np.array(p) * legal_mask))(
        weights, features, legal_mask, action
    )


@mutant("5.4", "returns nothing")
def gradient_only_steps(weights, features, legal_mask, action):
    weights = weights + _gradient(weights, features, legal_mask, action)


@right("5.4")
def gradient_by_autograd(weights, features, legal_mask, action):
    w = torch.tensor(weights, requires_grad=True)
    logits = (torch.tensor(features) @ w).masked_fill(~torch.tensor(legal_mask), -math.inf)
    (-F.cross_entropy(logits, torch.tensor(action))).backward()
    return w.grad


@right("5.4")
def gradient_in_loops(weights, features, legal_mask, action):
    total = [0.0] * len(weights)
    for phi, legal, move in zip(features, legal_mask, action, strict=True):
        moves = [a for a in range(len(phi)) if legal[a]]
        logits = [sum(w * x for w, x in zip(weights, phi[a], strict=True)) for a in moves]
        p = [math.exp(logit - max(logits)) for logit in logits]
        for i in range(len(weights)):
            expected = sum(q * phi[a][i] for q, a in zip(p, moves, strict=True)) / sum(p)
            total[i] += float(phi[move][i] - expected)
    return [t / len(action) for t in total]
