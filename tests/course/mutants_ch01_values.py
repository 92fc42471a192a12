"""Chapter 1, values: wrong and right answers, each as a reader could have written it."""

import itertools

import numpy as np

from azlearn.games import tic_tac_toe_rules as ttt
from tests.course.registry import mutant, right

# --- 1.3 outcome(state) ---


@mutant("1.3", "win credited to the player to move")
def outcome_for_the_winner(state):
    if ttt.has_won(state.opp):
        return 1
    if ttt.is_full(state.me | state.opp):
        return 0
    return None


@mutant("1.3", "first player's view")
def outcome_for_x(state):
    stones = bin(state.me | state.opp).count("1")
    x, o = (state.me, state.opp) if stones % 2 == 0 else (state.opp, state.me)
    if ttt.has_won(x):
        return 1
    if ttt.has_won(o):
        return -1
    return 0 if stones == 9 else None


@mutant("1.3", "draw counted as a loss")
def outcome_draw_lost(state):
    if ttt.has_won(state.opp) or ttt.is_full(state.me | state.opp):
        return -1
    return None


@mutant("1.3", "draw counted as a win")
def outcome_draw_won(state):
    if ttt.has_won(state.opp):
        return -1
    return 1 if ttt.is_full(state.me | state.opp) else None


@mutant("1.3", "draw not recognised")
def outcome_without_draws(state):
    return -1 if ttt.has_won(state.opp) else None


@mutant("1.3", "draw not recognised")
def outcome_full_state(state):
    if ttt.has_won(state.opp):
        return -1
    return 0 if ttt.is_full(state) else None


@mutant("1.3", "unfinished game counted as a draw")
def outcome_never_none(state):
    return -1 if ttt.has_won(state.opp) else 0


@mutant("1.3", "full board asked before the line")
def outcome_full_first(state):
    if ttt.is_full(state.me | state.opp):
        return 0
    if ttt.has_won(state.opp):
        return -1
    return None


@mutant("1.3", "line never seen")
def outcome_of_me(state):
    if ttt.has_won(state.me):
        return 1
    if ttt.is_full(state.me | state.opp):
        return 0
    return None


@mutant("1.3", "draw is not 0")
def outcome_tiny_draw(state):
    if ttt.has_won(state.opp):
        return -1
    return 1e-4 if ttt.is_full(state.me | state.opp) else None


@mutant("1.3", "draw is not 0")
def outcome_half_draw(state):
    if ttt.has_won(state.opp):
        return -1
    return 0.5 if ttt.is_full(state.me | state.opp) else None


@mutant("1.3", "no named fault")
def outcome_always_lost(state):
    return -1


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


@mutant("1.4", "value not negated")
def minimax_without_minus(game, state):
    value = game.outcome(state)
    if value is not None:
        return value
    return max(minimax_without_minus(game, game.play(state, a)) for a in game.legal_actions(state))


@mutant("1.4", "first player's view")
def minimax_for_x(game, state):
    value = game.outcome(state)
    if value is not None:
        return value if game.to_play(state) == 0 else -value
    values = [minimax_for_x(game, game.play(state, a)) for a in game.legal_actions(state)]
    return max(values) if game.to_play(state) == 0 else min(values)


@mutant("1.4", "best starts at 0")
def minimax_from_zero(game, state):
    if game.outcome(state) is not None:
        return game.outcome(state)
    best = 0
    for action in game.legal_actions(state):
        best = max(best, -minimax_from_zero(game, game.next_state(state, action)))
    return best


@mutant("1.4", "a move instead of a value")
def minimax_move(game, state):
    def value(state):
        if game.outcome(state) is not None:
            return game.outcome(state)
        return max(-value(game.play(state, a)) for a in game.legal_actions(state))

    if game.outcome(state) is not None:
        return game.outcome(state)
    best, choice = -2, None
    for action in game.legal_actions(state):
        if -value(game.play(state, action)) > best:
            best, choice = -value(game.play(state, action)), action
    return choice


@mutant("1.4", "looks one ply ahead")
def minimax_one_ply(game, state):
    if game.outcome(state) is not None:
        return game.outcome(state)
    best = -1
    for action in game.legal_actions(state):
        value = game.outcome(game.play(state, action))
        best = max(best, 0 if value is None else -value)
    return best


@mutant("1.4", "takes the worst move")
def minimax_min(game, state):
    if game.outcome(state) is not None:
        return game.outcome(state)
    return min(-minimax_min(game, game.play(state, a)) for a in game.legal_actions(state))


@mutant("1.4", "smallest child value, not negated")
def minimax_min_of_theirs(game, state):
    if game.outcome(state) is not None:
        return game.outcome(state)
    children = [game.play(state, a) for a in game.legal_actions(state)]
    return min(minimax_min_of_theirs(game, child) for child in children)


@mutant("1.4", "finished game negated")
def minimax_end_negated(game, state):
    if game.outcome(state) is not None:
        return -game.outcome(state)
    return max(-minimax_end_negated(game, game.play(state, a)) for a in game.legal_actions(state))


@mutant("1.4", "draw counted as a loss")
def minimax_draw_lost(game, state):
    if game.outcome(state) is not None:
        return 1 if game.outcome(state) > 0 else -1
    return max(-minimax_draw_lost(game, game.play(state, a)) for a in game.legal_actions(state))


@mutant("1.4", "a drawn game is searched on")
def minimax_truthy(game, state):
    if game.outcome(state):
        return game.outcome(state)
    return max(-minimax_truthy(game, game.play(state, a)) for a in game.legal_actions(state))


@mutant("1.4", "a drawn game is searched on")
def minimax_truthy_with_a_start(game, state):
    best = game.outcome(state) or -2
    for action in game.legal_actions(state):
        best = max(best, -minimax_truthy_with_a_start(game, game.play(state, action)))
    return best


@mutant("1.4", "returns nothing")
def minimax_silent(game, state):
    if game.outcome(state) is not None:
        return game.outcome(state)
    max(-(minimax_silent(game, game.play(state, a)) or 0) for a in game.legal_actions(state))


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
