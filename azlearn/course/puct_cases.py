"""Searches with PUCT and what their roots should hold: for exercise 9.6.

Visits and values on the probe games are worked out by hand. On tic-tac-toe and Connect Four the
package's own search, which is tested against other engines, says what they should be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from azlearn.course.comparing import Case
from azlearn.course.probe_games import P2, P4, P5, P6
from azlearn.course.your_search import in_words
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, Node, hash_evaluator, puct

_THREE, _FOUR = TicTacToe(), ConnectFour()


class AskedAtTheEnd(Exception):
    """The network was asked about a finished game."""


def leaning(game: Any, state: Any) -> tuple[list[float], float]:
    """Nine tenths of the prior on the first legal move; every position is worth 0.25."""
    legal = game.legal_actions(state)
    if not legal:
        raise AskedAtTheEnd
    prior = [0.0] * game.num_actions
    for action in legal:
        prior[action] = 0.1 / max(1, len(legal) - 1)
    prior[legal[0]] = 0.9 if len(legal) > 1 else 1.0
    return prior, 0.25


def jumbled(game: Any, state: Any) -> tuple[list[float], float]:
    """A prior and a value that depend on the position's bits alone."""
    legal = game.legal_actions(state)
    if not legal:
        raise AskedAtTheEnd
    weights = [0.0] * game.num_actions
    for action in legal:
        weights[action] = 1.5 + hash_evaluator(game, game.next_state(state, action), None).value
    return [w / sum(weights) for w in weights], hash_evaluator(game, state, None).value


def even(game: Any, state: Any) -> tuple[list[float], float]:
    """All moves alike, every position even: equal scores everywhere."""
    legal = game.legal_actions(state)
    if not legal:
        raise AskedAtTheEnd
    return [(action in legal) / len(legal) for action in range(game.num_actions)], 0.0


def turned_over(prior: list[float], legal_actions: list[int]) -> list[float]:
    """Stands for the noise: the legal moves get each other's shares, the last the first's."""
    mixed = [0.0] * len(prior)
    for action, other in zip(legal_actions, reversed(legal_actions), strict=True):
        mixed[action] = prior[other]
    return mixed


# Every position that is not over is worth 0.25, the first legal move has 0.9 of the prior, and at
# the root, turned over, the last has. By hand, with c = 1:
_BY_HAND = (
    # 0 loses, 1 draws. Move 1: 0 + 0.9; then 1: 0 + 0.9 / 2 against 0.1, and 0.9 √2 / 3 = 0.424
    # against 0.1 √2 = 0.141, 0.9 √3 / 4 = 0.390 against 0.173: always move 1.
    (P2, 4, [0, 4], [0.0, 0.0]),
    # The values on the only path: -0.25, +0.25, 0, 0.
    (P4, 4, [4], [0.0]),
    # -0.25, then twice the lost end.
    (P5, 3, [0, 0, 0, 0, 3, 0, 0], [0, 0, 0, 0, -2.25, 0, 0]),
    # Move 1 (0.9): -0.25. Then 0.1 against -0.25 + 0.45: move 1, the drawn end. Then 0.141 against
    # -0.125 + 0.424, and 0.173 against -0.083 + 0.390: the drawn end twice more.
    (P6, 4, [0, 4], [0.0, -0.25]),
)
# (game, moves, simulations, c, evaluate)
_AGAINST_REFERENCE = (
    (_THREE, "152", 60, 1.25, jumbled),
    (_THREE, "1527", 90, 2.5, jumbled),
    (P6, "", 12, 4.0, jumbled),
    (_FOUR, "445333", 80, 1.25, jumbled),
    (_FOUR, "44", 40, 1.25, even),
)


@dataclass(frozen=True)
class _TurnedOver:
    """``turned_over`` in the place of RootNoise."""

    def mixed(self, node: Node, rng: Any) -> list[float]:
        return turned_over(node.prior, node.legal_actions)


def root_of_search(
    game: Any,
    state: Any,
    num_simulations: int,
    c: float,
    evaluate: Callable,
    *,
    search: type[MCTS] = MCTS,
    rule: Callable = puct,
    noise: Any = _TurnedOver(),
) -> Node:
    """The package's search, or one with a fault, as the exercise asks for it."""
    found = search(game, rule(c), lambda game, state, rng: evaluate(game, state), root_noise=noise)
    return found.run(state, num_simulations).root


@cache
def search_cases() -> tuple[Case, ...]:
    """Arguments (game, state, simulations, c, evaluate); right: (visit_counts, value_sum)."""
    cases = []
    for game, simulations, visits, values in _BY_HAND:
        shown = f"{game.name} ({simulations} simulations, c = 1, every leaf worth 0.25)"
        arguments = (game, game.initial_state(), simulations, 1.0, leaning)
        cases.append(Case(shown, arguments, (visits, values)))
    for game, moves, simulations, c, evaluate in _AGAINST_REFERENCE:
        shown = f"{in_words(game, moves)} ({simulations} simulations, c = {c:g})"
        arguments = (game, game.from_moves(moves), simulations, c, evaluate)
        cases.append(Case(shown, arguments, root_statistics(root_of_search(*arguments))))
    return tuple(cases)


def root_statistics(root: Node) -> tuple[list[int], list[float]]:
    """N and W of the root's moves."""
    return list(root.visit_counts), list(root.value_sum)
