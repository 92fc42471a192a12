"""5x5 Go for the exercises of chapter 14: bitboards, their text form, and random boards.

The point in row r (0 = top) and column c is bit ``STRIDE * r + c``; bit ``STRIDE * r + SIZE`` is a
guard, 0 on every board.
"""

import re

import numpy as np

from azlearn.games import Go

GAME = Go(5)
SIZE, PASS = GAME.size, GAME.num_actions - 1
STRIDE, BOARD = GAME.rules.STRIDE, GAME.rules.BOARD  # bits in a row; the bits of all points
POINTS = [1 << bit for bit in range(BOARD.bit_length()) if BOARD >> bit & 1]  # by action

flood = GAME.rules.flood  # flood(start, area): every point of area connected to start within area


def around(points: int) -> int:
    """Returns the points of the board next to ``points``."""
    return GAME.rules.around(points) & BOARD


def stones(text: str) -> tuple[int, int]:
    """Reads the stones of X and of O from ``"..X../.XO../...../...../....."``, top row first."""
    cells = "".join(re.findall("[.XO]", text))
    return tuple(
        sum(point for point, cell in zip(POINTS, cells, strict=True) if cell == mark)
        for mark in "XO"
    )


def text(x: int, o: int, others: int = 0) -> str:
    """Writes a board, one row per line: + marks ``others``, # a point that is marked twice."""
    marks = {(): ".", ("X",): "X", ("O",): "O", ("+",): "+"}
    boards = {"X": x, "O": o, "+": others}
    cells = [marks.get(tuple(m for m, b in boards.items() if b & p), "#") for p in POINTS]
    rows = "\n".join("".join(cells[i : i + SIZE]) for i in range(0, SIZE * SIZE, SIZE))
    return rows + (" and bits off the board" if (x | o | others) & ~BOARD else "")


def label(point: int) -> str:
    """Returns a point in the usual notation: ``"A1"``."""
    return GAME.action_label(POINTS.index(point))


def drawn_board(rng: np.random.Generator) -> tuple[int, int]:
    """Samples a board, from empty to almost full, on which every group has a liberty."""
    chances = [1 - (fill := rng.uniform(0, 1.2)), share := fill * rng.uniform(0.15, 0.85)]
    chances = np.clip([*chances, fill - share], 0, None)
    cells = rng.choice(3, size=SIZE * SIZE, p=chances / chances.sum())
    x, o = (sum(p for p, c in zip(POINTS, cells, strict=True) if c == who) for who in (1, 2))
    dead = GAME.rules.dead
    o &= ~dead(o, x)
    x &= ~dead(x, o)
    return (x, o) if rng.random() < 0.5 else (o, x)
