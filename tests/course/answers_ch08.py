"""Chapter 8, one network: answers as readers could have written them."""

import copy
import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.course.registry import right


@right("8.1")
def planes_as_tensor(board, to_play):
    planes = torch.tensor(board)[None] == torch.tensor([1, 2]).view(2, 1, 1)
    return (planes.flip(0) if to_play else planes).float()


@right("8.2")
def residual_in_place_on_its_own(x, first, second):
    relu = torch.nn.ReLU(inplace=True)
    y = second(relu(first(x)))
    y += x
    return relu(y)


@right("8.3")
def policy_loss_by_logsumexp(logits, legal_mask, policy_target):
    total = torch.where(legal_mask, logits, -math.inf).logsumexp(1, keepdim=True)
    return torch.einsum("ba,ba->b", policy_target, (total - logits) * legal_mask).mean()


@right("8.4")
def total_by_library(z, v, policy_target, log_p, parameters, c):
    weights = torch.cat([p.reshape(-1) for p in parameters])
    policy = (policy_target * log_p).sum() / len(z)
    return F.mse_loss(v.flatten(), z) - policy + c * weights @ weights


@right("8.5")
def symmetric_by_cells(planes, policy, turns, mirror):
    seen = np.rot90(np.arange(9).reshape(3, 3), turns)
    cells = (np.fliplr(seen) if mirror else seen).ravel()
    moved = torch.from_numpy(planes.reshape(2, 9)[:, cells]).view(2, 3, 3)
    return [moved, policy[cells].tolist()]


@right("8.6")
def ask_a_copy(network, game, state):
    logits, value = copy.deepcopy(network).eval()(torch.from_numpy(game.encode(state))[None])
    prior, legal = torch.zeros(game.num_actions), game.legal_actions(state)
    prior[legal] = logits.detach()[0, legal].softmax(0)
    return prior, value.item()
