"""Chapter 5: right and wrong answers, written in other ways than the solutions and the sheets."""

import copy
import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.course.registry import mutant, right

# --- 5.1 imitation_loss(logits, legal_mask, action) ---


def _log_p(logits, legal_mask):
    return logits.masked_fill(~legal_mask, -math.inf).log_softmax(1)


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


@mutant("5.1", "0 times minus infinity")
def loss_one_hot(logits, legal_mask, action):
    return -(F.one_hot(action, logits.shape[1]) * _log_p(logits, legal_mask)).mean()


@mutant("5.1", "rounded to 0 or ∞ on the way")
def loss_with_epsilon(logits, legal_mask, action):
    p = _log_p(logits, legal_mask).exp().gather(1, action[:, None])
    return -(p + 1e-8).log().mean()


@mutant("5.1", "a finite number is no mask")
def loss_filled(logits, legal_mask, action):
    return F.cross_entropy(logits.where(legal_mask, torch.tensor(-1000.0)), action)


@mutant("5.1", "shifted by an illegal move's logit")
def loss_shifted(logits, legal_mask, action):
    shifted = logits - logits.amax(1, keepdim=True)
    weights = (shifted.exp() * legal_mask).sum(1)
    return (weights.log() - shifted.gather(1, action[:, None])[:, 0]).mean()


@mutant("5.1", "changes what it was given")
def loss_in_place_of_the_mask(logits, legal_mask, action):
    return F.cross_entropy(logits.masked_fill(legal_mask.logical_not_(), -math.inf), action)


@mutant("5.1", "no gradient")
def loss_as_number(logits, legal_mask, action):
    return F.nll_loss(_log_p(logits, legal_mask), action).item()


@mutant("5.1", "no named fault")
def loss_without_the_gradient_of_the_sum(logits, legal_mask, action):
    normalised = logits - logits.masked_fill(~legal_mask, -math.inf).logsumexp(1).detach()[:, None]
    return F.nll_loss(normalised, action)


# --- 5.2 held_out_mask(game_number, share, rng) ---


def _size(share, games):
    return min(max(1, round(share * len(games))), len(games) - 1)


def _isin(chosen):
    """The answer that holds out the games chosen(games, size, rng, game_number)."""

    def held_out_mask(game_number, share, rng):
        games = np.unique(game_number)
        return np.isin(game_number, chosen(games, _size(share, games), rng, game_number))

    return held_out_mask


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


mutant("5.2", "a coin for every game")(
    _isin(lambda g, k, rng, _: g[rng.random(len(g)) < k / len(g)])
)
mutant("5.2", "a game is drawn twice")(
    _isin(lambda g, k, rng, rows: rng.choice(rows, k, replace=False))
)
mutant("5.2", "the first or the last games, not random ones")(_isin(lambda g, k, *_: g[-k:]))
mutant("5.2", "the same games every time")(
    _isin(lambda g, k, *_: np.random.default_rng(0).choice(g, k, replace=False))
)
mutant("5.2", "a game is never held out")(
    _isin(lambda g, k, rng, _: rng.choice(g[1:], k, replace=False))
)
mutant("5.2", "game numbers taken for 0, 1, 2, …")(
    _isin(lambda g, k, rng, _: rng.permutation(len(g))[:k])
)
mutant("5.2", "another generator than the one given")(
    _isin(lambda g, k, *_: np.random.permutation(g)[:k])  # noqa: NPY002
)
mutant("5.2", "nothing stays for training")(
    lambda n, share, rng: np.isin(
        n, rng.permutation(g := np.unique(n))[: max(1, round(share * len(g)))]
    )
)
mutant("5.2", "not a mask of the positions")(
    lambda n, share, rng: rng.permutation(g := np.unique(n))[: _size(share, g)]
)
mutant("5.2", "positions are drawn, not games")(lambda n, share, rng: rng.random(len(n)) < share)
mutant("5.2", "a block of rows")(lambda n, share, rng: np.arange(len(n)) < int(share * len(n)))


@mutant("5.2", "a part of every game")
def mask_of_the_endings(game_number, share, rng):
    mask = np.zeros(len(game_number), dtype=bool)
    for game in np.unique(game_number):
        rows = np.flatnonzero(game_number == game)
        mask[rows[len(rows) - round(share * len(rows)) :]] = True
    return mask


@mutant("5.2", "counts on rows that stand together")
def mask_repeated(game_number, share, rng):
    games, sizes = np.unique(game_number, return_counts=True)
    return np.repeat(rng.permutation(len(games)) < _size(share, games), sizes)


@mutant("5.2", "changes what it was given")
def mask_by_shuffling(game_number, share, rng):
    num_held_out = _size(share, np.unique(game_number))
    rng.shuffle(game_number)
    return np.isin(game_number, list(dict.fromkeys(game_number.tolist()))[:num_held_out])


@mutant("5.2", "a share of the positions, not of the games")
def mask_until_full(game_number, share, rng):
    mask = np.zeros(len(game_number), dtype=bool)
    for game in rng.permutation(np.unique(game_number)):
        if mask.mean() < share:
            mask |= game_number == game
    return mask


# --- 5.3 top1_accuracy(network, planes, legal_mask, action, batch_size) ---


def _accuracy(
    result=lambda hits: torch.cat(hits).float().mean().item(),
    enter=lambda network: network.eval(),
    leave=lambda network, before: network.train(before),
    without=torch.no_grad,
    size=lambda batch_size: batch_size,
):
    """The right way, with a step replaced."""

    def top1_accuracy(network, planes, legal_mask, action, batch_size):
        before, hits, columns = network.training, [], (planes, legal_mask, action)
        enter(network)
        with without():
            for rows, legal, move in zip(
                *(c.split(size(batch_size)) for c in columns), strict=True
            ):
                logits = network(rows)[0].masked_fill(~legal, -math.inf)
                hits.append(logits.argmax(1) == move)
        leave(network, before)
        return result(hits)

    return top1_accuracy


@right("5.3")
def accuracy_of_a_copy(network, planes, legal_mask, action, batch_size):
    made = copy.deepcopy(network).eval().requires_grad_(False)
    one_by_one = _accuracy(size=lambda _: 1, without=torch.enable_grad)
    return one_by_one(made, planes, legal_mask, action, batch_size)


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


mutant("5.3", "train mode while measuring")(_accuracy(enter=lambda network: network.train()))
mutant("5.3", "gradients are kept")(_accuracy(without=torch.enable_grad))
mutant("5.3", "more than a batch at once")(_accuracy(size=lambda batch_size: 2 * batch_size))
mutant("5.3", "not a number")(_accuracy(result=torch.cat))
mutant("5.3", "the network left in another mode")(
    _accuracy(leave=lambda network, _: network.train())
)
mutant("5.3", "the network left in another mode")(
    _accuracy(leave=lambda network, before: setattr(network, "training", before))
)


@mutant("5.3", "the last batch is left out")
def accuracy_of_full_batches(network, planes, legal_mask, action, batch_size):
    full = len(planes) // batch_size * batch_size
    return _accuracy()(network, planes[:full], legal_mask[:full], action[:full], batch_size)


@mutant("5.3", "no named fault")
def accuracy_that_switches_gradients_off(network, *others):
    torch.set_grad_enabled(False)
    return _accuracy()(network, *others)


# --- 5.4 log_likelihood_gradient(weights, features, legal_mask, action) ---


def _with(p):
    """The right way with another p(logits, legal_mask)."""

    def log_likelihood_gradient(weights, features, legal_mask, action):
        with np.errstate(all="ignore"):
            expected = np.einsum("ba,baf->bf", p(features @ weights, legal_mask), features)
        return (features[range(len(action)), action] - expected).mean(axis=0)

    return log_likelihood_gradient


def _shares(weights):
    return weights / weights.sum(axis=1, keepdims=True)


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


mutant("5.4", "e to a large logit overflows")(_with(lambda x, legal: _shares(np.exp(x) * legal)))
mutant("5.4", "e to a large logit overflows")(
    _with(lambda x, legal: _shares(np.array([[math.exp(y) for y in row] for row in x]) * legal))
)
mutant("5.4", "shifted by another logit than the position's largest legal one")(
    _with(lambda x, legal: _shares(np.exp(x - x.max(1, keepdims=True)) * legal))
)
mutant("5.4", "a finite number is no mask")(
    _with(lambda x, legal: torch.tensor(x - 20 * ~legal).softmax(1).numpy())
)


@mutant("5.4", "changes what it was given")
def gradient_clears_the_illegal(weights, features, legal_mask, action):
    features[~legal_mask] = 0
    logits = np.where(legal_mask, features @ weights, -np.inf)
    p = _shares(np.exp(logits - logits.max(1, keepdims=True)))
    return features[range(len(action)), action].mean(0) - (p[..., None] * features).sum(1).mean(0)


# --- 5.5 seen_in_training(train, held_out) ---


def _seen(known, asked, images=lambda board: (board, board[:, ::-1])):
    known = {board.tobytes() for board in known}
    return np.array([any(b.tobytes() in known for b in images(board)) for board in asked])


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


mutant("5.5", "mirror images are missed")(
    lambda train, held_out: _seen([*train, *np.fliplr(train)], held_out, lambda board: (board,))
)
mutant("5.5", "not one answer for each held-out board")(
    lambda train, held_out: np.flatnonzero(_seen(train, held_out))
)


@mutant("5.5", "no named fault")
def seen_by_rounded_codes(train, held_out):
    codes = 3.0 ** np.arange(train[0].size)
    numbers = [(b.reshape(len(b), -1) * codes).sum(1) for b in (train, train[:, :, ::-1], held_out)]
    return np.isin(numbers[2], np.concatenate(numbers[:2]))
