"""What to learn, what to play (10.1): π, and the shares of many draws, worked out by hand."""

from itertools import chain

import numpy as np

from azlearn.course.drawing import drawn_visits, shares
from azlearn.course.kit import CHANGED, About, Case, gives, parts, row

DRAWS, CLOSE = 800, 0.07  # the shares of 800 draws come within a quarter of it
PI, SHARES = "π", "shares of the moves"


def at(visits: list, ply: int, plies: int, temperature: float, *hand: list[float]) -> Case:
    """By hand: π, and the chances of the moves."""
    words = f"N = {visits}, ply = {ply}, temperature_plies = {plies}, temperature = {temperature:g}"
    right = {PI: hand[0], SHARES: About(hand[1], CLOSE)} if hand else None
    return Case(words, (visits, ply, plies, temperature), right)


NUM_DRAWN = 100
CASES = [
    at([3, 2, 0, 2, 3], 0, 4, 1.0, [0.3, 0.2, 0.0, 0.2, 0.3], [0.3, 0.2, 0.0, 0.2, 0.3]),
    at([27, 1, 0], 3, 4, 3.0, [27 / 28, 1 / 28, 0.0], [0.75, 0.25, 0.0]),  # 3, 1
    at([0, 2, 5], 1, 2, 0.5, [0.0, 2 / 7, 5 / 7], [0.0, 4 / 29, 25 / 29]),
    at([30, 10, 60], 4, 4, 1.0, [0.3, 0.1, 0.6], [0, 0, 1]),
    at([2, 7, 7], 8, 4, 0.5, [0.125, 0.4375, 0.4375], [0, 1, 0]),
]


def draw(rng):
    """At the end of the plies and beyond."""
    plies = int(rng.integers(4))
    ply = max(plies + int(rng.integers(-1, 3)), 0)
    visits, temperature = drawn_visits(rng, [1, 3, 1000]), rng.choice([0.02, 0.1, 0.5, 1, 2, 100])
    return at(visits, ply, plies, float(temperature))


@gives("(π, move)")
def observe(learn_and_play, case):
    visits, ply, plies, temperature = case.arguments
    num_draws, moves, changed = DRAWS if case.right else 20, [], False
    rngs = [[np.random.default_rng(seed)] * num for seed, num in ((0, num_draws), (5, 20), (5, 20))]
    for rng in chain(*rngs):
        given = list(visits)
        policy, move = parts(learn_and_play(given, ply, plies, temperature, rng), None, ())
        changed |= given != visits
        row(policy, len(visits))
        moves.append(float(move))
    without = sorted(set(moves) - set(np.flatnonzero(visits).tolist()))
    seen = {PI: policy, "moves without visits played": without}
    if case == CASES[0]:
        seen["whether the moves differ"] = len(set(moves)) > 1
    if ply >= plies:
        seen["moves that are played"] = sorted(set(moves))
    if case.right and not without:
        found = np.bincount(np.array(moves[:DRAWS], int), minlength=len(visits)) / DRAWS
        seen[SHARES] = shares(found, case.right[SHARES].values, CLOSE)
    alike = moves[-40:-20] == moves[-20:]
    return seen | {"whether the same seed gives the same moves": alike, CHANGED: changed}
