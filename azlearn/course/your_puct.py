"""A PUCT search that uses the student's function for one part, to be shown in the explorer.

It needs no network: in tic-tac-toe, a stand-in returns a prior and a value as a network would.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from azlearn.course.your_search import (
    NUM_SIMULATIONS,
    SHOWN,
    SearchWith,
    Shown,
    consequence,
    in_words,
    recorded,
)
from azlearn.games import Game, State, TicTacToe, minimax_value
from azlearn.search import Node, Recording, Tree, hash_evaluator, puct

GAME = TicTacToe()
# X has 3 and 4, O has 1 and 7, X to move. Only 6 wins: it threatens both 5 and 9. The stand-in's
# prior rates two other moves higher.
MOVES = "3147"
START = GAME.from_moves(MOVES)
ONLY_MOVE = 5
C = 1.25
SHOWN[START] = Shown(
    GAME,
    [ONLY_MOVE],
    f"of {in_words(GAME, MOVES)}, your root prefers move {{}}. Only move "
    f"{GAME.action_label(ONLY_MOVE)} wins, because it makes two threats at once.",
)
_known: dict[State, int] = {}


def stand_in(game: Game, state: State) -> tuple[list[float], float]:
    """Returns (prior [num_actions], value for the player to move): minimax values plus noise.

    The noise depends only on the position, so the same position always gets the same result.

    Raises:
        ValueError: the game is over.
    """
    if game.outcome(state) is not None:
        raise ValueError("the network was called for a finished game.")
    prior, value = _answer(game, state)
    return list(prior), value  # a copy: a student's function may change it


@cache
def _answer(game: Game, state: State) -> tuple[tuple[float, ...], float]:
    weights = [0.0] * game.num_actions
    for action in game.legal_actions(state):
        child = game.next_state(state, action)
        truth = minimax_value(game, child, _known)
        truth = truth if game.to_play(child) == game.to_play(state) else -truth
        weights[action] = math.exp(0.3 * truth + hash_evaluator(game, child, None).value)
    prior = tuple(weight / sum(weights) for weight in weights)
    blur = hash_evaluator(game, state, None).value
    return prior, 0.6 * minimax_value(game, state, _known) + 0.4 * blur


def puct_with(scores: Callable[[Node], Sequence[float]] | None = None, **more: Any) -> SearchWith:
    """Returns a PUCT search with the stand-in; ``scores`` and ``more`` as in ``SearchWith``."""
    evaluate = lambda game, state, rng: stand_in(game, state)  # noqa: E731
    return SearchWith(game=GAME, scores=scores or puct(C), evaluate=evaluate, **more)


def record_puct(absorb: Callable[..., None] | None = None, **more: Any) -> Recording | Tree:
    """Records 200 simulations after ``MOVES``.

    Args:
        absorb: (game, path, leaf, evaluate) -> None, instead of evaluating and backing up.
        more: as in ``puct_with``.
    """

    def value(leaf: Node, rng: Any) -> float | None:
        """Returns the correct value for the recorder, because ``absorb`` evaluates the leaf."""
        if leaf.state == START:
            return None
        return stand_in(GAME, leaf.state)[1] if leaf.outcome is None else leaf.outcome

    def backup(path: list, leaf: Node, value: float) -> None:
        absorb(GAME, path, leaf, stand_in)
        if leaf.outcome is None and leaf.prior is None:
            raise ValueError("a node has no prior, so PUCT cannot choose a move there.")

    phases = {"value": value, "backup": backup} if absorb else {}
    return recorded(puct_with(**phases, **more), START)


@cache
def right_puct() -> Tree:
    """Returns the tree of the package's own PUCT search after ``MOVES``."""
    return puct_with().run(START, NUM_SIMULATIONS, 0)


def puct_consequence(found: Recording | Tree, right: Node | None = None) -> str | None:
    """Like ``consequence``; ``right`` is a correct search's root, None for the package's PUCT."""
    return consequence(found, right=right or right_puct().root)
