"""Chapter 5, the loss: answers as readers could have written them."""

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


@mutant("5.1", "rounded to 0 or ∞ on the way")
def loss_by_hand(logits, legal_mask, action):
    weights = (logits - logits.amax(1, keepdim=True)).exp() * legal_mask
    return -_picked(weights / weights.sum(1, keepdim=True), action).log().mean()


@mutant("5.1", "rounded to 0 or ∞ on the way")
def loss_with_epsilon(logits, legal_mask, action):
    p = logits.masked_fill(~legal_mask, -math.inf).softmax(1)
    return -(_picked(p, action) + 1e-8).log().mean()


@mutant("5.1", "rounded to 0 or ∞ on the way")
def loss_of_the_sum(logits, legal_mask, action):
    return ((logits.exp() * legal_mask).sum(1).log() - _picked(logits, action)).mean()


@mutant("5.1", "a finite number is no mask")
def loss_lowered(logits, legal_mask, action):
    return F.cross_entropy(logits + ~legal_mask * -20, action)


@mutant("5.1", "a finite number is no mask")
def loss_filled(logits, legal_mask, action):
    return F.cross_entropy(logits.masked_fill(~legal_mask, -100), action)


@mutant("5.1", "a finite number is no mask")
def loss_filled_with_the_same(logits, legal_mask, action):
    return F.cross_entropy(logits.where(legal_mask, torch.tensor(-1000.0)), action)


@mutant("5.1", "shifted by an illegal move's logit")
def loss_shifted(logits, legal_mask, action):
    shifted = logits - logits.amax(1, keepdim=True)
    return ((shifted.exp() * legal_mask).sum(1).log() - _picked(shifted, action)).mean()


@mutant("5.1", "changes what it was given")
def loss_in_place(logits, legal_mask, action):
    logits[~legal_mask] = -math.inf
    return F.cross_entropy(logits, action)


@mutant("5.1", "changes what it was given")
def loss_in_place_of_the_mask(logits, legal_mask, action):
    return F.cross_entropy(logits.masked_fill(legal_mask.logical_not_(), -math.inf), action)


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
def loss_of_one_element(logits, legal_mask, action):
    return _loss_in_its_own_shift(logits, legal_mask, action).reshape(1, 1)


def _loss_in_its_own_shift(logits, legal_mask, action):
    masked = torch.where(legal_mask, logits, -math.inf)
    shifted = masked - masked.amax(1, keepdim=True)
    return (shifted.exp().sum(1).log() - _picked(shifted, action)).mean()


@right("5.1")
def loss_by_logsumexp(logits, legal_mask, action):
    losses = [
        row[legal].logsumexp(0) - row[move]
        for row, legal, move in zip(logits, legal_mask, action, strict=True)
    ]
    return torch.stack(losses).mean()
