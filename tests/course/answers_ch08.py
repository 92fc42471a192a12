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


@mutant("8.1", "not float32")
def planes_float64(board, to_play):
    return np.stack([board == (1, 2)[to_play], board == (2, 1)[to_play]]) * 1.0


@mutant("8.1", "a third plane")
def planes_with_the_colour(board, to_play):
    mine = board == 1 + to_play
    return np.float32([mine, (board > 0) & ~mine, np.full(board.shape, to_play)])


@mutant("8.1", "no named fault")
def planes_with_the_mover_counted(board, to_play):
    to_play = int((board == 1).sum() > (board == 2).sum())
    return np.stack([board == 1 + to_play, board == 2 - to_play]).astype(np.float32)


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


@mutant("8.2", "the skip starts too late")
def residual_name_reused(x, first, second):
    x = F.relu(first(x))
    return F.relu(x + second(x))


@mutant("8.2", "x is changed in place")
def residual_in_place(x, first, second):
    x += second(F.relu(first(x)))
    return F.relu(x)


@mutant("8.2", "no named fault")
def residual_cut_off_above_too(x, first, second):
    return F.relu6(x + second(F.relu(first(x))))


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


@mutant("8.3", "one loss a sample")
def policy_loss_each(logits, legal_mask, policy_target):
    return F.cross_entropy(logits - 1e9 * (~legal_mask), policy_target, reduction="none")


@mutant("8.3", "no gradient")
def policy_loss_item(logits, legal_mask, policy_target):
    return policy_loss_by_logsumexp(logits, legal_mask, policy_target).item()


@mutant("8.3", "the logarithm of a rounded 0")
def policy_loss_with_epsilon(logits, legal_mask, policy_target):
    p = logits.masked_fill(~legal_mask, -math.inf).softmax(1)
    return -(policy_target * (p + 1e-8).log()).sum(1).mean()


@mutant("8.3", "no named fault")
def policy_loss_with_small_number(logits, legal_mask, policy_target):
    return F.cross_entropy(logits.masked_fill(~legal_mask, -100.0), policy_target)


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


@mutant("8.4", "summed over the batch")
def total_sums(z, v, policy_target, log_p, parameters, c):
    value = F.mse_loss(v[:, 0], z, reduction="sum")
    return value - (policy_target * log_p).sum() + c * sum(p.pow(2).sum() for p in parameters)


@mutant("8.4", "not one number")
def total_each(z, v, policy_target, log_p, parameters, c):
    each = (z - v.squeeze(1)).square() - (policy_target * log_p).sum(1)
    return each + c * sum(p.square().sum() for p in parameters)


@mutant("8.4", "no gradient")
@torch.no_grad()
def total_without_gradient(z, v, policy_target, log_p, parameters, c):
    return total_by_library(z, v, policy_target, log_p, parameters, c)


@mutant("8.4", "no named fault")
def total_without_biases(z, v, policy_target, log_p, parameters, c):
    weights = sum(p.square().sum() for p in parameters if p.dim() > 1)
    return F.mse_loss(v[:, 0], z) - (policy_target * log_p).sum(1).mean() + c * weights


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


@mutant("8.5", "not a pair")
def symmetric_in_one_array(planes, policy, turns, mirror):
    planes, policy = symmetric_all_at_once(planes, policy, turns, mirror)
    return np.stack([*planes, policy.reshape(3, 3)])


@mutant("8.5", "π is not a row of nine")
def symmetric_square_policy(planes, policy, turns, mirror):
    planes, policy = symmetric_all_at_once(planes, policy, turns, mirror)
    return planes, policy.reshape(3, 3)


@mutant("8.5", "returns nothing")
def symmetric_returned_without_mirror_only(planes, policy, turns, mirror):
    if not mirror:
        return symmetric_by_cells(planes, policy, turns, mirror)


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


@mutant("8.6", "illegal moves keep a prior")
def ask_masked_with_1000(network, game, state):
    before = network.training
    with torch.no_grad():
        logits, value = network.eval()(torch.from_numpy(game.encode(state))[None])
    network.train(before)
    legal = torch.from_numpy(game.legal_mask(state))
    return logits[0].masked_fill(~legal, -1000.0).softmax(0).numpy(), float(value[0])


@mutant("8.6", "not a pair")
def ask_prior_only(network, game, state):
    return ask_in_numpy(network, game, state)[0]


@mutant("8.6", "the batch dimension comes along")
def ask_for_a_row(network, game, state):
    prior, value = ask_in_numpy(network, game, state)
    return [prior], value


@mutant("8.6", "no batch dimension")
def ask_one(network, game, state):
    before = network.training
    with torch.no_grad():
        logits, value = network.eval()(torch.from_numpy(game.encode(state)))
    network.train(before)
    return logits.softmax(-1), value


@mutant("8.6", "the gradient comes along")
def ask_with_gradient(network, game, state):
    before = network.training
    logits, value = network.eval()(torch.from_numpy(game.encode(state))[None])
    network.train(before)
    legal = torch.from_numpy(game.legal_mask(state))
    return logits[0].masked_fill(~legal, -math.inf).softmax(0), value[0]


@mutant("8.6", "the network left in another mode")
def ask_and_always_train(network, game, state):
    answer = ask_in_numpy(network.eval(), game, state)
    network.train()
    return answer


@mutant("8.6", "train mode at evaluation")
def ask_with_the_flag_only(network, game, state):
    before, network.training = network.training, False
    with torch.no_grad():
        logits, value = network(torch.from_numpy(game.encode(state))[None])
    network.training = before
    legal = torch.from_numpy(game.legal_mask(state))
    return logits[0].masked_fill(~legal, -math.inf).softmax(0), value[0]


@mutant("8.6", "no named fault")
def ask_with_powers_too_large(network, game, state):
    before = network.training
    with torch.no_grad():
        logits, value = network.eval()(torch.from_numpy(game.encode(state))[None])
    network.train(before)
    weights = logits[0].exp().numpy() * game.legal_mask(state)
    return weights / weights.sum(), value[0]
