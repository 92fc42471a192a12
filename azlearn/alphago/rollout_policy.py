"""The fast rollout policy p_π: a softmax over sums of weights, trained on expert moves.

``p(a | s) ∝ exp(Σ w)``, summed over the weights of a move's features: nine in Connect Four
(``patterns.py``), seven in Go (``go_patterns.py``). Training maximizes the log-likelihood of the
expert's moves, as in Silver et al. 2016, Methods, "Rollout policy". There the policy predicted
24.2% of the moves and took 2 µs per move; the network took 3 ms (main text).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from azlearn.alphago.pattern_sets import patterns_of
from azlearn.alphago.patterns import GAME
from azlearn.alphago.positions import Positions, check_moves
from azlearn.alphago.supervised import PolicyScore, score_of
from azlearn.games import State
from azlearn.games.named import make_game
from azlearn.games.rules_game import RulesGame
from azlearn.learning import CorruptFileError
from azlearn.learning.files import read_tensors, write_tensors

FORMAT = "azlearn rollout policy 1"
LARGEST_WEIGHT = 50.0  # exp of the sum of nine such weights is still a finite float64
CHUNK = 16_384  # positions per batch: 8 MB of indices


class TrainedRolloutPolicy(NamedTuple):
    """The result of training."""

    policy: "RolloutPolicy"  # from the epoch that predicted the held-out moves best
    held_out: PolicyScore  # of that policy
    history: list[PolicyScore]  # on the held-out moves, before training and after every epoch


class RolloutPolicy:
    """A linear softmax policy.

    Args:
        weights: float64 [num_weights], in the order of the ``offsets`` of the game's patterns.
        game: Connect Four, or Go up to 7x7.

    Raises:
        ValueError: the weights have another shape, a weight is NaN or outside ±50, or the game is
            not supported.
    """

    def __init__(self, weights: np.ndarray, game: RulesGame = GAME) -> None:
        self.weights, self.game = np.array(weights, dtype=np.float64), game
        self.patterns = patterns_of(game)
        if self.weights.shape != (n := self.patterns.num_weights,):
            raise ValueError(f"weights must have shape ({n},), not {np.shape(weights)}.")
        if not (np.abs(self.weights) <= LARGEST_WEIGHT).all():
            raise ValueError(f"Every weight must be within ±{LARGEST_WEIGHT:g}.")

    def probabilities(self, states: State, last: np.ndarray) -> np.ndarray:
        """Returns p(a | s).

        Args:
            states: int64 arrays [B].
            last: int64 [B], the previous actions; -1 = none or unknown.

        Returns:
            float64 [B, num_actions]: 0 on illegal moves, sum 1; all 0 if the game is over.
        """
        return _soft_max(self.weights, *self.patterns.indices(states, last))

    def score(self, moves: Positions) -> PolicyScore:
        """Measures how well this policy predicts ``moves``; it uses their ``last``.

        Raises:
            ValueError: there are no positions, or a move is illegal.
        """
        check_moves(self.game, moves)
        starts = range(0, len(moves.me), CHUNK)
        parts = [moves.take(slice(start, start + CHUNK)) for start in starts]
        p = [self.probabilities(part.states, _last(part)) for part in parts]
        return score_of(self.game, np.concatenate(p), moves)

    def save(
        self, path: str | Path, info: dict[str, Any] | None = None, game: str = "connect4"
    ) -> None:
        """Writes a safetensors file with JSON-serializable ``info`` and the name of the game."""
        about = {
            "format": FORMAT, "game": game, "features": self.patterns.num_values._asdict(),
            "info": info or {},
        }  # fmt: skip
        write_tensors(Path(path), {"weights": torch.from_numpy(self.weights)}, about)

    @classmethod
    def load(cls, path: str | Path) -> tuple["RolloutPolicy", dict[str, Any]]:
        """Reads a policy and the ``info`` that was saved with it.

        Raises:
            FileNotFoundError: there is no such file.
            CorruptFileError: the file is truncated, from another program, or has other features.
        """
        tensors, about = read_tensors(Path(path))
        if about.get("format") != FORMAT or "weights" not in tensors:
            raise CorruptFileError(f"{path} contains no rollout policy.")
        try:
            policy = cls(tensors["weights"].numpy(), make_game(about.get("game", "connect4")))
            if about.get("features") != policy.patterns.num_values._asdict():
                raise CorruptFileError("the features of its policy differ from this version's.")
            return policy, about.get("info", {})
        except ValueError as error:
            raise CorruptFileError(f"{path} is damaged: {error}") from None


def log_likelihood_gradient(
    weights: np.ndarray, moves: Positions, game: RulesGame = GAME
) -> np.ndarray:
    """Returns the gradient of mean log p(action) with respect to weights: float64 [num_weights].

    For a linear softmax it is the features of the expert's move minus the features that the policy
    expects: ``φ(a) - Σ p(b) φ(b)``.
    """
    indices, legal_mask = patterns_of(game).indices(moves.states, _last(moves))
    surplus = -_soft_max(weights, indices, legal_mask)
    surplus[np.arange(len(surplus)), moves.action] += 1
    shares = np.broadcast_to(surplus[..., None], indices.shape)
    return np.bincount(indices.ravel(), shares.ravel(), len(weights)) / len(surplus)


def train_rollout_policy(
    moves: Positions,
    held_out: Positions,
    *,
    epochs: int = 10,
    batch_size: int = 1024,
    step_size: float = 0.1,
    rng: np.random.Generator | int = 0,
    progress: Callable[[int, PolicyScore], None] | None = None,
    game: RulesGame = GAME,
) -> TrainedRolloutPolicy:
    """Trains a rollout policy by gradient ascent on the log-likelihood of ``moves``.

    Training starts from weights 0, the uniform policy. It uses AdaGrad (Duchi, Hazan and Singer
    2011); the paper uses plain steps. AdaGrad divides each weight's step by the root of the sum of
    its squared gradients, so even a pattern seen ten times in 100,000 positions is learned.

    Args:
        moves: the moves to learn from, with ``last``. Split by game, never by position; otherwise
            ``held_out`` is not a fair test.
        held_out: the moves that decide which epoch's weights are returned.
        epochs: passes over ``moves``.
        batch_size: positions per step.
        step_size: the step size before the division.
        rng: a generator, or the seed of one, for the order of the positions.
        progress: called after every epoch with its number and its score on ``held_out``.
        game: the game of the moves.

    Raises:
        ValueError: there are no positions, a move is illegal, or a setting is invalid.
    """
    for name, number in {"epochs": epochs, "batch_size": batch_size}.items():
        if number < 1:
            raise ValueError(f"{name} must be at least 1, not {number}.")
    if not 0 < step_size < np.inf:
        raise ValueError(f"step_size must be finite and above 0, not {step_size}.")
    check_moves(game, moves)
    rng, n = np.random.default_rng(rng), patterns_of(game).num_weights
    weights, squares = np.zeros(n), np.full(n, 1e-12)  # avoids 0 / 0
    policy = RolloutPolicy(weights, game)
    history = [policy.score(held_out)]
    best, best_score = policy, history[0]
    for epoch in range(1, epochs + 1):
        order = rng.permutation(len(moves.me))
        for start in range(0, len(order), batch_size):
            batch = moves.take(order[start : start + batch_size])
            gradient = log_likelihood_gradient(weights, batch, game)
            squares += gradient**2
            weights += step_size * gradient / np.sqrt(squares)
        policy = RolloutPolicy(weights, game)
        history.append(policy.score(held_out))
        if history[-1].log_likelihood > best_score.log_likelihood:
            best, best_score = policy, history[-1]
        if progress is not None:
            progress(epoch, history[-1])
    return TrainedRolloutPolicy(best, best_score, history)


def _soft_max(weights: np.ndarray, indices: np.ndarray, legal_mask: np.ndarray) -> np.ndarray:
    logits = np.where(legal_mask, weights[indices].sum(axis=-1), -np.inf)
    highest = logits.max(axis=1, keepdims=True, initial=-1e300)  # finite even if the game is over
    p = np.exp(logits - highest)
    return p / np.maximum(p.sum(axis=1, keepdims=True), 1e-300)


def _last(moves: Positions) -> np.ndarray:
    return np.full_like(moves.me, -1) if moves.last is None else moves.last
