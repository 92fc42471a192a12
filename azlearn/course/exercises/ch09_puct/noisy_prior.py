"""Noise in the root's prior (9.4). Chance is compared by the mean and the spread of many draws."""

import math
from types import SimpleNamespace

import numpy as np

from azlearn.course.kit import CHANGED, About, Case, Rng, gives, row, show
from azlearn.course.your_puct import record_puct


def at(prior: list, legal: list, alpha: float, fraction: float, num_draws: int = 1000) -> Case:
    words = f"prior = {show(prior)}, legal_actions = {legal}, alpha = {alpha:.3g}, fraction = {fraction:g}"
    return Case(words, (prior, legal, alpha, fraction, num_draws))


NUM_DRAWN = 60
CASES = [
    at([0.1, 0.0, 0.4, 0.2, 0.0, 0.3, 0.0], [0, 2, 3, 5], 10 / 7, 0.25),
    at([0.0, 0.0, 0.7, 0.0, 0.1, 0.2, 0.0], [2, 4, 5], 0.3, 0.75),
    at([0.1, 0.5, 0.1, 0.05, 0.05, 0.1, 0.1], [0, 1, 2, 3, 4, 5, 6], 3.0, 0.75),
]


def draw(rng):
    """One legal move or more of 1 to 9, a prior of 0 on some, nothing but noise, or none at all."""
    num_actions = int(rng.integers(1, 10))
    legal = np.flatnonzero(rng.random(num_actions) < rng.random()).tolist() or [num_actions - 1]
    prior = (np.bincount(rng.choice(legal, 4), minlength=num_actions) / 4).tolist()
    return at(prior, legal, float(rng.choice([0.3, 1, 30])), float(rng.choice([0, 0.25, 1])), 30)


@gives("a list with one probability per action")
def observe(noisy_prior, case):
    prior, legal, alpha, fraction, num_draws = case.arguments
    changed = False

    def shares(rng: Rng) -> list[float]:
        nonlocal changed
        given = list(prior), list(legal)
        value = noisy_prior(*given, alpha, fraction, rng)
        changed |= given != (prior, legal)
        return list(map(float, row(value, len(prior))))

    rng = np.random.default_rng(0)
    table, k = np.array([shares(rng) for _ in range(num_draws)]), len(legal)
    is_on_illegal = np.abs(np.delete(table, legal, axis=1)).max(initial=0) > 1e-9
    seen = {"illegal moves get a share": is_on_illegal}
    if is_on_illegal:
        return seen
    sums, deviations = table.sum(axis=1), table[:, legal].std(axis=0)
    again = [shares(np.random.default_rng(5)) for _ in range(2)]
    # An independent right answer is as far away once in millions of times; 1e-9 where chance is none.
    near = fraction * math.sqrt((k - 1) / (k * alpha + 1)) / k / math.sqrt(num_draws)
    seen["smallest and largest sum"] = About([sums.min(), sums.max()], 1e-6)
    if case in CASES:
        seen["two draws differ"] = bool(np.ptp(table[:2], axis=0).max() > 1e-12)
    if case in CASES or not near:
        seen["mean of the draws"] = About(table.mean(axis=0), 8 * near + 1e-9)
    return seen | {
        "standard deviation": About(math.sqrt((deviations**2).mean()), 3 * near + 1e-9),
        "the same seed gives the same shares": bool(np.allclose(*again, rtol=0, atol=1e-12)),
        CHANGED: changed,
    }


def explore(call, diagnosis):
    def mixed(node, rng: Rng) -> list[float]:
        legal = list(node.legal_actions)
        return list(map(float, call.quietly(list(node.prior), legal, 10 / len(legal), 0.25, rng)))

    return record_puct(root_noise=SimpleNamespace(mixed=mixed))


def remark(found):
    prior = found.tree.root.prior
    return (
        "\n\nThe search below starts from the prior that your function made, "
        f"{show([round(p, 3) for p in prior])}, with the sum {sum(prior):.3g}."
    )
