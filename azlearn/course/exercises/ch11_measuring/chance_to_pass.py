"""How often a gate opens (11.5). The small cases are counted by hand.

Where a score can reach the threshold exactly, the numbers are such that no formula rounds; but for
the gate of AlphaGo Zero, which every formula rounds to the same side or not at all.
"""

import math

from azlearn.course.kit import Case, as_list, show

CASES = [
    Case("", (0.5, 0.0, 4, 0.5), 5 / 16),  # 3 or 4 wins of 4: 4 + 1 of 16 ways
    Case("", (0.5, 0.0, 5, 0.7), 6 / 32),  # more than 3.5: 5 + 1 of 32
    Case("", (0.25, 0.5, 2, 0.5), 5 / 16),  # a win and a draw, 2 · 1/8, or two wins, 1/16
    # more than 2.25: two wins and a draw, 3 · 0.054, or three wins
    Case("", (0.3, 0.6, 3, 0.75), 0.189),
    Case("", (0.0, 1.0, 10, 0.5), 0.0),  # all drawn: exactly a half, which is not more
    Case("", (0.6, 0.1, 3, 0.5), 0.666),  # 0.216 + 3·0.036 + 3·0.36·0.3 + 3·0.6·0.01
    Case("", (0.5, 0.0, 400, 0.55), sum(math.comb(400, wins) for wins in range(221, 401)) / 2**400),
]


def draw(rng):
    """A threshold that can be reached exactly, or one at least 1/8 of a half point from all scores."""
    _, draws, wins = rng.multinomial(8, rng.dirichlet([0.6] * 3)) / 8
    num_games = 2 ** int(rng.integers(4))
    threshold = rng.integers(9) / 8
    if rng.random() < 0.5:
        num_games = int(rng.integers(1, 13))
        half_points = rng.integers(2 * num_games) + rng.uniform(0.125, 0.875)
        threshold = round(half_points / 2 / num_games, 3)
    return Case("", (float(wins), float(draws), num_games, float(threshold)))


def observe(chance_to_pass, case):
    value = chance_to_pass(*case.arguments)
    return {"": value if as_list(value) is None else f"not one number: {show(value):.80}"}


def form(chance):
    return f"{float(chance):.4f}"
