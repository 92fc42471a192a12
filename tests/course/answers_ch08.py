"""Chapter 8, one network: answers as readers could have written them."""

import copy
import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.course.registry import mutant, right

# --- 8.1 planes(board, to_play) ---


@right("8.1")
def planes_cell_by_cell(board, to_play):
    out = np.zeros((2, *board.shape), dtype=np.float32)
    for row, col in np.argwhere(board):
        out[int(board[row, col] != to_play + 1), row, col] = 1
    return out


@right("8.1")
def planes_as_tensor(board, to_play):
    planes = torch.tensor(board)[None] == torch.tensor([1, 2]).view(2, 1, 1)
    return (planes.flip(0) if to_play else planes).float()


# --- 8.2 residual(x, first, second) ---


@right("8.2")
def residual_in_place_on_its_own(x, first, second):
    relu = torch.nn.ReLU(inplace=True)
    y = second(relu(first(x)))
    y += x
    return relu(y)


@right("8.2")
def residual_where(x, first, second):
    y = x + second(first(x).clamp(min=0))
    return torch.where(y > 0, y, 0.0)


# --- 8.3 policy_loss(logits, legal_mask, policy_target) ---


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


@right("8.4")
def total_by_library(z, v, policy_target, log_p, parameters, c):
    weights = torch.cat([p.reshape(-1) for p in parameters])
    policy = (policy_target * log_p).sum() / len(z)
    return F.mse_loss(v.flatten(), z) - policy + c * weights @ weights


@right("8.4")
def total_of_samples(z, v, policy_target, log_p, parameters, c):
    each = (z[:, None] - v).pow(2).sum(1) - torch.einsum("ba,ba->b", policy_target, log_p)
    return each.mean() + (c * sum((p * p).sum() for p in parameters) if c else 0)


# --- 8.5 symmetric(planes, policy, turns, mirror) ---


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


@mutant("8.5", "no named fault")
def symmetric_in_the_given_arrays(planes, policy, turns, mirror):
    planes[:], policy[:] = symmetric_by_cells(planes, policy, turns, mirror)
    return planes, policy


# --- 8.6 ask(network, game, state) ---


@right("8.6")
def ask_in_numpy(network, game, state):
    training = network.training
    try:
        network.train(False)
        with torch.inference_mode():
            rows = network(torch.as_tensor(game.encode(state)[np.newaxis]))
    finally:
        network.train(training)
    logits, value = (row[0].numpy() for row in rows)
    logits = np.where(game.legal_mask(state), logits, -np.inf)
    weights = np.exp(logits - logits.max())
    return (weights / weights.sum()).tolist(), value


@right("8.6")
def ask_a_copy(network, game, state):
    logits, value = copy.deepcopy(network).eval()(torch.from_numpy(game.encode(state))[None])
    prior, legal = torch.zeros(game.num_actions), game.legal_actions(state)
    prior[legal] = logits.detach()[0, legal].softmax(0)
    return prior, value.item()
