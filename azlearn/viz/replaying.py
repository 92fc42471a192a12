"""The record of a search, played again in Python: the same numbers as static/replay.js."""

import math
from collections.abc import Sequence
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


def move_scores(
    record: Record, node: int, visit_counts: Sequence[float], value_sum: Sequence[float]
) -> dict[int, float]:
    """The selection rule's score of every legal move of a node, by action.

    Args:
        visit_counts, value_sum: N and W of the edge into every node, as ``replay`` gives them.

    Returns:
        {action: score}; infinite for an untried move under UCT; NaN where the record does not hold
        what the rule needs; empty for a rule of one's own, whose scores only the record has.
    """
    rule, nodes = record["rule"], record["nodes"]
    if rule["name"] not in ("uct", "puct"):
        return {}
    c = math.nan if rule["c"] is None else rule["c"]
    behind = {nodes["action"][i]: i for i, parent in enumerate(nodes["parent"]) if parent == node}
    n = {a: visit_counts[behind[a]] if a in behind else 0 for a in nodes["legal"][node]}
    w = {a: value_sum[behind[a]] if a in behind else 0.0 for a in n}
    total = sum(n.values())
    if rule["name"] == "uct":
        bonus = math.log(max(1, total))
        return {a: w[a] / n[a] + c * math.sqrt(bonus / n[a]) if n[a] else math.inf for a in n}
    first = rule["fpu"]
    if first == "parent":
        first = (own_value(record, node) + sum(w.values())) / (1 + total)
    p = prior_at(record, node)
    first -= rule.get("fpu_reduction", 0) * math.sqrt(sum(p[a] for a in n if n[a]))
    scale = c * math.sqrt(max(1, total))
    return {a: (w[a] / n[a] if n[a] else first) + scale * p[a] / (1 + n[a]) for a in n}


def unwritten(score: float | None) -> float:
    """A recorded score as it was: JSON has no infinity, so None was ∞ and −1e300 was −∞."""
    if score is None or score >= 1e299:
        return math.inf
    return -math.inf if score <= -1e299 else score


def prior_at(record: Record, node: int) -> dict[int, float]:
    """The prior of every legal move of a node; uniform where the record has none."""
    legal, priors = record["nodes"]["legal"][node], record["nodes"]["prior"]
    if priors is None or priors[node] is None:
        return {action: 1 / len(legal) for action in legal}
    return {action: priors[node][action] for action in legal}


def own_value(record: Record, node: int) -> float:
    """What the evaluator said of a node, for the player to move there; NaN if nobody wrote it."""
    steps, values = record["steps"], record["nodes"].get("value")
    value = record["root"]["value"] if node == 0 else None
    if value is None and node in steps["leaf"]:
        value = steps["value"][steps["leaf"].index(node)]
    if value is None and values is not None:
        value = values[node]
    return math.nan if value is None else value


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
