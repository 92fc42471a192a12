"""Whether a game's symmetries hold: part of the conformance suite.

A symmetry is followed through whole games: every move is played in its image, too, and the two
games must stay images of each other in what is seen, what is legal, and how it ends. This needs the
image of the first position. It is the first position itself if the symmetry leaves that as it is,
as on an empty board; else it is set up bit by bit.
"""

from collections.abc import Sequence
from itertools import zip_longest
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from azlearn.games.game import Game

NOT_WORDS = "its positions are not tuples of whole numbers, so that no other can be set up"
NOT_FOUND = "no position was found that looks like the image of the first one"
HIDDEN = "the planes do not show all of a position, so that the image of the first one is a guess"
BROKEN = (
    "symmetry {} does not hold: it turns the board and the policy in different ways, or the turned"
    " moves lead elsewhere, where the rules know a direction or a shift wraps at an edge"
)
NOT_REPEATED = "the same moves, played again, lead elsewhere: rules may not remember or draw"

MASK = 2**64 - 1


class Symmetry(NamedTuple):
    """What a symmetry moves, and where its games begin."""

    number: int
    entries: np.ndarray  # int [num_planes * rows * cols]: where each entry of the planes comes from
    actions: np.ndarray  # int [num_actions]
    start: Any  # the image of the first position; None if there is none
    doubt: str  # why it cannot be followed, or why a difference would prove nothing; "": it does


class SymmetryCheck:
    """The symmetries of a game, to be followed through games that were played.

    Attributes:
        fault: what is wrong with them at once, in a sentence; "" if nothing is.
        unchecked: for the numbers of those that could not be followed, why.
    """

    def __init__(self, game: Game, games: Sequence[Sequence[Any]]) -> None:
        """``games``: the positions of some, from the first one on."""
        self.game, self.fault, self.unchecked = game, "", {}
        self._symmetries, self._shown, self._count = [], slice(None), 0
        shape, n = (game.num_planes, game.rows, game.cols), game.num_actions
        try:
            pairs = game.symmetries(np.arange(np.prod(shape)).reshape(shape), np.arange(n))
        except IndexError as error:
            self.fault = (
                "a symmetry moves actions as if they were cells: write moved_actions, which says"
                f" for every action which one takes its place ({error})"
            )
            return
        self.fault = next(filter(None, (_fault(*one, shape, n) for one in enumerate(pairs))), "")
        if not pairs or any(
            (np.ravel(part) != np.arange(np.size(part))).any() for part in pairs[0]
        ):
            self.fault = "the first symmetry must be the identity"
        if not self.fault:
            self._set_up(pairs, games)

    def _set_up(self, pairs: list[tuple], games: Sequence[Sequence[Any]]) -> None:
        start, positions, self._count = self.game.initial_state(), None, len(pairs)
        planes = self.game.encode(start).ravel()
        for number, (entries, actions) in enumerate(pairs):
            entries, image, doubt = np.ravel(entries), start, ""
            if not np.array_equal(planes[entries], planes):
                if positions is None:
                    # A plane that never changes, such as the number of the column, may stay.
                    seen = np.array([self.game.encode(state) for one in games for state in one])
                    self._shown = (seen != seen[0]).any(axis=(0, 2, 3))
                    positions = _Positions(self.game, games, self._shown)
                image, doubt = positions.find(planes[entries])
            if image is None:
                self.unchecked[number] = doubt
            else:
                self._symmetries.append(Symmetry(number, entries, actions, image, doubt))

    def follow(self, played: Sequence[int]) -> str:
        """What one game shows to be wrong with a symmetry, in a sentence; "" if nothing.

        Args:
            played: its actions, from the first position on.
        """
        states = [self.game.initial_state()]
        for action in played:
            states.append(self.game.next_state(states[-1], action))
        views = [self._view(state) for state in states]
        for symmetry in self._symmetries.copy():
            alike = self._plies_alike(symmetry, played, views)
            if alike > len(played):
                continue
            if not symmetry.doubt:
                why = BROKEN.format(symmetry.number) if symmetry.number else NOT_REPEATED
                return f"After the actions {list(played[:alike])}: {why}."
            self.unchecked[symmetry.number] = symmetry.doubt
            self._symmetries.remove(symmetry)
        return ""

    def told(self) -> list[str]:
        """What was followed, in a line, and for each reason what could not be."""
        lines = [f"Symmetries that hold in these games: {len(self._symmetries)} of {self._count}."]
        for why in dict.fromkeys(self.unchecked.values()):
            numbers = [str(number) for number, said in self.unchecked.items() if said == why]
            lines.append(
                f"Not checked: symmetry {', '.join(numbers)}, which changes the first position;"
                f" {why}. Leave out what you do not know to hold."
            )
        return lines

    def _view(self, state) -> tuple[np.ndarray, np.ndarray, Any]:
        """What is seen in a position: planes, legal moves, outcome."""
        return self.game.encode(state), self.game.legal_mask(state), self.game.outcome(state)

    def _plies_alike(self, symmetry: Symmetry, played: Sequence[int], views: list[tuple]) -> int:
        """For how many moves a game and its image stay images of each other; if for all, one more.

        Args:
            views: of the game's positions.
        """
        image, (_, entries, actions, *_) = symmetry.start, symmetry
        for ply, (planes, mask, outcome) in enumerate(views):
            turned = planes.ravel()[entries].reshape(planes.shape)
            seen, legal, ends = self._view(image)
            if (
                not np.array_equal(turned[self._shown], seen[self._shown])
                or not np.array_equal(mask[actions], legal)
                or outcome != ends
            ):
                return ply
            if ply < len(played):
                image = self.game.next_state(image, int((actions == played[ply]).argmax()))
        return len(views)


def _fault(number: int, pair: tuple, shape: tuple[int, ...], num_actions: int) -> str:
    """What is wrong with one (planes, policy) pair, given numbered entries; "" if nothing is."""
    entries, actions = map(np.asarray, pair)
    if actions.shape != (num_actions,):
        return (
            f"symmetry {number} gives {len(actions)} entries for {num_actions} actions:"
            " moved_actions must say of every action which one stands in its place"
        )
    orders = entries.ravel(), actions
    if entries.shape == shape and all((np.sort(o) == np.arange(o.size)).all() for o in orders):
        return ""
    return f"symmetry {number} must only move entries about; it adds or drops some"


class _Positions:
    """Positions of a game by what they look like, put together from single bits.

    Where an entry of the planes shows a bit, or the exclusive or of some, the bits whose entries
    together are the wanted ones make a position; whether it looks as wanted is then seen. Planes of
    another kind, such as threats, follow from the stones, so the stones' two are tried alone, too.
    """

    def __init__(self, game: Game, games: Sequence[Sequence[Any]], shown: np.ndarray) -> None:
        self._game, self._shown, self._start = game, shown, game.initial_state()
        self._is_words = isinstance(self._start, tuple) and all(
            isinstance(word, Integral) for word in self._start
        )
        if not self._is_words:
            return
        self._empty = np.zeros((game.num_planes, game.rows, game.cols), np.float32)
        self._empty = self._planes(0)
        bits = range(64 * len(self._start))
        self._changes = [self._planes(1 << bit) != self._empty for bit in bits]
        # What no plane shows is taken as it is. It does not know the board if it is alike in all
        # games after as many moves, as a count of them is.
        hidden = _number(self._start) & self._unseen(shown)
        after = zip_longest(*([_number(state) & hidden for state in one] for one in games))
        self._doubt = HIDDEN if any(len({*seen} - {None}) > 1 for seen in after) else ""

    def find(self, planes: np.ndarray) -> tuple[Any, str]:
        """A position that looks like ``planes``, and what makes it doubtful, see ``Symmetry``."""
        if not self._is_words:
            return None, NOT_WORDS
        wanted = planes.reshape(self._empty.shape)
        for kept in (self._shown, self._shown & (np.arange(len(self._shown)) < 2)):
            target = _packed((wanted != self._empty)[kept])
            bits = _combined([_packed(change[kept]) for change in self._changes], target)
            if bits is None:
                continue
            number = bits | _number(self._start) & self._unseen(kept)
            if np.array_equal(self._planes(number)[self._shown], wanted[self._shown]):
                return self._position(number), self._doubt
        return None, NOT_FOUND

    def _unseen(self, kept: np.ndarray) -> int:
        """The bits that change nothing in these planes."""
        return sum(1 << bit for bit, change in enumerate(self._changes) if not change[kept].any())

    def _position(self, number: int) -> Any:
        """The position whose words are the digits of ``number``, 64 bits each, with a sign."""
        words = ((number >> 64 * i) & MASK for i in range(len(self._start)))
        words = [word - (word >> 63 << 64) for word in words]
        kind = type(self._start)
        return kind(*words) if hasattr(kind, "_fields") else kind(words)

    def _planes(self, number: int) -> np.ndarray:
        try:
            return self._game.encode(self._position(number))
        except Exception:  # no position, such as a stone beside the board
            return self._empty


def _number(words: Sequence[int]) -> int:
    """Words of 64 bits as the digits of one number."""
    return sum((int(word) & MASK) << 64 * i for i, word in enumerate(words))


def _packed(entries: np.ndarray) -> int:
    """Truth values as the bits of a number."""
    return int.from_bytes(np.packbits(entries).tobytes(), "big")


def _combined(vectors: Sequence[int], target: int) -> int | None:
    """Which of the vectors, as bits, have ``target`` as their exclusive or; None: none have."""
    basis: dict[int, tuple[int, int]] = {}  # by its highest bit: a vector, and what it is made of

    def reduced(vector: int, made_of: int) -> tuple[int, int]:
        while vector and (known := basis.get(vector.bit_length())):
            vector, made_of = vector ^ known[0], made_of ^ known[1]
        return vector, made_of

    for number, vector in enumerate(vectors):
        rest, made_of = reduced(vector, 1 << number)
        if rest:
            basis[rest.bit_length()] = rest, made_of
    rest, made_of = reduced(target, 0)
    return None if rest else made_of
