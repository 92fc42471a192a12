"""Training data for the value network: one position per game, or all positions.

Consecutive positions of a game differ by one stone and share one result. A network that sees all of
them memorizes games: on whole human games AlphaGo's network had a mean squared error of 0.19 in
training and 0.37 on new games. With one position from each game of self-play the errors were 0.226
and 0.234 (Silver et al. 2016, "Reinforcement learning of value networks").
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

    mse: float  # mean of (z - v)² over positions; v = 0 gives 1 if no game is drawn
    interval: tuple[float, float]  # the 95% interval, with games as independent observations
    num_positions: int
    num_games: int


def one_position_a_game(
    game: RulesGame,
    sl_policy: Policy,
    rl_policy: Policy,
    num_games: int,
    rng: np.random.Generator | int = 0,
) -> Positions:
    """Makes AlphaGo's data for the value network, one position per game (Methods, "Value network").

    For each game, U is sampled uniformly from 1 to ``max_plies - 1`` (1 to 450 in the paper). p_σ
    chooses the moves before move U, move U is a uniformly random legal move, and p_ρ chooses the
    rest. Only the position after move U is kept, with the result for its player to move. This makes
    the positions varied, and z is an unbiased sample of a position's value if p_ρ plays both sides.

    If a game is over after move U or earlier, it has no such position, and another game is played
    instead, with a new U. So late positions are less frequent, as they are in games.

    Args:
        sl_policy, rl_policy: p_σ and p_ρ.
        rng: a generator, or the seed of one.

    Returns:
        One row per game: ``ply`` is U, ``action`` the first move of p_ρ, ``game_number`` 0, 1, ….

    Raises:
        ValueError: num_games is below 1, or a policy did not return a distribution over legal
            moves.
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
    """Makes data from all positions of p_ρ's self-play games, which the paper advises against.

    The same number of positions comes from far fewer games.

    Args:
        num_positions: the number of rows; the last game is cut off when they are reached.
        rng: a generator, or the seed of one.

    Raises:
        ValueError: num_positions is below 1, or the policy did not return a distribution over legal
            moves.
    """
    check_count(num_positions, "num_positions")
    rng, pieces, num_games, missing = np.random.default_rng(rng), [], 0, num_positions
    while missing > 0:
        size = -(-missing // game.max_plies)  # at least this many games are needed
        positions = play_policy_games(game, rl_policy, rl_policy, size, rng).positions
        pieces.append(positions._replace(game_number=positions.game_number + num_games))
        num_games, missing = num_games + size, missing - len(positions.me)
    return concatenate(pieces).take(np.arange(num_positions))


def mse(value: Value, positions: Positions) -> ValueScore:
    """Computes the mean squared error of values as predictions of z.

    The positions of a game share their z, so the games are the independent observations. The mean
    is a ratio of sums over games (squared errors over numbers of positions). Its interval uses the
    standard error of such a ratio over a sample of clusters (Cochran 1977, Sampling Techniques,
    chapter 6) and Student's t.

    Args:
        value: v, for example ``value_of(evaluator)``.

    Raises:
        ValueError: there are no positions or fewer than two games, or v is NaN or has another
            shape.
    """
    names, game_of = np.unique(positions.game_number, return_inverse=True)
    num_games, num_positions = len(names), len(positions.me)
    if num_games < 2:
        raise ValueError(f"The interval needs positions of at least 2 games, not {num_games}.")
    errors = (positions.z - asked_values(value, positions)) ** 2
    mean = float(errors.mean())
    surplus = np.bincount(game_of, errors - mean)  # sums to 0 over the games
    error = np.sqrt(num_games / (num_games - 1) * (surplus**2).sum()) / num_positions
    half = float(stats.t.ppf(0.975, num_games - 1) * error)
    return ValueScore(mean, (mean - half, mean + half), num_positions, num_games)


class Leak(NamedTuple):
    """Two mean squared errors on the same test positions, one position from each test game."""

    apart: float  # training had no position of the test games: the fair error
    together: float  # training had all other positions of the test games
    gain: float  # apart - together: how much lower the leak makes the error look …
    gain_interval: tuple[float, float]  # … and its 95% interval
    num_train: int  # training positions, the same number both times
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
    """Measures how a split by position hides that a value network has memorized its test games.

    It trains a network without the test games, and again with all but one position of each of them.
    Nothing else differs: the test positions, the number of training positions (those of the test
    games replace others) and the initial weights are the same.

    Args:
        planes: a name in ``PLANES``.
        size: a name in ``SIZES``.
        settings: None: the defaults.
        held_out_share: the fraction of games used for testing, more than 0 and at most 0.5.
        rng: a generator, or the seed of one.
        game: the game of the positions.

    Raises:
        ValueError: the fraction is invalid, there are fewer than two test games or too few other
            positions to replace, or the planes or the size are unknown.
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
    gain = apart - together  # one per game, so the observations are independent
    half = 1.96 * gain.std(ddof=1) / len(gain) ** 0.5
    return Leak(
        float(apart.mean()),
        float(together.mean()),
        float(gain.mean()),
        (float(gain.mean() - half), float(gain.mean() + half)),
        len(others),
        len(gain),
    )
