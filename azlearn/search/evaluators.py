"""Evaluators estimate a position's value for the player to move, and a prior over its moves."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from azlearn.games import Game, State
from azlearn.games.notation import all_named
from azlearn.search.selection import check_count
from azlearn.search.tree_policy import TreePolicy


class Evaluation(NamedTuple):
    """An evaluator's answer for one position."""

    # [num_actions], 0 on illegal moves, sum 1; None = uniform
    prior: Sequence[float] | None
    value: float  # in [-1, 1], for the player to move
    moves: Sequence[int] = ()  # the moves of the rollout, if there was exactly one


# A function of a game, a state and a random generator that returns an ``Evaluation``.
Evaluator = Callable[[Game, State, np.random.Generator], Evaluation | tuple]


def as_evaluator(given: Any, game: Game) -> Evaluator:
    """Returns an evaluator unchanged; converts anything else with ``learning.resolve_evaluator``.

    Raises:
        ValueError, FileNotFoundError: as in ``resolve_evaluator``; ValueError for a tree policy.
    """
    if isinstance(given, TreePolicy):
        raise ValueError(f"{given!r:.80} is a tree policy, not an evaluator. Pass it as select=….")
    if callable(given) and not hasattr(given, "state_dict") and not hasattr(given, "game"):
        return given  # a torch network is callable too, but not with a game and a state
    # Imported here because it takes seconds and only networks and their names need it.
    from azlearn.learning.evaluator import resolve_evaluator

    return resolve_evaluator(given, game)


class BatchEvaluator(Protocol):
    """An evaluator that can also evaluate many positions at once."""

    def __call__(self, game: Game, state: State, rng: np.random.Generator) -> Evaluation | tuple:
        """Evaluates one position."""

    def batch(self, states: Any) -> tuple:
        """Evaluates many positions.

        Args:
            states: a State of arrays [B].

        Returns:
            ``(prior, value)``, [B, num_actions] and [B]. Rows of finished games may hold anything.
        """


class batch_evaluator:
    """An evaluator made from a function of many positions; see ``BatchEvaluator.batch``."""

    name = "batch evaluator"

    def __init__(self, batch: Callable[[Any], tuple]) -> None:
        self.batch = batch

    def __call__(self, game: Game, state: State, rng: np.random.Generator) -> Evaluation:
        return evaluations(self, game, [state])[0]


def answers_alike(evaluator: Any) -> bool:
    """Whether a position always gets the same evaluation, so that it may be cached.

    Args:
        evaluator: an evaluator or the settings of one. With the symmetry ``"random"`` each
            evaluation is a new random draw.
    """
    return getattr(evaluator, "symmetry", "none") != "random"


def has_batch(evaluator: Evaluator) -> bool:
    """Whether one batch gives the same evaluations as one call per position."""
    return hasattr(evaluator, "batch") and answers_alike(evaluator)


def evaluations(evaluator: BatchEvaluator, game: Game, states: Sequence[State]) -> list[Evaluation]:
    """Evaluates several positions in one batch.

    Raises:
        ValueError: the evaluator returned arrays of the wrong shape.
    """
    prior, value = (np.asarray(answer) for answer in evaluator.batch(game.stack(states)))
    shape = (len(states), game.num_actions)
    if prior.shape != shape or value.shape != shape[:1]:
        raise ValueError(
            f"For {len(states)} positions a batch evaluator must return a prior {shape} and a value"
            f" {shape[:1]}, not {prior.shape} and {value.shape}."
        )
    return [Evaluation(p, float(v)) for p, v in zip(prior, value, strict=True)]


def _uniform_numbers(rng: np.random.Generator):
    """Yields uniform numbers in [0, 1), drawn 32 at a time because single draws are slow."""
    while True:
        yield from rng.random(32).tolist()


def random_moves(game: Game, state: State, rng: np.random.Generator) -> tuple[list[int], State]:
    """Plays uniformly random moves to the end of the game; returns ``(moves, final state)``.

    If the game has ``rollout_actions``, only those are played: in Go they never fill an eye.
    """
    moves, numbers = [], _uniform_numbers(rng)
    moves_of = getattr(game, "rollout_actions", game.legal_actions)
    while legal := moves_of(state):
        action = legal[int(next(numbers) * len(legal))]
        moves.append(action)
        state = game.next_state(state, action)
    return moves, state


def random_rollout(num_rollouts: int = 1) -> Evaluator:
    """The evaluator of UCT: the mean result of random games, without a prior.

    Args:
        num_rollouts: the number of games per position.

    Raises:
        ValueError: num_rollouts is below 1.
    """
    check_count(num_rollouts, "num_rollouts")

    def evaluate(game: Game, state: State, rng: np.random.Generator) -> Evaluation:
        total, mover = 0, game.to_play(state)
        for _ in range(num_rollouts):
            moves, final = random_moves(game, state, rng)
            result = game.outcome(final)  # for the player to move in the *final* position;
            total += result if game.to_play(final) == mover else -result  # now for ours
        return Evaluation(None, total / num_rollouts, moves if num_rollouts == 1 else ())

    evaluate.name = "random rollout"
    evaluate.in_page = {"kind": "rollout", "count": num_rollouts}
    return evaluate


def constant(value: float = 0.0) -> Evaluator:
    """An evaluator that gives every position the same value and every move the same prior."""

    def evaluate(game: Game, state: State, rng: np.random.Generator) -> Evaluation:
        return Evaluation(None, value)

    evaluate.in_page = {"kind": "constant", "value": value}
    return evaluate


_MASK = 2**49 - 1


def hash_bits(*words):
    """A 49-bit hash of a state's words, branch-free: equal for ints, arrays and compiled code."""
    bits, i = words[0], 1
    for word in words[1:]:
        bits, i = bits ^ (word << (2 * i - 1)) ^ (word >> (6 + i)), i + 1
    bits = bits & _MASK
    bits = (bits ^ (bits << 6)) & _MASK
    bits = bits ^ (bits >> 13)
    bits = (bits ^ (bits << 3)) & _MASK
    bits = bits ^ (bits >> 7)
    bits = (bits ^ (bits << 8)) & _MASK
    return bits ^ (bits >> 17)


def hash_value(*words):
    """A value in [-1, 31/32], a multiple of 1/32, that depends only on the position."""
    return (((hash_bits(*words) >> 5) & 63) - 32) / 32


def hash_evaluator(game: Game, state: State, rng: np.random.Generator) -> Evaluation:
    """An evaluator with arbitrary but reproducible values, to compare engines visit for visit.

    The values are exact in binary.
    """
    return Evaluation(None, hash_value(*state))


hash_evaluator.in_page = {"kind": "hash"}


def checked(evaluation: Evaluation | tuple, game: Game, legal_actions: list[int]) -> Evaluation:
    """``evaluation`` with its prior as a list, uniform if it was None.

    Raises:
        ValueError: it is not a (prior, value) pair; its value is NaN or outside [-1, 1]; or its
            prior has the wrong shape, is negative or NaN, does not sum to 1, or is positive for an
            illegal move.
    """
    try:
        prior, value, moves = evaluation if len(evaluation) == 3 else (*evaluation, ())
        prior = prior if prior is None else np.asarray(prior, dtype=np.float64)
        value = float(value)
    except (TypeError, ValueError, RuntimeError):  # RuntimeError: a tensor that requires grad
        shown = " ".join(repr(evaluation).split())
        raise ValueError(
            "An evaluator must return (prior, value): None or an array of numbers, and one number;"
            f" not {shown:.80}."
        ) from None
    if not -1 <= value <= 1:
        raise ValueError(f"The evaluator's value must be in [-1, 1], not {value}.")
    if prior is None:
        share, uniform = 1 / len(legal_actions), [0.0] * game.num_actions
        for action in legal_actions:
            uniform[action] = share
        return Evaluation(uniform, value, moves)
    if prior.shape != (game.num_actions,):
        raise ValueError(
            f"The evaluator's prior must have shape ({game.num_actions},), not {prior.shape}."
        )
    if not (prior >= 0).all() or abs(prior.sum() - 1) > 1e-3:
        raise ValueError("The evaluator's prior must be probabilities: 0 or more, summing to 1.")
    illegal = np.setdiff1d(np.flatnonzero(prior), legal_actions)
    if illegal.size:
        moves = all_named(game, illegal.tolist())
        raise ValueError(
            f"The evaluator's prior must be 0 for illegal moves, but is not for {moves}."
        )
    return Evaluation(prior.tolist(), value, moves)
