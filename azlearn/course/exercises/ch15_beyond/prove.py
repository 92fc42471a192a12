"""What the proofs of the moves say of a node (15.5). The answers follow from the rule by hand."""

from azlearn.course.kit import Case

CASES = [
    Case("", (0, [(1, 1), (1, 0), (1, None)]), None),  # a loss, a draw, and a move that may win
    Case("", (0, [(1, 1), (1, -1), None]), 1),
    Case("", (1, [(0, 1), (0, 1)]), -1),
    Case("", (1, [(0, 1), (0, 0), (0, 1)]), 0),
    Case("", (0, [(1, 0), None]), None),
    Case("", (0, [(1, 1), (1, None)]), None),
    Case("", (0, [(0, 1), (1, None)]), 1),  # the same player moves again
    Case("", (1, [(1, -1), (0, 1)]), -1),
    Case("", (0, [(1, 0)]), 0),
    Case("", (0, [None]), None),
]


def draw(rng):
    """Both players, some of them twice in a row; wins, draws, losses, no proof, no node."""
    kinds = [None, 1, 0, -1] if rng.random() < 0.6 else [0, 1, -1]
    to_play, size = int(rng.integers(2)), int(rng.integers(1, 7))
    children = [(int(rng.integers(2)), kinds[rng.integers(len(kinds))]) for _ in range(size)]
    if rng.random() < 0.2:
        children[rng.integers(size)] = None
    return Case("", (to_play, children))
