"""Chapter 16: answers as readers could have written them."""

import numpy as np

from azlearn.course.small_othello import PASS, SIZE, State, cell_bit
from tests.course.registry import mutant, right

AROUND = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]


def cells_of(board):
    """The (row, col) of the bits of a board."""
    every = [(row, col) for row in range(SIZE) for col in range(SIZE)]
    return {place for place in every if board >> cell_bit(*place) & 1}


def walk(place, me, opp):
    """The cells of `opp` that a stone on `place` turns, by walking over the board."""
    turned = set()
    for down, across in AROUND:
        line, (row, col) = [], place
        while (row := row + down, col := col + across) in opp:
            line.append((row, col))
        if (row, col) in me:
            turned.update(line)
    return turned


def of_each(function, *words):
    """What a function of one position says of each of the positions in arrays, one by one."""
    return np.array([function(*row) for row in zip(*(w.tolist() for w in words), strict=True)])


@mutant("16.1", "does not work for arrays")
def flips_by_walking(placed, me, opp):
    (place,) = cells_of(placed)
    return sum(1 << cell_bit(*one) for one in walk(place, cells_of(me), cells_of(opp)))


@right("16.1")
def flips_of_each(placed, me, opp):
    if np.ndim(placed):
        return of_each(flips_by_walking, placed, me, opp)
    return flips_by_walking(placed, me, opp)


@mutant("16.2", "does not work for arrays")
def open_cells_one_by_one(me, opp):
    mine, theirs = cells_of(me), cells_of(opp)
    free = cells_of(~(me | opp))
    return sum(1 << cell_bit(*one) for one in free if walk(one, mine, theirs))


@right("16.2")
def open_cells_of_each(me, opp):
    return (
        of_each(open_cells_one_by_one, me, opp) if np.ndim(me) else open_cells_one_by_one(me, opp)
    )


@mutant("16.3", "does not work for arrays")
def legal_with_branches(options, action):
    if action == PASS:
        return not options
    return divmod(action, SIZE) in cells_of(options)


@right("16.3")
def legal_of_each(options, action):
    if np.ndim(options):
        return of_each(legal_with_branches, options, action)
    return legal_with_branches(options, action)


@mutant("16.4", "does not work for arrays")
def outcome_with_branches(state):
    if open_cells_one_by_one(state.me, state.opp) or open_cells_one_by_one(state.opp, state.me):
        return False, 0
    return True, np.sign(state.me.bit_count() - state.opp.bit_count())


@right("16.4")
def outcome_of_each(state):
    if not np.ndim(state.me):
        return outcome_with_branches(state)
    return tuple(of_each(lambda *words: outcome_with_branches(State(*words)), *state).T)


@right("16.5")
def best_move_by_a_loop(to_play, after):
    best = (0, -np.inf)
    for number, (player, value) in enumerate(after):
        signed = value * (1 if player == to_play else -1)
        if signed > best[1]:
            best = (number, signed)
    return best


@right("16.6")
def mirrored_by_numpy(rows, cols):
    actions = np.arange(3 * rows * cols).reshape(rows, cols, 3)
    return actions[:, ::-1, ::-1].ravel()
