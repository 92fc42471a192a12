"""A PUCT search in which one part is the reader's, to look at in the explorer, right or wrong.

No network is needed: a stand-in answers like one, a prior and a value, on tic-tac-toe.
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
# X holds 3 and 4, O holds 1 and 7. X to move wins with 6, which threatens 5 and 9, and with no
# other; the stand-in's prior likes two of those better.
MOVES = "3147"
START = GAME.from_moves(MOVES)
ONLY_MOVE = 5
C = 1.25
SHOWN[START] = Shown(
    GAME,
    [ONLY_MOVE],
    f"of {in_words(GAME, MOVES)}, your root prefers move {{}}; only "
    f"{GAME.action_label(ONLY_MOVE)}, with two threats at once, wins.",
)
_known: dict[State, int] = {}


def stand_in(game: Game, state: State) -> tuple[list[float], float]:
    """(prior [num_actions], value for the player to move): minimax, softened and blurred.

    The blur depends on the position alone, so the same position always gets the same answer.

    Raises:
        ValueError: the game is over.
    """
    if game.outcome(state) is not None:
        raise ValueError("the network was asked about a finished game.")
    prior, value = _answer(game, state)
    return list(prior), value  # a list of its own: a reader's function may change it


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
    """PUCT with the stand-in; ``scores`` and ``more`` as in ``SearchWith``."""
    evaluate = lambda game, state, rng: stand_in(game, state)  # noqa: E731
    return SearchWith(game=GAME, scores=scores or puct(C), evaluate=evaluate, **more)


def record_puct(absorb: Callable[..., None] | None = None, **more: Any) -> Recording | Tree:
    """200 simulations after ``MOVES``, recorded.

    Args:
        absorb: (game, path, leaf, evaluate) -> None, instead of evaluating and backing up.
        more: as in ``puct_with``.
    """

    def value(leaf: Node, rng: Any) -> float | None:
        """The right one, for the recorder: the reader's function evaluates when it backs up."""
        if leaf.state == START:
            return None
        return stand_in(GAME, leaf.state)[1] if leaf.outcome is None else leaf.outcome

    def backup(path: list, leaf: Node, value: float) -> None:
        absorb(GAME, path, leaf, stand_in)
        if leaf.outcome is None and leaf.prior is None:
            raise ValueError("a node got no prior, and PUCT cannot choose there.")

    phases = {"value": value, "backup": backup} if absorb else {}
    return recorded(puct_with(**phases, **more), START)


@cache
def right_puct() -> Tree:
    """What the package's own PUCT finds there."""
    return puct_with().run(START, NUM_SIMULATIONS, 0)


def puct_consequence(found: Recording | Tree, right: Node | None = None) -> str | None:
    """As ``consequence``; ``right`` is the root of a right search, None for the package's PUCT."""
    return consequence(found, right=right or right_puct().root)
