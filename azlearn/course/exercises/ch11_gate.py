"""Chapter 11, how often a gate opens (11.5): exact probabilities, draws included.

The small cases are counted by hand; the gate of AlphaGo Zero is a sum of binomial coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, show
from azlearn.course.sections import explained_for

# p_win, p_draw, num_games, threshold; the chance to score more than the threshold
_BY_HAND = (
    ((0.5, 0.0, 4, 0.5), 5 / 16),  # 3 or 4 wins of 4: 4 + 1 of 16 ways
    ((0.5, 0.0, 5, 0.6), 6 / 32),  # more than 3: 5 + 1 of 32
    ((0.25, 0.5, 2, 0.5), 5 / 16),  # a win and a draw, 2 · 1/8, or two wins, 1/16
    ((0.3, 0.6, 3, 0.75), 0.189),  # more than 2.25: two wins and a draw, 3 · 0.054, or three wins
    ((0.0, 1.0, 10, 0.5), 0.0),  # all drawn: exactly a half, which is not more
    ((0.6, 0.1, 3, 0.5), 0.666),  # 0.216 + 3·0.036 + 3·0.36·0.3 + 3·0.6·0.01
)
_PAPER = (0.5, 0.0, 400, 0.55)
_PASSES = sum(math.comb(400, wins) for wins in range(221, 401)) / 2**400


def _cases() -> list[Case]:
    return [
        Case(
            f"p_win = {arguments[0]:g}, p_draw = {arguments[1]:g}, {arguments[2]} games, threshold "
            f"{arguments[3]:g}",
            arguments,
            right,
        )
        for arguments, right in (*_BY_HAND, (_PAPER, _PASSES))
    ]


def _half_points(p_win: float, p_draw: float, num_games: int) -> np.ndarray:
    """[2 num_games + 1]: how likely each number of half points is."""
    found = np.ones(1)
    for _ in range(num_games):
        found = np.convolve(found, [1 - p_win - p_draw, p_draw, p_win])
    return found


def _chance(
    p_win: float,
    p_draw: float,
    num_games: int,
    threshold: float,
    passes: Callable[[np.ndarray, float], np.ndarray] = lambda halves, needed: (
        halves > needed + 1e-9
    ),
) -> float:
    likely = _half_points(p_win, p_draw, num_games)
    return float(likely[passes(np.arange(len(likely)), 2 * num_games * threshold)].sum())


def _normal(p_win, p_draw, num_games, threshold) -> float:
    mean = p_win + p_draw / 2
    variance = (p_win + p_draw / 4 - mean**2) / num_games
    away = (threshold - mean) / math.sqrt(2 * variance) if variance > 0 else math.inf
    return 0.5 * math.erfc(away)


def _not_drawn(p_win, p_draw, num_games, threshold) -> float:
    p = p_win / (1 - p_draw) if p_draw < 1 else 0.0
    return _chance(p, 0.0, num_games, threshold)


def _lowest(p_win, p_draw, num_games, threshold) -> float:
    """The chance of the lowest score that can occur and passes."""
    likely = _half_points(p_win, p_draw, num_games)
    first = math.floor(2 * num_games * threshold + 1e-9) + 1
    return float(next((chance for chance in likely[first:] if chance > 0), 0.0))


def _with(passes: Callable[[np.ndarray, float], np.ndarray]) -> Callable[..., float]:
    return lambda *arguments: _chance(*arguments, passes=passes)


def _fault(name: str, give: Callable[..., float], message: str) -> Fault:
    return Fault(name, give, "for {case}, the chance is {right}; yours is {yours}. " + message)


_AT_LEAST = (
    "The score must be *more* than the threshold. Exactly reaching it is not enough, or a match of "
    "nothing but draws would pass a gate of 50 %."
)
_FAULTS = (
    _fault("at least instead of more", _with(lambda h, needed: h > needed - 1e-9), _AT_LEAST),
    _fault("at least instead of more", _with(lambda h, needed: h >= needed), _AT_LEAST),
    _fault(
        "the chance to fail",
        lambda *arguments: 1 - _chance(*arguments),
        "That is the chance *not* to pass.",
    ),
    _fault(
        "the chance of one score",
        _with(lambda h, needed: h == np.floor(needed + 1e-9) + 1),
        "That is the chance of the lowest score that passes. All higher ones pass too: add them up.",
    ),
    _fault(
        "the chance of one score",
        _lowest,
        "That is the chance of the lowest score that passes. All higher ones pass too: add them up.",
    ),
    _fault(
        "draws count nothing",
        lambda p_win, p_draw, n, t: _chance(p_win, 0.0, n, t),
        "A draw is half a point. Let each game bring 0, 1 or 2 half points.",
    ),
    _fault(
        "draws count as wins",
        lambda p_win, p_draw, n, t: _chance(p_win + p_draw, 0.0, n, t),
        "A draw is half a point. Let each game bring 0, 1 or 2 half points.",
    ),
    _fault(
        "draws replaced by more games",
        _not_drawn,
        "You share the draws out among wins and losses. A drawn game is played, and brings half a point.",
    ),
    _fault(
        "a coin with the mean score",
        lambda p_win, p_draw, n, t: _chance(p_win + p_draw / 2, 0.0, n, t),
        "The mean is right and the spread is not: draws make scores scatter *less* than coins do.",
    ),
    _fault(
        "yes or no instead of a chance",
        lambda p_win, p_draw, n, t: float(p_win + p_draw / 2 > t),
        "That is what an endless match would say. In a short one luck decides too: how often?",
    ),
    _fault(
        "the normal curve",
        _normal,
        "The bell curve is near for hundreds of games and far off for four. Add up the exact "
        "probabilities.",
    ),
    _fault(
        "half points against points",
        _with(lambda h, needed: h > needed / 2 + 1e-9),
        "You count in half points, so the threshold is 2 · num_games · threshold half points.",
    ),
)


@explained_for("11.5")
def check_gate(call: Call) -> str:
    given = []
    for case in _cases():
        value = call(*case.arguments, shown=case.shown)
        if as_list(value) is not None:
            raise Wrong(
                "not one number",
                f"For {case.shown}, one chance is asked for; you gave {show(value):.80}.",
            )
        given.append(value)
    compare(_cases(), given, _FAULTS, form=lambda chance: f"{float(chance):.4f}")
    return (
        "You can now price any gate: what it lets through by luck, and what it keeps out. Two equal "
        f"players, no draws: {_PASSES:.1%} pass 55 % of 400 games."
    )


EXERCISES = (
    Exercise(
        id="11.5",
        title="The price of a gate",
        minutes=15,
        difficulty=3,
        function="chance_to_pass(p_win, p_draw, num_games, threshold)",
        check=check_gate,
        diagnoses=(*dict.fromkeys(fault.name for fault in _FAULTS), "not one number"),
        hints=(
            "After every game you hold some number of half points. Keep the probability of each number, "
            "and let one more game move it: by 0, 1 or 2.",
            "Such a step is `np.convolve(likely, [p_loss, p_draw, p_win])`, beginning with `[1.0]`. Then "
            "add up what lies above 2 · num_games · threshold.",
            "In near-code:\n\n"
            "    likely = [1.0]\n"
            "    num_games times: likely = np.convolve(likely, [p_loss, p_draw, p_win])\n"
            "    return the sum of likely[h] over every h > 2 * num_games * threshold",
        ),
    ),
)
