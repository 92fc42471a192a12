"""Chapter 8, the loss and the symmetries: answers as readers could have written them."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.course.registry import mutant, right

# --- 8.3 policy_loss(logits, legal_mask, policy_target) ---


def _log_p(logits, legal_mask):
    """The right one, 0 on illegal moves."""
    log_p = logits.masked_fill(~legal_mask, -math.inf).log_softmax(1)
    return log_p.masked_fill(~legal_mask, 0.0)


@mutant("8.3", "0 times minus infinity")
def policy_loss_nan(logits, legal_mask, policy_target):
    log_p = logits.masked_fill(~legal_mask, -math.inf).log_softmax(1)
    return -(policy_target * log_p).sum(1).mean()


@mutant("8.3", "0 times minus infinity")
def policy_loss_library_nan(logits, legal_mask, policy_target):
    return F.cross_entropy(logits.masked_fill(~legal_mask, -math.inf), policy_target)


@mutant("8.3", "masked after the soft-max, or not at all")
def policy_loss_unmasked(logits, legal_mask, policy_target):
    return F.cross_entropy(logits, policy_target)


@mutant("8.3", "masked after the soft-max, or not at all")
def policy_loss_masked_late(logits, legal_mask, policy_target):
    log_p = logits.log_softmax(1) * legal_mask
    return -(policy_target * log_p).sum(1).mean()


@mutant("8.3", "illegal logits set to 0")
def policy_loss_masked_with_zero(logits, legal_mask, policy_target):
    return -(policy_target * (logits * legal_mask).log_softmax(1)).sum(1).mean()


@mutant("8.3", "illegal logits set to 0")
def policy_loss_filled_with_zero(logits, legal_mask, policy_target):
    return F.cross_entropy(logits.masked_fill(~legal_mask, 0.0), policy_target)


@mutant("8.3", "mask upside down")
def policy_loss_upside_down(logits, legal_mask, policy_target):
    log_p = logits.masked_fill(legal_mask, -math.inf).log_softmax(1)
    return -(policy_target * log_p.masked_fill(legal_mask, 0.0)).sum(1).mean()


@mutant("8.3", "mask upside down")
def policy_loss_upside_down_infinite(logits, legal_mask, policy_target):
    log_p = torch.where(legal_mask, -math.inf, logits).log_softmax(1)
    return -(policy_target * log_p).sum(1).mean()


@mutant("8.3", "mean over the moves")
def policy_loss_mean(logits, legal_mask, policy_target):
    return -(policy_target * _log_p(logits, legal_mask)).mean()


@mutant("8.3", "mean over the legal moves")
def policy_loss_mean_of_legal(logits, legal_mask, policy_target):
    each = -(policy_target * _log_p(logits, legal_mask)).sum(1)
    return (each / legal_mask.sum(1)).mean()


@mutant("8.3", "summed over the batch")
def policy_loss_sum(logits, legal_mask, policy_target):
    return -(policy_target * _log_p(logits, legal_mask)).sum()


@mutant("8.3", "one loss a sample")
def policy_loss_each(logits, legal_mask, policy_target):
    return -(policy_target * _log_p(logits, legal_mask)).sum(1)


@mutant("8.3", "the sign lost")
def policy_loss_positive(logits, legal_mask, policy_target):
    return (policy_target * _log_p(logits, legal_mask)).sum(1).mean()


@mutant("8.3", "probabilities instead of logarithms")
def policy_loss_without_log(logits, legal_mask, policy_target):
    p = logits.masked_fill(~legal_mask, -math.inf).softmax(1)
    return -(policy_target * p).sum(1).mean()


@mutant("8.3", "probabilities instead of logarithms")
def policy_loss_without_log_or_sign(logits, legal_mask, policy_target):
    p = logits.masked_fill(~legal_mask, -math.inf).softmax(1)
    return (policy_target * p).sum(1).mean()


@mutant("8.3", "soft-max down the batch")
def policy_loss_wrong_axis(logits, legal_mask, policy_target):
    log_p = logits.masked_fill(~legal_mask, -math.inf).log_softmax(0)
    return -(policy_target * log_p.masked_fill(~legal_mask, 0.0)).sum(1).mean()


@mutant("8.3", "only π's favourite counts")
def policy_loss_of_best(logits, legal_mask, policy_target):
    return F.cross_entropy(logits.masked_fill(~legal_mask, -math.inf), policy_target.argmax(1))


@mutant("8.3", "the entropy taken off")
def policy_loss_divergence(logits, legal_mask, policy_target):
    return F.kl_div(_log_p(logits, legal_mask), policy_target, reduction="batchmean")


@mutant("8.3", "the logarithm of a rounded 0")
def policy_loss_log_of_softmax(logits, legal_mask, policy_target):
    p = logits.masked_fill(~legal_mask, -math.inf).softmax(1)
    return -(policy_target * p.masked_fill(~legal_mask, 1.0).log()).sum(1).mean()


@mutant("8.3", "the logarithm of a rounded 0")
def policy_loss_with_epsilon(logits, legal_mask, policy_target):
    p = logits.masked_fill(~legal_mask, -math.inf).softmax(1)
    return -(policy_target * (p + 1e-8).log()).sum(1).mean()


@mutant("8.3", "no gradient")
def policy_loss_item(logits, legal_mask, policy_target):
    return -(policy_target * _log_p(logits, legal_mask)).sum(1).mean().item()


@mutant("8.3", "no gradient")
def policy_loss_detached(logits, legal_mask, policy_target):
    return -(policy_target * _log_p(logits.detach(), legal_mask)).sum(1).mean()


@mutant("8.3", "no named fault")
def policy_loss_base_two(logits, legal_mask, policy_target):
    return -(policy_target * _log_p(logits, legal_mask)).sum(1).mean() / math.log(2)


@right("8.3")
def policy_loss_with_large_number(logits, legal_mask, policy_target):
    return F.cross_entropy(logits - 1e9 * (~legal_mask), policy_target)


@right("8.3")
def policy_loss_by_logsumexp(logits, legal_mask, policy_target):
    total = torch.where(legal_mask, logits, -math.inf).logsumexp(1, keepdim=True)
    return torch.einsum("ba,ba->b", policy_target, (total - logits) * legal_mask).mean()


@right("8.3")
def policy_loss_sample_by_sample(logits, legal_mask, policy_target):
    parts = [
        (pi[legal] * -row[legal].log_softmax(0)).sum()
        for row, legal, pi in zip(logits, legal_mask, policy_target, strict=True)
    ]
    return sum(parts) / len(parts)


# --- 8.4 total_loss(z, v, policy_target, log_p, parameters, c) ---


def _l2(parameters):
    return sum(p.square().sum() for p in parameters)


def _policy(policy_target, log_p):
    return -(policy_target * log_p).sum(1).mean()


def _value(z, v):
    return (z - v.squeeze(1)).square().mean()


@mutant("8.4", "z and v make a table")
def total_table(z, v, policy_target, log_p, parameters, c):
    return ((z - v) ** 2).mean() + _policy(policy_target, log_p) + c * _l2(parameters)


@mutant("8.4", "summed over the batch")
def total_sums(z, v, policy_target, log_p, parameters, c):
    value = (z - v.squeeze(1)).square().sum()
    return value - (policy_target * log_p).sum() + c * _l2(parameters)


@mutant("8.4", "summed over the batch")
def total_value_sum(z, v, policy_target, log_p, parameters, c):
    value = F.mse_loss(v.squeeze(1), z, reduction="sum")
    return value + _policy(policy_target, log_p) + c * _l2(parameters)


@mutant("8.4", "summed over the batch")
def total_policy_sum(z, v, policy_target, log_p, parameters, c):
    return _value(z, v) - (policy_target * log_p).sum() + c * _l2(parameters)


@mutant("8.4", "mean over the moves")
def total_policy_mean(z, v, policy_target, log_p, parameters, c):
    return _value(z, v) - (policy_target * log_p).mean() + c * _l2(parameters)


@mutant("8.4", "the policy's part with the wrong sign")
def total_policy_sign(z, v, policy_target, log_p, parameters, c):
    return _value(z, v) - _policy(policy_target, log_p) + c * _l2(parameters)


@mutant("8.4", "the value's sign turned")
def total_value_sign(z, v, policy_target, log_p, parameters, c):
    return _value(-z, v) + _policy(policy_target, log_p) + c * _l2(parameters)


@mutant("8.4", "the distance, not its square")
def total_distance(z, v, policy_target, log_p, parameters, c):
    value = F.l1_loss(v[:, 0], z)
    return value + _policy(policy_target, log_p) + c * _l2(parameters)


@mutant("8.4", "half of the square")
def total_half(z, v, policy_target, log_p, parameters, c):
    return 0.5 * _value(z, v) + _policy(policy_target, log_p) + c * _l2(parameters)


@mutant("8.4", "the norm, not its square")
def total_norm(z, v, policy_target, log_p, parameters, c):
    norm = torch.cat([p.flatten() for p in parameters]).norm()
    return _value(z, v) + _policy(policy_target, log_p) + c * norm


@mutant("8.4", "the norm, not its square")
def total_norms(z, v, policy_target, log_p, parameters, c):
    return _value(z, v) + _policy(policy_target, log_p) + c * sum(p.norm() for p in parameters)


@mutant("8.4", "mean of the weights' squares")
def total_weight_means(z, v, policy_target, log_p, parameters, c):
    means = sum(p.square().mean() for p in parameters)
    return _value(z, v) + _policy(policy_target, log_p) + c * means


@mutant("8.4", "c is missing")
def total_without_c(z, v, policy_target, log_p, parameters, c):
    return _value(z, v) + _policy(policy_target, log_p) + _l2(parameters)


@mutant("8.4", "the weights are missing")
def total_without_weights(z, v, policy_target, log_p, parameters, c):
    return _value(z, v) + _policy(policy_target, log_p)


@mutant("8.4", "not one number")
def total_each(z, v, policy_target, log_p, parameters, c):
    each = (z - v.squeeze(1)).square() - (policy_target * log_p).sum(1)
    return each + c * _l2(parameters)


@mutant("8.4", "no gradient")
def total_item(z, v, policy_target, log_p, parameters, c):
    value, policy = _value(z, v).item(), _policy(policy_target, log_p).item()
    return value + policy + c * _l2(parameters).item()


@mutant("8.4", "no named fault")
def total_c_on_everything(z, v, policy_target, log_p, parameters, c):
    return c * (_value(z, v) + _policy(policy_target, log_p) + _l2(parameters))


@right("8.4")
def total_by_library(z, v, policy_target, log_p, parameters, c):
    weights = torch.cat([p.reshape(-1) for p in parameters])
    policy = (policy_target * log_p).sum() / len(z)
    return F.mse_loss(v.flatten(), z) - policy + c * weights @ weights


@right("8.4")
def total_of_samples(z, v, policy_target, log_p, parameters, c):
    each = (z[:, None] - v).pow(2).sum(1) - torch.einsum("ba,ba->b", policy_target, log_p)
    total = each.mean()
    for p in parameters:
        total = total + c * (p * p).sum()
    return total


# --- 8.5 symmetric(planes, policy, turns, mirror) ---


def _turned(planes, policy, turns):
    return np.rot90(planes, turns, axes=(1, 2)), np.rot90(policy.reshape(3, 3), turns)


@mutant("8.5", "π stays behind")
def symmetric_policy_stays(planes, policy, turns, mirror):
    planes, _ = _turned(planes, policy, turns)
    return (planes[..., ::-1] if mirror else planes), policy


@mutant("8.5", "the board stays behind")
def symmetric_board_stays(planes, policy, turns, mirror):
    _, pi = _turned(planes, policy, turns)
    return planes, (pi[:, ::-1] if mirror else pi).ravel()


@mutant("8.5", "π turned the other way")
def symmetric_policy_back(planes, policy, turns, mirror):
    planes, _ = _turned(planes, policy, turns)
    _, pi = _turned(planes, policy, -turns)
    return (planes[..., ::-1], pi[:, ::-1].ravel()) if mirror else (planes, pi.ravel())


@mutant("8.5", "turned clockwise")
def symmetric_clockwise(planes, policy, turns, mirror):
    planes, pi = _turned(planes, policy, 4 - turns)
    return (planes[..., ::-1], pi[:, ::-1].ravel()) if mirror else (planes, pi.ravel())


@mutant("8.5", "mirrored top to bottom")
def symmetric_upside_down(planes, policy, turns, mirror):
    planes, pi = _turned(planes, policy, turns)
    return (planes[:, ::-1], pi[::-1].ravel()) if mirror else (planes, pi.ravel())


@mutant("8.5", "mirrored before it is turned")
def symmetric_mirror_first(planes, policy, turns, mirror):
    if mirror:
        planes, policy = planes[..., ::-1], policy.reshape(3, 3)[:, ::-1]
    planes, pi = _turned(planes, policy, turns)
    return planes, pi.ravel()


@mutant("8.5", "π reversed as a row")
def symmetric_reversed_row(planes, policy, turns, mirror):
    planes, pi = _turned(planes, policy, turns)
    return (planes[..., ::-1], pi.ravel()[::-1]) if mirror else (planes, pi.ravel())


@mutant("8.5", "only the mover's stones are moved")
def symmetric_one_plane(planes, policy, turns, mirror):
    moved, pi = _turned(planes, policy, turns)
    if mirror:
        moved, pi = moved[..., ::-1], pi[:, ::-1]
    return np.stack([moved[0], planes[1]]), pi.ravel()


@mutant("8.5", "turned in the wrong axes")
def symmetric_default_axes(planes, policy, turns, mirror):
    planes, pi = np.rot90(planes, turns), np.rot90(policy.reshape(3, 3), turns)
    return (planes[..., ::-1], pi[:, ::-1].ravel()) if mirror else (planes, pi.ravel())


@mutant("8.5", "turned in the wrong axes")
def symmetric_default_axes_refused(planes, policy, turns, mirror):
    out = np.empty((2, 3, 3))
    out[:] = np.rot90(planes, turns)
    pi = np.rot90(policy.reshape(3, 3), turns)
    return (out[..., ::-1], pi[:, ::-1].ravel()) if mirror else (out, pi.ravel())


@mutant("8.5", "π is not a row of nine")
def symmetric_square_policy(planes, policy, turns, mirror):
    planes, pi = _turned(planes, policy, turns)
    return (planes[..., ::-1], pi[:, ::-1]) if mirror else (planes, pi)


@mutant("8.5", "not a pair")
def symmetric_planes_only(planes, policy, turns, mirror):
    planes, _ = _turned(planes, policy, turns)
    return planes[..., ::-1] if mirror else planes


@mutant("8.5", "no named fault")
def symmetric_always_mirrored(planes, policy, turns, mirror):
    planes, pi = _turned(planes, policy, turns)
    return planes[..., ::-1], pi[:, ::-1].ravel()


@right("8.5")
def symmetric_all_at_once(planes, policy, turns, mirror):
    layers = np.concatenate([planes, policy.reshape(1, 3, 3)])
    for _ in range(turns):
        layers = layers.transpose(0, 2, 1)[:, ::-1]
    if mirror:
        layers = np.flip(layers, axis=2)
    return layers[:2], layers[2].flatten()


@right("8.5")
def symmetric_by_cells(planes, policy, turns, mirror):
    seen = np.rot90(np.arange(9).reshape(3, 3), turns)
    cells = (np.fliplr(seen) if mirror else seen).ravel()
    moved = torch.from_numpy(planes.reshape(2, 9)[:, cells]).view(2, 3, 3)
    return [moved, policy[cells].tolist()]
