"""The record of a search, played again in Python: the same numbers as static/replay.js."""

from typing import Any

import numpy as np

Record = dict[str, Any]


def replay(record: Record, row: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """N and W of the edge into every node after the first ``row`` rows of the record.

    Args:
        record: as ``Recording.to_dict`` gives it.
        row: how many rows to play; None for all.

    Returns:
        ``(visit_counts, value_sum)``, int64 and float64 [number of nodes]; the value sum is for the
        player who made the move. Entry 0, the root, counts the visits of the tree.

    Raises:
        ValueError: row is below 0 or above the number of rows.
    """
    parent, steps = record["nodes"]["parent"], record["steps"]
    num_rows = len(steps["leaf"])
    row = num_rows if row is None else row
    if not 0 <= row <= num_rows:
        raise ValueError(f"row must be 0 to {num_rows}, not {row}.")
    totals = record["totals"] or {
        "visit_counts": [0] * len(parent),
        "value_sum": [0.0] * len(parent),
    }
    visit_counts = np.array(totals["visit_counts"], dtype=np.int64)
    value_sum = np.array(totals["value_sum"], dtype=np.float64)  # None becomes NaN
    odd_visits = steps.get("visits")
    for r in range(row):
        path, added = path_to(record, steps["leaf"][r])[1:], changes(record, r)
        seen = odd_visits[r] if odd_visits else [1] * len(added)
        visit_counts[0] += 1
        for node, n, w in zip(path[::-1], seen[::-1], added[::-1], strict=False):
            visit_counts[node] += n
            value_sum[node] += w
    return visit_counts, value_sum


def prior_at(record: Record, node: int) -> dict[int, float]:
    """The prior of every legal move of a node; uniform where the record has none."""
    legal, priors = record["nodes"]["legal"][node], record["nodes"]["prior"]
    if priors is None or priors[node] is None:
        return {action: 1 / len(legal) for action in legal}
    return {action: priors[node][action] for action in legal}


def changes(record: Record, row: int) -> list[float]:
    """What a row adds to W of the edges of its path, root first; NaN where the record has None."""
    steps, to_play = record["steps"], record["nodes"]["to_play"]
    if steps["change"] is not None:
        return [np.nan if w is None else w for w in steps["change"][row]]
    leaf, value = steps["leaf"][row], steps["value"][row]
    value = np.nan if value is None else value
    path = path_to(record, leaf)[:-1]
    return [value if to_play[node] == to_play[leaf] else -value for node in path]


def path_to(record: Record, node: int) -> list[int]:
    """Node indices from the root to ``node``, both included."""
    parent, path = record["nodes"]["parent"], [node]
    while path[-1] > 0:
        path.append(parent[path[-1]])
    return path[::-1]


def cells_at(record: Record, node: int) -> list[int]:
    """The board at a node, row-major from the top: 0 empty, 1 first player, 2 second."""
    cells, nodes = list(record["root"]["cells"]), record["nodes"]
    for below in path_to(record, node)[1:]:
        cell = nodes["cell"][below]
        if nodes["changes"] is not None:
            changed = nodes["changes"][below]
            for i, content in zip(changed[::2], changed[1::2], strict=True):
                cells[i] = content
        elif cell >= 0:
            cells[cell] = nodes["to_play"][nodes["parent"][below]] + 1
    return cells


def victor_at(record: Record, node: int) -> int | None:
    """Who has won at a node: player 0 or 1, -1 for a draw, None while the game goes on."""
    outcome, who = record["nodes"]["outcome"][node], record["nodes"]["to_play"][node]
    if outcome is None:
        return None
    return -1 if outcome == 0 else who if outcome > 0 else 1 - who


def line_at(record: Record, node: int) -> list[int]:
    """The cells to emphasise on the board of a node, such as a line that has won; often none."""
    return record["nodes"]["highlights"].get(str(node), [])


def label_of(record: Record, node: int) -> str:
    """The move into a node as its game writes it; "root" for the root."""
    return "root" if node == 0 else record["game"]["labels"][record["nodes"]["action"][node]]
