"""AlphaGo's search: policy priors, values mixed with rollouts, an expansion threshold, threads.

The search is ``MCTS`` with these parts (Silver et al. 2016, Methods, "Search algorithm"; the
constants are from Extended Data Table 5):

| part               | AlphaGo                                                     |
|--------------------|-------------------------------------------------------------|
| select             | PUCT, c_puct = 5                                            |
| evaluate           | ``(1 - λ) v + λ z``, λ = 0.5                                |
| policy             | p_σ, sharpened by a softmax temperature, β = 0.67           |
| expand_threshold   | n_thr = 40                                                  |
| batch_size         | the simulations in progress at once: AlphaGo's threads      |
| virtual_loss       | n_vl = 3                                                    |
| the move           | the most visited one, ``Tree.best_action``                  |

There are two differences. AlphaGo uses the priors of a small tree policy until those of the network
arrive. Before the first visit to any move, the scores here are c times the priors; by the paper's
formula every move would have a bonus of 0 (see ``puct``).
"""

from functools import cache, lru_cache, partial
from math import inf
from numbers import Real

import numpy as np

from azlearn.games import Game, State
from azlearn.search import (
    MCTS,
    Evaluation,
    Evaluator,
    puct,
    random_rollout,
)
from azlearn.search.evaluators import answers_alike, as_evaluator, checked
from azlearn.search.selection import check_count

REMEMBERED = 65_536  # the number of positions whose network values are cached


def mixed_evaluator(
    value: Evaluator | None, rollout: Evaluator | None, mixing_lambda: float = 0.5
) -> Evaluator:
    """Returns an evaluator without a prior whose value is ``(1 - λ) v + λ z``.

    The value is for the player to move. λ is the weight of the **rollout**: with λ = 0 the search
    uses only the value network, and with λ = 1 only rollouts; the unused part may be None. v is
    computed once per position and cached; z is a new rollout at every visit.

    AlphaGo keeps two means on every edge and mixes them: ``Q = (1 - λ) W_v / N_v + λ W_r / N_r``.
    Here each leaf's mix is added to a single W. If every simulation adds one v and one z (a
    finished game adds its result as both), then ``N_v = N_r = N``, and in both cases Q is
    ``Σ((1 - λ) v + λ z) / N``, so the searches are the same. They differ only

    - while the network is evaluating: AlphaGo backs v up when the network has finished, later than
      z, so N_v lags behind N_r; here both are backed up together;
    - below an expansion threshold: AlphaGo evaluates a position with its network only once, so it
      backs v up once for many rollouts; here v is backed up with each rollout, and every simulation
      has the same weight.

    Args:
        value: v_θ, or a network as in ``MCTS``. Its prior is ignored. It gets a generator with the
            same seed for every position, so v is a function of the position. A network with the
            symmetry ``"random"`` is instead evaluated at every visit, with the search's generator.
        rollout: z, in [-1, 1] for the player to move at the leaf, as ``random_rollout()`` returns.
        mixing_lambda: λ in [0, 1]; AlphaGo uses 0.5 (Silver et al. 2016, Extended Data Table 5).

    Raises:
        ValueError: λ is outside [0, 1], or an evaluator with a weight above 0 is missing. When the
            evaluator is called: one of the two returned an invalid result, such as a value outside
            [-1, 1].
    """
    if rollout is random_rollout:
        raise ValueError("Pass random_rollout(), which makes an evaluator, not random_rollout.")
    check_mix(mixing_lambda, value, rollout)

    value_in = cache(partial(as_evaluator, value))  # ``value_of`` receives the game later

    def value_of(game: Game, state: State, rng: np.random.Generator) -> float:
        answer = value_in(game)(game, state, rng)
        return checked(answer, game, game.legal_actions(state)).value

    @lru_cache(maxsize=REMEMBERED)
    def remembered_value(game: Game, state: State) -> float:
        return value_of(game, state, np.random.default_rng(0))

    def v(game: Game, state: State, rng: np.random.Generator) -> float:
        is_alike = answers_alike(value_in(game))
        return remembered_value(game, state) if is_alike else value_of(game, state, rng)

    def evaluate(game: Game, state: State, rng: np.random.Generator) -> Evaluation:
        if mixing_lambda == 0:
            return Evaluation(None, v(game, state, rng))
        answer = checked(rollout(game, state, rng), game, game.legal_actions(state))
        mixed = mixing_lambda * answer.value
        if mixing_lambda < 1:
            mixed += (1 - mixing_lambda) * v(game, state, rng)
        return Evaluation(None, mixed, answer.moves)

    evaluate.name = f"{1 - mixing_lambda:.3g} value + {mixing_lambda:.3g} rollout"
    return evaluate


def tempered_policy(policy: Evaluator, temperature: float = 0.67) -> Evaluator:
    """Applies a softmax temperature to a policy: logits / β, or ``p ** (1 / β)``, renormalized.

    Probabilities of illegal moves are set to 0 before the rest is normalized to sum to 1. β below 1
    makes the policy more confident, above 1 less confident; 1 only renormalizes. The paper writes
    p^β and calls β a temperature; here the logits are divided by β, as is usual for a temperature.

    Args:
        policy: an evaluator. Its prior is float [num_actions], 0 or more, or None if all moves are
            equally likely. Its value is passed on.
        temperature: β, above 0; AlphaGo uses 0.67 (Silver et al. 2016, Extended Data Table 5).

    Raises:
        ValueError: the temperature is not above 0. When the policy is called: the prior has the
            wrong shape, a negative number or NaN, or is 0 for all legal moves.
    """
    check_temperature(temperature)
    policy_in = cache(partial(as_evaluator, policy))

    def evaluate(game: Game, state: State, rng: np.random.Generator) -> Evaluation:
        answer = policy_in(game)(game, state, rng)
        try:
            prior, value = answer[:2]
            prior = prior if prior is None else np.asarray(prior, dtype=np.float64)
        except (TypeError, ValueError, RuntimeError):  # RuntimeError: a tensor with gradients
            raise ValueError(
                "A policy must return (prior, value), where prior is None or an array of numbers,"
                f" not {' '.join(repr(answer).split()):.80}."
            ) from None
        if prior is None:
            return Evaluation(None, value)
        (tempered_prior,) = apply_temperature(
            prior[None], game.legal_mask(state)[None], temperature
        )
        return Evaluation(tempered_prior, value)

    evaluate.name = getattr(policy, "name", "policy")
    return evaluate


def apply_temperature(prior: np.ndarray, legal_mask: np.ndarray, temperature: float) -> np.ndarray:
    """Returns ``prior ** (1 / temperature)`` of the legal moves, normalized in each row.

    Returns:
        float64 [B, num_actions].

    Raises:
        ValueError: as in ``tempered_policy``.
    """
    if prior.shape != legal_mask.shape or not (prior >= 0).all():
        raise ValueError(
            f"The policy must return probabilities of 0 or more, in shape {list(legal_mask.shape)};"
            f" it returned shape {list(prior.shape)} with minimum {prior.min(initial=inf)}."
        )
    prior = np.where(legal_mask, prior, 0.0)
    highest = prior.max(axis=1, keepdims=True)
    possible = ((highest > 0) & (highest < inf)).ravel()
    if not possible.all():
        row = int(possible.argmin())
        raise ValueError(
            f"The legal moves in row {row} need a positive, finite probability; the policy returned"
            f" {prior[row].tolist()}."
        )
    # The largest becomes 1, so a small temperature can underflow to 0 but not overflow.
    shares = (prior / highest) ** (1 / temperature)
    return shares / shares.sum(axis=1, keepdims=True)


def check_mix(mixing_lambda: float, value, rollout) -> None:
    """Raises ValueError unless λ is in [0, 1] and every part with a weight above 0 is given."""
    if not isinstance(mixing_lambda, Real) or not 0 <= mixing_lambda <= 1:
        raise ValueError(f"mixing_lambda must be a number in [0, 1], not {mixing_lambda!r}.")
    for name, given, weight in (
        ("value", value, 1 - mixing_lambda),
        ("rollout", rollout, mixing_lambda),
    ):
        if given is None and weight:
            raise ValueError(f"mixing_lambda {mixing_lambda} needs {name}, which is missing.")


def check_temperature(temperature: float) -> None:
    """Raises ValueError unless the softmax temperature β is a finite number above 0."""
    if not isinstance(temperature, Real) or not 0 < temperature < inf:
        raise ValueError(f"temperature must be a finite number above 0, not {temperature!r}.")


def alphago_search(
    game: Game,
    policy: Evaluator,
    value: Evaluator | None,
    rollout: Evaluator | None,
    *,
    mixing_lambda: float = 0.5,
    temperature: float = 0.67,
    c: float = 5.0,
    expand_threshold: int = 40,
    num_threads: int = 1,
    virtual_loss: int = 3,
    recorder=None,
) -> MCTS:
    """Makes AlphaGo's search, with AlphaGo's constants as defaults.

    Use it as ``alphago_search(…).run(state, n).best_action()``. A threshold of 40 is meant for many
    thousands of simulations: every node below the root needs 41 visits before it is expanded, so a
    search of 400 simulations expands fewer than ten nodes.

    Args:
        policy: p_σ, which supplies the priors.
        value: v_θ; may be None if λ is 1.
        rollout: z; may be None if λ is 0.
        mixing_lambda: see ``mixed_evaluator``.
        temperature: β, see ``tempered_policy``.
        c: the weight of the prior in ``puct``.
        expand_threshold: n_thr, see ``MCTS``.
        num_threads: the number of simulations in progress at once, which the virtual loss spreads
            over different moves. It becomes the ``batch_size`` of ``MCTS``; leaves are evaluated
            one by one.
        virtual_loss: n_vl, see ``MCTS``. AlphaGo applies it only to the rollouts' statistics,
            ``N_r + n_vl`` and ``W_r - n_vl`` (Silver et al. 2016, Methods); here there is one N and
            one W.
        recorder: as in ``MCTS``, for a search with one thread.

    Raises:
        ValueError: a setting is invalid, or there is a recorder with several threads.
    """
    check_count(num_threads, "num_threads")
    if num_threads > 1 and recorder is not None:
        raise ValueError("Only a search with one thread can be recorded. Set num_threads to 1.")
    return MCTS(
        game,
        puct(c),
        mixed_evaluator(value, rollout, mixing_lambda),
        policy=tempered_policy(policy, temperature),
        expand_threshold=expand_threshold,
        batch_size=num_threads,
        virtual_loss=virtual_loss,
        recorder=recorder,
    )
