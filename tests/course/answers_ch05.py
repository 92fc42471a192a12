"""Chapter 5: right and wrong answers, written in other ways than the solutions and the sheets."""

import copy
import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.course.registry import mutant, right


@right("5.1")
def loss_of_one_element(logits, legal_mask, action):
    masked = torch.where(legal_mask, logits, -math.inf)
    shifted = masked - masked.amax(1, keepdim=True)
    losses = shifted.exp().sum(1).log() - shifted.gather(1, action[:, None])[:, 0]
    return losses.mean().reshape(1, 1)


@right("5.2")
def mask_by_ranks(game_number, share, rng):
    games, index = np.unique(game_number, return_inverse=True)
    rank = rng.random(len(games)).argsort().argsort()
    return torch.from_numpy(rank[index] < min(max(1, round(share * len(games))), len(games) - 1))


@right("5.3")
def accuracy_of_a_copy(network, planes, legal_mask, action, batch_size):
    made, hits = copy.deepcopy(network).eval().requires_grad_(False), []
    for rows, legal, move in zip(planes[:, None], legal_mask, action, strict=True):
        hits.append(made(rows)[0][0].masked_fill(~legal, -math.inf).argmax() == move)
    return torch.stack(hits).float().mean().item()


@right("5.4")
def gradient_by_autograd(weights, features, legal_mask, action):
    w = torch.tensor(weights, requires_grad=True)
    logits = (torch.tensor(features) @ w).masked_fill(~torch.tensor(legal_mask), -math.inf)
    (-F.cross_entropy(logits, torch.tensor(action))).backward()
    return w.grad


@right("5.5")
def seen_by_comparing(train, held_out):
    images = np.stack([train, np.flip(train, axis=2)])
    return (held_out[:, None, None] == images).all(axis=(3, 4)).any(axis=(1, 2))


@mutant("5.5", "no named fault")
def seen_by_rounded_codes(train, held_out):
    codes = 3.0 ** np.arange(train[0].size)
    numbers = [(b.reshape(len(b), -1) * codes).sum(1) for b in (train, train[:, :, ::-1], held_out)]
    return np.isin(numbers[2], np.concatenate(numbers[:2]))
