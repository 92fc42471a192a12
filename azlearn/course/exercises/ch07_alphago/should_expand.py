"""The expansion threshold (7.3), counted on the edge that leads to the leaf; yes or no by hand."""

from azlearn.course.drawing import drawn_line, grown_path
from azlearn.course.kit import FOUR, THREE, Case, in_words
from azlearn.course.probe_games import P2, P6
from azlearn.course.your_alphago import search_with

explore, remark = search_with("should_expand")
# Arguments: game, moves before the root, actions of the path, N of its edges, threshold.
CASES = [
    Case("a new leaf, threshold 0", (FOUR, "", (3,), (0,), 0), True),  # 1 > 0
    Case("a new leaf, threshold 1", (FOUR, "", (3,), (0,), 1), False),  # 1 > 1 fails
    Case("a leaf with one visit before, threshold 1", (FOUR, "", (3,), (1,), 1), True),  # 2 > 1
    Case("N = 9 and 2 on the path, threshold 3", (FOUR, "4", (3, 2), (9, 2), 3), False),
    Case("N = 9 and 3 on the path, threshold 3", (FOUR, "4", (3, 2), (9, 3), 3), True),
    Case("N = 50, 20 and 1 on the path, threshold 3", (FOUR, "", (3, 2, 2), (50, 20, 1), 3), False),
    Case("N = 100 and 39 on the path, threshold 40", (FOUR, "", (0, 6), (100, 39), 40), False),
    Case("N = 100 and 40 on the path, threshold 40", (FOUR, "", (0, 6), (100, 40), 40), True),
    Case("N = 12 and 7 on the path, not expanded yet although the threshold is 3", (THREE, "5", (0, 2), (12, 7), 3), True),
    Case("a finished, won game with N = 7, threshold 3", (FOUR, "112233", (3,), (7,), 3), False),
    Case("a finished, drawn game with N = 7, threshold 3", (THREE, "1324657", (7, 8), (11, 7), 3), False),
    Case("a game that the player to move has won, with N = 7, threshold 3", (P2, "", (0,), (7,), 3), False),
]  # fmt: skip


def draw(rng):
    game, before, actions = drawn_line(rng, (FOUR, THREE, P2, P6))
    threshold = int(rng.choice([0, 1, 2, 3, 40]))
    counts = [max(0, threshold + int(rng.integers(-2, 4)))]
    for _ in actions[1:]:
        counts.insert(0, counts[0] + threshold + 1 + int(rng.integers(threshold + 3)))
    words = f"{in_words(game, before)}, N = {counts} on the path {actions}, threshold {threshold}"
    return Case(words, (game, before, actions, counts, threshold))


def grow(game, before: str, actions, counts, threshold: int):
    """(path, leaf), N as it comes about: threshold + 1 visits end at a node, the others go on."""
    path, leaf = grown_path(game, before, actions, 0, 0.0)
    above = counts[0] + threshold + 6
    for (node, action), n in zip(path, counts, strict=True):
        for other in [a for a in node.legal_actions if a != action][:1]:
            node.visit_counts[other] = above - threshold - 1 - n
        node.visit_counts[action] = above = n
    return path, leaf


def observe(should_expand, case):
    path, leaf = grow(*case.arguments)
    edges = list(path)
    answer = should_expand(path, leaf, case.arguments[-1])
    return {"": answer, "N on the path afterwards": [node.visit_counts[a] for node, a in edges]}
