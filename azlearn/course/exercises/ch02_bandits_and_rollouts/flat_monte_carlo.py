"""Flat Monte Carlo (2.2) with a scripted rollout, whose sums are done by hand."""

import numpy as np

from azlearn.course.drawing import drawn_game
from azlearn.course.kit import FOUR, THREE, Case, in_words
from azlearn.course.probe_games import P2, P5, P6, chain

SECOND = chain("a game in which the second player moves twice", [1, 1, 0], 0)

# What four rollouts from a position give, for the player to move there; positions by their number.
SCRIPT = {
    (P2, 1): (1, 1, 1, 1),
    (P2, 2): (1, 0, -1, 1),
    (P5, 1): (1, 0, 1, 1),
    (P6, 1): (1, 1, 0, 1),
    (P6, 2): (0, 1, 0, 0),
    (SECOND, 1): (1, 0, 1, 1),
}


def start(game, moves: str, num_rollouts: int, *right: list[int]) -> Case:
    words = f"{in_words(game, moves)} ({num_rollouts} rollouts a move)"
    hand = dict(zip("NW", right, strict=True)) if right else None
    return Case(words, (game, game.from_moves(moves), num_rollouts), hand)


CASES = [
    start(P2, "", 4, [4, 4], [-4, -1]),
    start(P5, "", 4, [0, 0, 0, 0, 4, 0, 0], [0, 0, 0, 0, -3, 0, 0]),
    start(P6, "", 4, [4, 4], [3, -1]),
    start(SECOND, "", 4, [4], [3]),
]


def draw(rng):
    game = (P2, P5, P6, THREE, FOUR)[rng.integers(5)]
    return start(game, drawn_game(rng, game), int(rng.integers(1, 7)))


def observe(flat_monte_carlo, case):
    game, before, num_rollouts = case.arguments
    asked, given, own = [], [], np.random.default_rng(0)

    def rollout(game, state, rng) -> int:
        k = asked.count(state)
        asked.append(state)
        given.append(rng is own)
        invented = (state.me + 2 * state.opp + k * (k + 1) // 2) % 3 - 1
        return SCRIPT.get((game, state.me), [invented] * 4)[k % 4]

    visits, values = flat_monte_carlo(game, before, num_rollouts, rollout, own)
    return {
        "where the rollouts start": "before the move" if before in asked else "behind the move",
        "the number of entries": (len(visits), len(values)),
        "N": visits,
        "W": values,
        "whether every rollout is given `rng`": all(given),
    }
