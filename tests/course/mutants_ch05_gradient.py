"""Chapter 5, the gradient by hand: answers as readers could have written them."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.course.registry import mutant, right

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
mutant("5.4", "a finite number is no mask")(
    _with(lambda w, f, legal: _soft_max(f @ w - 20 * ~legal))
)
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


_SHIFT = "shifted by another logit than the position's largest legal one"


@mutant("5.4", _SHIFT)
def gradient_shifted_by_all_moves(weights, features, legal_mask, action):
    """The largest logit of the position, legal or not."""
    with np.errstate(all="ignore"):
        return _with(
            lambda w, f, legal: _shares(np.exp(f @ w - (f @ w).max(1, keepdims=True)) * legal)
        )(weights, features, legal_mask, action)


@mutant("5.4", _SHIFT)
def gradient_shifted_by_all_positions(weights, features, legal_mask, action):
    logits = np.where(legal_mask, features @ weights, -np.inf)
    with np.errstate(all="ignore"):
        p = _shares(np.exp(logits - logits.max()))
        return _with(lambda *_: p)(weights, features, legal_mask, action)


@mutant("5.4", _SHIFT)
def gradient_shifted_in_loops(weights, features, legal_mask, action):
    highest = np.where(legal_mask, features @ weights, -np.inf).max()
    rows = []
    for phi, legal in zip(features, legal_mask, strict=True):
        row = [
            math.exp(x - highest) if ok else 0 for x, ok in zip(phi @ weights, legal, strict=True)
        ]
        rows.append([weight / sum(row) for weight in row])
    return _with(lambda *_: np.array(rows))(weights, features, legal_mask, action)


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
