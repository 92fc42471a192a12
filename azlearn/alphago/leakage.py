"""What a split by position hides: a value network that knows its test games by heart.

The positions of a game share their result, so whoever has learnt the result of a game from its
other positions predicts the one held out, and has understood nothing. AlphaGo's value network did
so: trained on whole games, its error was 0.19 on them and 0.37 on new ones (Silver et al. 2016,
"Reinforcement learning of value networks").
"""

from typing import NamedTuple

import numpy as np

from azlearn.alphago.fitting import FitSettings, fit
from azlearn.alphago.networks import new_network, planes_game
from azlearn.alphago.patterns import GAME
from azlearn.alphago.positions import Positions
from azlearn.games.rules_game import RulesGame
from azlearn.learning import NetworkEvaluator


class Leak(NamedTuple):
    """Two mean squared errors of z on the same test positions, one of each test game."""

    apart: float  # no position of the test games was learnt from: the honest one
    together: float  # all the other positions of the test games were
    gain: float  # apart - together: how much the leak flatters …
    gain_interval: tuple[float, float]  # … and its 95 % interval
    num_train: int  # positions learnt from, as many both times
    num_test: int


def leak(
    positions: Positions,
    planes: str = "raw",
    size: str = "small",
    settings: FitSettings | None = None,
    held_out_share: float = 0.1,
    rng: np.random.Generator | int = 0,
    *,
    game: RulesGame = GAME,
) -> Leak:
    """Trains a value network twice, without the test games and with all but one position of them.

    Nothing else differs: the same test positions, the same number of training positions (those of
    the test games take the place of as many others), the same first weights.

    Args:
        planes: a name in ``PLANES``.
        size: a name in ``SIZES``.
        settings: None: the default ones.
        held_out_share: of the games are test games, more than 0 and at most 0.5.
        rng: a generator, or the seed of one.
        game: of the positions.

    Raises:
        ValueError: an impossible share, fewer than two test games, or too few positions of other
            games to make room; unknown planes or size.
    """
    if not 0 < held_out_share <= 0.5:
        raise ValueError(
            f"held_out_share must be more than 0 and at most 0.5, not {held_out_share!r}."
        )
    game, rng = planes_game(planes, game), np.random.default_rng(rng)
    games = rng.permutation(np.unique(positions.game_number))
    test_games = games[: round(held_out_share * len(games))]
    is_test = np.isin(positions.game_number, test_games)
    own, others = (rng.permutation(np.flatnonzero(rows)) for rows in (is_test, ~is_test))
    _, first = np.unique(positions.game_number[own], return_index=True)
    test, siblings = positions.take(own[first]), np.delete(own, first)
    if len(test_games) < 2 or len(siblings) > len(others):
        raise ValueError(f"{len(games)} games are too few to hold out {held_out_share!r} of them.")

    seed, errors = int(rng.integers(2**63)), []
    for rows in (others, np.concatenate([siblings, others[len(siblings) :]])):
        network = new_network(game, size, seed)
        fit(game, network, positions.take(rows), "value", settings, seed)
        _, value = NetworkEvaluator(game, network).batch(test.states)
        errors.append((test.z - value.astype(np.float64)) ** 2)
    apart, together = errors
    gain = apart - together  # of each game, so that games are the independent observations
    half = 1.96 * gain.std(ddof=1) / len(gain) ** 0.5
    return Leak(
        float(apart.mean()),
        float(together.mean()),
        float(gain.mean()),
        (float(gain.mean() - half), float(gain.mean() + half)),
        len(others),
        len(gain),
    )
