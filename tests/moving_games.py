"""Games whose pieces move from cell to cell, as readers might write them, with few declarations.

Only Breakthrough uses ``RulesGame``; the others are short, and use lists of cells.
"""

from typing import NamedTuple

import numpy as np

from azlearn.games import Drawing
from tests.games import breakthrough


class HalfTold(breakthrough.Breakthrough):
    """As in chapter 16: ``cell`` is the target of a move to an empty cell, None for a capture."""

    name = "half_told"


class Breakthrough(HalfTold):
    """``cell`` returns None for every move."""

    name = "breakthrough"

    def cell(self, state, action):
        return None  # it fills none


class Numbered(Breakthrough):
    """Without names for its moves."""

    name = "numbered"

    def action_label(self, action):
        return str(action + 1)


class Position(NamedTuple):
    cells: tuple[int, ...]
    mover: int
    ply: int = 0


class ListGame:
    """A game on a small board, its moves as (label, changes): ``changes`` is {cell: content}."""

    rows, cols, first = 3, 3, (0,) * 9
    drawing = Drawing()
    MOVES: tuple[tuple[str, dict[int, int]], ...] = ()
    max_plies = 20

    @property
    def num_actions(self):
        return len(self.MOVES)

    def initial_state(self):
        return Position(self.first, 0)

    def next_state(self, state, action):
        cells = list(state.cells)
        for cell, content in self.MOVES[action][1].items():
            cells[cell] = content
        return Position(tuple(cells), 1 - state.mover, state.ply + 1)

    def play(self, state, action):
        if action not in self.legal_actions(state):
            raise ValueError("It is illegal.")
        return self.next_state(state, action)

    def legal_actions(self, state):
        if state.ply == self.max_plies:
            return []
        return [a for a in range(self.num_actions) if self.may(state, *self.MOVES[a])]

    def legal_mask(self, state):
        return np.array([a in self.legal_actions(state) for a in range(self.num_actions)])

    def outcome(self, state):
        """Whoever cannot move has lost."""
        return None if self.legal_actions(state) else -1

    def to_play(self, state):
        return state.mover

    def cells(self, state):
        return list(state.cells)

    def cell(self, state, action):
        return None

    def action_label(self, action):
        return self.MOVES[action][0]


def _steps(rows, cols):
    """Every step to a neighboring cell: (from, to)."""
    at = [divmod(i, cols) for i in range(rows * cols)]
    return [
        (i, j)
        for i, (r, c) in enumerate(at)
        for j, (s, d) in enumerate(at)
        if abs(r - s) + abs(c - d) == 1
    ]


def _name(cell, cols):
    return f"{'abcdefgh'[cell % cols]}{cell // cols + 1}"


class Clobber(ListGame):
    """A piece moves to a neighboring cell with an opponent's piece, and captures that piece."""

    name, rows, cols, first = "clobber", 3, 4, (1, 2, 1, 2, 2, 1, 2, 1, 1, 2, 1, 2)
    MOVES = tuple(
        (f"{_name(i, 4)}x{_name(j, 4)}", {i: 0, j: who})
        for who in (1, 2)
        for i, j in _steps(3, 4)
    )  # fmt: skip

    @property
    def num_actions(self):
        return len(self.MOVES) // 2

    def next_state(self, state, action):
        return super().next_state(state, action + state.mover * self.num_actions)

    def may(self, state, label, changes):
        start, end = changes
        return (state.cells[start], state.cells[end]) == (state.mover + 1, 2 - state.mover)


class Kings(ListGame):
    """Two kings; a cell that a king leaves is closed. Each player has only one piece."""

    name, rows, cols, first = "kings", 3, 4, (2, *[0] * 10, 1)
    MOVES = tuple((f"{_name(i, 4)}-{_name(j, 4)}", {i: 3, j: 0}) for i, j in _steps(3, 4))

    def next_state(self, state, action):
        start, end = self.MOVES[action][1]
        cells = list(state.cells)
        cells[start], cells[end] = 3, state.mover + 1
        return Position(tuple(cells), 1 - state.mover, state.ply + 1)

    def may(self, state, label, changes):
        start, end = changes
        return state.cells[start] == state.mover + 1 and not state.cells[end]


class Mixed(ListGame):
    """Stones are placed, moved with or without closing the cell they leave, or all removed.

    Passing is possible as well. There are two moves for each step.
    """

    name = "mixed"
    MOVES = (
        *((_name(i, 3), {i: 9}) for i in range(9)),
        *((f"{_name(i, 3)}-{_name(j, 3)}{how}", {i: left, j: 9})
          for i, j in _steps(3, 3) for how, left in (("", 0), ("#", 3))),
        ("lift", dict.fromkeys(range(9), 0)),
        ("pass", {}),
    )  # fmt: skip

    def next_state(self, state, action):
        cells = list(state.cells)
        for cell, content in self.MOVES[action][1].items():
            cells[cell] = state.mover + 1 if content == 9 else content
        return Position(tuple(cells), 1 - state.mover, state.ply + 1)

    def may(self, state, label, changes):
        if label == "lift":
            return any(state.cells)
        goes = [cell for cell, content in changes.items() if content == 9]
        leaves = [cell for cell, content in changes.items() if content != 9]
        return all(not state.cells[i] for i in goes) and all(
            state.cells[i] == state.mover + 1 for i in leaves
        )

    def cell(self, state, action):
        return action if action < 9 else None
