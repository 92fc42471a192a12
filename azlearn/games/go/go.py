"""Go, from 2x2 to 9x9: capture, ko, passes, area and komi, and what AlphaGo Zero's network saw."""

from dataclasses import KW_ONLY, dataclass
from functools import cache, cached_property

import numpy as np

from azlearn.games.game import Drawing
from azlearn.games.go import rules as go_rules
from azlearn.games.go import wide_rules
from azlearn.games.square_board import SquareBoard
from azlearn.games.variant import variant

LETTERS = "ABCDEFGHJ"  # as on every board: I looks too much like J
KOMI = {7: 8.5, 8: 7.5, 9: 7.5}  # the usual one; smaller boards are played without, ties for White


@dataclass(frozen=True)
class Go(SquareBoard):
    """Go by area scoring. Action ``size * row + col`` places a stone, the last one passes.

    Moves are written as players write them: ``"A1"`` is the point at the bottom left, then
    ``"pass"``. Planes are those of AlphaGo Zero (Silver et al. 2017, Methods): the mover's stones
    and the other's, now, one move ago, two moves ago, …; then one that is 1 where Black moves.

    Args:
        size: rows and columns.
        komi: points for White, a multiple of ½. None: 0.5 up to 6x6, 8.5 on 7x7, where Black is
            known to win by 9, and 7.5 above.
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
    drawing = Drawing("crossings", marks=("●", "○"), players=("Black", "White"))

    def __post_init__(self) -> None:
        if type(self.size) is not int or self.size not in range(2, 10):
            raise ValueError(f"size must be a whole number from 2 to 9, not {self.size!r}.")
        if self.komi is None:
            object.__setattr__(self, "komi", KOMI.get(self.size, 0.5))
        if self.komi not in (half / 2 for half in range(-2 * self.size**2, 2 * self.size**2 + 1)):
            raise ValueError(
                f"komi must be a multiple of 0.5 from -{self.size**2} to {self.size**2}, not"
                f" {self.komi!r}."
            )
        if type(self.history) is not int or self.history not in range(1, 9):
            raise ValueError(f"history must be a whole number from 1 to 8, not {self.history!r}.")
        object.__setattr__(self, "komi", float(self.komi))
        object.__setattr__(self, "num_planes", 2 * self.history + 1)
        source = go_rules if self.size <= 7 else wide_rules
        self._use(variant(source, SIZE=self.size, KOMI2=int(2 * self.komi), HISTORY=self.history))
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

    def batch_legal_mask(self, states):
        """bool [B, num_actions], True = legal; a finished game's row is all False."""
        if not isinstance(states[0], np.ndarray):
            if states[0].device.type != "cpu":
                return super().batch_legal_mask(states)
            import torch  # a tensor came in, so torch is loaded already

            arrays = self.State(*(word.numpy() for word in states))
            return torch.from_numpy(self.batch_legal_mask(arrays))
        from azlearn.games.go.masks import legal_masks  # numba takes a second to load

        return legal_masks(self.rules)(np.stack(states, axis=1))

    def rollout_actions(self, state) -> list[int]:
        """The moves of a random game that comes to an end, see ``rules.rollout_options``; empty
        when the game is over."""
        options = self.rules.rollout_options(state)
        legal = self.legal_actions(state)
        return [a for a in legal if self.rules.is_legal(options, a)] or legal

    def _remembering(self, state, action: int):
        """The position after ``action``, which knows the boards before it."""
        after = _with_past(self.State)(*self.rules.play(state, action))
        after.past = self._past(state) | {self._board(after)}
        return after

    def _past(self, state) -> frozenset:
        return getattr(state, "past", frozenset({self._board(state)}))

    def _board(self, state) -> tuple:
        """Black's stones and White's."""
        me, opp = self.rules.sides(state)
        return (opp, me) if self.to_play(state) else (me, opp)

    def bit_planes(self, state, like) -> list:
        """Stones of both now and before each of the last moves, then the colour; 0 or 1."""
        if self.size <= 7:
            return super().bit_planes(state, like)
        bits, top, low = map(like, self._places)
        words = [self._words_of_planes(state, suffix) for suffix in ("", "_low")]
        black = (1 - self._to_play(state)) * (top | low)
        return [
            *(((a >> bits) & top) | ((b >> bits) & low) for a, b in zip(*words, strict=True)),
            black,
        ]

    def plane_boards(self, state) -> tuple:
        """The same where a board is a word."""
        return *self._words_of_planes(state), (1 - self._to_play(state)) * self.rules.BOARD

    def _words_of_planes(self, state, suffix: str = "") -> list:
        """``[mine, theirs]`` now, before the last move, before the one before it, …: moves undone.

        Stones of one word do not touch those of another here, so each word goes by itself.
        """
        mine, theirs = getattr(state, f"me{suffix}"), getattr(state, f"opp{suffix}")
        boards = [mine, theirs]
        for ago in range(1, self.history):
            change = getattr(state, f"change_{ago}{suffix}")
            if ago % 2:  # a move of theirs: its stone goes, what it took comes back
                mine, theirs = mine | (change & ~theirs), theirs & ~change
            else:
                mine, theirs = mine & ~change, theirs | (change & ~mine)
            boards += [mine, theirs]
        return boards

    @cached_property
    def _places(self) -> tuple[np.ndarray, ...]:
        """int64 [rows, cols] each: a point's bit, and 1 where it is one of the first word, of the
        second."""
        rows, cols = np.indices((self.size, self.size), dtype=np.int64)
        top = (rows < self.rules.TOP).astype(np.int64)
        return self.rules.STRIDE * (rows % self.rules.TOP) + cols, top, 1 - top

    def action_label(self, action: int) -> str:
        """``"A1"``, the column's letter and the row's number from the bottom; ``"pass"``."""
        row, col = divmod(action, self.size)
        return "pass" if action == self.rules.PASS else f"{LETTERS[col]}{self.size - row}"

    def num_plies(self, state) -> int:
        """Moves and passes so far."""
        return state.ply

    def score(self, state) -> float:
        """Black's points less White's, komi included, if the game ended here.

        Area: stones, and empty points that only one player's stones reach. Nobody removes dead
        stones.
        """
        lead = int(self.rules.area_lead(state))
        return (-lead if self.to_play(state) else lead) - self.komi


@cache
def _with_past(State: type) -> type:
    """Positions that know the boards of their game: ``past``, a set of (Black's, White's)."""
    return type("GameState", (State,), {})
