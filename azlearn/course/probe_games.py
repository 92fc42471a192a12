"""Seven tiny games that can be solved in your head.

Each isolates one thing that a search can get wrong. P1: a win in one move. P2: a losing move and a
drawing move. P3: a win that only shows two plies down. P4: a forced draw. P5: only one of seven
moves is legal. P6: a player who moves twice. P7: a loss in one move. Each game is a table with one
position per row. Messages use the games' names, after "in" or "for".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from azlearn.games import State
from azlearn.games.notation import refusal


@dataclass(frozen=True)
class Position:
    """One position: the player to move, where each move leads, and the value of a finished game.

    ``value`` is from the point of view of the player to move here; None while the game goes on.
    """

    to_play: int
    moves: tuple[tuple[int, int], ...] = ()
    value: int | None = None


@dataclass(frozen=True)
class TableGame:
    """A game read from a table; position 0 is the start.

    The state is State(me=index of the position, opp=0): a search never looks inside a state but
    calls the game. There is no board, so rows and cols are 0 and there are no cells.
    """

    name: str
    num_actions: int
    table: tuple[Position, ...]
    rows: int = 0
    cols: int = 0
    num_planes: int = 2

    @property
    def max_plies(self) -> int:
        return len(self.table)

    def initial_state(self) -> State:
        return State(0, 0)

    def play(self, state: State, action: int) -> State:
        legal = self.legal_actions(state)
        if action not in legal:
            raise ValueError(refusal(self, action, legal))
        return self.next_state(state, action)

    def next_state(self, state: State, action: int) -> State:
        moves = dict(self._row(state).moves)
        if int(action) not in moves:  # a student's search may try an illegal move: report it
            raise ValueError(refusal(self, int(action), list(moves)))
        return State(moves[int(action)], 0)

    def legal_actions(self, state: State) -> list[int]:
        return [action for action, _ in self._row(state).moves]

    def legal_mask(self, state: State) -> np.ndarray:
        """bool [num_actions], True = legal."""
        mask = np.zeros(self.num_actions, dtype=np.bool_)
        mask[self.legal_actions(state)] = True
        return mask

    def outcome(self, state: State) -> int | None:
        return self._row(state).value

    def to_play(self, state: State) -> int:
        return self._row(state).to_play

    def encode(self, state: State) -> np.ndarray:
        """float32 [2, 0, 0]: there is no board."""
        return np.zeros((self.num_planes, self.rows, self.cols), dtype=np.float32)

    def symmetries(self, planes: Any, policy: Any) -> list[tuple[Any, Any]]:
        return [(planes, policy)]

    def from_moves(self, moves: str) -> State:
        state = self.initial_state()
        for digit in moves:
            state = self.play(state, int(digit) - 1)
        return state

    def action_label(self, action: int) -> str:
        return str(action + 1)

    def to_text(self, state: State) -> str:
        return f"{self.name}, position {state.me}"

    def _row(self, state: State) -> Position:
        return self.table[int(state.me)]


# P1: the only move wins. Value +1.
P1 = TableGame("a game with one winning move", 1, (Position(0, ((0, 1),)), Position(1, value=-1)))

# P2: move 0 loses at once, move 1 draws. Value 0.
P2 = TableGame(
    "a game with a losing and a drawing move",
    2,
    (Position(0, ((0, 1), (1, 2))), Position(1, value=+1), Position(1, value=0)),
)

# P3: after move 0 both replies lose; after move 1 the reply 1 wins. Value +1, by move 0.
P3 = TableGame(
    "a game with a win two plies down",
    2,
    (
        Position(0, ((0, 1), (1, 2))),
        Position(1, ((0, 3), (1, 4))),
        Position(1, ((0, 5), (1, 6))),
        Position(0, value=+1),
        Position(0, value=+1),
        Position(0, value=+1),
        Position(0, value=-1),
    ),
)

# P4: three forced moves, then a draw. Value 0.
P4 = TableGame(
    "a game with three moves to a forced draw",
    1,
    (Position(0, ((0, 1),)), Position(1, ((0, 2),)), Position(0, ((0, 3),)), Position(1, value=0)),
)

# P5: move 4 is the only legal one of seven, and the reply 2 wins for the other player. Value -1.
P5 = TableGame(
    "a game with only one legal move out of seven",
    7,
    (Position(0, ((4, 1),)), Position(1, ((2, 2),)), Position(0, value=-1)),
)

# P6: after move 0 the same player moves again, and wins with move 0. Move 1 passes the turn to the
# other player and draws. Value +1, by move 0 and then move 0.
P6 = TableGame(
    "a game in which a player moves twice",
    2,
    (
        Position(0, ((0, 1), (1, 2))),
        Position(0, ((0, 3), (1, 4))),
        Position(1, ((0, 5),)),
        Position(1, value=-1),
        Position(1, value=+1),
        Position(0, value=0),
    ),
)

# P7: the only move loses. Value -1.
P7 = TableGame("a game with one losing move", 1, (Position(0, ((0, 1),)), Position(1, value=+1)))

PROBE_GAMES = (P1, P2, P3, P4, P5, P6, P7)
# Worked out by hand from the tables: the value for the player to move first, and the best moves.
PROBE_VALUES = {P1: +1, P2: 0, P3: +1, P4: 0, P5: -1, P6: +1, P7: -1}
PROBE_BEST_MOVES = {P1: [0], P2: [1], P3: [0], P4: [0], P5: [4], P6: [0], P7: [0]}


def chain(name: str, movers: Sequence[int], value: int, width: int = 1) -> TableGame:
    """Returns a game in which these players move one after the other.

    Args:
        movers: the player to move in each position; in the last one the game is over.
        value: the value of the last position, for its player to move.
        width: the number of moves per position: 1, or 2 to add a move that skips a position.
    """
    end = len(movers) - 1
    moves = [((0, i + 1), (1, min(i + 2, end)))[:width] for i in range(end)]
    return TableGame(name, width, (*map(Position, movers, moves), Position(movers[-1], (), value)))
