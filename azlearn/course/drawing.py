"""Random building blocks of test cases: positions, paths and statistics."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from azlearn.course.comparing import About
from azlearn.course.your_search import in_words
from azlearn.games import State
from azlearn.search import Node

# The values of the nodes on a path when they were first evaluated.
RAW_VALUES = (0.125, -0.375, 0.625)


class PathCase(NamedTuple):
    """A path to a new leaf, the leaf's value, and the edges' statistics before the backup."""

    words: str
    game: Any
    before: str  # moves that lead to the root
    actions: tuple[int, ...]  # from the root to the leaf
    value: float  # of the leaf, for the player to move there
    n: int  # N of every edge before the backup
    w: float  # W of every edge before the backup
    right: Any = None


def leaning(game: Any, state: State, *, last: bool = False) -> list[float]:
    """A prior [num_actions] that favors the first legal moves, or the last; 0 if none is legal."""
    legal = game.legal_actions(state)
    weights = {a: 1 + place for place, a in enumerate(legal if last else reversed(legal))}
    total = sum(weights.values()) or 1
    return [weights.get(action, 0) / total for action in range(game.num_actions)]


def grown_path(
    game: Any, before: str, actions: Sequence[int], n: int, w: float
) -> tuple[list[tuple[Node, int]], Node]:
    """Returns a path along ``actions`` with N = n and W = w on its edges, and the new leaf."""
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
    """Plays random moves from the start, as digits from 1; stops before the game is over."""
    state, moves = game.initial_state(), ""
    for _ in range(int(rng.integers((most or game.max_plies) + 1))):
        after = game.next_state(state, action := int(rng.choice(game.legal_actions(state))))
        if game.outcome(after) is not None:
            break
        state, moves = after, moves + str(action + 1)
    return moves


def drawn_game(rng: np.random.Generator, game: Any, least: int = 0) -> str:
    """Plays random moves, as digits from 1: ``least`` or more, unless the game ends earlier."""
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
    """Samples (a game, moves to an unfinished position, 1 to ``longest`` actions from there)."""
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
    """Samples a value in [-1, 1] (often a result) and an edge's N and W before the backup."""
    value = float(rng.choice([0.0, 1.0, -1.0, round(rng.uniform(-1, 1), 2)]))
    n = int(rng.integers(4))
    return value, n, round(float(rng.uniform(-n, n)), 1)


def drawn_path(
    rng: np.random.Generator, games: Sequence[Any], says: str, longest: int = 4
) -> PathCase:
    """Samples a ``PathCase``; ``says`` describes where the leaf's value comes from."""
    value, n, w = drawn_numbers(rng)
    game, before, actions = drawn_line(rng, games, longest)
    path = "".join(str(action + 1) for action in actions)
    words = f"{in_words(game, before)}, path {path}, {says} {value:g}, N = {n}, W = {w:g} before"
    return PathCase(words, game, before, actions, value, n, w)


def shares(found: Any, right: Any, within: float) -> About:
    """Measured fractions to compare; replaced by the right ones if all are within ``within``."""
    is_near = np.abs(np.subtract(found, right)).max() < within
    return About(right if is_near else found, within)


def drawn_choices(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Samples the legal moves (bool [B, A]), a choice of them (int [B]), and a part ([B, A]).

    The part marks with 1 (else 0) the entries that a case may set far from the rest: the chosen
    moves, the illegal moves, the legal moves, the first position, or everything.
    """
    legal = rng.random((rng.integers(1, 6), rng.integers(2, 6))) < rng.choice([0.6, 1])
    num, moves = legal.shape
    action = rng.integers(moves, size=num)
    legal[np.arange(num), action] = True
    first = np.arange(num)[:, None] == np.zeros(moves)
    parts = np.eye(moves)[action], ~legal, legal, first, first | True
    return legal, action, parts[rng.integers(5)].astype(float)


def drawn_prior(rng: np.random.Generator, size: int) -> list[float]:
    """Samples [size] probabilities that sum to 1 up to rounding; some may be 0."""
    weights = rng.integers(0, 4, size=size)
    weights[rng.integers(size)] += 1
    return (weights / weights.sum()).round(4).tolist()


def drawn_visits(rng: np.random.Generator, most: Sequence[int]) -> list[int]:
    """Samples visit counts of 1 to 7 moves: zeros, ties, or one move far ahead.

    One of ``most``, chosen at random, limits the counts before one move is put ahead.
    """
    visits = rng.integers(rng.choice(most), size=rng.integers(1, 8), endpoint=True)
    visits[rng.integers(len(visits))] += 1 + visits.max() * rng.integers(2)
    return visits.tolist()
