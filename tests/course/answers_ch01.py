"""Chapter 1: right and wrong answers, written in other ways than the solutions and the sheets."""

import itertools

import numpy as np

from azlearn.games import connect_four_rules as c4
from tests.course.registry import right


@right("1.1")
def mask_by_counting(state):
    occ = state.me ^ state.opp
    heights = np.array([bin(occ >> (7 * c) & 0b111111).count("1") for c in range(7)])
    return (heights < 6) & (not c4.has_won(state.opp))


@right("1.2")
def won_left_shifts(stones):
    def four(s):
        pairs = stones & (stones << s)
        return (pairs & (pairs << (s + s))) != 0

    return four(1) | four(6) | four(7) | four(8)


@right("1.3")
def outcome_in_floats(state):
    lines = [(0, 1, 2), (4, 5, 6), (8, 9, 10), (0, 4, 8), (1, 5, 9), (2, 6, 10)]
    lines += [(0, 5, 10), (2, 5, 8)]
    for line in lines:
        if all(state.opp >> bit & 1 for bit in line):
            return -1.0
    if bin(state.me | state.opp).count("1") == 9:
        return 0.0
    return None


@right("1.4")
def minimax_alpha_beta(game, state, alpha=-1, beta=1):
    if game.outcome(state) is not None:
        return np.int8(game.outcome(state))
    for action in itertools.chain(game.legal_actions(state)):
        value = -minimax_alpha_beta(game, game.play(state, action), -beta, -alpha)
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return alpha
