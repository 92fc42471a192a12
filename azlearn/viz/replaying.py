"""Replays the record of a search in Python, with the same numbers as static/replay.js."""

from typing import Any

import numpy as np

Record = dict[str, Any]


def replay(record: Record, row: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """N and W of the edge into every node after the first ``row`` rows of the record.

    Args:
        record: the result of ``Recording.to_dict``.
        row: the number of rows to play; None for all.

    Returns:
        ``(visit_counts, value_sum)``: int64 and float64 [number of nodes]. The value sum is for
        the player who made the move. Entry 0, the root, counts the visits of the tree.

    Raises:
        ValueError: row is less than 0 or more than the number of rows.
    """
    parent, steps = record["nodes"]["parent"], record["steps"]
    num_rows = len(steps["leaf"])
    row = num_rows if row is None else row
    if not 0 <= row <= num_rows:
        raise ValueError(f"row must be 0 to {num_rows}, not {row}.")
    totals = record.get("totals") or {
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


def changes(record: Record, row: int) -> list[float]:
    """The change of W that a row makes on each edge of its path, root first; NaN for None."""
    steps, to_play = record["steps"], record["nodes"]["to_play"]
    if (change := steps.get("change")) is not None:
        return [np.nan if w is None else w for w in change[row]]
    leaf, value = steps["leaf"][row], steps["value"][row]
    value = np.nan if value is None else value
    path = path_to(record, leaf)[:-1]
    return [value if to_play[node] == to_play[leaf] else -value for node in path]


def path_to(record: Record, node: int) -> list[int]:
    """Node indices from the root to ``node``, both inclusive."""
    parent, path = record["nodes"]["parent"], [node]
    while path[-1] > 0:
        path.append(parent[path[-1]])
    return path[::-1]


def children(record: Record) -> dict[tuple[int, int], int]:
    """The child after each move, by (node, action)."""
    ways = zip(record["nodes"]["parent"], record["nodes"]["action"], strict=True)
    return {way: node for node, way in enumerate(ways)}


def cells_at(record: Record, node: int) -> list[int]:
    """The board at a node, row-major from the top: 0 empty, 1 first player, 2 second."""
    cells, nodes = list(record["root"]["cells"]), record["nodes"]
    for below in path_to(record, node)[1:]:
        cell = nodes["cell"][below]
        if nodes.get("changes") is not None:
            changed = nodes["changes"][below]
            for i, content in zip(changed[::2], changed[1::2], strict=True):
                cells[i] = content
        elif cell >= 0:
            cells[cell] = nodes["to_play"][nodes["parent"][below]] + 1
    return cells


def preferred(record: Record) -> list[tuple[int, int, float]]:
    """(node, N, Q) of the root's visited moves in the finished tree, in the order of preference:
    most visits first; ties go to the higher Q, then to the first move."""
    visits, values = (column.tolist() for column in replay(record))
    nodes = record["nodes"]
    moves = [i for i, up in enumerate(nodes["parent"]) if up == 0 and visits[i]]
    moves.sort(key=lambda i: (-visits[i], -values[i] / visits[i], nodes["action"][i]))
    return [(i, visits[i], values[i] / visits[i]) for i in moves]


def victor_at(record: Record, node: int) -> int | None:
    """Who has won at a node: player 0 or 1, -1 for a draw, None while the game goes on."""
    return _whose(record, node, record["nodes"]["outcome"][node])


def winner_at(record: Record, node: int) -> int | None:
    """Who is proven to win from a node of the finished tree: player 0 or 1, -1 for a draw; None if
    nothing is proven or the game is over."""
    return None if _is_over(record, node) else _whose(record, node, _proof(record, node))


def choices_at(record: Record, node: int, kids: list[int], value_sum: list[float]) -> list[int]:
    """The visited children of a node of the finished tree that a player chooses from: all of them,
    unless the search used a solver (see ``search.proofs.undecided``).

    Args:
        kids: the visited children of ``node``.
        value_sum: W of the edge into every node.
    """
    if record["nodes"].get("proven") is None:
        return kids
    known, proof = {kid: _known(record, kid) for kid in kids}, _proof(record, node)
    if proof is not None:
        return [kid for kid in kids if known[kid] == proof]
    unknown = [kid for kid in kids if known[kid] is None]
    draws = [kid for kid in kids if known[kid] == 0]
    return draws if draws and not any(value_sum[kid] > 0 for kid in unknown) else unknown


def _known(record: Record, node: int) -> int | None:
    """The certain value of the move into a node, for the player who made it; None if unknown."""
    to_play, parent = record["nodes"]["to_play"], record["nodes"]["parent"][node]
    known = _proof(record, node)
    if _is_over(record, node):
        known = record["nodes"]["outcome"][node]
    return known if known is None or to_play[node] == to_play[parent] else -known


def _proof(record: Record, node: int) -> int | None:
    return (record["nodes"].get("proven") or {}).get(str(node), [None])[0]


def _is_over(record: Record, node: int) -> bool:
    return record["nodes"]["outcome"][node] is not None


def _whose(record: Record, node: int, value: float | None) -> int | None:
    """The player who is better off with a value given for the player to move; -1 if it is 0."""
    who = record["nodes"]["to_play"][node]
    return None if value is None else -1 if value == 0 else who if value > 0 else 1 - who


def line_at(record: Record, node: int) -> list[int]:
    """The cells to highlight on the board of a node, such as the winning line; often none."""
    return record["nodes"]["highlights"].get(str(node), [])


def owners_at(record: Record, node: int) -> str:
    """The owner of each cell if the game is over, as a string of 0, 1 and 2; "" if unknown."""
    return (record["nodes"].get("owners") or {}).get(str(node), "")


def label_of(record: Record, node: int) -> str:
    """The label of the move into a node; "root" for the root."""
    return "root" if node == 0 else record["game"]["labels"][record["nodes"]["action"][node]]
