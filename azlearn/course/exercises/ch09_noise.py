"""Chapter 9, noise in the root's prior (9.4).

Chance cannot be compared number by number: thousands of draws must have the mean and the spread of
Dirichlet noise. What a wrong function would give is drawn too, and its mean and spread looked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, as_list, show
from azlearn.course.sections import explained_for
from azlearn.course.your_puct import record_puct
from azlearn.search import Recording

_DRAWS = 2000
_CLOSE = 0.02  # of a share; 2,000 draws come within two thirds of it

# (prior, legal actions, alpha, fraction)
_CASES = (
    ((0.1, 0.0, 0.4, 0.2, 0.0, 0.3, 0.0), (0, 2, 3, 5), 10 / 7, 0.25),
    ((0.0, 0.0, 0.7, 0.0, 0.1, 0.2, 0.0), (2, 4, 5), 0.3, 0.75),
    ((0.1, 0.5, 0.1, 0.05, 0.05, 0.1, 0.1), (0, 1, 2, 3, 4, 5, 6), 3.0, 0.75),
)


def _placed(prior, legal, values) -> np.ndarray:
    """float64 [n, num_actions]: values [n, number of legal actions] where they belong, 0 elsewhere."""
    out = np.zeros((len(values), len(prior)))
    out[:, list(legal)] = values
    return out


def _mixed(prior, legal, fraction, noise) -> np.ndarray:
    return (1 - fraction) * np.array(prior) + fraction * _placed(prior, legal, noise)


def _right(prior, legal, alpha, fraction, rng, n=1) -> np.ndarray:
    """float64 [n, num_actions]: n priors with noise."""
    return _mixed(prior, legal, fraction, rng.dirichlet([alpha] * len(legal), n))


def _with_alpha(alpha_of: Callable[..., float]) -> Callable[..., np.ndarray]:
    def give(prior, legal, alpha, fraction, rng, n) -> np.ndarray:
        return _right(prior, legal, alpha_of(alpha, len(legal)), fraction, rng, n)

    return give


def _everywhere(prior, legal, alpha, fraction, rng, n) -> np.ndarray:
    """Noise over all actions, the illegal part thrown away, the rest made to sum to 1."""
    mixed = (1 - fraction) * np.array(prior) + fraction * rng.dirichlet([alpha] * len(prior), n)
    kept = _placed(prior, legal, mixed[:, list(legal)])
    return kept / kept.sum(axis=1, keepdims=True)


def _uniform(prior, legal, alpha, fraction, rng, n) -> np.ndarray:
    numbers = rng.random((n, len(legal)))
    return _mixed(prior, legal, fraction, numbers / numbers.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class _NoiseFault:
    name: str
    give: Callable[..., np.ndarray]  # as _right
    message: str


_FAULTS = (
    _NoiseFault(
        "the fraction the wrong way round",
        lambda p, legal, alpha, f, rng, n: _right(p, legal, alpha, 1 - f, rng, n),
        "`fraction` is the weight of the *noise*; the prior keeps 1 - fraction.",
    ),
    _NoiseFault(
        "the prior is lost",
        lambda p, legal, alpha, f, rng, n: _right(p, legal, alpha, 1.0, rng, n),
        "Nothing is left of the prior but its legal moves.",
    ),
    _NoiseFault(
        "alpha divided among the moves",
        _with_alpha(lambda alpha, num_legal: alpha / num_legal),
        "Each legal move gets the whole `alpha`: 10 / moves, say, has their number in it already.",
    ),
    _NoiseFault(
        "alpha multiplied by the moves",
        _with_alpha(lambda alpha, num_legal: alpha * num_legal),
        "Each legal move gets `alpha`, as it is.",
    ),
    _NoiseFault(
        "alpha made from the number of moves",
        _with_alpha(lambda alpha, num_legal: 10 / num_legal),
        "The `alpha` that is given is not used.",
    ),
    _NoiseFault(
        "alpha turned over",
        _with_alpha(lambda alpha, num_legal: 1 / alpha),
        "That is the spread of Dirichlet(1 / alpha). A *small* alpha makes jagged noise.",
    ),
    _NoiseFault(
        "noise drawn over the illegal moves too",
        _everywhere,
        "Your numbers are legal and sum to 1, but part of the noise was thrown away with the illegal "
        "moves, a different part each time: draw one number for each *legal* move.",
    ),
    _NoiseFault(
        "uniform numbers instead of Dirichlet's",
        _uniform,
        "Uniform numbers made to sum to 1 are not Dirichlet(alpha): they stay near the middle, "
        "whatever alpha is.",
    ),
)


def _statistics(draws: np.ndarray) -> np.ndarray:
    """float64 [2, num_actions]: mean and standard deviation of every action's share."""
    return np.array([draws.mean(axis=0), draws.std(axis=0)])


@cache
def _wanted(give: Callable[..., np.ndarray], case: tuple) -> np.ndarray:
    return _statistics(give(*case, np.random.default_rng(1), 20 * _DRAWS))


def _distance(give: Callable[..., np.ndarray], found: list[np.ndarray]) -> float:
    """How far the statistics of all cases are from what `give` should have, at the worst place."""
    pairs = zip(_CASES, found, strict=True)
    return max(np.abs(_wanted(give, case) - numbers).max() for case, numbers in pairs)


@explained_for("9.4")
def check_noise(call: Call) -> str:
    found = []
    for case in _CASES:
        shown = _in_words(*case)
        rng, draws = np.random.default_rng(0), []
        for number in range(_DRAWS):
            draws.append(_draw(call, case, rng, shown))
            if number < 50:
                _check_shares(draws[-1], case, shown)
        if np.ptp(draws, axis=0).max() < 1e-12:
            _raise_for_constant(draws[0], case[0], shown)
        _check_generator(call, case, shown)
        found.append(_statistics(np.array(draws)))
    if _distance(_right, found) < _CLOSE:
        return (
            f"The mean and the spread of {_DRAWS:,} draws are those of Dirichlet noise, illegal moves "
            "stay at 0, and every prior sums to 1."
        )
    fault = min(_FAULTS, key=lambda fault: _distance(fault.give, found))
    if _distance(fault.give, found) < _CLOSE:
        raise _wrong(fault.name, fault.message, found)
    raise _wrong(UNRECOGNISED, "", found)


def _draw(call: Call, case: tuple, rng: np.random.Generator, shown: str) -> np.ndarray:
    """What the reader's function gives, float64 [num_actions]."""
    prior, legal, alpha, fraction = case
    given, legal = list(prior), list(legal)
    value = call(given, legal, alpha, fraction, rng, shown=shown)
    if given != list(prior):
        raise Wrong(
            "changes the prior that it was given",
            f"For {shown}, the list `prior` is another afterwards. Make a new one: whoever passed it "
            "may still need it.",
        )
    shares = as_list(value)
    if shares is None or len(shares) != len(prior):
        raise Wrong(
            "not one share an action",
            f"For {shown}, {len(prior)} shares are asked for, one an action, legal or not; you gave "
            f"{show(value):.80}.",
        )
    return np.array(shares, dtype=np.float64)


def _check_shares(shares: np.ndarray, case: tuple, shown: str) -> None:
    """What must hold for every single draw."""
    prior, legal, _, fraction = case
    illegal = [action for action in range(len(prior)) if action not in legal]
    if np.abs(shares[illegal]).max(initial=0) > 1e-9:
        raise Wrong(
            "noise on illegal moves",
            f"For {shown}, you gave {show(shares)}: illegal moves have a prior. Draw one number for "
            "each *legal* move, and put it where that move stands.",
        )
    total = shares.sum()
    if abs(total - 1) < 1e-6:
        return
    message = f"For {shown}, your shares {show(shares)} sum to {total:.4g}, not to 1. "
    if abs(total - 1 - fraction) < 1e-6:
        raise Wrong(
            "the prior is not shrunk",
            message + "Noise was added on top: the prior must make room, (1 - fraction) of it.",
        )
    if illegal and 1 - fraction - 1e-9 <= total < 1:
        raise Wrong(
            "part of the noise is thrown away",
            message
            + "What you drew for the illegal moves is missing. Draw for the legal ones only.",
        )
    raise Wrong("does not sum to 1", message + "A weighted mean of two priors sums to 1 by itself.")


def _raise_for_constant(shares: np.ndarray, prior: tuple, shown: str) -> None:
    if np.abs(shares - prior).max() < 1e-9:
        raise Wrong("no noise", f"For {shown}, you gave the prior back as it was.")
    raise Wrong(
        "the same noise every time",
        f"For {shown}, every call gives {show(shares)}. The generator must come from outside: one "
        "that is made anew in the function, with a seed, draws the same numbers each time.",
    )


def _check_generator(call: Call, case: tuple, shown: str) -> None:
    """The same generator, seeded alike, gives the same noise."""
    one, two = (_draw(call, case, np.random.default_rng(5), shown) for _ in range(2))
    if np.abs(one - two).max() > 1e-12:
        raise Wrong(
            "another generator than the one given",
            f"For {shown}, two generators with the same seed gave {show(one)} and {show(two)}. Draw "
            "from `rng`: `np.random.dirichlet` has a hidden state, and no search could be repeated.",
        )


def _wrong(name: str, message: str, found: list[np.ndarray]) -> Wrong:
    wanted = [_wanted(_right, case) for case in _CASES]
    worst = max(range(len(found)), key=lambda i: np.abs(wanted[i] - found[i]).max())
    rows = [
        (f"{what} of {_DRAWS:,} draws", wanted[worst][i].round(3), found[worst][i].round(3))
        for i, what in enumerate(("mean", "standard deviation"))
    ]
    text = f"For {_in_words(*_CASES[worst])}, your draws have another mean or spread. {message}"
    return Wrong(name, text.rstrip(), rows)


def _in_words(prior, legal, alpha: float, fraction: float) -> str:
    return (
        f"prior = {show(list(prior))}, legal_actions = {list(legal)}, alpha = {alpha:.3g}, "
        f"fraction = {fraction:g}"
    )


_ALPHA, _FRACTION = 10 / 5, 0.25  # the position of the search has five legal moves


class _YourNoise:
    """Stands in the place of RootNoise."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def mixed(self, node: Any, rng: np.random.Generator) -> list[float]:
        given = (list(node.prior), list(node.legal_actions), _ALPHA, _FRACTION)
        return [float(share) for share in self.call.quietly(*given, rng)]


def explore_noise(call: Call, diagnosis: str) -> Recording:
    return record_puct(root_noise=_YourNoise(call))


def _consequence(found: Recording) -> str:
    root = found.tree.root
    return (
        f"\n\nThe search below starts from the prior that your function made, "
        f"{show([round(p, 3) for p in root.prior])}, with the sum {sum(root.prior):.3g}."
    )


EXERCISES = (
    Exercise(
        id="9.4",
        title="Noise at the root",
        minutes=10,
        difficulty=2,
        function="noisy_prior(prior, legal_actions, alpha, fraction, rng)",
        check=check_noise,
        explore=explore_noise,
        remark=_consequence,
        diagnoses=(
            *(fault.name for fault in _FAULTS),
            "changes the prior that it was given",
            "not one share an action",
            "noise on illegal moves",
            "the prior is not shrunk",
            "part of the noise is thrown away",
            "does not sum to 1",
            "no noise",
            "the same noise every time",
            "another generator than the one given",
        ),
        hints=(
            "A weighted mean of two priors: the network's, and one that is drawn. Over which moves must "
            "the second be drawn?",
            "`rng.dirichlet([alpha] * len(legal_actions))` gives one share for each legal move. Put "
            "them where those moves stand.",
            "In near-code:\n\n"
            "    noise = zeros, one for each action\n"
            "    noise at the legal actions = rng.dirichlet(alpha for each of them)\n"
            "    return (1 - fraction) * prior + fraction * noise",
        ),
    ),
)
