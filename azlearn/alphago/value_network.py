"""What the value network learns from: one position a game, or all of them.

The positions of a game differ by a stone and share one result. A network that sees them all learns
games by heart: AlphaGo's, on whole human games, came to a mean squared error of 0.19 where it had
learnt and 0.37 where it had not; with one position from each game of self-play it was 0.226 and
0.234 (Silver et al. 2016, "Reinforcement learning of value networks").
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from azlearn.alphago.fitting import FitSettings, fit
from azlearn.alphago.networks import new_network, planes_game
from azlearn.alphago.patterns import GAME
from azlearn.alphago.policies import Policy, Value, asked_values, uniform_policy, value_of
from azlearn.alphago.policy_games import answered, play_in_step, play_policy_games
from azlearn.alphago.positions import Positions, concatenate
from azlearn.games import State
from azlearn.games.rules_game import RulesGame
from azlearn.learning import NetworkEvaluator
from azlearn.search.selection import check_count


class ValueScore(NamedTuple):
    """How well values predict results."""

    mse: float  # mean of (z - v)², over positions; 1 for v = 0 where no game is drawn
    interval: tuple[float, float]  # of 95 %, as if the games were drawn anew, not the positions
    num_positions: int
    num_games: int


def one_position_a_game(
    game: RulesGame,
    sl_policy: Policy,
    rl_policy: Policy,
    num_games: int,
    rng: np.random.Generator | int = 0,
) -> Positions:
    """AlphaGo's data for the value network: as many games as positions (Methods, "Value network").

    For each game a U is drawn uniformly from 1 to ``max_plies - 1`` (1 to 450 there). The moves
    before move U are p_σ's, move U is any legal one, all alike, and the rest are p_ρ's. Only the
    position after move U is kept, with the result for its player to move: it was reached in many
    ways, and z is an unbiased sample of what it is worth when p_ρ plays both sides.

    A game that is over after move U or sooner has no such position, and another game is played for
    it, with a U of its own. So late positions are rarer, as they are among games.

    Args:
        sl_policy, rl_policy: p_σ, p_ρ.
        rng: a generator, or the seed of one.

    Returns:
        One row a game: ``ply`` is U, ``action`` the first move of p_ρ, ``game_number`` 0, 1, ….

    Raises:
        ValueError: num_games is below 1, or a policy's answer is not a distribution over
            legal moves.
    """
    check_count(num_games, "num_games")
    rng, anything, pieces, missing = np.random.default_rng(rng), uniform_policy(game), [], num_games
    while missing:
        u = rng.integers(1, game.max_plies, size=missing)

        def ask(ply: int, games: np.ndarray, states: State, u: np.ndarray = u) -> np.ndarray:
            left = u[games] - 1 - ply  # moves before move U
            parts = [(sl_policy, left > 0), (anything, left == 0), (rl_policy, left < 0)]
            return answered(game, states, parts)

        positions, _ = play_in_step(game, missing, ask, rng)
        kept = positions.take(positions.ply == u[positions.game_number])
        pieces.append(kept)
        missing -= len(kept.me)
    return concatenate(pieces)._replace(game_number=np.arange(num_games))


def all_positions(
    game: RulesGame,
    rl_policy: Policy,
    num_positions: int,
    rng: np.random.Generator | int = 0,
) -> Positions:
    """What AlphaGo warns of: every position of p_ρ's games with itself, so far fewer games.

    Args:
        num_positions: rows; the last game is cut where they are reached.
        rng: a generator, or the seed of one.

    Raises:
        ValueError: num_positions is below 1, or the policy's answer is not a distribution
            over legal moves.
    """
    check_count(num_positions, "num_positions")
    rng, pieces, num_games, missing = np.random.default_rng(rng), [], 0, num_positions
    while missing > 0:
        size = -(-missing // game.max_plies)  # so many games are needed, whatever their length
        positions = play_policy_games(game, rl_policy, rl_policy, size, rng).positions
        pieces.append(positions._replace(game_number=positions.game_number + num_games))
        num_games, missing = num_games + size, missing - len(positions.me)
    return concatenate(pieces).take(np.arange(num_positions))


def mse(value: Value, positions: Positions) -> ValueScore:
    """The mean squared error of values as predictions of z.

    The positions of a game share their z, so the interval counts games: the mean is a ratio, the
    games' sums of squared errors over their numbers of positions, and has the usual standard error
    of a ratio of means over a sample of clusters (Cochran 1977, Sampling Techniques, chapter 6),
    with Student's t for the games.

    Args:
        value: v, for example ``value_of(evaluator)``.

    Raises:
        ValueError: there are no positions, fewer than two games, or v is NaN or of another shape.
    """
    names, game_of = np.unique(positions.game_number, return_inverse=True)
    num_games, num_positions = len(names), len(positions.me)
    if num_games < 2:
        raise ValueError(f"An interval needs the positions of 2 games or more, not of {num_games}.")
    errors = (positions.z - asked_values(value, positions)) ** 2
    mean = float(errors.mean())
    surplus = np.bincount(game_of, errors - mean)  # sums to 0 over the games
    error = np.sqrt(num_games / (num_games - 1) * (surplus**2).sum()) / num_positions
    half = float(stats.t.ppf(0.975, num_games - 1) * error)
    return ValueScore(mean, (mean - half, mean + half), num_positions, num_games)


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
    """What a split by position hides: a value network that knows its test games by heart.

    One is trained twice, without the test games and with all but one position of them. Nothing else
    differs: the same test positions, the same number of training positions (those of the test games
    take the place of as many others), the same first weights.

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
        errors.append((test.z - asked_values(value_of(NetworkEvaluator(game, network)), test)) ** 2)
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
