"""The principal variation (4.4). The lines are found by hand."""

from azlearn.course.kit import CHANGED, FOUR, KIND, as_list
from azlearn.course.small_trees import TreeCase, drawn_tree, held

NUM_DRAWN = 100
draw = drawn_tree
CASES = [
    TreeCase(words, FOUR, before, edges, right={"": right})
    for words, before, right, edges in (
        ("a tree of 20 visits whose best mean lies elsewhere", "", [3, 3, 2, 0, 5],
         {"": {3: (12, 3), 2: (6, 4), 4: (2, -1)}, "4": {3: (7, -2), 1: (3, 1), 5: (1, -1)}, "44": {2: (4, 1), 4: (2, 2)}, "443": {0: (2, -1), 6: (1, 1)}, "4431": {5: (1, 1)}}),
        ("a tree with equal visits", "44", [2, 0, 6],
         {"": {0: (5, 0), 1: (5, -3), 2: (5, 1), 3: (3, 3), 4: (5, -1)}, "3": {0: (2, 1), 4: (2, 1)}, "31": {6: (1, -1)}}),
        ("a tree whose line ends with four in a row", "112233", [3], {"": {3: (9, 9), 0: (2, -2)}, "1": {3: (1, 1)}}),
        ("a root without visits", "4453", [], {}),
        ("a tree with equal visits at a node of Yellow's", "", [3, 1, 3],
         {"": {3: (8, 2), 2: (2, 0)}, "4": {1: (3, 1), 4: (3, -2), 6: (1, -1)}, "42": {0: (1, -1), 3: (1, 1)}}),
        ("a tree with equal visits, Yellow to move at the root", "4", [1, 5],
         {"": {1: (4, 2), 2: (4, -1), 3: (1, 0)}, "2": {0: (1, -1), 5: (1, 1), 6: (1, -1)}}),
        ("a tree in which one line of twelve moves was searched", "", [0] * 6 + [1] * 6,
         {"1" * min(n, 6) + "2" * max(n - 6, 0): {int(n > 5): (12 - n, 0)} for n in range(12)}),
        ("a tree of one visit, Yellow to move", "4", [6], {"": {6: (1, -1)}}),
    )
]  # fmt: skip


def observe(principal_variation, case):
    root = case.root()
    line = principal_variation(root)
    kind = "a list" if as_list(line) is not None else f"no list ({line and type(line).__name__})"
    return {KIND: kind, "": line, CHANGED: held(root) != held(case.root())}
