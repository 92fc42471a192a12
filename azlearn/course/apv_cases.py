"""Simulations of AlphaGo's search and what the root should hold after them: for exercise 7.5.

Visits and values on the probe games are worked out by hand. On tic-tac-toe and Connect Four the
package's own search, which is tested against another one written from the paper, says them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

from azlearn.course import faulty_searches as faulty
from azlearn.course.comparing import Case
from azlearn.course.probe_games import P2, P4, P5, P6
from azlearn.course.puct_cases import even, jumbled, leaning, root_statistics
from azlearn.course.your_search import in_words
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, Evaluation, Node, Tree, puct
from azlearn.search.evaluators import hash_value

_THREE, _FOUR = TicTacToe(), ConnectFour()


def two_results(state: Any, visit: int) -> float:
    """0.5 at the first, third, … visit of a position, -0.25 at the second, fourth, …"""
    return (0.5, -0.25)[visit % 2]


def scattered(state: Any, visit: int) -> float:
    """Depends on the position's bits and on the visit; a multiple of 1/32, exact in binary."""
    return ((hash_value(*state) * 32 + 32 + 23 * visit) % 64 - 32) / 32


class Answers:
    """``evaluate(game, state)``: a new number at every visit of a position, as rollouts give it."""

    def __init__(self, value: Callable[[Any, int], float]) -> None:
        self.value, self.visits = value, Counter()

    def __call__(self, game: Any, state: Any) -> float:
        visit = self.visits[state]
        self.visits[state] += 1
        return self.value(state, visit)


# All with c = 1. `leaning` gives nine tenths of the prior to the first legal move.
_BY_HAND = (
    # Threshold 1. After the first move: 0.5, then -0.25 and it is expanded: W = -0.5 + 0.25. Then a
    # ply further down: 0.5, for the player at the root.
    (P4, 3, 1, [3], [0.25]),
    # 0 loses: -1 + 0.9/2 against 0.1, then -1 + 0.45·√2 against 0.05·√2, … : once, then move 1.
    (P2, 4, 0, [1, 3], [-1.0, 0.0]),
    # Threshold 1: 0.5 and -0.25 for the player who moves again; then his win, twice.
    (P6, 4, 1, [4, 0], [2.25, 0.0]),
    # Threshold 1: -0.5, +0.25, then twice the lost end.
    (P5, 4, 1, [0, 0, 0, 0, 4, 0, 0], [0, 0, 0, 0, -2.25, 0, 0]),
)
# game, moves, simulations, threshold, policy
_AGAINST_REFERENCE = (
    (_THREE, "152", 60, 0, jumbled),
    (_THREE, "1527", 90, 2, jumbled),
    (_FOUR, "445333", 80, 3, jumbled),
    (_FOUR, "44", 40, 1, even),
)


def root_after(
    game: Any,
    state: Any,
    num_simulations: int,
    threshold: int,
    policy: Callable,
    value: Callable,
    *,
    search: type[MCTS] = MCTS,
) -> Node:
    """The package's search, or one with a fault, with the answers that the exercise gives."""
    answers = Answers(value)
    found = search(
        game,
        puct(1.0),
        lambda game, state, rng: Evaluation(None, answers(game, state)),
        policy=lambda game, state, rng: (policy(game, state)[0], 0.0),
        expand_threshold=threshold,
    )
    root = new_root(game, state, policy)
    root.raw_value = 0.0  # so that the search leaves the root, and its visit of it, alone
    return found.run(state, num_simulations, tree=Tree(game, root)).root


def new_root(game: Any, state: Any, policy: Callable) -> Node:
    """A root with its prior and nothing else."""
    root = Node(game, state)
    root.prior = list(policy(game, state)[0])
    return root


@cache
def simulation_cases() -> tuple[Case, ...]:
    """Arguments (game, state, simulations, threshold, policy, value); right: (N, W) of the root."""
    cases = []
    for game, moves, simulations, threshold, policy in _AGAINST_REFERENCE:
        shown = f"{simulations} simulations of {in_words(game, moves)}, threshold {threshold}"
        arguments = (game, game.from_moves(moves), simulations, threshold, policy, scattered)
        cases.append(Case(shown, arguments, root_statistics(root_after(*arguments))))
    for game, simulations, threshold, visits, values in _BY_HAND:
        shown = f"{simulations} simulations of {game.name}, threshold {threshold}"
        arguments = (game, game.initial_state(), simulations, threshold, leaning, two_results)
        cases.append(Case(shown, arguments, (visits, values)))
    return tuple(cases)


# --- searches with a fault -----------------------------------------------------------------------


def with_threshold(change: Callable[[int], int]) -> type[MCTS]:
    """A search with another threshold than it is asked for."""

    class OwnThreshold(MCTS):
        def __init__(self, *slots, expand_threshold, **options):
            super().__init__(*slots, expand_threshold=change(expand_threshold), **options)

    return OwnThreshold


class CountsOnTheParent(MCTS):
    """Expands by the visits of all moves of the node above."""

    def expand_leaf(self, path, leaf):
        leaf = leaf or self._add_child(*path[-1])
        visits = path[-1][0].num_visits + 1
        if leaf.outcome is None and leaf.prior is None and visits > self.expand_threshold:
            self.ask_policy(leaf, self.rng)
        return [(path, leaf)]


class EvaluatesOnce(MCTS):
    """Backs the first evaluation of a node up again at every later visit."""

    def evaluate_leaf(self, leaf, rng):
        if leaf.raw_value is not None:
            return Evaluation(None, leaf.raw_value)
        return super().evaluate_leaf(leaf, rng)


class GoesOn(MCTS):
    """Walks on from a node in the visit that expands it."""

    def expand_leaf(self, path, leaf):
        [(path, leaf)] = super().expand_leaf(path, leaf)
        while leaf.prior is not None and leaf.outcome is None:
            path = [*path, (leaf, self.choose(leaf))]
            [(path, leaf)] = super().expand_leaf(path, leaf.children[path[-1][1]])
        return [(path, leaf)]


class EndingForTheOther(MCTS):
    """Takes a finished game's outcome for the player who has just moved."""

    def evaluate_leaf(self, leaf, rng):
        if leaf.outcome is not None:
            return Evaluation(None, -leaf.outcome)
        return super().evaluate_leaf(leaf, rng)


class ExpandsWithoutAValue(MCTS):
    """The visit that expands a node is booked as a draw."""

    def evaluate_leaf(self, leaf, rng):
        if leaf.outcome is None and leaf.prior is not None:
            return Evaluation(None, 0.0)
        return super().evaluate_leaf(leaf, rng)


FAULTY = {
    "expanded at once, whatever the threshold": with_threshold(lambda t: 0),
    "expanded one visit late": with_threshold(lambda t: t + 1),
    "expanded one visit early": with_threshold(lambda t: max(t - 1, 0)),
    "counted on the parent": CountsOnTheParent,
    "evaluated once only": EvaluatesOnce,
    "walks on in the visit that expands": GoesOn,
    "the visit that expands has no value": ExpandsWithoutAValue,
    "value not negated at backup": faulty.WrongSign,
    "the sign starts on the wrong side": faulty.FlipsLate,
    "flips although the same player moves again": faulty.FlipsAlways,
    "finished game valued for the wrong player": EndingForTheOther,
    "finished game counted as 0": faulty.EndingIsZero,
    "of equal scores the last is taken": faulty.TakesTheLast,
    "never goes below the first move": faulty.StaysShallow,
}
