"""A game from a rules module: checks, planes, symmetries and text around the bit arithmetic."""

from functools import cached_property
from types import ModuleType
from typing import ClassVar

import numpy as np

from azlearn.games.game import State


def parity(bits):
    """1 where ``bits`` has an odd number of ones, else 0. For ints and int64 arrays alike."""
    for shift in (32, 16, 8, 4, 2, 1):
        bits = bits ^ (bits >> shift)
    return bits & 1


class BitboardGame:
    """Two players place stones; a line of ``rules.CONNECT`` wins, a full board is a draw.

    A subclass names its ``rules`` module and its symmetries. See ``Game`` for the perspective of
    values; in batch form every method takes a ``State`` of int64 arrays [B], NumPy or torch.
    """

    name: ClassVar[str]
    rules: ClassVar[ModuleType]
    num_planes: ClassVar[int] = 2

    rows: ClassVar[int]
    cols: ClassVar[int]
    num_actions: ClassVar[int]
    max_plies: ClassVar[int]  # the length of the longest game

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.rows, cls.cols, cls.num_actions = cls.rules.ROWS, cls.rules.COLS, cls.rules.NUM_ACTIONS
        cls.max_plies = cls.rows * cls.cols
        # Rollouts live on these: found on the class, not through the module, a million times.
        cls._play, cls._has_won = staticmethod(cls.rules.play), staticmethod(cls.rules.has_won)
        cls._decides_legality = cls.rules.DECIDES_LEGALITY

    # One position.

    def initial_state(self) -> State:
        """The empty board, first player to move."""
        return State(0, 0)

    def next_state(self, state: State, action: int) -> State:
        """``play`` without its checks, for searches that follow legal moves only."""
        me, opp = state
        return State(*self._play(me, opp, action))

    def play(self, state: State, action: int) -> State:
        """The position after ``action``, with the players' roles swapped.

        Raises:
            ValueError: the action is illegal or the game is over.
        """
        if action not in (legal := self.legal_actions(state)):
            raise ValueError(self._refusal(state, action, legal))
        return self.next_state(state, int(action))

    def legal_actions(self, state: State) -> list[int]:
        """The legal actions in ascending order; empty when the game is over."""
        me, opp = state
        if self._has_won(opp):
            return []
        # Rollouts ask this millions of times, and few bits decide it: a table that fills itself.
        deciding = (me | opp) & self._decides_legality
        legal = self._legal_of.get(deciding)
        if legal is None:
            actions = range(self.num_actions)
            legal = [action for action in actions if self.rules.is_legal(deciding, action)]
            self._legal_of[deciding] = legal
        return legal.copy()

    def legal_mask(self, state: State) -> np.ndarray:
        """bool [num_actions], True = legal; all False when the game is over."""
        mask = np.zeros(self.num_actions, dtype=bool)
        mask[self.legal_actions(state)] = True
        return mask

    def outcome(self, state: State) -> int | None:
        """None while the game goes on, -1 if the other player has a line, 0 if the board is full.

        Never +1: in these games a line is always completed by the player who has just moved.
        """
        me, opp = state
        if self.rules.has_won(opp):
            return -1
        return 0 if self.rules.is_full(me | opp) else None

    def to_play(self, state: State) -> int:
        """0 if the first player is to move, 1 if the second is: the parity of the stones."""
        return parity(state.me | state.opp)

    def encode(self, state: State) -> np.ndarray:
        """float32 [2, rows, cols], row 0 at the top: stones of the player to move, of the other."""
        boards = np.array(self._plane_boards(*state), dtype=np.int64)
        return self._planes(boards[:, None, None] >> self._bits)

    # Many positions at once.

    def batch_play(self, states: State, actions) -> State:
        """The positions after ``actions`` [B].

        Raises:
            ValueError: an action is illegal or its game is over (the message names the first such
                row), or there is not one action a position.
        """
        me, opp = states
        if getattr(actions, "shape", None) != me.shape:
            raise ValueError(f"actions must be an integer array of shape {tuple(me.shape)}.")
        in_range = (actions >= 0) & (actions < self.num_actions)
        safe = actions * in_range
        legal = in_range & self.rules.is_legal(me | opp, safe) & ~self.rules.has_won(opp)
        if not bool(legal.all()):
            row = int((legal * 1).argmin())
            state = State(int(me[row]), int(opp[row]))
            refusal = self._refusal(state, int(actions[row]), self.legal_actions(state))
            raise ValueError(f"Row {row}: {refusal}")
        return State(*self.rules.play(me, opp, actions))

    def batch_legal_mask(self, states: State):
        """bool [B, num_actions], True = legal; a finished game's row is all False."""
        me, opp = (stones[:, None] for stones in states)
        return self.rules.is_legal(me | opp, self._like(self._actions, me)) & ~self.rules.has_won(
            opp
        )

    def batch_outcome(self, states: State) -> tuple:
        """``(is_over, value)``: bool [B] and int64 [B], for the player to move; 0 if it goes on."""
        me, opp = states
        lost = self.rules.has_won(opp)
        return lost | self.rules.is_full(me | opp), -(lost * (me - me + 1))

    def batch_to_play(self, states: State):
        """int64 [B]: 0 where the first player is to move, 1 where the second is."""
        return parity(states.me | states.opp)

    def batch_encode(self, states: State):
        """float32 [B, 2, rows, cols], as ``encode``."""
        bits = self._like(self._bits, states.me)
        boards = self._plane_boards(*states)
        shifted = [(board[:, None, None] >> bits)[:, None] for board in boards]
        if isinstance(states.me, np.ndarray):
            return self._planes(np.concatenate(shifted, axis=1))
        import torch  # a tensor came in, so torch is loaded already

        return (torch.cat(shifted, dim=1) & 1).to(torch.float32)

    def symmetries(self, planes, policy) -> list[tuple]:
        """Every symmetric (planes, policy) pair, the identity first; NumPy or torch.

        Args:
            planes: [..., rows, cols]. A symmetry moves the cells of every plane alike.
            policy: [..., num_actions]. It moves with the board.
        """
        cells = planes.reshape(*planes.shape[:-2], -1)
        return [
            (cells[..., moved_cells].reshape(planes.shape), policy[..., moved_actions])
            for moved_cells, moved_actions in self._symmetries
        ]

    # Moves and pictures.

    def action_label(self, action: int) -> str:
        """How a move is written: ``"1"`` for action 0."""
        return str(action + 1)

    def from_moves(self, moves: str) -> State:
        """The position after a string of moves such as ``"4453"``, each digit an action plus one.

        Raises:
            ValueError: a character is no move, or the move is illegal there.
        """
        state = self.initial_state()
        for number, move in enumerate(moves, start=1):
            try:
                if move not in "123456789":
                    raise ValueError(f"{move!r} is not a move; moves are 1 to {self.num_actions}.")
                state = self.play(state, int(move) - 1)
            except ValueError as error:
                raise ValueError(f"Move {number} of {moves!r}: {error}") from None
        return state

    def cell(self, state: State, action: int) -> int:
        """The cell that a legal ``action`` fills: ``row * cols + col``, with row 0 at the top."""
        bit = int(self.rules.stone(state.me | state.opp, action)).bit_length() - 1
        return self._cell_of_bit[bit]

    def cells(self, state: State) -> list[int]:
        """The board cell by cell from the top left: 0 empty, 1 first player, 2 second player."""
        mover = self.to_play(state)
        mine, theirs = self.encode(state)[:2].reshape(2, -1).astype(int)
        return [
            int(m) * (1 + mover) + int(t) * (2 - mover) for m, t in zip(mine, theirs, strict=True)
        ]

    def winning_line(self, state: State) -> list[int]:
        """The cells of a completed line, or an empty list."""
        for stones in state:
            for step in self.rules.DIRECTIONS:
                line = int(stones)
                for i in range(1, self.rules.CONNECT):
                    line &= stones >> (i * step)
                if line:
                    start = line.bit_length() - 1
                    return [self._cell_of_bit[start + i * step] for i in range(self.rules.CONNECT)]
        return []

    def to_text(self, state: State) -> str:
        """The board as lines of ``X`` (first player), ``O`` (second player) and ``.``."""
        text = "".join(".XO"[cell] for cell in self.cells(state))
        return "\n".join(
            " ".join(text[r * self.cols : (r + 1) * self.cols]) for r in range(self.rows)
        )

    # Tables, made once a game object.

    @cached_property
    def _actions(self) -> np.ndarray:
        return np.arange(self.num_actions, dtype=np.int64)

    @cached_property
    def _legal_of(self) -> dict[int, list[int]]:
        return {}

    @cached_property
    def _bits(self) -> np.ndarray:
        rows, cols = np.indices((self.rows, self.cols), dtype=np.int64)
        return self.rules.cell_bit(rows, cols)

    @cached_property
    def _cell_of_bit(self) -> dict[int, int]:
        return {int(bit): cell for cell, bit in enumerate(self._bits.ravel())}

    @cached_property
    def _symmetries(self) -> list[tuple[np.ndarray, np.ndarray]]:
        raise NotImplementedError

    def _plane_boards(self, me, opp) -> tuple:
        """What ``encode`` shows: a board of bits for every plane, these two first."""
        return me, opp

    @staticmethod
    def _planes(shifted: np.ndarray) -> np.ndarray:
        return (shifted & 1).astype(np.float32)

    @staticmethod
    def _like(table: np.ndarray, array):
        """``table`` as the same kind of array, on the same device, as ``array``."""
        return table if isinstance(array, np.ndarray) else array.new_tensor(table)

    def _refusal(self, state: State, action: int, legal: list[int]) -> str:
        if not legal:
            return f"Action {action!r} cannot be played: the game is over."
        listed = ", ".join(map(str, legal))
        return f"Action {action!r} is illegal here; the legal actions are {listed}."
