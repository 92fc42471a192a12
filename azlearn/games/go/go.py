"""Go, from 2x2 to 9x9: capture, ko, passes, area and komi, and what AlphaGo Zero's network saw."""

from dataclasses import KW_ONLY, dataclass
from functools import cache, cached_property

import numpy as np

from azlearn.games.game import Drawing
from azlearn.games.go import rules as go_rules
from azlearn.games.specialize import specialize
from azlearn.games.square_board import SquareBoard
from azlearn.games.state_codec import rows_of

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
            believed to lead by 9, and 7.5 above.
        superko: no move may bring back any board of the game (positional superko, as Tromp and
            Taylor have it). Positions that ``play`` or ``next_state`` gives know their game, and
            their ``ko`` holds every point that is forbidden for it, so that no search moves there
            from them. Below its root, a search with arrays knows the simple ko alone, which forbids
            nothing but taking a single stone back at once.
        history: how many boards the planes show, the present one included.
        suicide: a move may leave its own group without a liberty, which is then taken off, as Tromp
            and Taylor have it. Random games do without it.

    Raises:
        ValueError: an impossible size, komi or history; superko or suicide that is no bool.
    """

    size: int = 7
    _: KW_ONLY
    komi: float | None = None
    superko: bool = False
    history: int = 8
    suicide: bool = False

    name, has_owners = "go", True
    drawing = Drawing("crossings", marks=("●", "○"), players=("Black", "White"))

    def __post_init__(self) -> None:
        if type(self.size) is not int or self.size not in range(2, 10):
            raise ValueError(f"size must be a whole number from 2 to 9, not {self.size!r}.")
        if self.komi is None:
            object.__setattr__(self, "komi", KOMI.get(self.size, 0.5))
        for name in ("superko", "suicide"):
            if type(value := getattr(self, name)) is not bool:
                raise ValueError(f"{name} must be True or False, not {value!r}.")
        if isinstance(self.komi, bool) or self.komi not in (
            half / 2 for half in range(-2 * self.size**2, 2 * self.size**2 + 1)
        ):
            raise ValueError(
                f"komi must be a multiple of 0.5 from -{self.size**2} to {self.size**2}, not"
                f" {self.komi!r}."
            )
        if type(self.history) is not int or self.history not in range(1, 9):
            raise ValueError(f"history must be a whole number from 1 to 8, not {self.history!r}.")
        object.__setattr__(self, "komi", float(self.komi))
        object.__setattr__(self, "num_planes", 2 * self.history + 1)
        changed = {"SIZE": self.size, "KOMI2": int(2 * self.komi), "HISTORY": self.history}
        self._use(specialize(go_rules, SUICIDE=int(self.suicide), **changed))
        if self.superko:
            object.__setattr__(self, "next_state", self._remembering)

    def batch_legal_mask(self, states):
        """bool [B, num_actions], True = legal; a finished game's row is all False."""
        if not isinstance(states[0], np.ndarray):
            if states[0].device.type != "cpu":
                return super().batch_legal_mask(states)
            import torch  # a tensor came in, so torch is loaded already

            arrays = self.State(*(word.numpy() for word in states))
            return torch.from_numpy(self.batch_legal_mask(arrays))
        from azlearn.games.go.masks import legal_masks  # numba takes a second to load

        return legal_masks(self.rules)(rows_of(self.rules, states))

    def rollout_actions(self, state) -> list[int]:
        """The moves that a random game may play; empty when the game is over.

        Without the others every random game ends; see ``rules.rollout_options``.
        """
        options = self.rules.rollout_options(state)
        legal = self.legal_actions(state)
        return [a for a in legal if self.rules.is_legal(options, a)] or legal

    def _remembering(self, state, action: int):
        """The position after ``action``, which knows the boards before it."""
        after = self.rules.play(state, action)
        past = getattr(state, "past", frozenset({self._board(state)})) | {self._board(after)}
        for point in self.legal_actions(after)[:-1]:
            if self._board(self.rules.play(after, point)) in past:
                after = self.rules.forbid(after, point)
        after = _with_past(self.State)(*after)
        after.past = past
        return after

    def _board(self, state) -> tuple:
        """Black's stones and White's."""
        me, opp = self.rules.sides(state)
        return (opp, me) if self.to_play(state) else (me, opp)

    def plane_boards(self, state) -> tuple:
        """Stones of both now and before each of the last moves, then the colour."""
        black, board = 1 - self._to_play(state), self.rules.BOARD
        if self.rules.WORDS == 1:
            return *self._words_of_planes(state), black * board
        words = self._words_of_planes(state), self._words_of_planes(state, "_low")
        return *zip(*words, strict=True), (black * board[0], black * board[1])

    def owner_boards(self, state) -> tuple:
        """Area: stones, and empty points that only one player's stones reach."""
        return self.rules.areas(state)

    def bits_of(self, boards, like) -> list:
        """0 or 1 for every board and point; above 7x7 a board is two words."""
        if self.rules.WORDS == 1:
            return super().bits_of(boards, like)
        bits, is_top = map(like, (self.cell_bits, self._is_top))
        return [((a >> bits) & is_top) | ((b >> bits) & (1 - is_top)) for a, b in boards]

    def _words_of_planes(self, state, suffix: str = "") -> list:
        """``[mine, theirs]`` now, before the last move, before the one before it, …: moves undone.

        Stones of one word do not touch those of another here, so each word goes by itself.
        """
        mine, theirs = getattr(state, f"me{suffix}"), getattr(state, f"opp{suffix}")
        boards = [mine, theirs]
        for ago in range(1, self.history):
            change = getattr(state, f"change_{ago}{suffix}")
            is_lost = change >> 63  # all bits, where a group took itself off
            change = change ^ is_lost
            if ago % 2:  # a move of theirs: its stone goes, what it took comes back
                taken, theirs = change & ~theirs & ~is_lost, (theirs & ~change) | (change & is_lost)
                mine = mine | taken
            else:
                taken, mine = change & ~mine & ~is_lost, (mine & ~change) | (change & is_lost)
                theirs = theirs | taken
            boards += [mine, theirs]
        return boards

    @cached_property
    def _is_top(self) -> np.ndarray:
        """int64 [rows, cols]: 1 where a point is one of the first word, 0 of the second."""
        return (np.indices((self.size, self.size))[0] < self.rules.TOP).astype(np.int64)

    def cell(self, state, action: int) -> int | None:
        """The point on which the stone is placed; None for a pass, and for suicide."""
        stays = not self.suicide or self.rules.is_legal(self.rules.points(state), action)
        return super().cell(state, action) if stays else None

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
