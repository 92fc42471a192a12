"""Go, from 2x2 to 7x7: capture, ko, passes, area and komi, and what AlphaGo Zero's network saw."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from azlearn.games.game import Drawing
from azlearn.games.go import rules as go_rules
from azlearn.games.go.rules import State
from azlearn.games.rules_game import RulesGame, turned_and_mirrored
from azlearn.games.variant import variant

LETTERS = "ABCDEFGHJ"  # as on every board: I looks too much like J


class GameState(State):
    """A position that knows the boards of its game, for superko.

    Attributes:
        past: frozenset of (Black's stones, White's), the present ones included.
    """

    past: frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Go(RulesGame):
    """Go by area scoring. Action ``size * row + col`` places a stone, the last one passes.

    Moves are written as players write them: ``"A1"`` is the point at the bottom left, then
    ``"pass"``. Planes are those of AlphaGo Zero (Silver et al. 2017, Methods): the mover's stones
    and the other's, now, one move ago, two moves ago, …; then one that is 1 where Black moves.

    Args:
        size: rows and columns.
        komi: points for White, a multiple of ½. None: 0.5 up to 6x6, 8.5 on 7x7, where perfect
            play wins by 9 for Black.
        superko: no move may bring back any board of the game (positional superko, as Tromp and
            Taylor have it). Only positions that ``play`` or ``next_state`` gives know their game:
            in batches, and so in the engines that search with arrays, the simple ko remains, which
            forbids nothing but taking a single stone back at once.
        history: how many boards the planes show, the present one included.

    Raises:
        ValueError: an impossible size, komi or history.
    """

    size: int = 7
    _: KW_ONLY
    komi: float | None = None
    superko: bool = False
    history: int = 8

    name = "go"
    drawing = Drawing(players=("Black", "White"))

    def __post_init__(self) -> None:
        if self.size not in range(2, 8):
            raise ValueError(f"size must be a whole number from 2 to 7, not {self.size!r}.")
        if self.komi is None:
            object.__setattr__(self, "komi", 8.5 if self.size == 7 else 0.5)
        if self.komi not in (half / 2 for half in range(-2 * self.size**2, 2 * self.size**2 + 1)):
            raise ValueError(
                f"komi must be a multiple of 0.5 from -{self.size**2} to {self.size**2}, not"
                f" {self.komi!r}."
            )
        if self.history not in range(1, 9):
            raise ValueError(f"history must be a whole number from 1 to 8, not {self.history!r}.")
        object.__setattr__(self, "komi", float(self.komi))
        object.__setattr__(self, "num_planes", 2 * self.history + 1)
        self._use(variant(go_rules, SIZE=self.size, KOMI2=int(2 * self.komi), HISTORY=self.history))
        if self.superko:
            object.__setattr__(self, "next_state", self._remembering)

    def legal_actions(self, state) -> list[int]:
        """The legal actions in ascending order; empty when the game is over."""
        legal = super().legal_actions(state)
        if not self.superko:
            return legal
        past = self._past(state)
        boards = {action: self._board(self.rules.play(state, action)) for action in legal[:-1]}
        return [a for a in legal if a == self.rules.PASS or boards[a] not in past]

    def rollout_actions(self, state) -> list[int]:
        """The moves of a random game that comes to an end, see ``rules.rollout_options``; empty
        when the game is over."""
        options = self.rules.rollout_options(state)
        legal = self.legal_actions(state)
        return [a for a in legal if self.rules.is_legal(options, a)] or legal

    def _remembering(self, state, action: int) -> GameState:
        """The position after ``action``, which knows the boards before it."""
        after = GameState(*self.rules.play(state, action))
        after.past = self._past(state) | {self._board(after)}
        return after

    def _past(self, state) -> frozenset[tuple[int, int]]:
        return getattr(state, "past", frozenset({self._board(state)}))

    def _board(self, state) -> tuple[int, int]:
        """Black's stones and White's."""
        return (state.opp, state.me) if self.to_play(state) else (state.me, state.opp)

    def plane_boards(self, state) -> tuple:
        """``(mine, theirs)`` now and after each move before, then the colour."""
        mine, theirs = state.me, state.opp
        boards = [mine, theirs]
        changes = (state.change_1, state.change_2, state.change_3, state.change_4, state.change_5,
                   state.change_6, state.change_7)  # fmt: skip
        for ago, change in enumerate(changes[: self.history - 1]):
            if ago % 2:  # a move of mine: its stone goes, what it took comes back
                mine, theirs = mine & ~change, theirs | (change & ~mine)
            else:
                mine, theirs = mine | (change & ~theirs), theirs & ~change
            boards += [mine, theirs]
        is_black = 1 - self._to_play(state)
        return *boards, is_black * self.rules.BOARD

    def board_symmetries(self, board: np.ndarray) -> list[np.ndarray]:
        """Turned and mirrored."""
        return turned_and_mirrored(board)

    def moved_actions(self, moved_cells: np.ndarray) -> np.ndarray:
        """The points move, the pass stays."""
        return np.append(moved_cells, self.rules.PASS)

    def action_label(self, action: int) -> str:
        """``"A1"``, the column's letter and the row's number from the bottom; ``"pass"``."""
        row, col = divmod(action, self.size)
        return "pass" if action == self.rules.PASS else f"{LETTERS[col]}{self.size - row}"

    def num_plies(self, state) -> int:
        """Moves and passes so far."""
        return state.ply

    def cell(self, state, action: int) -> int | None:
        """The point on which the stone is placed; None for a pass."""
        return None if action == self.rules.PASS else action

    def score(self, state) -> float:
        """Black's points less White's, komi included, if the game ended here.

        Area: stones, and empty points that only one player's stones reach. Nobody removes dead
        stones.
        """
        lead = int(self.rules.area_lead(state))
        return (-lead if self.to_play(state) else lead) - self.komi
