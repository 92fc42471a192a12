"""A game in which stones slide along a row until something stops them."""

from azlearn.games import Drawing, RulesGame, State
from azlearn.games.bits import one_like, parity

ROWS, COLS, NUM_ACTIONS, MAX_PLIES = 3, 3, 6, 9
FULL, ROW = 0b111111111, 0b111
INITIAL = State(0, 0)


def cell_bit(row, col):
    return COLS * row + col


def line(state, action):
    """The stones of the action's row."""
    return ((state.me | state.opp) >> (action // 2 * COLS)) & ROW


def landing(state, action):
    """Even actions enter from the left, odd ones from the right; each slides as far as it can."""
    taken, one = line(state, action), one_like(state.me)
    c0, c1, c2 = taken & 1, (taken >> 1) & 1, (taken >> 2) & 1
    right = (1 - c1) + (1 - c1) * (1 - c2)
    left = 2 * one - (1 - c1) - (1 - c1) * (1 - c0)
    return right + (left - right) * (action % 2)


def play(state, action):
    stone = one_like(state.me) << (action // 2 * COLS + landing(state, action))
    return State(state.opp, state.me | stone)


def options(state):
    return state


def is_legal(options, action):
    """The cell where the stone enters is empty."""
    return ((line(options, action) >> (action % 2 * 2)) & 1) == 0


def outcome(state):
    """Whoever cannot move loses."""
    taken = state.me | state.opp
    is_over = (taken & 0b101101101) == 0b101101101
    return is_over, is_over * -1


def to_play(state):
    return parity(state.me | state.opp)


class Slide(RulesGame):
    name, drawing = "slide", Drawing(fills=True)

    def num_plies(self, state):
        return (state.me | state.opp).bit_count()

    def cell(self, state, action):
        row = action // 2
        cells = self.cells(state)[row * COLS : (row + 1) * COLS]
        order = range(COLS) if action % 2 == 0 else range(COLS - 1, -1, -1)
        free = []
        for col in order:
            if cells[col]:
                break
            free.append(col)
        return row * COLS + (max(free) if action % 2 == 0 else min(free))
