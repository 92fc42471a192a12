"""AlphaGo's search with the student's function for one part, to be shown in the explorer.

It searches the position of ``your_puct``, whose stand-in replaces both networks; a rollout is a
game finished at random. (``azlearn.alphago`` has this search too, but importing it loads torch.)
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from azlearn.course.numbers import numbers
from azlearn.course.your_puct import GAME, START, puct_consequence, stand_in
from azlearn.course.your_search import NUM_SIMULATIONS, SearchWith, recorded
from azlearn.games import State
from azlearn.search import Evaluation, Node, Recording, Tree, puct
from azlearn.search.evaluators import random_moves

C = 1.25
# With λ = 0.5, swapping λ and 1 - λ would not show.
MIXING_LAMBDA, TEMPERATURE, EXPAND_THRESHOLD = 0.25, 0.67, 3
NUM_THREADS, VIRTUAL_LOSS = 8, 3
# Meaningless network outputs, which a search must ignore: for illegal moves and finished games.
ILLEGAL_LOGIT, VALUE_AT_THE_END = 1.0, 0.25


def stand_in_logits(state: State) -> list[float]:
    """Returns the stand-in's prior as logits, [num_actions], the highest for illegal moves."""
    prior, _ = stand_in(GAME, state)
    return [math.log(p) if p else ILLEGAL_LOGIT for p in prior]


def right_prior(logits: list[float], temperature: float = TEMPERATURE) -> list[float]:
    """Returns the prior for logits in which ``ILLEGAL_LOGIT`` marks the illegal moves."""
    weights = [0.0 if x == ILLEGAL_LOGIT else math.exp(x / temperature) for x in logits]
    return [weight / sum(weights) for weight in weights]


def apv_parts(
    priors: Callable[..., Any] | None = None,
    leaf_value: Callable[..., Any] | None = None,
    should_expand: Callable[..., Any] | None = None,
    expand_threshold: int = EXPAND_THRESHOLD,
) -> dict[str, Any]:
    """Returns the arguments of ``SearchWith`` for AlphaGo's search with the stand-in.

    Args:
        priors: (logits, legal_mask, temperature) -> prior, all [num_actions].
        leaf_value: (game, leaf, v, final, mixing_lambda) -> the leaf's value.
        should_expand: (path, leaf, expand_threshold) -> bool.
        expand_threshold: n_thr.
    """

    def prior(state: State) -> list[float]:
        logits = stand_in_logits(state)
        if priors is None:
            return right_prior(logits)
        answer = priors(np.array(logits), GAME.legal_mask(state), TEMPERATURE)
        found = [float(p) for p in numbers(answer)]
        if len(found) != GAME.num_actions or not all(map(math.isfinite, found)):
            raise ValueError(f"priors must return {GAME.num_actions} finite numbers, not {found}.")
        return found

    def value(leaf: Node, rng: np.random.Generator) -> float:
        final = random_moves(GAME, leaf.state, rng)[1]
        v = stand_in(GAME, leaf.state)[1] if leaf.outcome is None else VALUE_AT_THE_END
        return float(leaf_value(GAME, leaf.state, v, final, MIXING_LAMBDA))

    return {
        "game": GAME,
        "scores": puct(C),
        "evaluate": right_mix,
        "policy": lambda game, state, rng: (prior(state), 0.0),
        "prior": prior,
        "value": leaf_value and value,
        "should_expand": should_expand,
        "expand_threshold": expand_threshold,
    }


def right_mix(game: Any, state: State, rng: np.random.Generator) -> Evaluation:
    """Evaluates a position correctly: mixes the stand-in's value with a rollout's result."""
    moves, final = random_moves(game, state, rng)
    z = game.outcome(final) * (1 if game.to_play(final) == game.to_play(state) else -1)
    v = stand_in(game, state)[1]
    return Evaluation(None, (1 - MIXING_LAMBDA) * v + MIXING_LAMBDA * z, moves)


class ThreadsWith(SearchWith):
    """AlphaGo's search with eight simulations in progress at once; the oldest finishes first.

    Args:
        come_home: (path, leaf, value, virtual_loss) -> None; removes the virtual loss and backs
            the value up.
    """

    def __init__(self, come_home: Callable[..., Any] | None = None) -> None:
        super().__init__(**apv_parts(expand_threshold=0))
        self._come_home = come_home or self._home

    def grow(self, tree, num_simulations, stop):
        in_progress: list[tuple] = []
        for _ in range(num_simulations):
            if len(in_progress) == NUM_THREADS:
                self._come_home(*in_progress.pop(0), VIRTUAL_LOSS)
            path, leaf = self.expand_leaf(*self.descend(tree.root))[0]
            value = self.evaluate_leaf(leaf, self.rng).value
            for node, action in path:
                node.visit_counts[action] += VIRTUAL_LOSS
                node.value_sum[action] -= VIRTUAL_LOSS
            in_progress.append((list(path), leaf, value))
        for thread in in_progress:
            self._come_home(*thread, VIRTUAL_LOSS)

    def _home(self, path, leaf, value, virtual_loss) -> None:
        for node, action in path:
            node.visit_counts[action] -= virtual_loss
            node.value_sum[action] += virtual_loss
        self.backup(path, leaf, value)


def grow_by_threads(come_home: Callable[..., Any] | None = None) -> Tree:
    """Runs 200 simulations with eight threads.

    Raises:
        ValueError: the root has no visits left, so there is nothing to show.
    """
    tree = ThreadsWith(come_home).run(START, NUM_SIMULATIONS, 0)
    if tree.root.num_visits <= 0:
        raise ValueError("all threads have finished, but the root has no visits.")
    return tree


@cache
def right_apv() -> Node:
    """Returns the root of the correct search."""
    return SearchWith(**apv_parts()).run(START, NUM_SIMULATIONS, 0).root


@cache
def right_threads() -> Node:
    """Returns the root of the correct search with eight threads."""
    return grow_by_threads().root


def grow_by_simulations(simulate: Callable[..., Any]) -> Tree:
    """Calls ``simulate(game, root, select, policy, evaluate, threshold)`` 200 times."""
    root, scores, rng = Node(GAME, START), puct(C), np.random.default_rng(0)

    def policy(game: Any, state: State) -> list[float]:
        return right_prior(stand_in_logits(state))

    root.prior = policy(GAME, START)
    evaluate = lambda game, state: right_mix(game, state, rng).value  # noqa: E731
    slots = (lambda node: np.array(scores(node))), policy, evaluate
    for _ in range(NUM_SIMULATIONS):
        simulate(GAME, root, *slots, EXPAND_THRESHOLD)
    return Tree(GAME, root)


def search_with(part: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Returns ``explore`` and ``remark`` for the exercise whose answer is this part."""

    def record(answer: Callable[..., Any]) -> Recording | Tree:
        return recorded(SearchWith(**apv_parts(**{part: answer})), START)

    grow, right = {
        "come_home": (grow_by_threads, right_threads),
        "simulate": (grow_by_simulations, right_apv),
    }.get(part, (record, right_apv))
    return (
        lambda call, diagnosis: grow(call.quietly),
        lambda found: puct_consequence(found, right()),
    )
