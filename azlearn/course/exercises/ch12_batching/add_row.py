"""A node is a row (12.4): trees in arrays of which the free rows hold what an older search has left."""

from types import SimpleNamespace

import numpy as np

from azlearn.course.kit import Case, Rng, numbers, show

TABLES = ("prior", "child", "visit_counts", "value_sum")
# The children of the rows in use, in two games; then the rows that there are.
TREES = ([[[1, 0, 0], [0, 0, 0]], [[1, 0, 2], [0, 0, 0], [0, 0, 0]]], 6)

# Arguments: trees, rows a game, game, node, action, prior.
CASES = [
    Case(f"game {game}, node {node}, action {action}", (*TREES, game, node, action, prior), right)
    for game, node, action, prior, right in (
        (0, 1, 2, [0.5, 0.0, 0.5], {"num_nodes": [3, 3], "prior[2]": [0.5, 0, 0.5], "child[1]": [0, 0, 2], "child[2]": [0, 0, 0], "the row returned": 2}),
        (1, 2, 1, [0.125, 0.25, 0.625], {"num_nodes": [2, 4], "prior[3]": [0.125, 0.25, 0.625], "child[2]": [0, 3, 0], "visit_counts[3]": [0, 0, 0], "the row returned": 3}),
        (1, 0, 1, [0.0, 1.0, 0.0], {"num_nodes": [2, 4], "prior[3]": [0, 1, 0], "child[0]": [1, 3, 2], "value_sum[3]": [0, 0, 0], "the row returned": 3}),
    )
]  # fmt: skip


def draw(rng):
    """One game or more, one action or more, a tree of a root only, rows that stay free."""
    num_actions, games = int(rng.integers(1, 6)), []
    for _ in range(rng.integers(1, 4)):
        tree = [[0] * num_actions]
        for row in range(1, int(rng.integers(1, 6))):
            node, action = free_edge(rng, tree)
            tree[node][action] = row
            tree.append([0] * num_actions)
        games.append(tree)
    num_rows = max(4, *(len(tree) + 2 for tree in games), int(rng.integers(8)))
    game = int(rng.integers(len(games)))
    prior = (rng.multinomial(8, [1 / num_actions] * num_actions) / 8).tolist()
    arguments = games, num_rows, game, *free_edge(rng, games[game]), prior
    words = "{} rows of the trees {}, game {}, node {}, action {}, prior {}"
    return Case(words.format(num_rows, games, *arguments[2:]), arguments)


def free_edge(rng: Rng, tree: list[list[int]]) -> tuple[int, int]:
    """(row, action) with nothing behind."""
    return tuple(map(int, rng.choice(np.argwhere(np.array(tree) == 0))))


def observe(add_row, case):
    children, num_rows, game, node, action, prior = case.arguments
    num_nodes = [len(tree) for tree in children]
    shape, new = (len(children), num_rows, len(prior)), num_nodes[game]
    left_over = next(row for row in range(num_rows - 1, 0, -1) if row not in (node, new))
    visits = np.arange(1, np.prod(shape) + 1).reshape(shape)
    visits[game, new - 1 : new] *= new == 1  # a row in use may have no visits yet
    before = {"child": np.full(shape, left_over), "visit_counts": visits}
    before |= {"value_sum": visits / 2, "prior": 1 / (1 + visits)}
    for table, tree in zip(before["child"], children, strict=True):
        table[: len(tree)] = tree
    trees = SimpleNamespace(num_nodes=np.array(num_nodes, np.int32))
    for name, table in before.items():
        kind = np.int32 if name in ("child", "visit_counts") else np.float64
        setattr(trees, name, table.astype(kind))
    after = vars(trees).copy()
    value = add_row(trees, game, node, action, list(prior))
    is_kept = {name: np.isclose(after[name], before[name], rtol=0, atol=1e-12) for name in TABLES}
    others = [name for name, kept in is_kept.items() if not np.delete(kept, game, 0).all()]
    old = [name for name in TABLES[1:] if (is_kept[name] * after[name])[game, new].any()]
    seen = {
        "the row returned": numbers(value),
        "what changes in other games": " and ".join(others) or "nothing",
        "num_nodes": after["num_nodes"].tolist(),
        f"prior[{new}]": after["prior"][game, new].tolist(),
        "old numbers in the new row": show(old),
    }
    rows = {f"{k}[{row}]": after[k][game, row].tolist() for k in TABLES for row in range(num_rows)}
    return seen | rows
