"""The supervised policy network p_σ, and measures of how well a policy predicts expert moves.

In Silver et al. 2016, "Supervised learning of policy networks", the network predicted 57.0% of the
moves with all planes and 55.7% with only the stones and the history, both averaged over a
position's eight symmetries (Extended Data Table 3). The best earlier result was 44.4%.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from azlearn.alphago.fitting import LEAST_P, FitRow, FitSettings, fit
from azlearn.alphago.networks import new_network, planes_game
from azlearn.alphago.patterns import GAME
from azlearn.alphago.policies import Policy, evaluate_batched, policy_of
from azlearn.alphago.positions import Positions, Split, check_moves
from azlearn.games.rules_game import RulesGame
from azlearn.intervals import clustered_interval
from azlearn.learning import NetworkEvaluator, ResNet

PLY_BANDS = ((0, 8), (9, 17), (18, 26), (27, 41), (42, 161))
MOST_MEASURED = 10_000  # held-out positions per row of the history; the score uses all of them


class Rate(NamedTuple):
    """The accuracy on some positions, with its 95% interval by ``clustered_interval``."""

    accuracy: float
    interval: tuple[float, float]
    num_positions: int
    num_games: int


class PolicyScore(NamedTuple):
    """How well a policy predicts moves."""

    accuracy: float  # fraction of positions where the expert's move has the highest p
    interval: tuple[float, float]  # the 95% interval of the accuracy
    log_likelihood: float  # mean of log p(expert's move), in nats
    num_positions: int
    num_games: int
    by_ply: dict[str, Rate]  # by range of plies, such as "9-17"; ranges without moves are left out

    def table(self) -> dict[str, Any]:
        """Returns the score as a dict that can be written as JSON."""
        by_ply = {band: rate._asdict() for band, rate in self.by_ply.items()}
        return {**self._asdict(), "by_ply": by_ply}


class Supervised(NamedTuple):
    """A trained policy network."""

    network: ResNet  # in eval mode
    history: list[FitRow]  # on at most MOST_MEASURED of the held-out positions
    score: PolicyScore  # on all held-out positions, without symmetries


class CurvePoint(NamedTuple):
    """The score of a policy that has learned from ``share`` of the training games."""

    share: float
    num_games: int
    num_positions: int
    score: PolicyScore


def accuracy_of(game: RulesGame, policy: Policy, positions: Positions) -> PolicyScore:
    """Measures how well ``policy`` predicts the moves in ``positions``.

    Args:
        policy: for example ``policy_of(NetworkEvaluator(game, network))``.
        positions: positions of games that the policy has not learned from.

    Raises:
        ValueError: as in ``score_of``.
    """
    check_moves(game, positions)
    return score_of(game, evaluate_batched(policy, positions), positions)


def score_of(game: RulesGame, p: np.ndarray, positions: Positions) -> PolicyScore:
    """Measures how well probabilities predict the moves in ``positions``.

    If k moves share the highest p, a correct move among them counts 1/k: on the empty board of
    Connect Four the uniform policy scores 1/7.

    Args:
        p: float [n, num_actions].

    Raises:
        ValueError: there are no positions, an action is illegal, or p has another shape, a NaN or a
            value outside [0, 1].
    """
    check_moves(game, positions)
    n, rows = len(positions.me), np.arange(len(positions.me))
    if p.shape != (n, game.num_actions):
        raise ValueError(
            f"The policy must return p of shape ({n}, {game.num_actions}), not {p.shape}."
        )
    if not ((p >= 0) & (p <= 1 + 1e-5)).all():
        raise ValueError("The policy returned NaN, or a p outside [0, 1].")
    is_best = p == p.max(axis=1, keepdims=True)
    hits, by_ply = is_best[rows, positions.action] / is_best.sum(axis=1), {}
    for first, last in PLY_BANDS:
        band = (first <= positions.ply) & (positions.ply <= last)
        if band.any():
            by_ply[f"{first}-{last}"] = _rate(hits[band], positions.game_number[band])
    log_p = np.log(np.maximum(p[rows, positions.action], LEAST_P))
    rate = _rate(hits, positions.game_number)
    return PolicyScore(
        rate.accuracy,
        rate.interval,
        float(log_p.mean()),
        rate.num_positions,
        rate.num_games,
        by_ply,
    )


def train_supervised(
    split: Split,
    planes: str,
    size: str = "small",
    settings: FitSettings | None = None,
    rng: np.random.Generator | int = 0,
    progress: Callable[[FitRow], None] | None = None,
    *,
    game: RulesGame = GAME,
) -> Supervised:
    """Trains p_σ on the moves of ``split.train`` and scores it on ``split.held_out``.

    Args:
        split: the result of ``split_by_game``.
        planes: a name in ``PLANES``.
        size: a name in ``SIZES``.
        settings: None: the defaults.
        rng: a generator, or the seed of one, for initial weights, order and symmetries.
        progress: called with every row of the history.
        game: the game of the positions.

    Raises:
        ValueError: as in ``fit``, or the planes or the size are unknown.
    """
    game, rng = planes_game(planes, game), np.random.default_rng(rng)
    network = new_network(game, size, rng)
    rows = rng.permutation(len(split.held_out.me))[:MOST_MEASURED]
    history = fit(
        game, network, split.train, "policy", settings, rng,
        held_out=split.held_out.take(np.sort(rows)), progress=progress,
    )  # fmt: skip
    score = accuracy_of(game, policy_of(NetworkEvaluator(game, network)), split.held_out)
    return Supervised(network, history, score)


def learning_curve(
    split: Split,
    planes: str,
    shares: Sequence[float] = (1 / 64, 1 / 16, 1 / 4, 1.0),
    size: str = "small",
    settings: FitSettings | None = None,
    rng: np.random.Generator | int = 0,
    progress: Callable[[float, FitRow], None] | None = None,
    *,
    game: RulesGame = GAME,
) -> list[CurvePoint]:
    """Measures accuracy on the same held-out games after learning from more and more games.

    Each share is a subset of whole games and contains the smaller shares. Training on
    a share s takes ``settings.epochs / sqrt(s)`` epochs: with equal epochs a few games would hardly
    train a network, and with equal steps the network would memorize them.

    Args:
        shares: the fractions of the training games, more than 0 and at most 1.
        progress: called with the share and every row of its history.

    The other arguments are those of ``train_supervised``.

    Raises:
        ValueError: a share is invalid; otherwise as in ``train_supervised``.
    """
    if not all(0 < share <= 1 for share in shares):
        raise ValueError(f"shares must be more than 0 and at most 1, not {list(shares)}.")
    settings, rng = settings or FitSettings(), np.random.default_rng(rng)
    games = rng.permutation(np.unique(split.train.game_number))
    points = []
    for share in shares:
        kept = games[: max(1, round(share * len(games)))]
        train = split.train.take(np.isin(split.train.game_number, kept))
        longer = replace(settings, epochs=settings.epochs / sqrt(share))
        report = None if progress is None else partial(progress, share)
        side = split._replace(train=train)
        trained = train_supervised(side, planes, size, longer, rng, report, game=game)
        points.append(CurvePoint(share, len(kept), len(train.me), trained.score))
    return points


def _rate(hits: np.ndarray, games: np.ndarray) -> Rate:
    interval = clustered_interval(hits, games)
    return Rate(float(hits.mean()), interval, len(hits), len(np.unique(games)))
