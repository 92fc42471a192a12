"""What rollout policies look at, for each game that has such patterns."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from azlearn.alphago import go_patterns, patterns
from azlearn.alphago.patterns import GAME
from azlearn.games import Go
from azlearn.games.rules_game import RulesGame
from azlearn.games.state_codec import rows_of


class PatternSet(NamedTuple):
    """The features of a game's moves."""

    num_values: Any  # a NamedTuple: how many values each feature has
    offsets: np.ndarray  # int64 [features]: where each feature's weights begin
    # States, int64 arrays [B], and last moves, int64 [B], to indices into the weights, int64
    # [B, num_actions, features], and the legal moves, bool [B, num_actions]. Go's states know
    # their last move themselves.
    indices: Callable[[Any, np.ndarray], tuple[np.ndarray, np.ndarray]]

    @property
    def num_weights(self) -> int:
        return sum(self.num_values)


@cache
def patterns_of(game: RulesGame) -> PatternSet:
    """The features of this game's moves.

    Raises:
        ValueError: there are none for this game.
    """
    check_game(game)
    if game.rules is GAME.rules:
        return PatternSet(patterns.NUM_VALUES, patterns.OFFSETS, patterns.feature_indices)
    num_values = go_patterns.num_values(game.size)
    offsets = np.cumsum([0, *num_values[:-1]])

    def indices(states: Any, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = go_patterns.compiled(game.rules).features(rows_of(game.rules, states))
        values[..., 5] = go_patterns.response_ids()[values[..., 5]]
        values[..., 6] = go_patterns.pattern_ids()[values[..., 6]]
        return values + offsets, game.batch_legal_mask(states)

    return PatternSet(num_values, offsets, indices)


def check_game(game: RulesGame) -> None:
    """ValueError for a game that AlphaGo's rollout policy has no patterns for."""
    if game.rules is not GAME.rules and not (isinstance(game, Go) and game.size <= 7):
        raise ValueError(
            "AlphaGo's pipeline is for Connect Four and for Go up to 7x7, not for"
            f" {game.name} on {game.rows}x{game.cols}."
        )
