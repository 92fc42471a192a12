"""A PUCT search in which one part is the reader's, to look at in the explorer, right or wrong.

No network is needed: a stand-in answers like one, a prior and a value, on tic-tac-toe.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache

from azlearn.course.your_search import (
    NUM_SIMULATIONS,
    SHOWN,
    Shown,
    consequence,
    in_words,
    recorded,
)
from azlearn.games import Game, State, TicTacToe, minimax_value
from azlearn.search import MCTS, Evaluation, Node, Recording, Tree, hash_evaluator, puct

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


class PUCTWith(MCTS):
    """PUCT with the stand-in, one part of which is replaced.

    Args:
        scores: node -> [num_actions] scores, instead of the package's PUCT.
        absorb: (game, path, leaf, evaluate) -> None, instead of evaluating and backing up.
        options: ``root_noise`` and ``recorder``, as in MCTS.
    """

    def __init__(
        self,
        *,
        scores: Callable[[Node], Sequence[float]] | None = None,
        absorb: Callable[..., None] | None = None,
        **options,
    ) -> None:
        super().__init__(
            GAME, scores or puct(C), lambda game, state, rng: stand_in(game, state), **options
        )
        self._absorb = absorb

    def evaluate_leaf(self, leaf, rng):
        if self._absorb is None or leaf.state == START:
            return super().evaluate_leaf(leaf, rng)
        # The reader's function evaluates when it backs up; the recorder is told the right value.
        value = leaf.outcome if leaf.outcome is not None else stand_in(GAME, leaf.state)[1]
        return Evaluation(None, value)

    def backup(self, path, leaf, value):
        if self._absorb is None:
            super().backup(path, leaf, value)
            return
        self._absorb(GAME, list(path), leaf, stand_in)
        if leaf.outcome is None and leaf.prior is None:
            raise ValueError("a node got no prior, and PUCT cannot choose there.")


def record_puct(**parts) -> Recording | Tree:
    """200 simulations after ``MOVES``, recorded."""
    return recorded(PUCTWith(**parts), START)


@cache
def right_puct() -> Tree:
    """What the package's own PUCT finds there."""
    return PUCTWith().run(START, NUM_SIMULATIONS, 0)


def puct_consequence(found: Recording | Tree, right: Node | None = None) -> str | None:
    """As ``consequence``; ``right`` is the root of a right search, None for the package's PUCT."""
    return consequence(found, right=right or right_puct().root)
