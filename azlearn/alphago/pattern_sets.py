"""The features that rollout policies use, for each supported game."""

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

    num_values: Any  # a NamedTuple: the number of values of each feature
    offsets: np.ndarray  # int64 [features]: where each feature's weights start
    # Takes states, int64 arrays [B], and last moves, int64 [B], which Go's states already contain.
    # Returns indices into the weights, int64 [B, num_actions, features], and the legal moves, bool
    # [B, num_actions].
    indices: Callable[[Any, np.ndarray], tuple[np.ndarray, np.ndarray]]

    @property
    def num_weights(self) -> int:
        return sum(self.num_values)


@cache
def patterns_of(game: RulesGame) -> PatternSet:
    """Returns the features of this game's moves.

    Raises:
        ValueError: the game has no such features.
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
    """Raises ValueError if AlphaGo's rollout policy has no patterns for the game."""
    if game.rules is not GAME.rules and not (isinstance(game, Go) and game.size <= 7):
        raise ValueError(
            "The AlphaGo pipeline supports Connect Four and Go up to 7x7, not"
            f" {game.name} on {game.rows}x{game.cols}."
        )
