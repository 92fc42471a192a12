"""Whether a game's symmetries hold: part of the conformance suite.

A symmetry is followed through whole games: every move is played in its image, too, and the two
games must stay images of each other in what is seen, what is legal, and how it ends. This needs the
image of the first position. It is the first position itself if the symmetry leaves that as it is,
as on an empty board; else each of its words is a board to be turned, a flag, or as it was.
"""

from collections.abc import Sequence
from itertools import compress, islice, product, zip_longest
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

MOST_TRIED = 3**7  # images of the first position


class Symmetry(NamedTuple):
    """What a symmetry moves, and where its games begin."""

    number: int
    entries: np.ndarray  # int [num_planes * rows * cols]: where each entry of the planes comes from
    actions: np.ndarray  # int [num_actions]
    start: Any  # the image of the first position
    doubt: str  # why a difference would prove nothing; "": it does


class SymmetryCheck:
    """The symmetries of a game, to be followed through games that were played.

    Attributes:
        fault: what is wrong with them at once, in a sentence; "" if nothing is.
        unchecked: for the numbers of those that could not be followed, why.
    """

    def __init__(self, game: Game, games: Sequence[Sequence[Any]]) -> None:
        """``games``: the positions of some, from the first one on."""
        self.game, self._games, self._symmetries, self.unchecked = game, games, [], {}
        # A plane that never changes, such as the number of the column, may stay.
        seen = np.array([game.encode(state) for states in games for state in states])
        self._shown = (seen != seen[0]).any(axis=(0, 2, 3))
        shape, n = (game.num_planes, game.rows, game.cols), game.num_actions
        self._pairs, self.fault = [], ""
        try:
            self._pairs = game.symmetries(np.arange(np.prod(shape)).reshape(shape), np.arange(n))
        except IndexError as error:
            self.fault = (
                "a symmetry moves actions as if they were cells: write moved_actions, which says"
                f" for every action which one takes its place ({error})"
            )
            return
        for number, pair in enumerate(self._pairs):
            self.fault = self.fault or _fault(number, pair, shape, n)
        identity = map(np.ravel, self._pairs[0] if self._pairs else ([1],))
        if not all((part == np.arange(part.size)).all() for part in identity):
            self.fault = "the first symmetry must be the identity"
        for number, (entries, actions) in enumerate([] if self.fault else self._pairs):
            image, doubt = self._image(np.ravel(entries))
            if image is None:
                self.unchecked[number] = doubt
            else:
                self._symmetries.append(Symmetry(number, np.ravel(entries), actions, image, doubt))

    def _image(self, entries: np.ndarray) -> tuple[Any, str]:
        """The image of the first position, and what makes it doubtful, see ``Symmetry``."""
        start = self.game.initial_state()
        planes = self.game.encode(start)
        wanted = planes.ravel()[entries].reshape(planes.shape)
        if np.array_equal(planes, wanted):
            return start, ""
        if not (isinstance(start, tuple) and all(isinstance(word, Integral) for word in start)):
            return None, NOT_WORDS
        sources = entries[: self.game.rows * self.game.cols]
        bits = np.ravel(getattr(self.game, "cell_bits", np.arange(len(sources)))).tolist()
        ways = [
            dict.fromkeys((word, _turned(word, bits, sources), word ^ (word in (0, 1))))
            for word in start
        ]
        found = [
            image
            for image in (self._position(words) for words in islice(product(*ways), MOST_TRIED))
            if self._looks_like(image, wanted)
        ]
        if not found:
            return None, NOT_FOUND
        # What no plane shows is taken as it is. It does not know the board if it is alike in all
        # games after as many moves, as a count of them is.
        hidden = [len({*words}) > 1 for words in zip(*found, strict=True)]
        after = zip_longest(
            *([(*compress(state, hidden),) for state in one] for one in self._games)
        )
        return found[0], HIDDEN if any(len({*seen} - {None}) > 1 for seen in after) else ""

    def _position(self, words: Sequence[int]) -> Any:
        kind = type(self.game.initial_state())
        return kind(*words) if hasattr(kind, "_fields") else kind(words)

    def _looks_like(self, image: Any, wanted: np.ndarray) -> bool:
        try:
            return np.array_equal(self.game.encode(image)[self._shown], wanted[self._shown])
        except Exception:  # no position, such as a stone beside the board
            return False

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
        held, number_of_all = len(self._symmetries), len(self._pairs)
        lines = [f"Symmetries that hold in these games: {held} of {number_of_all}."]
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


def _turned(word: int, bits: Sequence[int], sources: Sequence[int]) -> int:
    """A board whose cells have these bits, each cell as it was at its source; other bits stay."""
    moved = sum(
        (word >> bits[source] & 1) << bit for bit, source in zip(bits, sources, strict=True)
    )
    word = (word & ~sum(1 << bit for bit in bits) | moved) % 2**64
    return word - (word >> 63 << 64)
