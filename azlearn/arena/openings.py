"""Openings: where the games of a match begin, so that they are not one game played 400 times."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from azlearn.games import State
from azlearn.games.rules_game import RulesGame
from azlearn.search.selection import check_count

PATIENCE = 5_000  # draws in a row that bring nothing new, before the supply counts as used up


def random_openings(
    game: RulesGame,
    n: int,
    plies: int = 4,
    rng: np.random.Generator | int = 0,
    *,
    or_fewer: bool = False,
) -> list[str]:
    """``n`` different beginnings of ``plies`` uniformly random moves, as strings such as "4453".

    No two lead to the same position or to its image under a symmetry of the board. No game is over
    yet, and the player to move cannot win at once: such a game is decided by its opening, not by
    its players, and a pair of games with colours swapped would say nothing.

    Args:
        rng: a generator, or the seed of one.
        or_fewer: where a small game has no ``n`` of them, give as many as are found.

    Raises:
        ValueError: n is below 1, plies below 0, or no n openings are found.
    """
    check_count(n, "n")
    check_count(plies, "plies", least=0)
    found = list(islice(different_openings(game, plies, np.random.default_rng(rng)), n))
    if len(found) < (1 if or_fewer else n):
        raise ValueError(
            f"In {game.name} only {len(found)} different openings of {plies} plies were found,"
            f" not {n}: ask for fewer, or for another number of plies."
        )
    return found


def different_openings(game: RulesGame, plies: int, rng: np.random.Generator) -> Iterator[str]:
    """The same one by one, until the supply is used up."""
    seen: set[bytes] = set()
    futile = 0
    while futile < PATIENCE:
        futile += 1
        state, actions = game.initial_state(), []
        while len(actions) < plies and (legal := game.legal_actions(state)):
            actions.append(legal[rng.integers(len(legal))])
            state = game.next_state(state, actions[-1])
        if _is_open(game, state) and (key := _up_to_symmetry(game, state)) not in seen:
            seen.add(key)
            futile = 0
            yield game.moves_text(actions)


def _is_open(game: RulesGame, state: State) -> bool:
    """Whether the game goes on and its mover cannot end it with a win."""
    following = [game.next_state(state, action) for action in game.legal_actions(state)]
    mover = game.to_play(state)
    win = [1 if game.to_play(after) == mover else -1 for after in following]
    ends = [game.outcome(after) for after in following]
    return bool(following) and all(end != won for end, won in zip(ends, win, strict=True))


def _up_to_symmetry(game: RulesGame, state: State) -> bytes:
    images = game.symmetries(game.encode(state), np.zeros(game.num_actions))
    return min(planes.tobytes() for planes, _ in images)
