"""Chapter 1: right and wrong answers, written in other ways than the solutions and the sheets."""

import itertools

import numpy as np

from azlearn.games import ConnectFour
from azlearn.games import connect_four_rules as c4
from tests.course.registry import mutant, right

# --- 1.1 legal_mask(state) ---


@right("1.1")
def mask_by_playing(state):
    game, mask = ConnectFour(), []
    for column in range(7):
        try:
            game.play(state, column)
        except ValueError:
            mask.append(0)
        else:
            mask.append(1)
    return tuple(mask)


@right("1.1")
def mask_by_counting(state):
    occ = state.me ^ state.opp
    heights = np.array([bin(occ >> (7 * c) & 0b111111).count("1") for c in range(7)])
    return (heights < 6) & (not c4.has_won(state.opp))


# --- 1.2 has_won(stones) ---


@right("1.2")
def won_from_longer_to_shorter(stones):
    lines = 0
    for s in 8, 7, 6, 1:
        lines |= stones & stones >> s & stones >> 2 * s & stones >> 3 * s
    return np.not_equal(lines, 0)


@right("1.2")
def won_left_shifts(stones):
    def four(s):
        pairs = stones & (stones << s)
        return (pairs & (pairs << (s + s))) != 0

    return four(1) | four(6) | four(7) | four(8)


@mutant("1.2", "a number instead of True or False")
def won_as_one_or_zero(stones):
    return int(won_left_shifts(stones))


# --- 1.3 outcome(state) ---


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


# --- 1.4 minimax(game, state) ---


@right("1.4")
def minimax_two_players(game, state):
    def value(state, maximising):
        outcome = game.outcome(state)
        if outcome is not None:
            return outcome if maximising else -outcome
        children = (game.next_state(state, a) for a in game.legal_actions(state))
        values = [value(child, not maximising) for child in children]
        return max(values) if maximising else min(values)

    return value(state, True)


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
