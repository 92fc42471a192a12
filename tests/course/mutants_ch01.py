"""Chapter 1: wrong and right answers, each as a reader could have written it."""

import itertools

import numpy as np

from azlearn.games import ConnectFour
from azlearn.games import connect_four_rules as c4
from azlearn.games import tic_tac_toe_rules as ttt
from tests.course.registry import mutant, right

# --- 1.1 legal_mask(state) ---


@mutant("1.1", "True means illegal")
def mask_of_full_columns(state):
    mask = np.zeros(7, dtype=bool)
    for c in range(7):
        if (state.me | state.opp) & (1 << (7 * c + 5)):
            mask[c] = True
    if c4.has_won(state.opp):
        mask[:] = True
    return mask


@mutant("1.1", "a finished game still has moves")
def mask_without_the_end(state):
    return [bool(c4.is_legal(state.me | state.opp, c)) for c in range(7)]


@mutant("1.1", "a finished game still has moves")
def mask_asks_the_wrong_player(state):
    if c4.has_won(state.me):
        return [False] * 7
    return [bool(c4.is_legal(state.me | state.opp, c)) for c in range(7)]


@mutant("1.1", "looks at the guard bit")
def mask_from_seventh_bit(state):
    if c4.has_won(state.opp):
        return np.zeros(7, dtype=bool)
    occ = state.me | state.opp
    return np.array([not occ >> (7 * c + 6) & 1 for c in range(7)])


@mutant("1.1", "one row too early")
def mask_from_fifth_row(state):
    occ = state.me + state.opp
    over = c4.has_won(state.opp)
    return [not over and occ & (1 << (c * 7 + 4)) == 0 for c in range(7)]


@mutant("1.1", "sees only the mover's stones")
def mask_of_my_stones(state):
    over = c4.has_won(state.opp)
    return [not over and state.me & (1 << (c * 7 + 5)) == 0 for c in range(7)]


@mutant("1.1", "sees only the opponent's stones")
def mask_of_their_stones(state):
    over = c4.has_won(state.opp)
    return [not over and state.opp & (1 << (c * 7 + 5)) == 0 for c in range(7)]


@mutant("1.1", "reads the board row by row")
def mask_row_major(state):
    if c4.has_won(state.opp):
        return [False] * 7
    occ = state.me | state.opp
    return [((occ >> (5 * 7 + c)) & 1) == 0 for c in range(7)]


@mutant("1.1", "a list of moves, not a mask")
def mask_as_moves(state):
    if c4.has_won(state.opp):
        return []
    return [c for c in range(7) if c4.is_legal(state.me | state.opp, c)]


@mutant("1.1", "returns nothing")
def mask_without_return(state):
    [c4.is_legal(state.me | state.opp, c) for c in range(7)]


@mutant("1.1", "no named fault")
def mask_of_three_entries(state):
    return [True, True, True]


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


@mutant("1.2", "three are enough")
def won_with_three(stones):
    won = stones & 0
    for s in (1, 6, 7, 8):
        won = won | (stones & (stones >> s) & (stones >> 2 * s))
    return won != 0


@mutant("1.2", "three are enough")
def won_with_overlapping_pairs(stones):
    won = stones & 0
    for s in (1, 6, 7, 8):
        pairs = stones & (stones >> s)
        won = won | (pairs & (pairs >> s))
    return won != 0


@mutant("1.2", "five are needed")
def won_with_five(stones):
    won = stones & 0
    for s in (1, 6, 7, 8):
        pairs = stones & (stones >> s)
        won = won | (pairs & (pairs >> 2 * s) & (stones >> 4 * s))
    return won != 0


@mutant("1.2", "the guard row is forgotten")
def won_on_six_bit_columns(stones):
    won = stones & 0
    for s in (1, 5, 6, 7):
        pairs = stones & (stones >> s)
        won = won | (pairs & (pairs >> 2 * s))
    return won != 0


@mutant("1.2", "a gap inside the line")
def won_with_gap(stones):
    won = stones & 0
    for s in (1, 6, 7, 8):
        pairs = stones & (stones >> s)
        won = won | (pairs & (pairs >> 3 * s))
    return won != 0


@mutant("1.2", "directions are mixed")
def won_all_pairs_together(stones):
    pairs = stones & (stones >> 1) | stones & (stones >> 7)
    pairs = pairs | stones & (stones >> 6) | stones & (stones >> 8)
    fours = pairs & (pairs >> 2) | pairs & (pairs >> 14)
    fours = fours | pairs & (pairs >> 12) | pairs & (pairs >> 16)
    return fours != 0


def _won_by(*steps):
    def has_won(stones):
        won = stones & 0
        for s in steps:
            pairs = stones & (stones >> s)
            won = won | (pairs & (pairs >> 2 * s))
        return won != 0

    return has_won


mutant("1.2", "a direction is missing")(_won_by(1, 7, 8))
mutant("1.2", "a direction is missing")(_won_by(1, 7))
mutant("1.2", "a direction is missing")(_won_by(6, 7, 8))


@mutant("1.2", "works on an int only")
def won_with_if(stones):
    return any(stones & stones >> s & stones >> 2 * s & stones >> 3 * s for s in (1, 6, 7, 8))


@mutant("1.2", "works on an int only")
def won_with_or(stones):
    def four(s):
        return stones & (stones >> s) & (stones >> 2 * s) & (stones >> 3 * s)

    return (four(1) or four(6) or four(7) or four(8)) != 0


@mutant("1.2", "no named fault")
def won_by_number_of_stones(stones):
    return (stones & (stones - 1)) != 0


@right("1.2")
def won_from_longer_to_shorter(stones):
    lines = 0
    for s in 8, 7, 6, 1:
        lines |= stones & stones >> s & stones >> 2 * s & stones >> 3 * s
    return lines


@right("1.2")
def won_left_shifts(stones):
    def four(s):
        pairs = stones & (stones << s)
        return (pairs & (pairs << (s + s))) != 0

    return four(1) | four(6) | four(7) | four(8)


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
