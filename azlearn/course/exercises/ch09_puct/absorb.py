"""One question to the network, one value up the path (9.1). The changes of W are worked out by hand."""

from azlearn.course.drawing import PathCase, drawn_path, grown_path, leaning
from azlearn.course.kit import FOUR, THREE
from azlearn.course.probe_games import P2, P5, P6, chain
from azlearn.course.your_puct import puct_consequence, record_puct

SECOND = chain("a game in which the second player moves twice", [1, 1, 0], 0)
remark = puct_consequence
CASES = [
    PathCase(words, game, before, actions, value, n, w, {"change of W": change})
    for words, game, before, actions, value, n, w, change in (
        ("a leaf after 2 plies that the network gives 0.6", FOUR, "", (3, 2), 0.6, 0, 0.0, [0.6, -0.6]),
        ("a leaf after 3 plies that the network gives -0.5, with N = 2, W = 0.9 before", FOUR, "", (3, 3, 2), -0.5, 2, 0.9, [0.5, -0.5, 0.5]),
        ("a leaf after 1 ply that the network gives 0.25, the second player at the root", FOUR, "4", (4,), 0.25, 1, -0.5, [-0.25]),
        ("a board that Red has just won", FOUR, "112233", (3,), 0.3, 1, 0.5, [1]),
        ("a board that Red has won, 2 plies down", FOUR, "1213147", (6, 0), 0.3, 0, 0.0, [-1, 1]),
        ("a finished game that the player to move has won", P2, "", (0,), 0.3, 0, 0.0, [-1]),
        ("a drawn tic-tac-toe board", THREE, "13246578", (8,), 0.3, 3, 1.5, [0]),
        ("a leaf at which the same player moves again, and the network gives 0.4", P6, "", (0,), 0.4, 1, 0.2, [0.4]),
        ("a leaf at which the second player moves again, and the network gives 0.4", SECOND, "", (0,), 0.4, 1, 0.2, [0.4]),
        ("a leaf with one legal move that the network gives -0.75", P5, "", (4,), -0.75, 0, 0.0, [0.75]),
    )
]  # fmt: skip


def draw(rng):
    return drawn_path(rng, (FOUR, THREE, P6), "the network gives")


def observe(absorb, line):
    path, leaf = grown_path(line.game, line.before, line.actions, line.n, line.w)
    edges, asked = list(path), []

    def evaluate(game, state) -> tuple[list[float], float]:
        asked.append(state)
        return leaning(game, state, last=True), line.value

    absorb(line.game, path, leaf, evaluate)
    return {
        "questions about the leaf": asked.count(leaf.state),
        "questions about other positions": len(asked) - asked.count(leaf.state),
        "N of the leaf's own moves": leaf.visit_counts,
        "the parent's prior": edges[-1][0].prior,
        "leaf.prior": leaf.prior,
        "leaf.raw_value": leaf.raw_value if leaf.outcome is None else None,  # free if it is over
        "change of N": [node.visit_counts[a] - line.n for node, a in edges],
        "change of W": [round(node.value_sum[a] - line.w, 9) for node, a in edges],
    }


def explore(call, diagnosis):
    return record_puct(absorb=call.quietly)
