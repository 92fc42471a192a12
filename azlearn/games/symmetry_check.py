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


class Problem(Exception):
    """What is wrong after the moves played so far, without a full stop."""


class Symmetry(NamedTuple):
    """What a symmetry moves, and where its games begin."""

    number: int
    entries: np.ndarray  # int [num_planes * rows * cols]: where each entry of the planes comes from
    actions: np.ndarray  # int [num_actions]
    start: Any  # the image of the first position
    doubt: str  # why a difference would prove nothing; "": it does


def check_symmetries(
    game: Game, games: Sequence[Sequence[Any]], played: Sequence[list[int]], here: list[int]
) -> list[str]:
    """Follows the symmetries of a game through games that were played.

    Args:
        games: for each its positions, from the first one on.
        played: for each its actions.
        here: filled with the actions as they are followed.

    Returns:
        What was followed, in a line, and for each reason what could not be.

    Raises:
        Problem: a symmetry is none, or moves planes and policy by halves.
    """
    pairs, symmetries, unchecked = _pairs(game), [], {}
    # A plane that never changes, such as the number of the column, may stay.
    seen = np.array([game.encode(state) for states in games for state in states])
    shown = (seen != seen[0]).any(axis=(0, 2, 3))
    for number, (entries, actions) in enumerate(pairs):
        image, doubt = _image(game, games, np.ravel(entries), shown)
        if image is None:
            unchecked[number] = doubt
        else:
            symmetries.append(Symmetry(number, np.ravel(entries), actions, image, doubt))
    for moves in played:
        here[:], states = moves, [game.initial_state()]
        for action in moves:
            states.append(game.next_state(states[-1], action))
        views = [_view(game, state) for state in states]
        for symmetry in symmetries.copy():
            alike = _plies_alike(game, symmetry, moves, views, shown)
            if alike <= len(moves) and not symmetry.doubt:
                here[:] = moves[:alike]
                raise Problem(BROKEN.format(symmetry.number) if symmetry.number else NOT_REPEATED)
            if alike <= len(moves):
                unchecked[symmetry.number] = symmetry.doubt
                symmetries.remove(symmetry)
    lines = [f"Symmetries that hold in these games: {len(symmetries)} of {len(pairs)}."]
    for why in dict.fromkeys(unchecked.values()):
        numbers = [str(number) for number, said in unchecked.items() if said == why]
        lines.append(
            f"Not checked: symmetry {', '.join(numbers)}, which changes the first position;"
            f" {why}. Leave out what you do not know to hold."
        )
    return lines


def _pairs(game: Game) -> list[tuple[np.ndarray, np.ndarray]]:
    """By symmetry, where the entries of the planes come from, and where the actions do."""
    shape, n = (game.num_planes, game.rows, game.cols), game.num_actions
    try:
        pairs = game.symmetries(np.arange(np.prod(shape)).reshape(shape), np.arange(n))
    except IndexError as error:
        raise Problem(
            "a symmetry moves actions as if they were cells: write moved_actions, which says for"
            f" every action which one takes its place ({error})"
        ) from None
    for number, (entries, actions) in enumerate(pairs):
        if np.shape(actions) != (n,):
            raise Problem(
                f"symmetry {number} gives {len(actions)} entries for {n} actions: moved_actions"
                " must say of every action which one stands in its place"
            )
        orders = np.ravel(entries), np.ravel(actions)
        if np.shape(entries) != shape or any(
            (np.sort(order) != np.arange(order.size)).any() for order in orders
        ):
            raise Problem(f"symmetry {number} must only move entries about; it adds or drops some")
    if not pairs or any((np.diff(np.ravel(part)) != 1).any() for part in pairs[0]):
        raise Problem("the first symmetry must be the identity")
    return pairs


def _image(game: Game, games, entries: np.ndarray, shown: np.ndarray) -> tuple[Any, str]:
    """The image of the first position, None if there is none, and what makes it doubtful."""
    start = game.initial_state()
    planes = game.encode(start)
    wanted = planes.ravel()[entries].reshape(planes.shape)
    if np.array_equal(planes, wanted):
        return start, ""
    if not (isinstance(start, tuple) and all(isinstance(word, Integral) for word in start)):
        return None, NOT_WORDS

    def position(words: Sequence[int]) -> Any:
        return type(start)(*words) if hasattr(start, "_fields") else words

    def looks_right(words: Sequence[int]) -> bool:
        try:
            return np.array_equal(game.encode(position(words))[shown], wanted[shown])
        except Exception:  # no position, such as a stone beside the board
            return False

    sources = entries[: game.rows * game.cols]
    bits = np.ravel(getattr(game, "cell_bits", np.arange(len(sources)))).tolist()
    ways = [
        dict.fromkeys((word, _turned(word, bits, sources), word ^ (word in (0, 1))))
        for word in start
    ]
    found = list(filter(looks_right, islice(product(*ways), MOST_TRIED)))
    if not found:
        return None, NOT_FOUND
    # What no plane shows is taken as it is. It does not know the board if it is alike in all games
    # after as many moves, as a count of them is.
    hidden = [len({*words}) > 1 for words in zip(*found, strict=True)]
    after = zip_longest(*([(*compress(state, hidden),) for state in one] for one in games))
    is_guess = any(len({*seen} - {None}) > 1 for seen in after)
    return position(found[0]), HIDDEN if is_guess else ""


def _turned(word: int, bits: Sequence[int], sources: Sequence[int]) -> int:
    """A board whose cells have these bits, each cell as it was at its source; other bits stay."""
    moved = sum(
        (word >> bits[source] & 1) << bit for bit, source in zip(bits, sources, strict=True)
    )
    word = (word & ~sum(1 << bit for bit in bits) | moved) % 2**64
    return word - (word >> 63 << 64)


def _view(game: Game, state) -> tuple[np.ndarray, np.ndarray, Any]:
    """What is seen in a position: planes, legal moves, outcome."""
    return game.encode(state), game.legal_mask(state), game.outcome(state)


def _plies_alike(game: Game, symmetry: Symmetry, moves: list[int], views: list, shown) -> int:
    """For how many moves a game and its image stay images of each other; if for all, one more.

    Args:
        views: of the game's positions.
        shown: bool [num_planes], which planes count.
    """
    image, (_, entries, actions, *_) = symmetry.start, symmetry
    for ply, (planes, mask, outcome) in enumerate(views):
        turned = planes.ravel()[entries].reshape(planes.shape)
        seen, legal, ends = _view(game, image)
        if (
            not np.array_equal(turned[shown], seen[shown])
            or not np.array_equal(mask[actions], legal)
            or outcome != ends
        ):
            return ply
        if ply < len(moves):
            image = game.next_state(image, int((actions == moves[ply]).argmax()))
    return len(views)
