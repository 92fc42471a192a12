"""Othello on 6x6, half done, for chapter 16: four functions of the rules are the reader's.

The cell in row r (0 = top) and column c is bit ``STRIDE * r + c``; bit ``STRIDE * r + SIZE`` is a
guard, 0 on every board. ``write_othello`` puts the four functions into a file that trains.
"""

import re
import shlex
from collections.abc import Callable
from inspect import getsource
from pathlib import Path
from typing import NamedTuple

import numpy as np

from azlearn.atomic_io import write_user_path
from azlearn.games import RulesGame
from azlearn.games.bits import one_like, popcount, sign  # noqa: F401 - for the reader's file
from azlearn.games.conformance import conformance
from azlearn.games.named import make_game
from azlearn.games.square_board import turned_and_mirrored

ROWS = COLS = SIZE = 6
STRIDE = SIZE + 1
BOARD = sum(((1 << SIZE) - 1) << (STRIDE * row) for row in range(SIZE))
PASS = SIZE * SIZE  # the last action; the others are cells, row by row
NUM_ACTIONS = PASS + 1
MAX_PLIES = 2 * PASS
DIRECTIONS = (1, -1, STRIDE, -STRIDE, STRIDE - 1, 1 - STRIDE, STRIDE + 1, -1 - STRIDE)

FUNCTIONS = ("flips", "open_cells", "is_legal", "outcome")
FILE = '''"""Othello on 6x6, written in chapter 16."""

from azlearn.course.small_othello import (
    BOARD, COLS, DIRECTIONS, INITIAL, MAX_PLIES, NUM_ACTIONS, PASS, ROWS, SIZE, STRIDE,
    OthelloBoard, State, bit_of, cell_bit, places, popcount, run, shift, sign, to_play,
)


def play(state, action):
    placed = bit_of(state.me, action)
    turned = flips(placed, state.me, state.opp)
    return State(state.opp ^ turned, state.me | placed | turned, 1 - state.mover)


def options(state):
    return open_cells(state.me, state.opp)


{}

class MyOthello(OthelloBoard):
    name = "my_othello"
'''


class State(NamedTuple):
    """A position: ints, or int64 arrays [B]."""

    me: int  # stones of the player to move
    opp: int  # stones of the other player
    mover: int  # 0 if the first player is to move, 1 if the second is


def cell_bit(row, col):
    """The bit number of a cell; row 0 is at the top."""
    return STRIDE * row + col


def stones(text: str) -> tuple[int, int]:
    """The stones X and the stones O of ``"....../.XO.../…"``, rows from the top."""
    cells = re.findall("[.XO]", text)
    return tuple(
        sum(1 << cell_bit(*divmod(i, SIZE)) for i, cell in enumerate(cells) if cell == mark)
        for mark in "XO"
    )


INITIAL = State(*stones("....../....../..OX../..XO../....../......"), 0)


def bit_of(board, action):
    """The bit of the cell ``action``, as the same kind of number as ``board``; 0 for the pass."""
    return (action != PASS) * (one_like(board) << (action + action // SIZE))


def shift(cells, step):
    """All cells moved by one in a direction: one of ``DIRECTIONS``."""
    return cells << step if step > 0 else cells >> -step


def run(start, through, step):
    """The unbroken runs of ``through`` that begin beside ``start`` in a direction."""
    found = shift(start, step) & through
    for _ in range(SIZE - 3):  # four stones fit between two on a row of six
        found = found | (shift(found, step) & through)
    return found


def to_play(state):
    """0 if the first player is to move, 1 if the second is."""
    return state.mover


class OthelloBoard(RulesGame):
    """Planes, symmetries and names of the moves; the rules are those of the file."""

    rules = None  # of this class; a subclass takes those of its own file

    def board_symmetries(self, board: np.ndarray) -> list[np.ndarray]:
        """Turned and mirrored."""
        return turned_and_mirrored(board)

    def moved_actions(self, moved_cells: np.ndarray) -> np.ndarray:
        """The cells move, the pass stays."""
        return np.append(moved_cells, PASS)

    def cell(self, state, action: int) -> int | None:
        """The cell on which the stone is placed; None for a pass."""
        return None if action == PASS else action

    def action_label(self, action: int) -> str:
        """``"d3"``, the column's letter and the row's number from the top; ``"pass"``."""
        return label(action)

    def num_plies(self, state) -> int:
        """The stones beyond the first four."""
        return (state.me | state.opp).bit_count() - 4


def label(action: int) -> str:
    """How players write a move."""
    row, col = divmod(action, SIZE)
    return "pass" if action == PASS else f"{'abcdef'[col]}{row + 1}"


def text(x: int, o: int, others: int = 0) -> str:
    """The opposite of ``stones``, a row a line; + for ``others``, # for two things on one cell."""
    names = {0: ".", 1: "X", 2: "O", 4: "+"}
    bits = [cell_bit(*divmod(i, SIZE)) for i in range(PASS)]
    found = [(x >> b & 1) + 2 * (o >> b & 1) + 4 * (others >> b & 1) for b in bits]
    cells = "".join(names.get(one, "#") for one in found)
    rows = "\n".join(cells[i : i + SIZE] for i in range(0, PASS, SIZE))
    return rows + ("\nand bits off the board" if (x | o | others) & ~BOARD else "")


def places(me: int, opp: int) -> int:
    """The cells on which a stone of ``me`` turns some of ``opp``; for the end of a game."""
    found = 0
    for step in DIRECTIONS:
        found |= shift(run(me, opp, step), step)
    return found & BOARD & ~(me | opp)


def drawn_board(rng: np.random.Generator) -> tuple[int, int]:
    """Any board, from the first four stones to a full one."""
    fill, share = rng.uniform(0.1, 1.15), rng.uniform(0.1, 0.9)
    cells = (rng.random(PASS) < fill) * (1 + (rng.random(PASS) < share))
    return stones("".join(".XO"[cell] for cell in cells))


def write_othello(path: str | Path, *functions: Callable) -> None:
    """Writes your four functions into a file of a game, checks it, and prints what is wrong.

    Args:
        path: the file, which is written over.
        functions: flips, open_cells, is_legal and outcome, as they stand in the notebook's cells.
    """
    sources = {function.__name__: getsource(function) for function in functions}
    missing = [
        n for n in FUNCTIONS if "NotImplementedError" in sources.get(n, "NotImplementedError")
    ]
    if missing:
        print(f"Still to be written: {', '.join(missing)}.")
        return
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    body = "\n\n".join(sources[name] for name in FUNCTIONS)
    write_user_path(path, FILE.format(body))
    try:
        conformance(make_game(f"{path}:MyOthello"), num_games=5)
    except (AssertionError, ValueError) as error:
        print(error)
    else:
        game = shlex.quote(f"{path}:MyOthello")
        print(f"{path} conforms. Train it: azlearn train --game {game} --minutes 10")
