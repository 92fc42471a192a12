"""Unfinished 6x6 Othello for chapter 16: the reader writes four functions of the rules.

The cell in row r (0 = top) and column c is bit ``STRIDE * r + c``; bit ``STRIDE * r + SIZE`` is a
guard, 0 on every board. ``write_othello`` writes the four functions to a game file for training.
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
PASS = SIZE * SIZE  # the last action; the other actions are the cells, row by row
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
    """Returns the bit number of a cell; row 0 is at the top."""
    return STRIDE * row + col


def stones(text: str) -> tuple[int, int]:
    """Reads the stones of X and of O from ``"....../.XO.../…"``, top row first."""
    cells = re.findall("[.XO]", text)
    return tuple(
        sum(1 << cell_bit(*divmod(i, SIZE)) for i, cell in enumerate(cells) if cell == mark)
        for mark in "XO"
    )


INITIAL = State(*stones("....../....../..OX../..XO../....../......"), 0)


def bit_of(board, action):
    """Returns the bit of the cell ``action``, with the type of ``board``; 0 for the pass."""
    return (action != PASS) * (one_like(board) << (action + action // SIZE))


def shift(cells, step):
    """Moves all cells by one in a direction, one of ``DIRECTIONS``."""
    return cells << step if step > 0 else cells >> -step


def run(start, through, step):
    """Returns the unbroken runs of ``through`` that start next to ``start`` in a direction."""
    found = shift(start, step) & through
    for _ in range(SIZE - 3):  # at most four stones fit between two others in a row of six
        found = found | (shift(found, step) & through)
    return found


def to_play(state):
    """Returns 0 if the first player is to move, 1 if the second is."""
    return state.mover


class OthelloBoard(RulesGame):
    """Planes, symmetries and move names; a subclass takes its rules from its own file."""

    rules = None  # a subclass uses the rules of its own file

    def board_symmetries(self, board: np.ndarray) -> list[np.ndarray]:
        """The eight rotations and reflections of ``board``."""
        return turned_and_mirrored(board)

    def moved_actions(self, moved_cells: np.ndarray) -> np.ndarray:
        """A symmetry moves the cells; the pass stays the last action."""
        return np.append(moved_cells, PASS)

    def cell(self, state, action: int) -> int | None:
        """The cell on which the stone is placed; None for a pass."""
        return None if action == PASS else action

    def action_label(self, action: int) -> str:
        """The letter of the column and the number of the row from the top, ``"d3"``; ``"pass"``."""
        return label(action)

    def num_plies(self, state) -> int:
        """The number of stones beyond the first four."""
        return (state.me | state.opp).bit_count() - 4


def label(action: int) -> str:
    """Returns a move in the usual notation: ``"d3"``, or ``"pass"``."""
    row, col = divmod(action, SIZE)
    return "pass" if action == PASS else f"{'abcdef'[col]}{row + 1}"


def text(x: int, o: int, others: int = 0) -> str:
    """Writes a board, one row per line: + marks ``others``, # a cell that is marked twice."""
    names = {0: ".", 1: "X", 2: "O", 4: "+"}
    bits = [cell_bit(*divmod(i, SIZE)) for i in range(PASS)]
    found = [(x >> b & 1) + 2 * (o >> b & 1) + 4 * (others >> b & 1) for b in bits]
    cells = "".join(names.get(one, "#") for one in found)
    rows = "\n".join(cells[i : i + SIZE] for i in range(0, PASS, SIZE))
    return rows + ("\nand bits off the board" if (x | o | others) & ~BOARD else "")


def places(me: int, opp: int) -> int:
    """Returns the cells where a stone of ``me`` would flip stones; used to end games."""
    found = 0
    for step in DIRECTIONS:
        found |= shift(run(me, opp, step), step)
    return found & BOARD & ~(me | opp)


def drawn_board(rng: np.random.Generator) -> tuple[int, int]:
    """Samples any board, from nearly empty to full."""
    fill, share = rng.uniform(0.1, 1.15), rng.uniform(0.1, 0.9)
    cells = (rng.random(PASS) < fill) * (1 + (rng.random(PASS) < share))
    return stones("".join(".XO"[cell] for cell in cells))


def write_othello(path: str | Path, *functions: Callable) -> None:
    """Writes your four functions to a game file, checks the game, and prints what is wrong.

    Args:
        path: the file, which is overwritten.
        functions: flips, open_cells, is_legal and outcome, as defined in the notebook's cells.
    """
    if not {getattr(function, "__name__", "") for function in functions} <= {*FUNCTIONS}:
        names = ", ".join(FUNCTIONS)
        print(f"The file copies the source of your functions. Define each with def: {names}.")
        return
    sources = {function.__name__: getsource(function) for function in functions}
    missing = [
        n for n in FUNCTIONS if "NotImplementedError" in sources.get(n, "NotImplementedError")
    ]
    if missing:
        print(f"You still have to write: {', '.join(missing)}.")
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
        print(f"{path} passes all checks. Train it: azlearn train --game {game} --minutes 10")
