"""Where an edge lives (12.3). The indices are worked out by hand; they are compared digit by digit."""

import numpy as np

from azlearn.course.kit import CHANGED, Case, numbers

# Arguments: games, nodes and actions of the edges; nodes a game, actions a node.
CASES = [
    Case(words, (*edges, *sizes), {"": str(right)})
    for words, *edges, sizes, right in (
        ("5 nodes a game, 7 actions a node", [0, 0, 0, 1, 2], [0, 0, 1, 0, 3], [0, 6, 0, 0, 1], (5, 7), [0, 6, 7, 35, 92]),
        ("3 nodes a game, 9 actions a node", [1, 2], [2, 0], [8, 4], (3, 9), [53, 58]),
        # (100,000 · 4,097 + 4,096) · 7 + 6; 2**31 is 2,147,483,648
        ("100,001 games of 4,097 nodes, 7 actions a node", [0, 100_000], [4_096, 4_096], [6, 6], (4_097, 7), [28_678, 2_867_928_678]),
    )
]  # fmt: skip


def draw(rng):
    """One edge or more, up to the last; one node or action; each product and sum beyond int32."""
    most = [(3, 5, 4), (10**6, 10**5, 82), (2, 2 * 10**8, 100), (2**31 - 1, 2, 1)][rng.integers(4)]
    sizes = [int(rng.integers(1, size, endpoint=True)) for size in most]
    drawn = [rng.integers(size, size=rng.integers(1, 5)) for size in sizes[:1]]
    drawn += [rng.integers(size, size=len(drawn[0])) for size in sizes[1:]]
    if rng.random() < 0.3:
        drawn = [[size - 1] for size in sizes]
    return Case("", (*(list(map(int, one)) for one in drawn), *sizes[1:]))


def observe(edge_index, case):
    *edges, num_nodes, num_actions = case.arguments
    given = [np.array(numbered, dtype=np.int32) for numbered in edges]
    found = numbers(edge_index(*given, num_nodes, num_actions))
    how_many = len(found) if isinstance(found, list) else "a single one"
    changed = [array.tolist() for array in given] != edges
    return {"how many indices": how_many, "": str(found), CHANGED: changed}
