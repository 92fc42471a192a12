"""AlphaGo's search: a policy's priors, a leaf's value mixed with a rollout, a threshold, threads.

The search is ``MCTS``, with these slots filled (Silver et al. 2016, Methods, "Search algorithm";
the constants are those of Extended Data Table 5):

| slot               | AlphaGo                                                     |
|--------------------|-------------------------------------------------------------|
| select             | PUCT, c_puct = 5                                            |
| evaluate           | ``(1 - λ) v + λ z``, λ = 0.5                                |
| policy             | p_σ, made sharper by a soft-max temperature, β = 0.67       |
| expand_threshold   | n_thr = 40                                                  |
| batch_size         | the simulations under way at once, AlphaGo's threads        |
| virtual_loss       | n_vl = 3                                                    |
| the move           | the most visited one, ``Tree.best_action``                  |

What AlphaGo does and this does not: priors from a small tree policy until the network's arrive.
Before the first visit of any move a node's scores are the priors times c, where the formula of the
paper gives every move 0 (see ``puct``).
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

REMEMBERED = 65_536  # positions whose value is kept, so that no network is asked twice


def mixed_evaluator(
    value: Evaluator | None, rollout: Evaluator | None, mixing_lambda: float = 0.5
) -> Evaluator:
    """What a leaf is worth to the player to move: ``(1 - λ) v + λ z``. It gives no prior.

    λ is the weight of the **rollout**: 0 asks the value network alone, 1 the rollouts alone (then
    the other may be None). v is asked for once a position and kept, z is a new rollout at
    every visit.

    AlphaGo keeps two means on an edge and mixes those: ``Q = (1 - λ) W_v / N_v + λ W_r / N_r``.
    Here one W gets the mix of each leaf. If every simulation brings one v and one z (a finished
    game: its result as both), then ``N_v = N_r = N``, and either way Q is
    ``Σ((1 - λ) v + λ z) / N``: the same search. They differ

    - while an answer is on its way: AlphaGo's v goes up when its network has answered, later than
      z, so N_v lags behind N_r; here both go up together;
    - below an expansion threshold: AlphaGo does not evaluate a position by its network again, so
      its v goes up once for many rollouts; here it goes up with each, and every simulation weighs
      the same.

    Args:
        value: v_θ, or a network as ``MCTS`` takes it. It is given the same generator for every
            position, so v is a function of the position; but one with the symmetry ``"random"`` is
            asked anew each time, with the search's generator. Its prior is not looked at.
        rollout: z, in [-1, 1] for the player to move at the leaf, as ``random_rollout()`` gives it.
        mixing_lambda: λ in [0, 1]; AlphaGo has 0.5 (Silver et al. 2016, Extended Data Table 5).

    Raises:
        ValueError: λ outside [0, 1], or an evaluator missing that has a weight. When it is asked:
            an answer of either that is nonsense, such as a value outside [-1, 1].
    """
    if rollout is random_rollout:
        raise ValueError("Pass random_rollout(), which makes an evaluator, not random_rollout.")
    check_mix(mixing_lambda, value, rollout)

    value_in = cache(partial(as_evaluator, value))  # the game is not known before it is asked

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
    """A policy with a soft-max temperature: logits / β, that is ``p ** (1 / β)``, renormalised.

    Chances that the policy gives to illegal moves are taken away before the rest is made to sum
    to 1. β below 1 makes the policy surer, above 1 less sure; 1 only renormalises. The paper writes
    p^β and calls β a temperature; here the logits are divided by it, as a temperature usually is.

    Args:
        policy: an evaluator; its prior is float [num_actions], 0 or more, None for all alike. Its
            value is handed on.
        temperature: β, above 0; AlphaGo has 0.67 (Silver et al. 2016, Extended Data Table 5).

    Raises:
        ValueError: a temperature that is not above 0. When it is asked: a prior of another shape or
            with a negative number or NaN, or one that leaves the legal moves nothing.
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
                "A policy must return (prior, value), the prior None or an array of numbers, not"
                f" {' '.join(repr(answer).split()):.80}."
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
    """float64 [B, num_actions], ``prior ** (1 / temperature)`` of the legal moves, sum 1 in a row.

    Raises:
        ValueError: as in ``tempered_policy``.
    """
    if prior.shape != legal_mask.shape or not (prior >= 0).all():
        raise ValueError(
            f"The policy must give chances {list(legal_mask.shape)}, 0 or more: those it gave are"
            f" {list(prior.shape)}, the least of them {prior.min(initial=inf)}."
        )
    prior = np.where(legal_mask, prior, 0.0)
    highest = prior.max(axis=1, keepdims=True)
    possible = ((highest > 0) & (highest < inf)).ravel()
    if not possible.all():
        row = int(possible.argmin())
        raise ValueError(
            f"The policy's chances for the legal moves in row {row} are {prior[row].tolist()}."
        )
    # The largest becomes 1, so that a small temperature underflows to 0, not overflows.
    shares = (prior / highest) ** (1 / temperature)
    return shares / shares.sum(axis=1, keepdims=True)


def check_mix(mixing_lambda: float, value, rollout) -> None:
    """ValueError unless λ lies in [0, 1] and what it weighs is there."""
    if not isinstance(mixing_lambda, Real) or not 0 <= mixing_lambda <= 1:
        raise ValueError(f"mixing_lambda must be a number in [0, 1], not {mixing_lambda!r}.")
    for name, given, weight in (
        ("value", value, 1 - mixing_lambda),
        ("rollout", rollout, mixing_lambda),
    ):
        if given is None and weight:
            raise ValueError(f"mixing_lambda {mixing_lambda} weighs {name}, and there is none.")


def check_temperature(temperature: float) -> None:
    """ValueError unless the soft-max temperature β is a finite number above 0."""
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
    """AlphaGo's search with AlphaGo's constants: ``alphago_search(…).run(state, n).best_action()``.

    A threshold of 40 belongs to many thousands of simulations: each node below the root costs 41
    before it is expanded, so a search of 400 expands fewer than ten.

    Args:
        policy: gives the priors, p_σ.
        value: v_θ; may be None where λ is 1.
        rollout: z; may be None where λ is 0.
        mixing_lambda: see ``mixed_evaluator``.
        temperature: β, see ``tempered_policy``.
        c: the weight of the prior in ``puct``.
        expand_threshold: n_thr, see ``MCTS``.
        num_threads: simulations under way at once, kept apart by the virtual loss: the
            ``batch_size`` of ``MCTS``, whose leaves are evaluated one by one.
        virtual_loss: n_vl, see ``MCTS``. AlphaGo takes it from the rollouts' statistics alone,
            ``N_r + n_vl`` and ``W_r - n_vl`` (Silver et al. 2016, Methods); here there is one N and
            one W.
        recorder: as in ``MCTS``, for a search with one thread.

    Raises:
        ValueError: an impossible setting, or a recorder and several threads.
    """
    check_count(num_threads, "num_threads")
    if num_threads > 1 and recorder is not None:
        raise ValueError("Only a search with one thread can be recorded: leave num_threads at 1.")
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
