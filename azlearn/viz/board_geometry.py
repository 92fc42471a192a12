"""Positions of the cells of a board, for every kind of field; the same as in static/paint.js."""

import math
from itertools import pairwise
from typing import Any

ROW = math.sqrt(3) / 2  # distance between rows of hexagons, in widths of a hexagon


def spot(game: dict[str, Any], i: int, cell: float) -> tuple[float, float]:
    """The middle of cell ``i``, relative to the board's top left corner.

    Args:
        game: ``rows``, ``cols`` and ``drawing``, as in a record.
        cell: the width of a cell.
    """
    row, col = divmod(i, game["cols"])
    if game["drawing"]["field"] == "hexagons":
        return (col + 0.5 + row / 2) * cell, (row * ROW + 1 / math.sqrt(3)) * cell
    return (col + 0.5) * cell, (row + 0.5) * cell


def extent(game: dict[str, Any], cell: float = 1.0) -> tuple[float, float]:
    """The width and height of the board."""
    rows, cols = game["rows"], game["cols"]
    if game["drawing"]["field"] == "hexagons":
        return (cols + (rows - 1) / 2) * cell, ((rows - 1) * ROW + 2 / math.sqrt(3)) * cell
    return cols * cell, rows * cell


def corners(x: float, y: float, cell: float) -> list[tuple[float, float]]:
    """The corners of the hexagon around (x, y), clockwise from the top."""
    r = cell / math.sqrt(3)
    angles = [math.radians(60 * k - 90) for k in range(6)]
    return [(x + r * math.cos(a), y + r * math.sin(a)) for a in angles]


def stars(game: dict[str, Any]) -> list[int]:
    """The star points of a field of crossings: the center, and from 7x7 up four around it."""
    rows, cols = game["rows"], game["cols"]
    middle = rows // 2
    at = sorted(({2, rows - 3} if rows >= 7 else set()) | ({middle} if rows % 2 else set()))
    return [r * cols + c for r in at for c in at if (r == middle) == (c == middle)]


def dots_part(game: dict[str, Any], i: int) -> str:
    """The kind of a cell on a field of dots: "dot", "box", or a line, "across" or "down"."""
    row, col = divmod(i, game["cols"])
    return [["dot", "across"], ["down", "box"]][row % 2][col % 2]


def is_straight(game: dict[str, Any], line: list[int]) -> bool:
    """Whether cells follow each other in one direction, so that one outline surrounds them."""
    cells = [divmod(i, game["cols"]) for i in line]
    steps = {(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(cells)}
    return len(steps) == 1
