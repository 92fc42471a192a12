"""Supervised learning of one head: a policy from expert moves, or a value from results.

AlphaGo trains both in the same way (Silver et al. 2016, Methods, "Policy network: classification"
and "Value network: regression"): it ascends the gradient of log p(a | s), or descends the gradient
of (z - v(s))². Here training changes all weights except those of the other head.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Literal, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F

from azlearn.alphago.policies import asked_values, evaluate_batched, network_policy, value_of
from azlearn.alphago.positions import Positions, check_moves
from azlearn.games import Game
from azlearn.learning import NetworkEvaluator, ResNet, augment
from azlearn.learning.denormals import flushed_denormals
from azlearn.learning.loss import Batch, augmented_batch, loss
from azlearn.learning.optimizers import learning_rate
from azlearn.learning.settings import Fraction, NonNegative, Positive, PositiveInt, Settings
from azlearn.old_names import old_arguments

Head = Literal["policy", "value"]
NUM_ROWS = 8  # rows of the history, equally spaced
LEAST_P = float(np.finfo(np.float32).tiny)  # keeps log p finite if float32 has rounded p to 0
OTHER_HEAD = {
    "policy": ("value_conv.", "value_hidden.", "value_norm.", "value."),
    "value": ("policy_conv.", "policy."),
}


@old_arguments(final_rate="final_lr_fraction", constant_share="constant_lr_fraction")
@dataclass(frozen=True)
class FitSettings(Settings):
    """The settings for training a head.

    Raises:
        ValueError: a value is invalid; the message names the setting.
    """

    epochs: Positive = 4.0  # passes over the data; AlphaGo: 340e6 * 16 / 28.4e6 = 192 (policy)
    batch_size: PositiveInt = 128  # AlphaGo: 16 (policy), 32 (value)
    learning_rate: Positive = 2e-3  # of Adam; AlphaGo: plain SGD with 0.003
    # The rate is constant for this fraction of the steps, then falls linearly …
    constant_lr_fraction: Fraction = 0.5
    # … to this fraction of the rate; AlphaGo: halved every 80 of 340 million steps.
    final_lr_fraction: Fraction = 0.03
    l2: NonNegative = 1e-4  # c in c‖θ‖², as in AlphaGo Zero
    gradient_norm: Positive = 2.0  # larger gradients are scaled down to it


class Measured(NamedTuple):
    """How well a network predicts moves or results."""

    loss: float  # policy: mean of -log p(action), in nats; value: mean of (z - v)²
    accuracy: float | None  # policy: fraction of positions where action has the highest p


class FitRow(NamedTuple):
    """The progress of training after ``samples`` samples."""

    samples: int
    train_loss: float  # mean over the batches since the last row, in train mode, without l2
    held_out_loss: float | None  # as in Measured; None without held-out positions
    held_out_accuracy: float | None


@flushed_denormals()
def fit(
    game: Game,
    network: ResNet,
    data: Positions,
    head: Head,
    settings: FitSettings | None = None,
    rng: np.random.Generator | int = 0,
    *,
    held_out: Positions | None = None,
    progress: Callable[[FitRow], None] | None = None,
) -> list[FitRow]:
    """Trains one head of ``network`` and all layers below, in place; the network ends in eval mode.

    The order of the positions is random and different in each epoch, and each is transformed by a
    random symmetry. A smaller last batch is left out, because its batch norms would be the
    noisiest. Use 50 steps or more: each step moves the running statistics, which eval mode uses,
    only a tenth of the way.

    Args:
        game: the game with the planes that the network takes, and its symmetries.
        data: the positions to learn from. For ``head="value"`` their actions are ignored.
        settings: None: the defaults.
        rng: a generator, or the seed of one, for the order and the symmetries.
        held_out: positions of other games, measured ``NUM_ROWS`` times, in eval mode.
        progress: called with every row.

    Returns:
        The rows, equally spaced; the last one measures the trained network.

    Raises:
        ValueError: there are no positions, an action is illegal, a z is outside [-1, 1], the head
            is unknown, or the loss becomes NaN.
    """
    settings, rng = settings or FitSettings(), np.random.default_rng(rng)
    _check(game, data, head)
    if held_out is not None:
        _check(game, held_out, head)
    batches = _batches(len(data.me), settings, rng)
    trained = [
        parameter
        for name, parameter in network.named_parameters()
        if not name.startswith(OTHER_HEAD[head])
    ]
    network.to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(trained, settings.learning_rate)
    rows_at = {ceil(len(batches) * row / NUM_ROWS) for row in range(1, NUM_ROWS + 1)}
    rows, losses = [], []
    for step, batch in enumerate(batches, start=1):
        network.train()
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(settings, (step - 1) / len(batches))
        parts = loss(network, *_batch_of(game, data.take(batch), head, rng)[:4], l2=0.0)
        error = getattr(parts, head)
        l2 = settings.l2 * sum(parameter.square().sum() for parameter in trained)
        norm = take_step(optimizer, error + l2, settings.gradient_norm)
        losses.append(error.item())
        # The last step may have damaged the weights although its loss was finite.
        is_finite = isfinite(losses[-1] + float(norm)) and (
            step not in rows_at or all(bool(weight.isfinite().all()) for weight in trained)
        )
        if not is_finite:
            raise ValueError(
                f"The {head} loss became NaN after {step * batches.shape[1]:,} samples. A lower"
                " learning_rate may help."
            )
        if step in rows_at:
            network.eval()
            seen = (None, None) if held_out is None else measured(game, network, held_out, head)
            rows.append(FitRow(step * batches.shape[1], float(np.mean(losses)), *seen))
            losses.clear()
            if progress is not None:
                progress(rows[-1])
    return rows


def measured(game: Game, network: ResNet, positions: Positions, head: Head) -> Measured:
    """Measures how well one head predicts, in eval mode; does not change the network.

    Args:
        positions: the positions to measure on. To compare training and test error, call it for
            both.

    Raises:
        ValueError: as in ``fit``.
    """
    _check(game, positions, head)
    if head == "value":
        v = asked_values(value_of(NetworkEvaluator(game, network)), positions)
        return Measured(float(np.square(positions.z - v).mean()), None)
    p = evaluate_batched(network_policy(game, network), positions)
    chosen = np.maximum(p[np.arange(len(p)), positions.action], LEAST_P)
    return Measured(float(-np.log(chosen).mean()), float((p.argmax(1) == positions.action).mean()))


def take_step(
    optimizer: torch.optim.Optimizer, loss: torch.Tensor | None, gradient_norm: float
) -> torch.Tensor:
    """Takes an optimizer step, after scaling the gradient down to at most ``gradient_norm``.

    Args:
        loss: a scalar; None if the gradients have been computed already.

    Returns:
        The norm of the gradient before scaling.
    """
    if loss is not None:
        loss.backward()
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    norm = torch.nn.utils.clip_grad_norm_(weights, gradient_norm)
    optimizer.step()
    optimizer.zero_grad()
    return norm


def _batches(n: int, settings: FitSettings, rng: np.random.Generator) -> np.ndarray:
    """Returns the rows of every batch: int64 [steps, batch]."""
    num_samples = max(1, round(settings.epochs * n))
    orders = [rng.permutation(n) for _ in range(ceil(num_samples / n))]
    size = min(settings.batch_size, num_samples)
    num_steps = num_samples // size
    return np.concatenate(orders)[: num_steps * size].reshape(num_steps, size)


def _batch_of(game: Game, data: Positions, head: Head, rng: np.random.Generator) -> Batch:
    """Returns the batch for ``loss``, with each position transformed by a random symmetry."""
    states = type(data.states)(*map(torch.from_numpy, data.states))
    action = torch.from_numpy(data.action if head == "policy" else np.zeros_like(data.me))
    moves = F.one_hot(action, game.num_actions), game.batch_legal_mask(states)
    rows = torch.stack([row.float() for row in moves], 1)
    planes, rows = augment(game, game.batch_encode(states), rows, rng)
    return augmented_batch(planes, rows, torch.from_numpy(data.z), planes.shape[1])


def _check(game: Game, data: Positions, head: Head) -> None:
    if head not in OTHER_HEAD:
        raise ValueError(f"head must be 'policy' or 'value', not {head!r}.")
    if head == "policy":
        check_moves(game, data)
    elif not len(data.me):
        raise ValueError("There are no positions.")
    elif not (np.abs(data.z) <= 1).all():
        raise ValueError("Every z must be in [-1, 1], for the player to move.")
