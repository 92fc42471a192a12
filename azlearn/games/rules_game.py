"""Turns a rules module into a game: adds checks, planes, symmetries and text."""

import sys
from functools import cache, cached_property
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from azlearn.games.footprints import Coordinates, found_coordinates, with_coordinates
from azlearn.games.game import Drawing, check_state
from azlearn.games.notation import labels, read_moves, refusal, separator

MANY = 10_000  # the most lists of legal actions to cache; Connect Four has 128, tic-tac-toe 512
RULES = (
    "State", "INITIAL", "ROWS", "COLS", "NUM_ACTIONS", "MAX_PLIES",
    "play", "options", "is_legal", "outcome", "to_play",
)  # fmt: skip


class RulesGame:
    """The base class of games: it derives every method it can from the rules.

    A rules module is branch-free arithmetic on int64 words, written once for Python ints, NumPy and
    torch arrays and compilers. It contains

    - ``State``, a NamedTuple of words, and ``INITIAL``, the first position;
    - ``ROWS``, ``COLS``, ``NUM_ACTIONS``, and ``MAX_PLIES``, the length of the longest game;
    - ``play(state, action)``: the position after a legal action;
    - ``options(state)``: everything needed to test which actions are legal, computed once per
      position, and ``is_legal(options, action)``;
    - ``outcome(state)``: ``(is_over, value)``, the value for the player to move, 0 if not over;
    - ``to_play(state)``: 0 if the first player is to move, 1 if the second is.

    A subclass defines ``name``, ``rules`` (unless they are in its own file), ``num_planes``,
    ``num_plies``, ``plane_boards`` and, if the board has any, its symmetries. If the owners of
    cells at the end decide the game, it also defines ``owner_boards`` and ``has_owners = True``.
    In batch form every method takes a ``State`` of int64 arrays [B], NumPy or torch. See ``Game``
    for the perspective of values.
    """

    name: ClassVar[str]
    rules: ModuleType
    drawing: ClassVar[Drawing] = Drawing()
    num_planes: ClassVar[int] = 2
    has_owners: ClassVar[bool] = False

    rows: int
    cols: int
    num_actions: int
    max_plies: int
    State: type

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = sys.modules.get(cls.__module__)
        if "rules" not in vars(cls) and any(hasattr(own, n) for n in ("INITIAL", "NUM_ACTIONS")):
            cls.rules = own  # rules and class are in the same file
        if isinstance(vars(cls).get("rules"), ModuleType):
            for name, value in _bound(cls.rules).items():
                if name not in vars(cls):
                    setattr(cls, name, staticmethod(value) if callable(value) else value)

    def _use(self, rules: ModuleType) -> None:
        """Makes this game, a frozen dataclass with a size, play by ``rules``."""
        for name, value in _bound(rules).items():
            object.__setattr__(self, name, value)

    # One position.

    def initial_state(self) -> Any:
        """The position before the first move."""
        return self.rules.INITIAL

    def next_state(self, state, action: int) -> Any:
        """``play`` without its checks, for searches that follow legal moves only."""
        return self.rules.play(state, action)  # subclasses replace this with the function itself

    def play(self, state, action: int) -> Any:
        """The position after ``action``.

        Raises:
            ValueError: the action is illegal or the game is over.
        """
        if action not in (legal := self.legal_actions(state)):
            raise ValueError(refusal(self, action, legal))
        return self.next_state(state, int(action))

    def legal_actions(self, state) -> list[int]:
        """The legal actions in ascending order; empty when the game is over."""
        try:
            is_over = self._outcome(state)[0]
        except (AttributeError, TypeError):
            check_state(self, state)
            raise
        if is_over:
            return []
        # Rollouts call this millions of times, often with the same options, so results are cached.
        options = self._options(state)
        legal = self._legal_of.get(options)
        if legal is None:
            legal = [a for a in range(self.num_actions) if self.rules.is_legal(options, a)]
            if len(self._legal_of) < MANY:
                self._legal_of[options] = legal
        return legal.copy()

    def legal_mask(self, state) -> np.ndarray:
        """bool [num_actions], True = legal; all False when the game is over."""
        mask = np.zeros(self.num_actions, dtype=bool)
        mask[self.legal_actions(state)] = True
        return mask

    def outcome(self, state) -> int | None:
        """None while the game goes on, else +1, 0 or -1 for the player to move."""
        try:
            is_over, value = self._outcome(state)
        except (AttributeError, TypeError):
            check_state(self, state)
            raise
        return int(value) if is_over else None

    def to_play(self, state) -> int:
        """0 if the first player is to move, 1 if the second is."""
        return int(self._to_play(state))

    def encode(self, state) -> np.ndarray:
        """float32 [num_planes, rows, cols], row 0 at the top, for the player to move."""
        check_state(self, state)
        words = np.array(state, np.int64)[:, None, None]
        return np.array(self.bit_planes(self.State(*words), np.asarray), np.float32)

    def num_plies(self, state) -> int:
        """The number of moves that the board shows; passes may leave no trace on it."""
        raise NotImplementedError

    # Many positions at once.

    def stack(self, states) -> Any:
        """Stacks positions into one batch: a ``State`` of int64 arrays [B].

        Raises:
            ValueError: as ``check_state``.
        """
        for state in states:
            check_state(self, state)
        rows = np.array([tuple(state) for state in states], np.int64).reshape(
            len(states), len(self.State._fields)
        )
        return self.State(*rows.T.copy())

    def state_of(self, words) -> Any:
        """One position, as Python ints, from a row of words in an array or tensor."""
        return self.State(*map(int, words))

    def batch_play(self, states, actions) -> Any:
        """The positions after ``actions`` [B].

        Raises:
            ValueError: an action is illegal or its game is over (the message names the first such
                row), or there is not exactly one action per position.
        """
        if getattr(actions, "shape", None) != states[0].shape:
            raise ValueError(f"actions must be an integer array of shape {tuple(states[0].shape)}.")
        in_range = (actions >= 0) & (actions < self.num_actions)
        possible = self.rules.is_legal(self._options(states), actions * in_range)
        legal = in_range & possible & ~self._outcome(states)[0]
        if not bool(legal.all()):
            row = int((legal * 1).argmin())
            state = self.state_of([word[row] for word in states])
            why = refusal(self, int(actions[row]), self.legal_actions(state))
            raise ValueError(f"Row {row}: {why}")
        return self.rules.play(states, actions)

    def batch_legal_mask(self, states):
        """bool [B, num_actions], True = legal; a finished game's row is all False."""
        states = self.State(*(word[:, None] for word in states))
        actions = alike(self._actions, states[0])
        return self.rules.is_legal(self._options(states), actions) & ~self._outcome(states)[0]

    def batch_outcome(self, states) -> tuple:
        """``(is_over, value)``: bool [B] and int64 [B], for the player to move; 0 if not over."""
        return self._outcome(states)

    def batch_to_play(self, states):
        """int64 [B]: 0 where the first player is to move, 1 where the second is."""
        return self._to_play(states)

    def batch_encode(self, states):
        """``encode`` for a batch: float32 [B, num_planes, rows, cols]."""
        words = self.State(*(word[:, None, None] for word in states))
        planes = self.bit_planes(words, lambda table: alike(table, states[0]))
        if isinstance(states[0], np.ndarray):
            return np.stack(planes, axis=1).astype(np.float32)
        import torch  # a tensor came in, so torch is loaded already

        return torch.stack(planes, dim=1).to(torch.float32)

    def batch_owners(self, states):
        """float32 [B, rows, cols], the owner of each cell if the game ends here.

        It is +1 for cells of the player to move, -1 for those of the other player, and 0 for cells
        that nobody owns. Only games with ``has_owners`` have it.
        """
        words = self.State(*(word[:, None, None] for word in states))
        mine, theirs = self.bit_owners(words, lambda table: alike(table, states[0]))
        owners = mine - theirs
        return owners.astype(np.float32) if isinstance(owners, np.ndarray) else owners.float()

    def symmetries(self, planes, policy) -> list[tuple]:
        """Every symmetric (planes, policy) pair, the identity first; NumPy or torch.

        Args:
            planes: [..., rows, cols]. A symmetry moves the cells of all planes in the same way.
            policy: [..., num_actions]. It is transformed together with the board.
        """
        cells = planes.reshape(*planes.shape[:-2], -1)
        return [
            (
                cells[..., alike(moved_cells, planes)].reshape(planes.shape),
                policy[..., alike(moved_actions, policy)],
            )
            for moved_cells, moved_actions in self._symmetries
        ]

    # Moves as text.

    def action_label(self, action: int) -> str:
        """How a move is written: ``"1"`` for action 0."""
        return str(action + 1)

    def from_moves(self, moves) -> Any:
        """The position after moves such as ``"4453"``, or ``"d3 c3"`` if labels are longer.

        Args:
            moves: text, a list of actions, or for Go the text of an SGF file; see ``read_moves``.

        Raises:
            ValueError: a word is not a move, or the move is illegal there.
        """
        return read_moves(self, moves)[1][-1]

    @cached_property
    def separator(self) -> str:
        """The text between two moves; empty if every label is one character."""
        return separator(labels(self))

    def moves_text(self, actions) -> str:
        """Writes actions as text; the inverse of ``from_moves``."""
        return self.separator.join(map(self.action_label, actions))

    # Pictures.

    def cell(self, state, action: int) -> int | None:
        """The cell that a legal ``action`` fills, ``row * cols + col``; None if it fills none.

        If a piece moves from one cell to another, pictures find both cells automatically.
        """
        return action

    def cells(self, state) -> list[int]:
        """The board cell by cell from the top left: 0 empty, 1 first player, 2 second player."""
        check_state(self, state)
        mover = self.to_play(state)
        mine, theirs = self.encode(state)[:2].reshape(2, -1).astype(int)
        return (mine * (1 + mover) + theirs * (2 - mover)).tolist()

    def highlights(self, state) -> list[int]:
        """The cells that a picture should highlight, such as a winning line."""
        return []

    @cached_property
    def coordinates(self) -> Coordinates | None:
        """The names of rows and columns shown beside the board; see ``coordinates_of``."""
        return found_coordinates(self)

    def to_text(self, state) -> str:
        """The board as text: ``X`` for the first player, ``O`` for the second, ``.`` for empty.

        The coordinates used in move strings are printed beside it.
        """
        text = "".join(".XO#"[cell] for cell in self.cells(state))
        lines = [" ".join(text[r * self.cols : (r + 1) * self.cols]) for r in range(self.rows)]
        return with_coordinates(self, lines)

    # What a subclass may define.

    @cached_property
    def cell_bits(self) -> np.ndarray:
        """The bit number of every cell, int64 [rows, cols]; by default the rules' ``cell_bit``."""
        return self.rules.cell_bit(*np.indices((self.rows, self.cols), dtype=np.int64))

    def plane_boards(self, state) -> tuple:
        """One word per plane, with a bit for every cell; the stones of the player to move first."""
        return state.me, state.opp

    def bit_planes(self, state, like) -> list:
        """The input planes, 0 or 1 for every plane and cell.

        Args:
            state: words (arrays or tensors) that broadcast with a table [rows, cols].
            like: converts an int64 array [rows, cols] to the same kind of array as the words.
        """
        return self.bits_of(self.plane_boards(state), like)

    def owner_boards(self, state) -> tuple:
        """``(mine, theirs)``: the cells that each player owns if the game ends here, as boards."""
        raise NotImplementedError

    def bit_owners(self, state, like) -> list:
        """``[mine, theirs]``, 0 or 1 for every cell; for the arguments see ``bit_planes``."""
        return self.bits_of(self.owner_boards(state), like)

    def bits_of(self, boards, like) -> list:
        """0 or 1 for every board and cell."""
        bits = like(self.cell_bits)
        return [(board >> bits) & 1 for board in boards]

    def board_symmetries(self, board: np.ndarray) -> list[np.ndarray]:
        """All symmetric images of ``board`` [rows, cols], ``board`` itself first."""
        return [board]

    def moved_actions(self, moved_cells: np.ndarray) -> np.ndarray:
        """How a symmetry moves the actions, given how it moves the cells.

        Override this if actions are not simply the cells in order.

        Args:
            moved_cells: int [rows * cols]; for each cell of the new board, the old cell that it
                comes from.

        Returns:
            int [num_actions]; for each action of the new board, the old action that it comes from.
        """
        return moved_cells

    # Tables, made once per game object.

    @cached_property
    def all_cells(self) -> int:
        """The board with the bits of all cells."""
        return sum(1 << int(bit) for bit in self.cell_bits.ravel())

    @cached_property
    def _actions(self) -> np.ndarray:
        return np.arange(self.num_actions, dtype=np.int64)

    @cached_property
    def _legal_of(self) -> dict[Any, list[int]]:
        return {}

    @cached_property
    def _symmetries(self) -> list[tuple[np.ndarray, np.ndarray]]:
        cells = np.arange(self.rows * self.cols).reshape(self.rows, self.cols)
        boards = [board.ravel().copy() for board in self.board_symmetries(cells)]
        same = cells.ravel()
        return [
            (board, self._actions if (board == same).all() else self.moved_actions(board))
            for board in boards
        ]


def _bound(rules: ModuleType) -> dict[str, Any]:
    """The attributes that a game takes from its rules; direct attributes make rollouts fast."""
    if missing := [name for name in RULES if not hasattr(rules, name)]:
        raise ValueError(f"the rules module does not define {', '.join(missing)}; see RulesGame")
    return {
        "rules": rules,
        "State": rules.State,
        "rows": rules.ROWS,
        "cols": rules.COLS,
        "num_actions": rules.NUM_ACTIONS,
        "max_plies": rules.MAX_PLIES,
        "next_state": rules.play,
        "_options": rules.options,
        "_outcome": rules.outcome,
        "_to_play": rules.to_play,
    }


def alike(table: np.ndarray, array):
    """Converts an int64 ``table`` to the kind of ``array``, on its device; sends it there once."""
    if isinstance(array, np.ndarray):
        return table
    return _on_device(table.astype(np.int64).tobytes(), table.shape, array.device)


@cache
def _on_device(table: bytes, shape: tuple[int, ...], device):
    """A tensor that is never freed, because a CUDA graph may keep reading it."""
    import torch  # a tensor came in, so torch is loaded already

    with torch.inference_mode(False):  # lets gradients flow through tensors it indexes
        return torch.tensor(np.frombuffer(table, np.int64).reshape(shape), device=device)
