"""The peers on JAX: mctx does the search (its MuZero policy is PUCT), pgx plays Connect Four.

The network is written in plain ``jax.numpy``, with the same weights as the PyTorch network.
"""

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pgx

from azlearn.learning import ResNet

ENV = pgx.make("connect_four")
STEP = jax.vmap(ENV.step)


class MctxSelfPlay:
    """Self-play in many games of Connect Four in lockstep; each call makes one move per game.

    Args:
        network: the network whose weights are used.
        openings: the moves of every game so far, one list of actions per game.
        num_simulations: simulations per move.
        dtype: "float32" or "bfloat16", the precision of the network.
    """

    def __init__(
        self,
        network: ResNet,
        openings: list[list[int]],
        num_simulations: int,
        seed: int = 0,
        dtype: str = "float32",
    ) -> None:
        self.weights, self.num_simulations = weights_of(network, dtype), num_simulations
        self.key, self.state = jax.random.PRNGKey(seed), after(openings)
        self.play = jax.jit(play, static_argnames="num_simulations")

    def __call__(self) -> tuple[int, int]:
        """(moves made, positions evaluated)."""
        self.key, key = jax.random.split(self.key)
        state = self.play(self.weights, key, self.state, num_simulations=self.num_simulations)
        self.state = jax.block_until_ready(state)
        num_games = len(state.terminated)
        return num_games, num_games * (self.num_simulations + 1)


class BareNetwork:
    """The network without search, on prepared observations.

    Args:
        planes: float32 [B, 2, 6, 7].
        answers: PyTorch's outputs for them, (logits, value).
        dtype: "float32" or "bfloat16", the precision of the network.

    Raises:
        AssertionError: its outputs differ from PyTorch's.
    """

    def __init__(
        self, network: ResNet, planes: np.ndarray, answers: tuple, dtype: str = "float32"
    ) -> None:
        self.weights, close = weights_of(network, dtype), 1e-4 if dtype == "float32" else 0.05
        self.observation = jnp.asarray(planes.transpose(0, 2, 3, 1))
        self.evaluate = jax.jit(evaluate)
        for ours, theirs in zip(
            self.evaluate(self.weights, self.observation), answers, strict=True
        ):
            np.testing.assert_allclose(np.asarray(ours), theirs, atol=close)

    def __call__(self) -> tuple[int, int]:
        """(0, positions evaluated)."""
        jax.block_until_ready(self.evaluate(self.weights, self.observation))
        return 0, len(self.observation)


def after(openings: list[list[int]]):
    """The states after these moves, batched."""
    state = jax.vmap(ENV.init)(jax.random.split(jax.random.PRNGKey(0), len(openings)))
    step = jax.jit(STEP)
    for ply in range(max(map(len, openings))):
        plays = jnp.array([ply < len(moves) for moves in openings])
        actions = jnp.array([moves[ply] if ply < len(moves) else 0 for moves in openings])
        state = choose(plays, step(state, actions), state)
    return state


def choose(condition, one, other):
    """Chooses rows: ``one`` where the condition [B] is true, else ``other``."""

    def rows(a, b):
        return jnp.where(condition.reshape(-1, *[1] * (a.ndim - 1)), a, b)

    return jax.tree.map(rows, one, other)


def play(weights, key, state, num_simulations: int):
    """Searches in every game and plays a move sampled by visits; finished games are restarted."""
    logits, value = evaluate(weights, state.observation)
    root = mctx.RootFnOutput(
        prior_logits=masked(logits, state.legal_action_mask), value=value, embedding=state
    )
    policy_key, start_key = jax.random.split(key)
    found = mctx.muzero_policy(
        weights, policy_key, root, simulate, num_simulations,
        invalid_actions=~state.legal_action_mask, dirichlet_fraction=0.0,
    )  # fmt: skip
    state = STEP(state, found.action)
    fresh = jax.vmap(ENV.init)(jax.random.split(start_key, len(found.action)))
    return choose(state.terminated, fresh, state)


def simulate(weights, key, action, state):
    """mctx's recurrent function: the position after ``action`` and its evaluation."""
    mover = state.current_player
    state = STEP(state, action)
    logits, value = evaluate(weights, state.observation)
    over = state.terminated
    output = mctx.RecurrentFnOutput(
        reward=state.rewards[jnp.arange(len(mover)), mover],
        discount=jnp.where(over, 0.0, -1.0),
        prior_logits=masked(logits, state.legal_action_mask),
        value=jnp.where(over, 0.0, value),
    )
    return output, state


def masked(logits, legal):
    return jnp.where(legal, logits, jnp.finfo(logits.dtype).min)


def weights_of(network: ResNet, dtype: str) -> dict:
    """(kernel, bias) of each layer of the folded network, with the axes in JAX's order."""

    def conv(layer):
        layer = layer[0]
        return layer.weight.numpy().transpose(2, 3, 1, 0).copy(), layer.bias.numpy()

    def linear(layer):
        return layer.weight.numpy().T.copy(), layer.bias.numpy()

    folded = network.folded()
    weights = {
        "stem": conv(folded.stem),
        "tower": [(conv(block.first), conv(block.second)) for block in folded.tower],
        "policy_conv": conv(folded.policy_conv),
        "policy": linear(folded.policy),
        "value_conv": conv(folded.value_conv),
        "value_hidden": linear(folded.value_hidden),
        "value": linear(folded.value),
    }
    return jax.tree.map(lambda array: jnp.asarray(np.asarray(array), dtype), weights)


def evaluate(weights: dict, observation):
    """``ResNet.forward`` on [B, 6, 7, 2]: logits [B, 7] and value [B]."""

    def conv(x, layer):
        kernel, bias = weights[layer] if isinstance(layer, str) else layer
        axes = ("NHWC", "HWIO", "NHWC")
        return (
            jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=axes) + bias
        )

    def linear(x, layer):
        kernel, bias = weights[layer]
        return x @ kernel + bias

    def flat(x):  # filter by filter, in PyTorch's order
        return x.transpose(0, 3, 1, 2).reshape(len(x), -1)

    x = jax.nn.relu(conv(observation.astype(weights["stem"][0].dtype), "stem"))
    for first, second in weights["tower"]:
        x = jax.nn.relu(x + conv(jax.nn.relu(conv(x, first)), second))
    logits = linear(flat(jax.nn.relu(conv(x, "policy_conv"))), "policy")
    hidden = linear(flat(jax.nn.relu(conv(x, "value_conv"))), "value_hidden")
    value = jnp.tanh(linear(jax.nn.relu(hidden), "value"))[:, 0]
    return logits.astype(jnp.float32), value.astype(jnp.float32)
