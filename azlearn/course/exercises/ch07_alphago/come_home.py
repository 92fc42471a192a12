"""A thread comes home (7.4): its virtual loss goes, its value is booked. The changes are by hand."""

import numpy as np

from azlearn.course.drawing import drawn_line, grown_path
from azlearn.course.kit import FOUR, THREE, Case, in_words
from azlearn.course.probe_games import P6, chain
from azlearn.course.your_alphago import search_with
from azlearn.search import Node

SECOND = chain("a game in which the second player moves twice", [1, 1, 0], 0)
explore, remark = search_with("come_home")
# Arguments: game, moves before the root, actions, value at the leaf, virtual loss, N and W of each edge before
# (this thread's virtual loss in them); right: the changes of N and of W.
CASES = [
    Case(words, arguments, {"change of N": n, "change of W": w})
    for words, arguments, n, w in (
        # 0.6 for the leaf's mover, who is the root's: +0.6 above, -0.6 on the last edge; 3 lost games come back on both.
        ("a leaf 2 plies down with the value 0.6, virtual loss 3", (FOUR, "", (3, 2), 0.6, 3, ((12, 1.5), (4, -2.5))), [-2, -2], [3.6, 2.4]),
        ("a leaf 3 plies down with the value -0.5, virtual loss 1", (FOUR, "", (3, 3, 2), -0.5, 1, ((9, 2.0), (5, -1.0), (1, -1.0))), [0, 0, 0], [1.5, 0.5, 1.5]),
        ("a new leaf with the value 0.25, virtual loss 2", (FOUR, "4", (4,), 0.25, 2, ((2, -2.0),)), [-1], [1.75]),
        ("a leaf 2 plies down where three threads are under way, value -1, virtual loss 3", (THREE, "", (4, 0), -1.0, 3, ((30, -8.0), (10, -9.5))), [-2, -2], [2, 4]),
        ("a board that X has just won (value -1 for O), virtual loss 3", (THREE, "1425", (2,), -1.0, 3, ((5, -1.0),)), [-2], [4]),
        ("a leaf at which the same player moves again, value 0.4, virtual loss 2", (P6, "", (0,), 0.4, 2, ((4, -1.2),)), [-1], [2.4]),
        ("a leaf at which the second player moves again, value 0.4, virtual loss 2", (SECOND, "", (0,), 0.4, 2, ((4, -1.2),)), [-1], [2.4]),
        # The mover of both edges has won: +1 on each.
        ("two moves of the same player, the second wins (value -1 for the other), virtual loss 2", (P6, "", (0, 0), -1.0, 2, ((7, 0.5), (3, -2.0))), [-1, -1], [3, 3]),
        ("a leaf 2 plies down with the value 0.5, virtual loss 0", (FOUR, "", (0, 6), 0.5, 0, ((6, 1.0), (2, 0.5))), [1, 1], [0.5, -0.5]),
    )
]  # fmt: skip


def draw(rng):
    """Up to three more threads on every edge; W of the finished visits is 0 now and then."""
    game, before, actions = drawn_line(rng, (FOUR, THREE, P6))
    value, loss = float(rng.choice([0, 1, -1, 0.375, -0.625])), int(rng.choice([0, 1, 2, 3, 10]))
    edges = []
    for _ in actions:
        visits, lost = int(rng.integers(6)), loss * int(rng.integers(1, 5))
        edges.append((visits + lost, float(rng.integers(-visits, visits + 1) / 2 - lost)))
    words = f"{in_words(game, before)}, path {actions}, value {value:g}, virtual loss {loss}"
    words = f"{words}, on it {edges}"
    return Case(words, (game, before, actions, value, loss, edges))


def observe(come_home, case):
    game, before, actions, value, virtual_loss, edges = case.arguments
    path, leaf = grown_path(game, before, actions, 0, 0.0)
    for (node, action), (n, w) in zip(path, edges, strict=True):
        node.visit_counts = [2 * (a in node.legal_actions) for a in range(game.num_actions)]
        node.visit_counts[action], node.value_sum[action] = n, w
    nodes = [node for node, _ in path] + [leaf]
    were = statistics(nodes)
    come_home(path, leaf, value, virtual_loss)
    change, on_path = statistics(nodes) - were, (np.arange(len(actions)), slice(None), actions)
    n, w = change[on_path].T.tolist()
    change[on_path] = 0
    at_root, *deeper = change.any(axis=(1, 2))
    where = "at the root" if at_root else "below the root" if any(deeper) else "none"
    return {"changes beside the path": where, "change of N": n, "change of W": w}


def statistics(nodes: list[Node]) -> np.ndarray:
    """float [nodes, N and W, actions]."""
    return np.array([[node.visit_counts, node.value_sum] for node in nodes])
