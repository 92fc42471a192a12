"""Policies without a network, as batch functions."""

import numpy as np

from azlearn.games import State
from azlearn.games.rules_game import RulesGame


def lowest(game: RulesGame):
    """Always the first legal action."""
    return lambda states: _one_hot(game, game.batch_legal_mask(states).argmax(axis=1))


def highest(game: RulesGame):
    """Always the last legal action."""
    return lambda states: _one_hot(
        game, game.num_actions - 1 - game.batch_legal_mask(states)[:, ::-1].argmax(axis=1)
    )


def arbitrary(game: RulesGame, salt: int):
    """A p of its own for every position: a function of the stones alone."""

    def p(states: State) -> np.ndarray:
        actions = np.arange(game.num_actions)
        bits = (3 * states.me + 7 * states.opp + salt)[:, None] * (2 * actions + 1) % 1009
        shares = np.where(game.batch_legal_mask(states), 1.0 + bits % 10, 0.0)
        return shares / shares.sum(axis=1, keepdims=True)

    return p


def one_state(state: State) -> State:
    """A batch of one."""
    return State(np.array([state.me]), np.array([state.opp]))


def _one_hot(game: RulesGame, actions: np.ndarray) -> np.ndarray:
    return np.eye(game.num_actions)[actions]
