"""Supervised learning of one head: a policy from expert moves, or a value from results.

AlphaGo trains both alike (Silver et al. 2016, Methods, "Policy network: classification" and "Value
network: regression"): up the gradient of log p(a | s), or down that of (z - v(s))². Only the other
head's weights stay as they are, so that the rest of the network serves one purpose.
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
NUM_ROWS = 8  # of the history, at equal distances
LEAST_P = float(np.finfo(np.float32).tiny)  # log p stays a number where float32 has rounded p to 0
OTHER_HEAD = {
    "policy": ("value_conv.", "value_hidden.", "value_norm.", "value."),
    "value": ("policy_conv.", "policy."),
}


@old_arguments(final_rate="final_lr_fraction", constant_share="constant_lr_fraction")
@dataclass(frozen=True)
class FitSettings(Settings):
    """How a head is trained.

    Raises:
        ValueError: an impossible value; names the setting.
    """

    epochs: Positive = 4.0  # passes over the data; AlphaGo: 340e6 * 16 / 28.4e6 = 192 (policy)
    batch_size: PositiveInt = 128  # AlphaGo: 16 (policy), 32 (value)
    learning_rate: Positive = 2e-3  # of Adam; AlphaGo: plain SGD with 0.003 …
    constant_lr_fraction: Fraction = 0.5  # of the steps at that rate, then down in a line …
    # … to this share of it; AlphaGo: halved every 80 of 340 million
    final_lr_fraction: Fraction = 0.03
    l2: NonNegative = 1e-4  # c in c‖θ‖², as in AlphaGo Zero
    gradient_norm: Positive = 2.0  # larger gradients are scaled down to it


class Measured(NamedTuple):
    """How well a network predicts moves or results."""

    loss: float  # policy: mean of -log p(action), in nats; value: mean of (z - v)²
    accuracy: float | None  # policy: share of the positions where action has the highest p


class FitRow(NamedTuple):
    """Where training stands after so many samples."""

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
    """Trains one head of ``network``, and all below it, in place; leaves it in eval mode.

    The positions come in random order, a new one each epoch, mirrored at random. A last batch that
    would be smaller is left out: its batch norms would be the noisiest of all. Give it 50 steps or
    more: the running statistics that eval mode uses follow a tenth of the way in each.

    Args:
        game: gives planes and mirror images; with the planes that the network sees.
        data: to learn from. For ``head="value"`` its actions are ignored.
        settings: None: the default ones.
        rng: a generator, or the seed of one: of order and mirror images.
        held_out: positions of other games, to measure by ``NUM_ROWS`` times, in eval mode.
        progress: called with every row.

    Returns:
        The rows, at equal distances; the last is of the network as it is left.

    Raises:
        ValueError: no positions, an illegal action, a z beyond ±1, an unknown head, or the loss is
            NaN.
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
        # After a loss that was still finite the last step may have spoilt the weights.
        is_finite = isfinite(losses[-1] + float(norm)) and (
            step not in rows_at or all(bool(weight.isfinite().all()) for weight in trained)
        )
        if not is_finite:
            raise ValueError(
                f"The {head} loss became NaN after {step * batches.shape[1]:,} samples: a lower"
                " learning_rate may get further."
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
    """How well one head predicts, in eval mode; the network stays as it is.

    Args:
        positions: to compare train with test error, ask for both.

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
    """One step of an optimiser along the gradient of ``loss``, scaled down to ``gradient_norm``.

    Args:
        loss: a scalar; None: the gradients are there already.

    Returns:
        The length of the gradient before it was scaled down.
    """
    if loss is not None:
        loss.backward()
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    norm = torch.nn.utils.clip_grad_norm_(weights, gradient_norm)
    optimizer.step()
    optimizer.zero_grad()
    return norm


def _batches(n: int, settings: FitSettings, rng: np.random.Generator) -> np.ndarray:
    """int64 [steps, batch]: the rows of every batch."""
    num_samples = max(1, round(settings.epochs * n))
    orders = [rng.permutation(n) for _ in range(ceil(num_samples / n))]
    size = min(settings.batch_size, num_samples)
    num_steps = num_samples // size
    return np.concatenate(orders)[: num_steps * size].reshape(num_steps, size)


def _batch_of(game: Game, data: Positions, head: Head, rng: np.random.Generator) -> Batch:
    """The positions as ``loss`` takes them, each mirrored at random."""
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
        raise ValueError("z must lie in [-1, 1] everywhere, for the player to move.")
