"""Go, from 2x2 to 9x9, with area scoring, komi and the input planes of AlphaGo Zero."""

from dataclasses import KW_ONLY, dataclass
from functools import cache, cached_property

import numpy as np

from azlearn.games.game import Drawing
from azlearn.games.go import rules as go_rules
from azlearn.games.specialize import specialize
from azlearn.games.square_board import SquareBoard
from azlearn.games.state_codec import rows_of

LETTERS = "ABCDEFGHJ"  # as on every Go board: I looks too much like J
KOMI = {7: 8.5, 8: 7.5, 9: 7.5}  # the usual komi; smaller boards have 0.5, so White wins ties


@dataclass(frozen=True)
class Go(SquareBoard):
    """Go with area scoring. Action ``size * row + col`` places a stone; the last action passes.

    Moves are written as Go players write them: ``"A1"`` is the point at the bottom left; a pass is
    ``"pass"``. The planes match AlphaGo Zero (Silver et al. 2017, Methods): the stones of the
    player to move and of the opponent now, one move ago, two moves ago, …, then one plane that is 1
    if Black is to move.

    Args:
        size: number of rows and columns.
        komi: points for White, a multiple of ½. None: 0.5 up to 6x6, 8.5 on 7x7, where Black is
            believed to lead by 9, and 7.5 on larger boards.
        superko: no move may repeat any earlier board of the game (positional superko, as in the
            Tromp–Taylor rules). Positions returned by ``play`` or ``next_state`` store the game's
            earlier boards, and their ``ko`` contains every point that superko forbids, so a search
            from them never moves there. Below its root, a search with arrays uses only the simple
            ko rule, which forbids recapturing a single stone immediately.
        history: number of boards that the planes show, including the current one.
        suicide: a move may leave its own group without a liberty; that group is then removed, as in
            the Tromp–Taylor rules. Random games never do this.

    Raises:
        ValueError: size, komi or history is invalid, or superko or suicide is not a bool.
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

        With these moves every random game ends; see ``rules.rollout_options``.
        """
        options = self.rules.rollout_options(state)
        legal = self.legal_actions(state)
        return [a for a in legal if self.rules.is_legal(options, a)] or legal

    def _remembering(self, state, action: int):
        """The position after ``action``, which remembers the boards before it."""
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
        """Both players' stones now and before each of the last moves, then the color plane."""
        black, board = 1 - self._to_play(state), self.rules.BOARD
        if self.rules.WORDS == 1:
            return *self._words_of_planes(state), black * board
        words = self._words_of_planes(state), self._words_of_planes(state, "_low")
        return *zip(*words, strict=True), (black * board[0], black * board[1])

    def owner_boards(self, state) -> tuple:
        """``(mine, theirs)``: each player's stones, and empty points that only they reach."""
        return self.rules.areas(state)

    def bits_of(self, boards, like) -> list:
        """0 or 1 for every board and point. On 8x8 and 9x9 a board is two words."""
        if self.rules.WORDS == 1:
            return super().bits_of(boards, like)
        bits, is_top = map(like, (self.cell_bits, self._is_top))
        return [((a >> bits) & is_top) | ((b >> bits) & (1 - is_top)) for a, b in boards]

    def _words_of_planes(self, state, suffix: str = "") -> list:
        """Undoes the moves: ``[mine, theirs]`` now, before the last move, and so on.

        Undoing a move works bit by bit, so each word of a board is handled separately.
        """
        mine, theirs = getattr(state, f"me{suffix}"), getattr(state, f"opp{suffix}")
        boards = [mine, theirs]
        for ago in range(1, self.history):
            change = getattr(state, f"change_{ago}{suffix}")
            is_lost = change >> 63  # all bits set if the move was a suicide
            change = change ^ is_lost
            if ago % 2:  # the opponent's move: remove its stone, restore captured stones
                taken, theirs = change & ~theirs & ~is_lost, (theirs & ~change) | (change & is_lost)
                mine = mine | taken
            else:
                taken, mine = change & ~mine & ~is_lost, (mine & ~change) | (change & is_lost)
                theirs = theirs | taken
            boards += [mine, theirs]
        return boards

    @cached_property
    def _is_top(self) -> np.ndarray:
        """int64 [rows, cols]: 1 for points in the first word, 0 for points in the second."""
        return (np.indices((self.size, self.size))[0] < self.rules.TOP).astype(np.int64)

    def cell(self, state, action: int) -> int | None:
        """The point on which the stone is placed; None for a pass or a suicide."""
        stays = not self.suicide or self.rules.is_legal(self.rules.points(state), action)
        return super().cell(state, action) if stays else None

    def action_label(self, action: int) -> str:
        """``"A1"``, the column's letter and the row's number from the bottom; ``"pass"``."""
        row, col = divmod(action, self.size)
        return "pass" if action == self.rules.PASS else f"{LETTERS[col]}{self.size - row}"

    def num_plies(self, state) -> int:
        """The number of moves and passes so far."""
        return state.ply

    def score(self, state) -> float:
        """Black's points minus White's if the game ends here, including komi.

        A player's area is their stones and the empty points that only their stones reach. Dead
        stones are not removed.
        """
        lead = int(self.rules.area_lead(state))
        return (-lead if self.to_play(state) else lead) - self.komi


@cache
def _with_past(State: type) -> type:
    """A class of positions that have ``past``, the set of earlier boards (Black's, White's)."""
    return type("GameState", (State,), {})
