"""Policies and values as functions of many positions."""

from collections.abc import Callable

import numpy as np

from azlearn.alphago.patterns import GAME
from azlearn.alphago.positions import Positions
from azlearn.games import State
from azlearn.games.rules_game import RulesGame
from azlearn.learning import NetworkEvaluator, ResNet, resolve_evaluator

# Takes states, int64 arrays [B]; returns p, float [B, num_actions], 0 on illegal moves, sum 1.
Policy = Callable[[State], np.ndarray]
# Takes states, int64 arrays [B]; returns v, float [B] in [-1, 1], for the player to move.
Value = Callable[[State], np.ndarray]


CHUNK = 4096  # positions per batch of a network


def evaluate_batched(function: Policy | Value, positions: Positions) -> np.ndarray:
    """Calls ``function`` on all positions, batch by batch; returns the results as [n, …]."""
    starts = range(0, len(positions.me), CHUNK)
    parts = [positions.take(slice(start, start + CHUNK)) for start in starts]
    return np.concatenate([np.asarray(function(part.states)) for part in parts])


def asked_values(value: Value, positions: Positions) -> np.ndarray:
    """Returns v of all positions: float64 [n].

    Raises:
        ValueError: the function returned another shape, NaN or infinity.
    """
    v = evaluate_batched(value, positions).astype(np.float64)
    if v.shape != positions.me.shape or not np.isfinite(v).all():
        raise ValueError(f"value must return {len(positions.me)} finite numbers.")
    return v


def policy_of(network) -> Policy:
    """The priors of an evaluator with ``batch``, or of a network.

    Args:
        network: anything that ``resolve_evaluator`` takes.
    """
    evaluator = resolve_evaluator(network, getattr(network, "game", GAME))
    return lambda states: evaluator.batch(states)[0]


def value_of(network) -> Value:
    """The values of an evaluator with ``batch``, or of a network; see ``policy_of``."""
    evaluator = resolve_evaluator(network, getattr(network, "game", GAME))
    return lambda states: evaluator.batch(states)[1]


def network_policy(game: RulesGame, network: ResNet) -> Policy:
    """Returns the policy of the network with its current weights; later training has no effect."""
    device = next(network.parameters()).device
    return policy_of(NetworkEvaluator(game, network, device=device))


def uniform_policy(game: RulesGame) -> Policy:
    """Returns the policy with equal p for all legal moves, and all 0 if the game is over."""

    def p(states: State) -> np.ndarray:
        legal_mask = game.batch_legal_mask(states)
        return legal_mask / np.maximum(legal_mask.sum(axis=1, keepdims=True), 1)

    return p
