"""Policy gradient: a policy plays games, and the moves of won games become more likely.

This is REINFORCE (Williams 1992) as AlphaGo used it (Silver et al. 2016, "Reinforcement learning of
policy networks", and Methods, "Policy network: reinforcement learning"). The network starts as the
supervised p_σ, plays against a random earlier version of itself, and ascends the gradient ::

    1/n Σ_games Σ_moves (z - b) ∂ log p_ρ(a | s) / ∂ρ

where z = 1, 0 or -1 is the result for the player who made the move. A baseline b that does not
depend on the move does not change the mean of this gradient, and a good one reduces its noise.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import torch

from azlearn.alphago.fitting import take_step
from azlearn.alphago.policies import Policy, Value, asked_values, network_policy
from azlearn.alphago.policy_games import play_policy_games
from azlearn.alphago.positions import Positions, concatenate, initial_states, rows_of
from azlearn.games.rules_game import RulesGame
from azlearn.learning import ResNet, masked_log_softmax
from azlearn.learning.denormals import flushed_denormals
from azlearn.learning.settings import NonNegativeInt, Pairs, Positive, PositiveInt, Settings, one_of

BASELINES = ("none", "mean", "value")
MEMORY = 0.95  # the weight of the old running mean in each step
CHUNK = 2048  # positions per backward pass, which limits its memory


@dataclass(frozen=True)
class GradientSettings(Settings):
    """The settings of the policy gradient. "AG" is AlphaGo (Silver et al. 2016, Methods).

    Raises:
        ValueError: a value is invalid; the message names the setting.
    """

    steps: PositiveInt = 1000  # each plays one mini-batch of games; AG: 10,000
    games: Pairs = 128  # per step; the learner moves first in half of them; AG: 128
    pool: bool = True  # play earlier versions, including p_σ; False: only the newest; AG: True
    pool_every: PositiveInt = 50  # steps between versions added to the pool; AG: 500
    baseline: Annotated[str, one_of(BASELINES)] = (
        "mean"  # or none, value; AG: none, then the value network in a second pass
    )
    # Of plain gradient ascent; AG gives 0.003 for p_σ and no rate for p_ρ.
    learning_rate: Positive = 0.01
    gradient_norm: Positive = 1.0  # larger gradients are scaled down to it; AG gives no limit
    opening_plies: NonNegativeInt = 4  # at most this many random moves start a game; AG: none


class GradientRow(NamedTuple):
    """One step, measured on its games before the weights change."""

    step: int  # from 1
    games: int  # played so far, including this step
    opponent: int  # the opponent's version: the number of steps it was trained for
    mean_z: float  # mean result of the games, for the learner
    won: float  # fraction of the games that the learner won
    entropy: float  # of the learner's p, in nats, mean over its moves
    gradient_norm: float  # before it is scaled down


class Moves(NamedTuple):
    """The learner's own moves of one step, one per row."""

    positions: Positions
    by_first: np.ndarray  # bool [n]: the learner was the first player
    z: np.ndarray  # int64 [num_games], the results for the learner


@flushed_denormals()
def train_policy_gradient(
    game: RulesGame,
    network: ResNet,
    settings: GradientSettings | None = None,
    rng: np.random.Generator | int = 0,
    *,
    value: Value | None = None,
    progress: Callable[[GradientRow], None] | None = None,
) -> tuple[ResNet, list[GradientRow]]:
    """Trains p_ρ, starting from p_σ.

    The steps are plain gradient ascent, as in the paper's equation, with large gradients scaled
    down. Adam would divide every weight's gradient by its usual size, which here is nearly all
    noise, so it would take full steps even if the games had shown nothing. A p that has become too
    confident by chance no longer samples other moves, so it cannot learn that it was wrong: watch
    the entropy.

    Batch norm stays in eval mode, with the statistics of p_σ's training. In train mode p(a | s)
    would depend on the other positions of the batch and differ from the p that played.

    Args:
        network: p_σ, with the planes of ``game``. It is not changed. Its value head is not used.
        settings: None: the defaults.
        rng: a generator, or the seed of one.
        value: v(s), only for ``baseline="value"``.
        progress: called after every step.

    Returns:
        ``(network, history)``: p_ρ, in eval mode; one row per step.

    Raises:
        ValueError: the network diverges (it returns NaN), ``value`` returns NaN, ``value`` and
            ``baseline`` do not match, or the game is too short for ``opening_plies``.
    """
    settings, rng = settings or GradientSettings(), np.random.default_rng(rng)
    if value is None and settings.baseline == "value":
        raise ValueError("The baseline 'value' needs the argument value, a value function.")
    if value is not None and settings.baseline != "value":
        raise ValueError(f"value needs the baseline 'value', not {settings.baseline!r}.")
    network = deepcopy(network).eval().requires_grad_(True)
    optimizer = torch.optim.SGD(network.parameters(), lr=settings.learning_rate, maximize=True)
    learner = network_policy(game, network)
    pool, running_mean, history = [(0, learner)], np.zeros(2), []
    for step in range(1, settings.steps + 1):
        version, opponent = pool[rng.integers(len(pool))] if settings.pool else (step - 1, learner)
        moves = play_step(game, learner, opponent, settings, rng)
        positions, by_first = moves.positions, moves.by_first
        if value is None:
            baseline = np.where(by_first, *running_mean)
        else:
            baseline = asked_values(value, positions)
        entropy = add_gradient(game, network, positions, positions.z - baseline, settings.games)
        norm = float(take_step(optimizer, None, settings.gradient_norm))
        if settings.baseline == "mean":  # after use, because it must not depend on these games
            halves = moves.z.reshape(2, -1).mean(axis=1)
            running_mean = MEMORY * running_mean + (1 - MEMORY) * halves
        learner = network_policy(game, network)
        if settings.pool and step % settings.pool_every == 0:
            pool.append((step, learner))
        mean_z, won = float(moves.z.mean()), float((moves.z == 1).mean())
        row = GradientRow(step, step * settings.games, version, mean_z, won, entropy, norm)
        history.append(row)
        if progress is not None:
            progress(row)
    learner(initial_states(game, 1))  # raises if the last step made the network return NaN
    return network, history


def play_step(
    game: RulesGame,
    learner: Policy,
    opponent: Policy,
    settings: GradientSettings,
    rng: np.random.Generator,
) -> Moves:
    """Plays the games of one step; the learner is the first player in the first half of them."""
    half, opening = settings.games // 2, settings.opening_plies
    first = play_policy_games(game, learner, opponent, half, rng, opening_plies=opening)
    second = play_policy_games(game, opponent, learner, half, rng, opening_plies=opening)
    as_first = first.positions.take(first.by_first)
    as_second = second.positions.take(~second.by_first)
    as_second = as_second._replace(game_number=as_second.game_number + half)
    by_first = np.arange(len(as_first.me) + len(as_second.me)) < len(as_first.me)
    z = np.concatenate([first.result, -second.result])
    return Moves(concatenate([as_first, as_second]), by_first, z)


def add_gradient(
    game: RulesGame,
    network: ResNet,
    positions: Positions,
    advantage: np.ndarray,
    num_games: int,
) -> float:
    """Adds the gradient of ``1/num_games Σ advantage · log p(action)`` to the weights' gradients.

    Args:
        network: in eval mode, the mode in which it played.
        advantage: float [n], z - b.

    Returns:
        The mean entropy of p, in nats.
    """
    device, entropy = next(network.parameters()).device, 0.0
    for start in range(0, len(positions.me), CHUNK):
        rows = slice(start, start + CHUNK)
        words, (action, weight) = (
            [torch.from_numpy(column.copy()).to(device) for column in columns]
            for columns in (
                rows_of(positions.states, rows), (positions.action[rows], advantage[rows])
            )
        )  # fmt: skip
        states = game.State(*words)
        legal_mask = game.batch_legal_mask(states)
        logits, _ = network(game.batch_encode(states))
        log_p = masked_log_softmax(logits.float(), legal_mask).masked_fill(~legal_mask, 0.0)
        chosen = log_p.gather(1, action[:, None]).squeeze(1)
        ((weight.to(chosen) * chosen).sum() / num_games).backward()
        with torch.no_grad():
            entropy -= float((log_p.exp() * log_p).sum())
    return entropy / max(len(positions.me), 1)
