"""The whole search (3.5). Visits and values on the probe games are worked out by hand."""

from collections.abc import Iterator

import numpy as np

from azlearn.course.drawing import drawn_moves
from azlearn.course.kit import FOUR, THREE, Case, in_words, show
from azlearn.course.probe_games import P1, P2, P3, P4, P5, P6, P7, chain
from azlearn.course.your_search import NUM_SIMULATIONS, consequence, where_it_shows
from azlearn.search import Node, Tree, hash_evaluator, random_rollout

THE_ROOT = "the root"


def run(game, moves: str, simulations: int, c: float, value: float | None, *right) -> Case:
    """``value``: of every position; None for a jumble of its bits."""
    words = f"{in_words(game, moves)} ({simulations} simulations, c = {c:g}"
    words += ")" if value is None else f", every leaf worth {value:g})"
    by_hand = dict(zip(("N at the root", "W at the root"), right, strict=False))
    return Case(words, (game, moves, simulations, c, value), by_hand or None)


NUM_DRAWN = 40
remark = consequence
CASES = [
    # The only move wins, and each return to it counts.
    run(P1, "", 5, 1.0, 0.25, [5], [5.0]),
    # 0 is a loss, 1 a draw: one visit each, then -1 + sqrt(ln 2) < sqrt(ln 2), and again.
    run(P2, "", 4, 1.0, 0.25, [1, 3], [-1.0, 0.0]),
    # The values on the only path: -0.25, +0.25, 0, 0.
    run(P4, "", 4, 1.0, 0.25, [4], [0.0]),
    # -0.25, then twice the lost end.
    run(P5, "", 3, 1.0, 0.25, [0, 0, 0, 0, 3, 0, 0], [0, 0, 0, 0, -2.25, 0, 0]),
    # +0.25 (the same player moves on), -0.25, then below move 0 a win and a loss.
    run(P6, "", 4, 1.0, 0.25, [3, 1], [0.25, -0.25]),
    # Three times the lost end; the second time its score is -1 already.
    run(P7, "", 3, 1.0, 0.25, [3], [-3.0]),
    # The test holds these to the package's search.
    run(P3, "", 12, 0.7, None),
    run(THREE, "152", 60, 0.7, None),
    run(FOUR, "445333", 40, 1.0, None),
]


def draw(rng):
    """Boards; tables in which any player moves any number of times, and a search goes deep."""
    game = (THREE, FOUR, P3, P6, None, None)[rng.integers(6)]
    if game is None:
        movers, width = rng.integers(2, size=rng.integers(2, 13)).tolist(), int(rng.integers(1, 3))
        words = f"a game in which the players {movers[:-1]} move"
        game = chain(words, movers, int(rng.integers(-1, 2)), width)
    value = None if rng.random() < 0.7 else float(rng.choice([-1, 0, 0.5]))
    c = float(rng.choice([0.3, 1.0, 2.5]))
    return run(game, drawn_moves(rng, game, 5), int(rng.integers(1, 40)), c, value)


def observe(uct_search, case):
    its, moves, num_simulations, c, value = case.arguments
    start, own, asked = its.from_moves(moves), np.random.default_rng(0), []

    def evaluate(game, state, rng) -> float:
        asked.append((state, rng is own, game is its))
        return hash_evaluator(game, state, None).value if value is None else value

    root = uct_search(its, start, num_simulations, c, evaluate, own)
    root = getattr(root, "root", root)
    seen = {"what is returned": kind(root, start)}
    if not isinstance(root, Node):
        return seen
    levels = list(levels_of(root))
    return seen | {
        "questions about finished games": sum(its.outcome(s) is not None for s, *_ in asked),
        "N at the root": list(root.visit_counts),
        "W at the root": list(root.value_sum),
        "N, level by level": [[n.visit_counts for n in nodes] for nodes in levels],
        "W, level by level": [[n.value_sum for n in nodes] for nodes in levels],
        "positions in the order of the questions": [s for s, *_ in asked if s != start],
        "questions with another generator than `rng`": sum(not same for _, same, _ in asked),
        "questions about another game than `game`": sum(not same for *_, same in asked),
    }


def kind(root, start) -> str:
    if not isinstance(root, Node):
        return f"{type(root).__name__}, no Node"
    return THE_ROOT if root.state == start else "another Node"


def levels_of(root: Node) -> Iterator[list[Node]]:
    """The nodes at each depth that have visits."""
    nodes = [root]
    while nodes := [node for node in nodes if node.num_visits]:
        yield nodes
        nodes = [child for node in nodes for child in node.children if child]


def explore(call, diagnosis):
    """The reader's search with random rollouts, on a position where its fault shows."""
    game, start = where_it_shows(diagnosis)
    rollout, rng = random_rollout(), np.random.default_rng(0)
    value = lambda game, state, rng: rollout(game, state, rng).value  # noqa: E731
    root = call.quietly(game, start, NUM_SIMULATIONS, 1.0, value, rng)
    root = getattr(root, "root", root)
    if kind(root, start) != THE_ROOT:
        raise ValueError("the root was not returned.")
    return Tree(game, root)


def form(value):
    return text if len(text := show(value)) < 100 else f"{text[:100]}…"
