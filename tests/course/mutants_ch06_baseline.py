"""Chapter 6, what a baseline does: answers as readers could have written them."""

import numpy as np
import torch

from tests.course.registry import mutant, right

# --- 6.3 gradient_moments(p, z, b) ---


def _moments(
    away=lambda p: np.eye(len(p)) - p,
    weight=lambda z, b: z - b,
    shares=lambda p: p,
    spread=lambda p, off: p @ (off**2).sum(axis=1),
):
    """Moments with another gradient, weight, way to count or spread."""

    def gradient_moments(p, z, b):
        gradients = weight(z, b)[:, None] * away(p)
        mean = shares(p) @ gradients
        return mean, spread(shares(p), gradients - mean)

    return gradient_moments


mutant("6.3", "every move counts the same")(_moments(shares=lambda p: np.ones(len(p)) / len(p)))
mutant("6.3", "nothing taken from the other moves")(_moments(away=lambda p: np.eye(len(p))))
mutant("6.3", "e_a − p the wrong way round")(_moments(away=lambda p: p - np.eye(len(p))))
mutant("6.3", "the gradient of p instead of log p")(
    _moments(away=lambda p: np.diag(p) - np.outer(p, p))
)
mutant("6.3", "the baseline is not used")(_moments(weight=lambda z, b: z))
mutant("6.3", "the baseline added")(_moments(weight=lambda z, b: z + b))
mutant("6.3", "the mean of the logits' variances")(
    _moments(spread=lambda p, off: (p @ off**2).mean())
)
mutant("6.3", "the standard deviation")(_moments(spread=lambda p, off: np.sqrt((p @ off**2).sum())))
mutant("6.3", "the variance does not know p")(
    _moments(spread=lambda p, off: (off**2).mean(axis=0).sum())
)
mutant("6.3", "not a pair (mean, variance)")(_moments(spread=lambda p, off: p @ off**2))
mutant("6.3", "no named fault")(_moments(spread=lambda p, off: 0.0))


@mutant("6.3", "z − b weighs the logits instead of the moves")
def moments_by_columns(p, z, b):
    gradients = (z - b) * (np.eye(len(p)) - p)
    mean = p @ gradients
    return mean, p @ ((gradients - mean) ** 2).sum(axis=1)


@mutant("6.3", "the square is not taken around the mean")
def moments_of_squares(p, z, b):
    gradients = (z - b)[:, None] * (np.eye(len(p)) - p)
    return p @ gradients, (p[:, None] * gradients**2).sum()


@mutant("6.3", "not a pair (mean, variance)")
def moments_mean_only(p, z, b):
    return p @ ((z - b)[:, None] * (np.eye(len(p)) - p))


@mutant("6.3", "returns nothing")
def moments_forgotten(p, z, b):
    _moments()(p, z, b)


@right("6.3")
def moments_in_place(p, z, b):
    """z is of floats, so that b may be taken off it in place."""
    z -= b
    gradients = np.diag(z) - np.outer(z, p)
    mean = p @ gradients
    gradients -= mean
    return mean, np.einsum("a,ak,ak", p, gradients, gradients)


@right("6.3")
def moments_in_a_loop(p, z, b):
    samples = []
    for a in range(len(p)):
        direction = [(1.0 if k == a else 0.0) - p[k] for k in range(len(p))]
        samples.append([(z[a] - b) * d for d in direction])
    mean = [sum(p[a] * samples[a][k] for a in range(len(p))) for k in range(len(p))]
    squares = [sum(g * g for g in sample) for sample in samples]
    return mean, float(np.dot(p, squares)) - sum(m * m for m in mean)


@right("6.3")
def moments_by_autograd(p, z, b):
    logits = torch.log(torch.tensor(p)).requires_grad_()
    rows = []
    for a in range(len(p)):
        (gradient,) = torch.autograd.grad(logits.log_softmax(0)[a], logits)
        rows.append((z[a] - b) * gradient.numpy())
    mean = np.average(rows, axis=0, weights=p)
    return mean.tolist(), np.average((rows - mean) ** 2, axis=0, weights=p).sum()


# --- 6.4 subtract_baseline(baseline, z, learner_first, memory) ---


def _side(pair, first):
    return np.where(first, pair[0], pair[1])


def _updated(baseline, z, first, memory, mean=np.mean):
    new = baseline.copy()
    for side, games in enumerate((z[first], z[~first])):
        if len(games):
            new[side] = memory * new[side] + (1 - memory) * mean(games)
    return new


def _baseline(advantage=lambda b, z, first, m: z - _side(b, first), new=_updated):
    def subtract_baseline(baseline, z, learner_first, memory):
        case = baseline, z, learner_first, memory
        return advantage(*case), new(*case)

    return subtract_baseline


mutant("6.4", "the baseline knows the games it is subtracted from")(
    _baseline(lambda b, z, first, m: z - _side(_updated(b, z, first, m), first))
)
mutant("6.4", "the baseline knows the games it is subtracted from")(
    _baseline(lambda b, z, first, m: z - _side(_updated(b, z, first, 0), first))
)
mutant("6.4", "the other side's baseline")(
    _baseline(lambda b, z, first, m: z - _side(b[::-1], first))
)
mutant("6.4", "the other side's baseline")(
    _baseline(
        lambda b, z, first, m: z - _side(b[::-1], first),
        lambda b, z, first, m: _updated(b, z, ~first, m),
    )
)
mutant("6.4", "one mean for both sides")(
    _baseline(new=lambda b, z, first, m: m * b + (1 - m) * z.mean())
)
mutant("6.4", "one mean for both sides")(_baseline(lambda b, z, first, m: z - b.mean()))
mutant("6.4", "memory the wrong way round")(
    _baseline(new=lambda b, z, first, m: _updated(b, z, first, 1 - m))
)
mutant("6.4", "the old baseline is forgotten")(
    _baseline(new=lambda b, z, first, m: _updated(b, z, first, 0))
)
mutant("6.4", "the baseline stays as it is")(_baseline(new=lambda b, z, first, m: b))
mutant("6.4", "added instead of subtracted")(_baseline(lambda b, z, first, m: z + _side(b, first)))
mutant("6.4", "nothing is subtracted")(_baseline(lambda b, z, first, m: z))
mutant("6.4", "sums instead of means")(
    _baseline(new=lambda b, z, first, m: _updated(b, z, first, m, np.sum))
)
mutant("6.4", "divided by the spread")(
    _baseline(lambda b, z, first, m: (z - _side(b, first)) / np.std(z))
)
mutant("6.4", "not a pair (advantage, baseline)")(_baseline(new=lambda b, z, first, m: b.mean()))
mutant("6.4", "no named fault")(
    _baseline(new=lambda b, z, first, m: _updated(b, z, first, m, np.max))
)


@mutant("6.4", "once a game")
def baseline_game_by_game(baseline, z, learner_first, memory):
    new, advantage = list(baseline), []
    for result, first in zip(z, learner_first, strict=True):
        side = 0 if first else 1
        advantage.append(result - baseline[side])
        new[side] = memory * new[side] + (1 - memory) * result
    return advantage, new


@mutant("6.4", "a side without games is pulled to 0")
def baseline_mean_of_nothing_is_0(baseline, z, learner_first, memory):
    sides = [z[learner_first], z[~learner_first]]
    means = np.array([side.sum() / max(len(side), 1) for side in sides])
    return z - _side(baseline, learner_first), memory * baseline + (1 - memory) * means


@mutant("6.4", "the mean of no games")
def baseline_not_a_number(baseline, z, learner_first, memory):
    sums = np.array([z[learner_first].sum(), z[~learner_first].sum()])
    counts = np.array([learner_first.sum(), (~learner_first).sum()])
    with np.errstate(invalid="ignore"):
        new = memory * baseline + (1 - memory) * (sums / counts)
    return z - _side(baseline, learner_first), new


@mutant("6.4", "the mean of no games")
def baseline_divides(baseline, z, learner_first, memory):
    sides = [z[learner_first].tolist(), z[~learner_first].tolist()]
    means = np.array([sum(side) / len(side) for side in sides])
    return z - _side(baseline, learner_first), memory * baseline + (1 - memory) * means


@mutant("6.4", "changes the baseline that it was given")
def baseline_in_place(baseline, z, learner_first, memory):
    advantage = z - _side(baseline, learner_first)
    baseline[:] = _updated(baseline, z, learner_first, memory)
    return advantage, baseline


@mutant("6.4", "not a pair (advantage, baseline)")
def baseline_advantage_only(baseline, z, learner_first, memory):
    return z - _side(baseline, learner_first)


@mutant("6.4", "returns nothing")
def baseline_forgotten(baseline, z, learner_first, memory):
    _updated(baseline, z, learner_first, memory)


@right("6.4")
def baseline_in_place_of_z(baseline, z, learner_first, memory):
    new = _updated(baseline, z, learner_first, memory)
    z[learner_first] -= baseline[0]
    z[~learner_first] -= baseline[1]
    return z, new


@right("6.4")
def baseline_by_index(baseline, z, learner_first, memory):
    side = 1 - learner_first.astype(int)
    counts = np.bincount(side, minlength=2)
    means = np.bincount(side, weights=z, minlength=2) / np.maximum(counts, 1)
    new = np.where(counts > 0, memory * baseline + (1 - memory) * means, baseline)
    return z - baseline[side], new


@right("6.4")
def baseline_in_lists(baseline, z, learner_first, memory):
    games = list(zip(z.tolist(), learner_first.tolist(), strict=True))
    new = []
    for side, old in zip((True, False), baseline.tolist(), strict=True):
        results = [result for result, first in games if first == side]
        mean = sum(results) / len(results) if results else old
        new.append(old + (1 - memory) * (mean - old))
    return tuple(r - (baseline[0] if first else baseline[1]) for r, first in games), tuple(new)
