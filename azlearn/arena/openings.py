"""Openings: different starts for the games of a match, so that it is not one game 400 times."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from azlearn.games import State
from azlearn.games.rules_game import RulesGame
from azlearn.search.selection import check_count

PATIENCE = 5_000  # random tries in a row without a new opening before the search stops


def random_openings(
    game: RulesGame,
    n: int,
    plies: int = 4,
    rng: np.random.Generator | int = 0,
    *,
    or_fewer: bool = False,
) -> list[str]:
    """Returns ``n`` different openings of ``plies`` uniformly random moves, such as "4453".

    No two lead to the same position or to a symmetric image of it. After an opening the game is not
    over, and the player to move cannot win at once: otherwise the opening would decide the game,
    and a pair of games with colors swapped would say nothing about the players.

    Args:
        rng: a generator, or the seed of one.
        or_fewer: if a small game has fewer than ``n`` openings, return as many as are found.

    Raises:
        ValueError: n is below 1, plies below 0, or fewer than n openings are found.
    """
    check_count(n, "n")
    check_count(plies, "plies", least=0)
    found = list(islice(different_openings(game, plies, np.random.default_rng(rng)), n))
    if len(found) < (1 if or_fewer else n):
        raise ValueError(
            f"In {game.name} only {len(found)} different openings of {plies} plies were found,"
            f" not {n}. Ask for fewer openings, or change the number of plies."
        )
    return found


def different_openings(game: RulesGame, plies: int, rng: np.random.Generator) -> Iterator[str]:
    """Yields openings as in ``random_openings``, one by one, until no new ones are found."""
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
    """Returns whether the game is not over and the player to move cannot win at once."""
    following = [game.next_state(state, action) for action in game.legal_actions(state)]
    mover = game.to_play(state)
    win = [1 if game.to_play(after) == mover else -1 for after in following]
    ends = [game.outcome(after) for after in following]
    return bool(following) and all(end != won for end, won in zip(ends, win, strict=True))


def _up_to_symmetry(game: RulesGame, state: State) -> bytes:
    images = game.symmetries(game.encode(state), np.zeros(game.num_actions))
    return min(planes.tobytes() for planes, _ in images)
