"""Checks that a game's symmetries hold; part of the conformance suite.

A symmetry is followed through whole games. Every move is also played in the symmetric image, and
the two games must stay images of each other in their planes, legal moves and outcome. This needs
the image of the first position. If the symmetry does not change the first position (such as an
empty board), the image is the first position itself. Otherwise each of its words is tried as a
board to transform, as a flag to flip, and unchanged.
"""

from collections.abc import Sequence
from itertools import compress, islice, product, zip_longest
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from azlearn.games.game import Game

NOT_WORDS = "the game's positions are not tuples of integers, so the image cannot be constructed"
NOT_FOUND = "no position was found that looks like the image of the first one"
HIDDEN = "the planes do not show everything, so the image of the first position is a guess"
BROKEN = (
    "symmetry {} does not hold: it transforms the board and the policy differently, or the rules"
    " themselves are not symmetric (for example, a shift wraps at an edge)"
)
NOT_REPEATED = (
    "the same moves, played again, lead to another position: rules must not remember anything or"
    " use random numbers"
)

MOST_TRIED = 3**7  # the most images of the first position to try


class Problem(Exception):
    """What is wrong after the moves played so far; the text has no final period."""


class Symmetry(NamedTuple):
    """How a symmetry moves entries and actions, and where its games start."""

    number: int
    entries: np.ndarray  # int [num_planes * rows * cols]: where each entry of the planes comes from
    actions: np.ndarray  # int [num_actions]
    start: Any  # the image of the first position
    doubt: str  # why a difference may be harmless; "" if it proves a fault


def check_symmetries(
    game: Game, games: Sequence[Sequence[Any]], played: Sequence[list[int]], here: list[int]
) -> list[str]:
    """Follows the symmetries of a game through games that were played.

    Args:
        games: the positions of each game, starting with the first.
        played: the actions of each game.
        here: filled with the actions as they are followed.

    Returns:
        One line on the symmetries that hold, and one for each reason that others were not checked.

    Raises:
        Problem: a symmetry does not hold, or is not a permutation of planes and actions.
    """
    pairs, symmetries, unchecked = _pairs(game), [], {}
    # Planes that never change, such as one with column numbers, need not be symmetric.
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
            f" {why}. Remove symmetries that you are not sure of."
        )
    return lines


def _pairs(game: Game) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each symmetry, where the entries of the planes and the actions come from."""
    shape, n = (game.num_planes, game.rows, game.cols), game.num_actions
    try:
        pairs = game.symmetries(np.arange(np.prod(shape)).reshape(shape), np.arange(n))
    except IndexError as error:
        raise Problem(
            "a symmetry permutes the actions as if they were cells: write moved_actions, which"
            f" permutes the actions themselves ({error})"
        ) from None
    for number, (entries, actions) in enumerate(pairs):
        if np.shape(actions) != (n,):
            raise Problem(
                f"symmetry {number} has {len(actions)} entries for {n} actions: moved_actions must"
                " return one entry per action"
            )
        orders = np.ravel(entries), np.ravel(actions)
        if np.shape(entries) != shape or any(
            (np.sort(order) != np.arange(order.size)).any() for order in orders
        ):
            raise Problem(f"symmetry {number} must only reorder entries, but it adds or drops some")
    if not pairs or any((np.diff(np.ravel(part)) != 1).any() for part in pairs[0]):
        raise Problem("the first symmetry must be the identity")
    return pairs


def _image(game: Game, games, entries: np.ndarray, shown: np.ndarray) -> tuple[Any, str]:
    """The image of the first position (None if none is found), and any reason to doubt it."""
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
        except Exception:  # not a valid position, for example a stone outside the board
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
    # Words that no plane shows are left unchanged. That is right if they do not depend on the
    # board: if, like a count of moves, they are equal in all games after the same number of moves.
    hidden = [len({*words}) > 1 for words in zip(*found, strict=True)]
    after = zip_longest(*([(*compress(state, hidden),) for state in one] for one in games))
    is_guess = any(len({*seen} - {None}) > 1 for seen in after)
    return position(found[0]), HIDDEN if is_guess else ""


def _turned(word: int, bits: Sequence[int], sources: Sequence[int]) -> int:
    """Moves the cells of a board, each from its source; bits that are not cells stay."""
    moved = sum(
        (word >> bits[source] & 1) << bit for bit, source in zip(bits, sources, strict=True)
    )
    word = (word & ~sum(1 << bit for bit in bits) | moved) % 2**64
    return word - (word >> 63 << 64)


def _view(game: Game, state) -> tuple[np.ndarray, np.ndarray, Any]:
    """A position's planes, legal moves and outcome."""
    return game.encode(state), game.legal_mask(state), game.outcome(state)


def _plies_alike(game: Game, symmetry: Symmetry, moves: list[int], views: list, shown) -> int:
    """The number of moves for which a game and its image stay images of each other.

    If they remain images to the end, returns one more than the number of moves.

    Args:
        views: the views of the game's positions.
        shown: bool [num_planes], the planes to compare.
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
