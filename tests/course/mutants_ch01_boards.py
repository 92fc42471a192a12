"""Chapter 1, boards: wrong and right answers, each as a reader could have written it."""

import numpy as np

from azlearn.games import ConnectFour
from azlearn.games import connect_four_rules as c4
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


@mutant("1.1", "looks at the guard bit")
def mask_from_seventh_bit_without_the_end(state):
    occ = state.me | state.opp
    return [(occ >> (7 * c + 6)) & 1 == 0 for c in range(7)]


@mutant("1.1", "looks at the guard bit")
def mask_true_where_seventh_bit_is_set(state):
    occ = state.me | state.opp
    return [bool(occ & (1 << (7 * c + 6))) for c in range(7)]


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


@mutant("1.2", "a number instead of True or False")
def won_without_comparison(stones):
    won = stones & 0
    for s in (1, 6, 7, 8):
        pairs = stones & (stones >> s)
        won = won | (pairs & (pairs >> 2 * s))
    return won


@mutant("1.2", "a number instead of True or False")
def won_as_one_or_zero(stones):
    return int(won_left_shifts(stones))


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
