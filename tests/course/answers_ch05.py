"""Chapter 5: right and wrong answers, written in other ways than the solutions and the sheets."""

import copy
import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.course.registry import mutant, right

# --- 5.1 imitation_loss(logits, legal_mask, action) ---


@right("5.1")
def loss_of_torch(logits, legal_mask, action):
    return F.cross_entropy(logits.masked_fill(~legal_mask, -1e9), action)


@right("5.1")
def loss_of_one_element(logits, legal_mask, action):
    masked = torch.where(legal_mask, logits, -math.inf)
    shifted = masked - masked.amax(1, keepdim=True)
    losses = shifted.exp().sum(1).log() - shifted.gather(1, action[:, None])[:, 0]
    return losses.mean().reshape(1, 1)


@right("5.1")
def loss_by_logsumexp(logits, legal_mask, action):
    rows = zip(logits, legal_mask, action, strict=True)
    return torch.stack([row[legal].logsumexp(0) - row[move] for row, legal, move in rows]).mean()


# --- 5.2 held_out_mask(game_number, share, rng) ---


def _size(share, games):
    return min(max(1, round(share * len(games))), len(games) - 1)


@right("5.2")
def mask_by_permutation(game_number, share, rng):
    games = list(set(game_number.tolist()))
    held_out = {games[i] for i in rng.permutation(len(games))[: _size(share, games)]}
    return [number in held_out for number in game_number.tolist()]


@right("5.2")
def mask_by_ranks(game_number, share, rng):
    games, index = np.unique(game_number, return_inverse=True)
    rank = rng.random(len(games)).argsort().argsort()
    return torch.from_numpy(rank[index] < _size(share, games))


@mutant("5.2", "a part of every game")
def mask_of_the_endings(game_number, share, rng):
    mask = np.zeros(len(game_number), dtype=bool)
    for game in np.unique(game_number):
        rows = np.flatnonzero(game_number == game)
        mask[rows[len(rows) - round(share * len(rows)) :]] = True
    return mask


@mutant("5.2", "a share of the positions, not of the games")
def mask_until_full(game_number, share, rng):
    mask = np.zeros(len(game_number), dtype=bool)
    for game in rng.permutation(np.unique(game_number)):
        if mask.mean() < share:
            mask |= game_number == game
    return mask


# --- 5.3 top1_accuracy(network, planes, legal_mask, action, batch_size) ---


@right("5.3")
def accuracy_of_a_copy(network, planes, legal_mask, action, batch_size):
    made, hits = copy.deepcopy(network).eval().requires_grad_(False), []
    for rows, legal, move in zip(planes[:, None], legal_mask, action, strict=True):
        hits.append(made(rows)[0][0].masked_fill(~legal, -math.inf).argmax() == move)
    return torch.stack(hits).float().mean().item()


@right("5.3")
def accuracy_in_numpy(network, planes, legal_mask, action, batch_size):
    training = network.training
    network.train(False)
    try:
        with torch.inference_mode():
            parts = [network(part)[0].numpy() for part in torch.split(planes, batch_size)]
    finally:
        network.train(training)
    p = np.exp(np.concatenate(parts)) * legal_mask.numpy()
    return np.mean(p.argmax(axis=1) == action.numpy())


# --- 5.4 log_likelihood_gradient(weights, features, legal_mask, action) ---


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
        moves = np.flatnonzero(legal)
        logits = [sum(w * x for w, x in zip(weights, phi[a], strict=True)) for a in moves]
        p = [math.exp(logit - max(logits)) for logit in logits]
        for i in range(len(weights)):
            expected = sum(q * phi[a][i] for q, a in zip(p, moves, strict=True)) / sum(p)
            total[i] += float(phi[move][i] - expected)
    return [t / len(action) for t in total]


# --- 5.5 seen_in_training(train, held_out) ---


@right("5.5")
def seen_by_comparing(train, held_out):
    images = np.stack([train, np.flip(train, axis=2)])
    return (held_out[:, None, None] == images).all(axis=(3, 4)).any(axis=(1, 2))


@right("5.5")
def seen_by_smallest_image(train, held_out):
    def key(board):
        return min(tuple(map(tuple, image)) for image in (board.tolist(), board[:, ::-1].tolist()))

    known = set(map(key, train))
    return [key(board) in known for board in held_out]


@mutant("5.5", "no named fault")
def seen_by_rounded_codes(train, held_out):
    codes = 3.0 ** np.arange(train[0].size)
    numbers = [(b.reshape(len(b), -1) * codes).sum(1) for b in (train, train[:, :, ::-1], held_out)]
    return np.isin(numbers[2], np.concatenate(numbers[:2]))
