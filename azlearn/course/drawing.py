"""What drawn cases are made of: positions, paths and nodes with statistics, from a generator."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from azlearn.course.comparing import About
from azlearn.course.your_search import in_words
from azlearn.games import State
from azlearn.search import Node

# What the nodes on a path were worth when they joined.
RAW_VALUES = (0.125, -0.375, 0.625)


class PathCase(NamedTuple):
    """A path to a new leaf, what it is worth there, and the numbers on its edges before."""

    words: str
    game: Any
    before: str  # moves that lead to the root
    actions: tuple[int, ...]  # from the root to the leaf
    value: float  # of the leaf, for the player to move there
    n: int  # on every edge before
    w: float
    right: Any = None


def leaning(game: Any, state: State, *, last: bool = False) -> list[float]:
    """A prior [num_actions] that leans to the first legal move, or to the last; 0 if none is."""
    legal = game.legal_actions(state)
    weights = {a: 1 + place for place, a in enumerate(legal if last else reversed(legal))}
    total = sum(weights.values()) or 1
    return [weights.get(action, 0) / total for action in range(game.num_actions)]


def grown_path(
    game: Any, before: str, actions: Sequence[int], n: int, w: float
) -> tuple[list[tuple[Node, int]], Node]:
    """The path along ``actions``, evaluated nodes with N = n, W = w on its edges; the new leaf."""
    node, path = Node(game, game.from_moves(before)), []
    for number, action in enumerate(actions):
        node.prior = leaning(game, node.state)
        node.raw_value = RAW_VALUES[number % len(RAW_VALUES)]
        node.visit_counts[action], node.value_sum[action] = n, w
        node.children[action] = Node(game, game.play(node.state, action))
        path.append((node, action))
        node = node.children[action]
    return path, node


def drawn_moves(rng: np.random.Generator, game: Any, most: int | None = None) -> str:
    """Random moves from the start, written from 1; they stop before the end of the game."""
    state, moves = game.initial_state(), ""
    for _ in range(int(rng.integers((most or game.max_plies) + 1))):
        after = game.next_state(state, action := int(rng.choice(game.legal_actions(state))))
        if game.outcome(after) is not None:
            break
        state, moves = after, moves + str(action + 1)
    return moves


def drawn_game(rng: np.random.Generator, game: Any, least: int = 0) -> str:
    """Random moves from the start, so many at least, written from 1; the last may end the game."""
    state, moves = game.initial_state(), ""
    for _ in range(int(rng.integers(least, game.max_plies + 1))):
        if game.outcome(state) is not None:
            break
        state = game.next_state(state, action := int(rng.choice(game.legal_actions(state))))
        moves += str(action + 1)
    return moves


def drawn_line(
    rng: np.random.Generator, games: Sequence[Any], longest: int = 4
) -> tuple[Any, str, tuple[int, ...]]:
    """(a game, moves to a position that is not over, 1 to ``longest`` actions from there)."""
    game = games[rng.integers(len(games))]
    before = drawn_moves(rng, game)
    state, actions = game.from_moves(before), []
    for _ in range(int(rng.integers(1, longest + 1))):
        actions.append(int(rng.choice(game.legal_actions(state))))
        state = game.next_state(state, actions[-1])
        if game.outcome(state) is not None:
            break
    return game, before, tuple(actions)


def drawn_numbers(rng: np.random.Generator) -> tuple[float, int, float]:
    """A value, a result or between, and N and W that an edge may have had before."""
    value = float(rng.choice([0.0, 1.0, -1.0, round(rng.uniform(-1, 1), 2)]))
    n = int(rng.integers(4))
    return value, n, round(float(rng.uniform(-n, n)), 1)


def drawn_path(
    rng: np.random.Generator, games: Sequence[Any], says: str, longest: int = 4
) -> PathCase:
    """A ``PathCase`` on a line of a game; ``says``: what gives the leaf its value, in words."""
    value, n, w = drawn_numbers(rng)
    game, before, actions = drawn_line(rng, games, longest)
    path = "".join(str(action + 1) for action in actions)
    words = f"{in_words(game, before)}, path {path}, {says} {value:g}, N = {n}, W = {w:g} before"
    return PathCase(words, game, before, actions, value, n, w)


def shares(found: Any, right: Any, within: float) -> About:
    """Measured shares; those that are as good as the right ones are shown as right."""
    is_near = np.abs(np.subtract(found, right)).max() < within
    return About(right if is_near else found, within)


def drawn_choices(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of some positions: bool [B, A], the legal moves; int [B], one of them each; [B, A], a part.

    The part is what a case may put far from the rest, 1 there and else 0: the chosen moves, the
    illegal ones, the legal ones, a position or all of them.
    """
    legal = rng.random((rng.integers(1, 6), rng.integers(2, 6))) < rng.choice([0.6, 1])
    num, moves = legal.shape
    action = rng.integers(moves, size=num)
    legal[np.arange(num), action] = True
    first = np.arange(num)[:, None] == np.zeros(moves)
    parts = np.eye(moves)[action], ~legal, legal, first, first | True
    return legal, action, parts[rng.integers(5)].astype(float)


def drawn_prior(rng: np.random.Generator, size: int) -> list[float]:
    """[size] shares with the sum 1, rounded; some may be 0."""
    weights = rng.integers(0, 4, size=size)
    weights[rng.integers(size)] += 1
    return (weights / weights.sum()).round(4).tolist()


def drawn_visits(rng: np.random.Generator, most: Sequence[int]) -> list[int]:
    """Visits of one move or up to seven, up to one of ``most``: 0, equal ones, one far ahead."""
    visits = rng.integers(rng.choice(most), size=rng.integers(1, 8), endpoint=True)
    visits[rng.integers(len(visits))] += 1 + visits.max() * rng.integers(2)
    return visits.tolist()
