"""Chapter 8, planes, a residual block, asking a network: answers as readers could write them."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.course.registry import mutant, right

# --- 8.1 planes(board, to_play) ---


def _sides(board, to_play):
    return (board == 1, board == 2) if to_play == 0 else (board == 2, board == 1)


@mutant("8.1", "planes of the colours, not of the mover")
def planes_of_colours(board, to_play):
    return np.stack([board == 1, board == 2]).astype(np.float32)


@mutant("8.1", "the planes swapped")
def planes_swapped(board, to_play):
    mine, theirs = _sides(board, to_play)
    return np.array([theirs, mine], dtype=np.float32)


@mutant("8.1", "the planes swapped")
def planes_of_the_next_player(board, to_play):
    return np.stack([board == (2, 1)[to_play], board == (1, 2)[to_play]]).astype(np.float32)


@mutant("8.1", "one plane with signs")
def planes_signed(board, to_play):
    mine, theirs = _sides(board, to_play)
    return mine.astype(np.float32) - theirs.astype(np.float32)


@mutant("8.1", "one plane with signs")
def planes_signed_with_axis(board, to_play):
    mine, theirs = _sides(board, to_play)
    return (mine.astype(np.float32) - theirs)[None]


@mutant("8.1", "the planes last")
def planes_last(board, to_play):
    return np.stack(_sides(board, to_play), axis=-1).astype(np.float32)


@mutant("8.1", "upside down")
def planes_upside_down(board, to_play):
    return np.stack(_sides(board[::-1], to_play)).astype(np.float32)


@mutant("8.1", "2 where 1 is wanted")
def planes_with_names(board, to_play):
    return np.stack([np.where(side, board, 0) for side in _sides(board, to_play)]).astype(
        np.float32
    )


@mutant("8.1", "a third plane")
def planes_with_the_empty(board, to_play):
    return np.stack([*_sides(board, to_play), board == 0]).astype(np.float32)


@mutant("8.1", "a third plane")
def planes_with_the_colour(board, to_play):
    return np.stack([*_sides(board, to_play), np.full(board.shape, to_play)]).astype(np.float32)


@mutant("8.1", "not float32")
def planes_bool(board, to_play):
    return np.stack(_sides(board, to_play))


@mutant("8.1", "not float32")
def planes_float64(board, to_play):
    return np.stack(_sides(board, to_play)) * 1.0


@mutant("8.1", "not float32")
def planes_list(board, to_play):
    return [side.astype(int).tolist() for side in _sides(board, to_play)]


@mutant("8.1", "no named fault")
def planes_transposed(board, to_play):
    return np.stack([side.T for side in _sides(board, to_play)]).astype(np.float32)


@mutant("8.1", "returns nothing")
def planes_no_return(board, to_play):
    np.stack(_sides(board, to_play)).astype(np.float32)


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


@mutant("8.2", "no skip")
def residual_plain(x, first, second):
    return F.relu(second(F.relu(first(x))))


@mutant("8.2", "no skip")
def residual_overwritten(x, first, second):
    x = F.relu(first(x))
    x = second(x)
    return F.relu(x)


@mutant("8.2", "ReLU before the addition")
def residual_relu_first(x, first, second):
    return x + F.relu(second(F.relu(first(x))))


@mutant("8.2", "no ReLU at the end")
def residual_no_last_relu(x, first, second):
    return x + second(F.relu(first(x)))


@mutant("8.2", "no ReLU in the middle")
def residual_no_middle_relu(x, first, second):
    return F.relu(x + second(first(x)))


@mutant("8.2", "the skip starts too late")
def residual_late_skip(x, first, second):
    y = first(x)
    return F.relu(y + second(F.relu(y)))


@mutant("8.2", "the skip starts too late")
def residual_name_reused(x, first, second):
    x = F.relu(first(x))
    return F.relu(x + second(x))


@mutant("8.2", "x is cut off as well")
def residual_relu_on_x(x, first, second):
    return F.relu(F.relu(x) + second(F.relu(first(x))))


@mutant("8.2", "one convolution twice")
def residual_first_twice(x, first, second):
    return F.relu(x + first(F.relu(first(x))))


@mutant("8.2", "the convolutions swapped")
def residual_swapped(x, first, second):
    return F.relu(x + first(F.relu(second(x))))


@mutant("8.2", "x put beside, not added")
def residual_cat(x, first, second):
    return F.relu(torch.cat([x, second(F.relu(first(x)))], dim=1))


@mutant("8.2", "x is changed in place")
def residual_in_place(x, first, second):
    x += second(F.relu(first(x)))
    return F.relu(x)


@mutant("8.2", "no named fault")
def residual_tanh(x, first, second):
    return torch.tanh(x + second(torch.tanh(first(x))))


@right("8.2")
def residual_with_names(x, first, second):
    y = first(x).clamp(min=0)
    y = second(y)
    y = y + x
    return y.relu()


@right("8.2")
def residual_in_place_on_its_own(x, first, second):
    y = second(F.relu(first(x))).clone()
    y += x
    return F.relu_(y)


# --- 8.6 ask(network, game, state) ---


def _ask(network, game, state, *, planes=None, prior=None, value=lambda v, game, state: float(v)):
    """The right way, with one step replaced."""
    planes = torch.from_numpy(game.encode(state)) if planes is None else planes
    before = network.training
    network.eval()
    with torch.no_grad():
        logits, v = network(planes[None])
    network.train(before)
    legal = torch.from_numpy(game.legal_mask(state))
    prior = prior or (lambda logits, legal: logits.masked_fill(~legal, -math.inf).softmax(0))
    return prior(logits[0], legal).numpy(), value(v[0], game, state)


@mutant("8.6", "no batch dimension")
def ask_one(network, game, state):
    before = network.training
    network.eval()
    with torch.no_grad():
        logits, value = network(torch.from_numpy(game.encode(state)))
    network.train(before)
    legal = torch.from_numpy(game.legal_mask(state))
    return logits.masked_fill(~legal, -math.inf).softmax(0).numpy(), float(value)


@mutant("8.6", "train mode at evaluation")
def ask_in_any_mode(network, game, state):
    with torch.no_grad():
        logits, value = network(torch.from_numpy(game.encode(state))[None])
    legal = torch.from_numpy(game.legal_mask(state))
    return logits[0].masked_fill(~legal, -math.inf).softmax(0).numpy(), float(value[0])


@mutant("8.6", "train mode at evaluation")
def ask_in_train_mode(network, game, state):
    network.train()
    return ask_in_any_mode(network, game, state)


@mutant("8.6", "the network left in another mode")
def ask_and_stay_in_eval(network, game, state):
    network.eval()
    return ask_in_any_mode(network, game, state)


@mutant("8.6", "the network left in another mode")
def ask_and_always_train(network, game, state):
    network.eval()
    answer = ask_in_any_mode(network, game, state)
    network.train()
    return answer


@mutant("8.6", "planes of the other player")
def ask_for_the_opponent(network, game, state):
    return _ask(network, game, state, planes=torch.from_numpy(game.encode(state)[::-1].copy()))


@mutant("8.6", "illegal moves keep a prior")
def ask_without_mask(network, game, state):
    return _ask(network, game, state, prior=lambda logits, legal: logits.softmax(0))


@mutant("8.6", "illegal moves keep a prior")
def ask_masked_with_zero(network, game, state):
    return _ask(network, game, state, prior=lambda logits, legal: (logits * legal).softmax(0))


@mutant("8.6", "masked after the soft-max")
def ask_masked_late(network, game, state):
    return _ask(network, game, state, prior=lambda logits, legal: logits.softmax(0) * legal)


@mutant("8.6", "logits instead of probabilities")
def ask_logits(network, game, state):
    return _ask(network, game, state, prior=lambda logits, legal: logits)


@mutant("8.6", "logits instead of probabilities")
def ask_masked_logits(network, game, state):
    return _ask(
        network, game, state, prior=lambda logits, legal: logits.masked_fill(~legal, -math.inf)
    )


@mutant("8.6", "the value for the other player")
def ask_negated(network, game, state):
    return _ask(network, game, state, value=lambda v, game, state: -float(v))


@mutant("8.6", "the value in the first player's view")
def ask_for_x(network, game, state):
    return _ask(network, game, state, value=lambda v, g, s: float(v if g.to_play(s) == 0 else -v))


@mutant("8.6", "the gradient comes along")
def ask_with_gradient(network, game, state):
    before = network.training
    network.eval()
    planes = torch.from_numpy(game.encode(state))[None].requires_grad_()
    logits, value = network(planes)
    network.train(before)
    legal = torch.from_numpy(game.legal_mask(state))
    return logits[0].masked_fill(~legal, -math.inf).softmax(0), value[0]


@mutant("8.6", "the batch dimension comes along")
def ask_for_rows(network, game, state):
    before = network.training
    network.eval()
    with torch.no_grad():
        logits, value = network(torch.from_numpy(game.encode(state))[None])
    network.train(before)
    legal = torch.from_numpy(game.legal_mask(state))[None]
    return logits.masked_fill(~legal, -math.inf).softmax(1).numpy(), value.numpy()


@mutant("8.6", "not a pair")
def ask_prior_only(network, game, state):
    return _ask(network, game, state)[0]


@mutant("8.6", "no named fault")
def ask_sharpened(network, game, state):
    prior, value = _ask(network, game, state)
    return prior**2 / (prior**2).sum(), value


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
    weights = np.exp(logits - logits.max()) * game.legal_mask(state)
    return (weights / weights.sum()).tolist(), value


@right("8.6")
def ask_and_detach(network, game, state):
    before = network.training
    logits, value = network.eval()(torch.from_numpy(game.encode(state)).unsqueeze(0))
    network.train(before)
    prior = torch.zeros(game.num_actions)
    legal = game.legal_actions(state)
    prior[legal] = logits.detach()[0, legal].softmax(0)
    return prior, value.item()
